"""`BatchOptions`: how a list of pages is processed, in one frozen object."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from ...extract.methods.registry import DEFAULT_METHOD
from ...models.article.roles import DEFAULT_PRESET, Preset, role_set
from ...renderer.options import RenderOptions
from .hosts import Politeness

__all__ = ["ADAPTIVE_BROWSERS", "BROWSERS", "BatchOptions", "Kept"]

CORES = os.cpu_count() or 2

# A browser and the Python beside it keep some two cores busy. Where most pages are read as served
# nearly all there is to do is Python's, and each keeps one.
BROWSERS = max(1, CORES // 2)
ADAPTIVE_BROWSERS = CORES


@dataclass(frozen=True)
class Kept:
    """What is kept of each page beside its row.

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


@dataclass(frozen=True)
class BatchOptions:
    """How a list of pages is processed.

    Attributes
    ----------
    render
        How pages are rendered; its deadline holds for every page.
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
    adaptive
        Whether pages are read as served, without a browser, where that gives the same on their
        host; see `adaptive.py`.
    kept
        What is kept of each page.
    replay
        An archive that all pages are answered from, with no network.
    switches
        Further switches for Chromium's command line.

    Raises
    ------
    ValueError
        Something is to be kept that only a browser has of a page, and not all pages are rendered.
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
    adaptive: bool = False
    kept: Kept = field(default_factory=Kept)
    replay: Path | None = None
    switches: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        role_set(self.preset, self.include, self.exclude)
        kept = self.kept
        if self.adaptive and (kept.screenshots or kept.archive or kept.har or not self.method):
            raise ValueError(
                "a page that is read without a browser has no picture, and nothing that it loaded"
            )
