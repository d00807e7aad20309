"""`PageResult`: the outcome of one page, as an object and as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .. import errors
from ..errors import MioloError
from ..renderer.page.snapshot import Snapshot
from .extraction import Extraction

if TYPE_CHECKING:
    from ..renderer.network.exchange import Exchange

ERROR_FACTS = ("status", "cause", "retry_after", "traceback")


@dataclass(frozen=True, eq=False)
class PageResult:
    """The outcome of one page: an extraction or an error."""

    requested_url: str
    url: str | None = None
    """Address or file as requested, and the address that it led to, or None."""
    http_status: int | None = None
    """Status of the response; None if it is not known."""
    extractions: Mapping[str, Extraction] = field(default_factory=dict)
    """Extractions by method, in the order of the job's methods; empty if the page failed, except
    with a `TextError`."""
    error: MioloError | None = None
    """Error that the page failed with; None if it did not fail."""
    artefacts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Other results of the page, by name."""
    snapshot: Snapshot | None = field(default=None, repr=False)
    exchanges: tuple[Exchange, ...] = field(default=(), repr=False)
    """Snapshot, and all requests and responses of rendering the page, if the job keeps them."""

    @property
    def extraction(self) -> Extraction | None:
        """The extraction by the job's first method; None if there is none."""
        return next(iter(self.extractions.values()), None)

    def unwrap(self) -> Extraction:
        """The extraction by the first method.

        Raises
        ------
        MioloError
            The page failed, or nothing was extracted from it.
        """
        extraction = self.raise_for_error().extraction
        if extraction is None:
            raise MioloError(f"nothing was extracted from {self.requested_url}")
        return extraction

    def raise_for_error(self) -> PageResult:
        """Return the result itself.

        Raises
        ------
        MioloError
            The page failed.
        """
        if self.error is not None:
            raise self.error
        return self

    def to_dict(self, *, blocks: bool = True) -> dict[str, Any]:
        """The result as plain values; see `Extraction.to_dict`."""
        from .schema import SCHEMA_VERSION, plain_values

        values: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "requested_url": self.requested_url,
            "url": self.url,
            "http_status": self.http_status,
            "error": self.error and _facts(self.error),
        }
        if self.extraction is not None:
            return self.extraction.to_dict(blocks=blocks) | plain_values(values, values)
        return plain_values(values)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PageResult:
        """Restore a result from the values of `to_dict`; see `Extraction.from_dict`."""
        from .schema import reading

        with reading(values):
            error, extractions = values["error"], {}
            if values["method"] is not None:
                extractions[values["method"]] = Extraction.from_dict(values)
            requested = values["requested_url"]
            failed = None if error is None else failure(**error, url=requested)
            return cls(requested, values["url"], values["http_status"], extractions, failed)


def _facts(error: MioloError) -> SimpleNamespace:
    """The fields of an error; those that its class lacks are None."""
    facts = {name: getattr(error, name, None) for name in ERROR_FACTS}
    return SimpleNamespace(kind=type(error).__name__, message=str(error), **facts)


def failure(kind: str, message: str, **facts: Any) -> MioloError:
    """An error created by the name of its class; a `MioloError` if there is no such class."""
    error_class = getattr(errors, kind, None)
    if not (isinstance(error_class, type) and issubclass(error_class, MioloError)):
        error_class = MioloError
    error = error_class(message)
    error.__dict__.update({name: value for name, value in facts.items() if value is not None})
    return error
