"""`BatchOptions`: how a list of pages is processed, in one frozen object."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from ...extract.methods.registry import DEFAULT_METHOD
from ...models.article.roles import DEFAULT_PRESET, Preset, role_set
from ...renderer.options import RenderOptions
from .hosts import Politeness

__all__ = ["BROWSERS", "MOSTLY_PLAIN_BROWSERS", "BatchOptions", "Kept"]

CORES = os.cpu_count() or 2

# A browser and the Python beside it keep some two cores busy. Where most pages are read as served
# nearly all there is to do is Python's, and each keeps one.
BROWSERS = max(1, CORES // 2)
MOSTLY_PLAIN_BROWSERS = CORES


@dataclass(frozen=True)
class Kept:
    """Files that are kept of each page beside its row.

    Attributes
    ----------
    snapshots, screenshots
        Files ``snapshots/<xx>/<key>.miolo`` and ``screenshots/<xx>/<key>.png``.
    archive
        All that a page took to be rendered, in ``archive.warc.gz``.
    har
        The same as a file of the page's own, ``har/<xx>/<key>.har``.
    """

    snapshots: bool = False
    screenshots: bool = False
    archive: bool = False
    har: bool = False

    @property
    def needs_browser(self) -> bool:
        """Whether something is kept that only rendered pages have."""
        return self.screenshots or self.archive or self.har


@dataclass(frozen=True)
class BatchOptions:
    """How a list of pages is processed.

    Attributes
    ----------
    render
        How pages are rendered; its deadline holds for every page. With ``browser="auto"`` pages
        are read without a browser on hosts where that gives the same article; see `planner.py`.
    method
        Name of a method that needs no site; None to extract nothing.
    preset, include, exclude
        Roles that count as the text; see `extract_snapshot`.
    browsers
        Processes, each with a Chromium and the Python that reads its pages.
    pages
        Pages that each of them has open at once.
    politeness
        Towards each host.
    robots
        Whether each host's robots.txt is obeyed.
    kept
        Files that are kept of each page.
    replay
        An archive that all pages are answered from, with no network.
    switches
        Further switches for Chromium's command line.

    Raises
    ------
    ValueError
        Screenshots or recordings are to be kept, and not all pages are rendered.
    UnknownRoleError
        There is no preset or role of this name.
    """

    render: RenderOptions = field(default_factory=RenderOptions)
    method: str | None = DEFAULT_METHOD
    preset: Preset = DEFAULT_PRESET
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    browsers: int = BROWSERS
    pages: int = 4
    politeness: Politeness = field(default_factory=Politeness)
    robots: bool = False
    kept: Kept = field(default_factory=Kept)
    replay: Path | None = None
    switches: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        role_set(self.preset, self.include, self.exclude)
        needs_browser = self.kept.needs_browser or not self.method
        if self.render.browser != "always" and needs_browser:
            raise ValueError(
                "a page that is read without a browser has no screenshot and no recording"
            )
