"""`System`: anything that extracts an article from a page; Miolo's own methods as systems."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from ..extract.methods.registry import find_method
from ..extract.pipeline import extract_snapshot
from ..extract.scoring import scored_text
from ..extract.warm_up import warm_up
from ..models.article.roles import DEFAULT_PRESET, Preset
from ..output.extraction import Extraction
from ..version import __version__
from .case import Case, Page, Reads

__all__ = ["Answer", "MethodInputs", "OwnMethod", "System", "code_version"]

PACKAGE = Path(__file__).resolve().parents[1]
PARTS = ("renderer", "features", "models", "extract")
NO_PART = ("cli", "debug/comparison", "evaluate", "debug/reports")
"""Parts that do not affect an extraction."""


@dataclass(frozen=True)
class Answer:
    """Text, title and date that a system extracted from a page; None if it returned none."""

    text: str = ""
    title: str | None = None
    date: str | None = None


@dataclass(frozen=True)
class MethodInputs:
    """Additional input of a method for each page: its site, or a model.

    Attributes
    ----------
    value
        Returns the object for a page; called only if an answer is missing.
    version
        Key that identifies the values without computing them; answers are cached by it.
    """

    value: Callable[[Case], Any]
    version: Callable[[Case], str]


class System(Protocol):
    """Anything that extracts an article from a page.

    Attributes
    ----------
    name
        Name, unique in a run.
    reads
        Input of the system.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def reads(self) -> Reads: ...  # noqa: D102

    def version(self, case: Case) -> str:
        """Version of the system; stored answers of other versions are not used."""
        ...

    def prepare(self, page: Page) -> Callable[[], Answer]:
        """Read the input of a page and return a function that extracts its article.

        Only the returned function is timed.
        """
        ...


@dataclass(frozen=True)
class OwnMethod:
    """A method of Miolo.

    Attributes
    ----------
    name
        Name of the system.
    method
        Name of the method; see `METHODS`.
    site, model
        Site and model with which the method reads each page.
    preset
        Roles that count as the text.
    """

    name: str
    method: str
    site: MethodInputs | None = None
    model: MethodInputs | None = None
    preset: Preset = DEFAULT_PRESET
    reads: Reads = "rendered"

    def __post_init__(self) -> None:
        find_method(self.method)

    def version(self, case: Case) -> str:
        """Version of the package, of its code and models, and of the method's inputs."""
        versions = [each.version(case) for each in (self.site, self.model) if each]
        return " ".join([code_version(), self.preset, *versions])

    def prepare(self, page: Page) -> Callable[[], Answer]:
        """See `System`."""
        extract = self.extraction(page)
        return lambda: _answer(extract())

    def extraction(self, page: Page) -> Callable[[], Extraction]:
        """Like `prepare`, but the returned function returns the whole extraction."""
        warm_up(self.method)
        snapshot = page.snapshot()
        site = self.site.value(page.case) if self.site else None
        model = self.model.value(page.case) if self.model else None
        return lambda: extract_snapshot(
            snapshot, self.method, site=site, model=model, preset=self.preset
        )


def _answer(extraction: Extraction) -> Answer:
    return Answer(scored_text(extraction), extraction.title, extraction.date)


@cache
def code_version(parts: tuple[str, ...] = PARTS, without: tuple[str, ...] = NO_PART) -> str:
    """Version of the package with a hash of the code and models that determine answers.

    Parameters
    ----------
    parts
        Folders and files of the package.
    without
        Prefixes of paths that are left out.
    """
    paths = [PACKAGE / part for part in parts]
    paths += [path for folder in paths for path in folder.rglob("*")]
    digest = hashlib.sha256()
    for path in sorted(paths):
        name = path.relative_to(PACKAGE).as_posix()
        if path.suffix in (".py", ".json", ".npz") and not name.startswith(without):
            digest.update(f"{name}\0".encode() + path.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:12]}"
