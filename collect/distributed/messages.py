"""Messages between a reader and its worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import MioloError
from .recipe import PageRecipe

__all__ = ["Address", "AddressRow", "Row", "Setup"]

Row = dict[str, Any]


@dataclass(frozen=True)
class Setup:
    """The first message to a worker.

    Attributes
    ----------
    recipe
        How each address is processed.
    archive
        Path of an archive from which all requests are answered, without network access.
    """

    recipe: PageRecipe
    archive: str | None = None


@dataclass(frozen=True)
class Address:
    """An address to read."""

    id: int
    url: str


@dataclass(frozen=True)
class AddressRow:
    """The row of an address.

    Attributes
    ----------
    id
        Number of the address.
    row
        Result of the page, which may be a failure.
    fault
        Error of the machine, in place of a row.
    """

    id: int
    row: Row | None = None
    fault: MioloError | None = None
