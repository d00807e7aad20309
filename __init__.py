"""Miolo renders web pages in headless Chromium, takes out the article and shows why.

Names are loaded when they are first used: importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .collect.collections.collection import Collection
    from .collect.collections.page import CollectionPage
    from .debug.comparison.compare import Change, Comparison, compare_snapshots
    from .debug.pictures.picture import annotated_screenshot
    from .debug.reports.compare_report import html_report_of_pair
    from .debug.reports.page_report import html_report
    from .debug.reports.site_report import html_report_of_site
    from .errors import (
        ArchiveError,
        BrowserCrashedError,
        BrowserNotFoundError,
        CollectionLockedError,
        DuplicatePageError,
        EgressRefusedError,
        EmptyInputError,
        MioloError,
        MissingDependencyError,
        MissingScreenshotError,
        MissingSiteError,
        NavigationError,
        NotHTMLError,
        PageBlockedError,
        PageNotAcceptedError,
        PageTimeoutError,
        RenderError,
        RobotsDisallowedError,
        StorageError,
        TooLargeError,
        UnknownMethodError,
        UnknownRole,
    )
    from .extract.methods.nce import nce
    from .extract.methods.nce_options import NCEOptions
    from .extract.methods.records import extract_records
    from .extract.methods.table import METHODS
    from .extract.output.chunks import Chunk
    from .extract.output.document import Link
    from .extract.output.extraction import Block, Extraction, TemplateField
    from .extract.output.formats import format_extraction
    from .extract.output.options import WriteOptions
    from .extract.output.record_table import RecordTable
    from .extract.pages import PageResult, extract_html, extract_many, extract_url
    from .extract.pagination import FollowOptions
    from .extract.pipeline import extract_snapshot
    from .features.record import NodeRecord, node_record
    from .models.article.explanation import Contribution
    from .models.article.model import Reader
    from .models.article.roles import PRESETS, ROLES
    from .models.site import Site, learn_site
    from .models.templates.model import TemplateModel, TemplateScores
    from .models.templates.sitelevel import SiteLabels, SiteLevel
    from .models.templates.smoothing import Smoothed, smooth
    from .models.wrappers.wrappers import Wrapper, WrapperOptions
    from .renderer.archives.archive import Archive
    from .renderer.archives.exchange import Exchange
    from .renderer.archives.open_archive import open_archive, save_archive
    from .renderer.egress.policy import EgressPolicy
    from .renderer.options import Limits, RenderOptions
    from .renderer.renderer import Renderer, render_html, render_url
    from .renderer.snapshot import Frame, PageInfo, PageWarning, Snapshot

_HOMES = {
    "errors": (
        "ArchiveError",
        "BrowserCrashedError",
        "BrowserNotFoundError",
        "CollectionLockedError",
        "EgressRefusedError",
        "MissingDependencyError",
        "MioloError",
        "NavigationError",
        "EmptyInputError",
        "NotHTMLError",
        "PageBlockedError",
        "PageNotAcceptedError",
        "PageTimeoutError",
        "RenderError",
        "RobotsDisallowedError",
        "DuplicatePageError",
        "MissingScreenshotError",
        "MissingSiteError",
        "StorageError",
        "TooLargeError",
        "UnknownMethodError",
        "UnknownRole",
    ),
    "extract.pipeline": ("extract_snapshot",),
    "collect.collections.collection": ("Collection",),
    "collect.collections.page": ("CollectionPage",),
    "debug.comparison.compare": ("Change", "Comparison", "compare_snapshots"),
    "debug.reports.compare_report": ("html_report_of_pair",),
    "extract.output.chunks": ("Chunk",),
    "extract.output.document": ("Link",),
    "extract.output.extraction": ("Block", "Extraction", "TemplateField"),
    "extract.output.options": ("WriteOptions",),
    "extract.pagination": ("FollowOptions",),
    "extract.output.formats": ("format_extraction",),
    "extract.pages": ("PageResult", "extract_html", "extract_many", "extract_url"),
    "debug.reports.page_report": ("html_report",),
    "debug.reports.site_report": ("html_report_of_site",),
    "extract.methods.table": ("METHODS",),
    "extract.methods.nce": ("nce",),
    "extract.methods.nce_options": ("NCEOptions",),
    "debug.pictures.picture": ("annotated_screenshot",),
    "extract.output.record_table": ("RecordTable",),
    "extract.methods.records": ("extract_records",),
    "features.record": ("NodeRecord", "node_record"),
    "models.article.explanation": ("Contribution",),
    "models.article.model": ("Reader",),
    "models.article.roles": ("PRESETS", "ROLES"),
    "models.site": ("Site", "learn_site"),
    "models.templates.sitelevel": ("SiteLabels", "SiteLevel"),
    "models.templates.smoothing": ("Smoothed", "smooth"),
    "models.templates.model": ("TemplateModel", "TemplateScores"),
    "models.wrappers.wrappers": ("Wrapper", "WrapperOptions"),
    "renderer.egress.policy": ("EgressPolicy",),
    "renderer.archives.archive": ("Archive",),
    "renderer.archives.exchange": ("Exchange",),
    "renderer.archives.open_archive": ("open_archive", "save_archive"),
    "renderer.options": ("Limits", "RenderOptions"),
    "renderer.renderer": ("Renderer", "render_html", "render_url"),
    "renderer.snapshot": ("Frame", "PageInfo", "Snapshot", "PageWarning"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "METHODS",
    "PRESETS",
    "ROLES",
    "Archive",
    "ArchiveError",
    "Block",
    "BrowserCrashedError",
    "BrowserNotFoundError",
    "Change",
    "Chunk",
    "Collection",
    "CollectionLockedError",
    "CollectionPage",
    "Comparison",
    "Contribution",
    "DuplicatePageError",
    "EgressPolicy",
    "EgressRefusedError",
    "EmptyInputError",
    "Exchange",
    "Extraction",
    "FollowOptions",
    "Frame",
    "Limits",
    "Link",
    "MioloError",
    "MissingDependencyError",
    "MissingScreenshotError",
    "MissingSiteError",
    "NCEOptions",
    "NavigationError",
    "NodeRecord",
    "NotHTMLError",
    "PageBlockedError",
    "PageInfo",
    "PageNotAcceptedError",
    "PageResult",
    "PageTimeoutError",
    "PageWarning",
    "Reader",
    "RecordTable",
    "RenderError",
    "RenderOptions",
    "Renderer",
    "RobotsDisallowedError",
    "Site",
    "SiteLabels",
    "SiteLevel",
    "Smoothed",
    "Snapshot",
    "StorageError",
    "TemplateField",
    "TemplateModel",
    "TemplateScores",
    "TooLargeError",
    "UnknownMethodError",
    "UnknownRole",
    "Wrapper",
    "WrapperOptions",
    "WriteOptions",
    "annotated_screenshot",
    "compare_snapshots",
    "extract_html",
    "extract_many",
    "extract_records",
    "extract_snapshot",
    "extract_url",
    "format_extraction",
    "html_report",
    "html_report_of_pair",
    "html_report_of_site",
    "learn_site",
    "nce",
    "node_record",
    "open_archive",
    "render_html",
    "render_url",
    "save_archive",
    "smooth",
]


# Names of earlier versions, for one release.
_RENAMED = {
    "BrowserCrashed": "BrowserCrashedError",
    "BrowserNotFound": "BrowserNotFoundError",
    "CollectionBusy": "CollectionLockedError",
    "Egress": "EgressPolicy",
    "EgressRefused": "EgressRefusedError",
    "ExtraNeeded": "MissingDependencyError",
    "Extracted": "PageResult",
    "NoPages": "EmptyInputError",
    "NotHTML": "NotHTMLError",
    "PageFacts": "PageInfo",
    "PageNotAccepted": "PageNotAcceptedError",
    "PageTimeout": "PageTimeoutError",
    "Passage": "TemplateField",
    "RobotsDisallowed": "RobotsDisallowedError",
    "SamePage": "DuplicatePageError",
    "ScreenshotNeeded": "MissingScreenshotError",
    "SiteNeeded": "MissingSiteError",
    "TooLarge": "TooLargeError",
    "UnknownMethod": "UnknownMethodError",
    "Warn": "PageWarning",
    "annotate": "annotated_screenshot",
    "compare": "compare_snapshots",
    "inspect_pair": "html_report_of_pair",
    "inspect_site": "html_report_of_site",
    "inspect_snapshot": "html_report",
    "page_records": "extract_records",
    "write": "format_extraction",
    "write_exchanges": "save_archive",
}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        new = _RENAMED[name]
        warn(f"miolo.{name} is now miolo.{new}", DeprecationWarning, stacklevel=2)
        name = new
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME_OF[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
