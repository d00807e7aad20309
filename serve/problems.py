"""Errors as HTTP answers: a table from kinds of errors to statuses, and the JSON of an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ..errors import (
    ArchiveError,
    BadLineError,
    BrowserCrashedError,
    BrowserNotFoundError,
    BrowserRequiredError,
    CollectionLockedError,
    DuplicatePageError,
    EgressRefusedError,
    ElementNotFoundError,
    EmptyInputError,
    EmptyPageError,
    ExtractionError,
    LowConfidenceError,
    MioloError,
    MissingDependencyError,
    MissingScreenshotError,
    MissingSiteError,
    NavigationError,
    NotHTMLError,
    PageBlockedError,
    PageError,
    PageNotAcceptedError,
    PageTimeoutError,
    RenderError,
    RobotsDisallowedError,
    SettingsError,
    StorageError,
    TextError,
    TooLargeError,
    UnknownMethodError,
    UnknownRoleError,
    UnsupportedSystemError,
)

__all__ = ["CLIENT_GONE", "REFUSALS", "STATUS", "STOPPING", "Problem", "problem_of"]

# Status that servers log if the client has disconnected.
CLIENT_GONE = 499

STATUS: Mapping[type[MioloError], int] = MappingProxyType(
    {
        # The request cannot be fulfilled.
        UnknownMethodError: 422,
        UnknownRoleError: 422,
        MissingSiteError: 422,
        ElementNotFoundError: 422,
        MissingScreenshotError: 422,
        PageNotAcceptedError: 422,
        EmptyInputError: 422,
        # The page exists, but cannot be extracted.
        NotHTMLError: 422,
        TooLargeError: 422,
        # The service refuses to visit the page.
        EgressRefusedError: 403,
        RobotsDisallowedError: 403,
        # The page or its server does not provide the requested content.
        NavigationError: 502,
        PageBlockedError: 502,
        EmptyPageError: 502,
        LowConfidenceError: 502,
        TextError: 502,
        BrowserCrashedError: 502,
        PageTimeoutError: 504,
        # The service lacks something.
        MissingDependencyError: 501,
        UnsupportedSystemError: 501,
        BrowserNotFoundError: 503,
        StorageError: 503,
        # No request can cause these: the service itself is at fault.
        ArchiveError: 500,
        BadLineError: 500,
        CollectionLockedError: 500,
        DuplicatePageError: 500,
        SettingsError: 500,
        BrowserRequiredError: 500,
        ExtractionError: 500,
        RenderError: 500,
        PageError: 500,
        MioloError: 500,
    }
)
"""HTTP status by kind of error; every kind is listed."""

REFUSALS: Mapping[int, str] = MappingProxyType(
    {
        400: "BadRequest",
        401: "TokenNeeded",
        403: "Forbidden",
        404: "NotFound",
        405: "MethodNotAllowed",
        408: "RequestTimeout",
        410: "Gone",
        413: "BodyTooLarge",
        415: "JsonNeeded",
        422: "InvalidRequest",
        429: "Busy",
        CLIENT_GONE: "ClientGone",
        500: "InternalError",
        503: "Stopping",
    }
)
"""Kinds of the service's own refusals, by HTTP status."""

# Kinds whose messages are about the page or the request; others may reveal details of the machine.
_PUBLIC = (
    UnknownMethodError,
    UnknownRoleError,
    MissingSiteError,
    RenderError,
    MissingDependencyError,
)

MAX_MESSAGE = 500


@dataclass(frozen=True)
class Problem:
    """An error as an HTTP answer.

    Attributes
    ----------
    status
        HTTP status.
    message
        One line for people.
    kind
        Kind of error, for programs; if empty, it follows from the status.
    url
        The requested page.
    details
        Further fields that this kind of error has.
    headers
        Further headers of the answer.
    """

    status: int
    message: str
    kind: str = ""
    url: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The kind, or else the one of the status."""
        return self.kind or REFUSALS.get(self.status, "HttpError")

    @property
    def json(self) -> dict[str, Any]:
        """Body of the answer."""
        line = " ".join(self.message.split())
        message = line if len(line) <= MAX_MESSAGE else line[: MAX_MESSAGE - 1] + "…"
        return {"error": {"kind": self.name, "message": message, "url": self.url, **self.details}}


STOPPING = Problem(503, "the service is shutting down", headers={"Retry-After": "5"})
"""The answer to requests that the service does not complete because it ends."""


def problem_of(error: MioloError) -> Problem:
    """The problem to send to the client for an error, without details of the machine."""
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    if error.traceback is not None:
        # The cause may reveal details of the machine; the log has it.
        message = "an unexpected error occurred while the page was processed"
    elif isinstance(error, _PUBLIC):
        message = str(error)
    else:
        message = "the service cannot process the request at the moment"
    details: dict[str, Any] = {}
    if isinstance(error, NavigationError):
        details = {"status": error.status, "cause": error.cause}
    return Problem(status, message, type(error).__name__, getattr(error, "url", ""), details)
