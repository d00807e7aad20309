"""What a reader and its worker send each other."""

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
        What is done with each address.
    archive
        Path of an archive that all is answered from, with no network.
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
        Of the address.
    row
        The result, a failure among them.
    fault
        An error of the machine, in place of a row.
    """

    id: int
    row: Row | None = None
    fault: MioloError | None = None
