"""`BatchOptions`: how a list of pages is processed, in one frozen object."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...extract.options import ExtractOptions
from ...renderer.network.blocking import DEFAULT_LISTS, read_block
from ...renderer.options import RenderOptions
from .hosts import Politeness

__all__ = ["BROWSERS", "MOSTLY_PLAIN_BROWSERS", "BatchOptions", "Kept"]

CORES = os.cpu_count() or 2

# A browser and the Python process beside it keep about two cores busy. If most pages are read
# without rendering, nearly all the work is done in Python, and each worker keeps one core busy.
BROWSERS = max(1, CORES // 2)
MOSTLY_PLAIN_BROWSERS = CORES


@dataclass(frozen=True)
class Kept:
    """Files that are kept for each page in addition to its row.

    Snapshots and screenshots have files of their own, ``snapshots/<xx>/<key>.miolo`` and so on. All
    responses that were needed to render the page are in ``archive.warc.gz`` (`archive`), or in a
    file for each page, ``har/<xx>/<key>.har`` (`har`).
    """

    snapshots: bool = False
    screenshots: bool = False
    archive: bool = False
    har: bool = False

    @property
    def needs_browser(self) -> bool:
        """Whether any of the files exists only for rendered pages."""
        return self.screenshots or self.archive or self.har


@dataclass(frozen=True)
class BatchOptions:
    """How a list of pages is processed.

    Attributes
    ----------
    render
        How pages are rendered; its deadline applies to every page. If it does not say what to
        block, advertisements and trackers are blocked. With ``browser="auto"`` pages are read
        without a browser on hosts where that gives the same article; see `planner.py`.
    extract
        How articles are extracted, by a method that needs no site; None to extract nothing.
    browsers, pages
        Number of worker processes, each with one Chromium and the Python code that reads its pages,
        and maximum number of pages that each has open at once.
    robots
        Whether each host's robots.txt is obeyed.
    min_confidence
        Confidence of a text below which its page fails with a `LowConfidenceError`; its row and
        files are kept. A page that was read without a browser is rendered first.
    learn
        Whether a crawl learns its site as it goes.
    replay
        Archive from which all requests are answered, without network access.
    switches
        Additional command-line switches for Chromium.

    Raises
    ------
    ValueError
        Not all pages are rendered, but screenshots or recordings are to be kept or nothing is
        extracted; or the minimum confidence is not between 0 and 1.
    """

    render: RenderOptions = field(default_factory=RenderOptions)
    extract: ExtractOptions | None = field(default_factory=ExtractOptions)
    browsers: int = BROWSERS
    pages: int = 4
    politeness: Politeness = field(default_factory=Politeness)
    robots: bool = False
    kept: Kept = field(default_factory=Kept)
    min_confidence: float = 0.0
    learn: bool = False
    replay: Path | None = None
    switches: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.render.block is None:
            render = replace(self.render, block=read_block(DEFAULT_LISTS))
            object.__setattr__(self, "render", render)
        if not 0 <= self.min_confidence <= 1:
            raise ValueError("the minimum confidence must be between 0 and 1")
        needs_browser = self.kept.needs_browser or self.extract is None
        if self.render.browser != "always" and needs_browser:
            raise ValueError(
                "screenshots, recordings and runs that extract nothing need browser='always', "
                "because pages may otherwise be read without a browser"
            )
