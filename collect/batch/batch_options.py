"""`BatchOptions`: how a list of pages is processed, in one frozen object."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...extract.options import ExtractOptions
from ...renderer.network.blocking import DEFAULT_LISTS, read_block
from ...renderer.options import RenderOptions
from .hosts import Politeness

CORES = os.cpu_count() or 2

# A browser and the Python process beside it keep about two cores busy. If most pages are read
# without rendering, nearly all the work is done in Python, and each worker keeps one core busy.
BROWSERS = max(1, CORES // 2)
MOSTLY_PLAIN_BROWSERS = CORES


@dataclass(frozen=True)
class Kept:
    """Files that are kept for each page in addition to its row."""

    snapshots: bool = False  # ``snapshots/<xx>/<key>.miolo``, and so for screenshots
    screenshots: bool = False
    archive: bool = False  # all responses that were needed, in ``archive.warc.gz``
    har: bool = False  # the same in a file for each page, ``har/<xx>/<key>.har``

    @property
    def needs_browser(self) -> bool:
        """Whether any of the files exists only for rendered pages."""
        return self.screenshots or self.archive or self.har


@dataclass(frozen=True)
class BatchOptions:
    """How a list of pages is processed; options that contradict each other are a `ValueError`.

    If `render` does not say what to block, advertisements and trackers are blocked. With
    ``browser="auto"`` pages are read without a browser on hosts where that gives the same article;
    see `planner.py`. A page whose text has less than `min_confidence` fails with a
    `LowConfidenceError`; its row and files are kept. If it was read without a browser, it is
    rendered first.
    """

    render: RenderOptions = field(default_factory=RenderOptions)
    extract: ExtractOptions | None = field(default_factory=ExtractOptions)  # by no site's method
    browsers: int = BROWSERS  # worker processes, each with one Chromium
    pages: int = 4  # that each has open at once
    politeness: Politeness = field(default_factory=Politeness)
    robots: bool = False  # whether each host's robots.txt is obeyed
    kept: Kept = field(default_factory=Kept)
    min_confidence: float = 0.0
    learn: bool = False  # whether a crawl learns its site as it goes
    replay: Path | None = None  # archive from which all requests are answered, without network
    switches: tuple[str, ...] = ()  # of Chromium

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
