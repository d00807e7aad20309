"""Errors as HTTP answers: a table from kinds of errors to statuses, and the JSON of an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import errors

CLIENT_GONE = 499  # status that servers log if the client has disconnected

STATUS: Mapping[type[errors.MioloError], int] = {
    # The request cannot be fulfilled.
    errors.UnknownMethodError: 422,
    errors.UnknownRoleError: 422,
    errors.MissingSiteError: 422,
    errors.ElementNotFoundError: 422,
    errors.MissingScreenshotError: 422,
    errors.PageNotAcceptedError: 422,
    errors.EmptyInputError: 422,
    # The page exists, but cannot be extracted.
    errors.NotHTMLError: 422,
    errors.TooLargeError: 422,
    # The service refuses to visit the page.
    errors.EgressRefusedError: 403,
    errors.RobotsDisallowedError: 403,
    # The page or its server does not provide the requested content.
    errors.NavigationError: 502,
    errors.PageBlockedError: 502,
    errors.TextError: 502,
    errors.BrowserCrashedError: 502,
    errors.PageTimeoutError: 504,
    # The service lacks something.
    errors.MissingDependencyError: 501,
    errors.UnsupportedSystemError: 501,
    errors.BrowserNotFoundError: 503,
    errors.StorageError: 503,
    # No request can cause the others: the service itself is at fault.
    errors.MioloError: 500,
}
"""HTTP status by kind of error, which kinds below it share."""

REFUSALS: Mapping[int, str] = {
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
"""Kinds of the service's own refusals, by HTTP status."""

# Kinds whose messages are about the page or the request; others may reveal details of the machine.
_PUBLIC = (
    errors.UnknownMethodError,
    errors.UnknownRoleError,
    errors.MissingSiteError,
    errors.RenderError,
    errors.ElementNotFoundError,
    errors.PageNotAcceptedError,
    errors.MissingDependencyError,
)

MAX_MESSAGE = 500


@dataclass(frozen=True)
class Problem:
    """An error as an HTTP answer; without a `kind`, that follows from the status."""

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


def problem_of(error: errors.MioloError) -> Problem:
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
    if isinstance(error, errors.NavigationError):
        details = {"status": error.status, "cause": error.cause}
    return Problem(status, message, type(error).__name__, getattr(error, "url", ""), details)
