"""Miolo renders web pages in headless Chromium, takes out the article and shows why.

Names are loaded when they are first used: importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .collect.collections.collection import Collection
    from .collect.collections.page import CollectionPage
    from .debug.comparison.compare import Change, Comparison, compare
    from .debug.pictures.picture import annotate
    from .debug.reports.compare_report import inspect_pair
    from .debug.reports.page_report import inspect_snapshot
    from .debug.reports.site_report import inspect_site
    from .errors import (
        ArchiveError,
        BrowserCrashed,
        BrowserNotFound,
        CollectionBusy,
        EgressRefused,
        ExtraNeeded,
        MioloError,
        NavigationError,
        NoPages,
        NotHTML,
        PageBlockedError,
        PageNotAccepted,
        PageTimeout,
        RenderError,
        RobotsDisallowed,
        SamePage,
        ScreenshotNeeded,
        SiteNeeded,
        StorageError,
        TooLarge,
        UnknownMethod,
        UnknownRole,
    )
    from .extract.methods.nce import nce
    from .extract.methods.nce_options import NCEOptions
    from .extract.methods.records import page_records
    from .extract.methods.table import METHODS
    from .extract.output.extraction import Block, Extraction, Link, Passage
    from .extract.output.formats import write
    from .extract.output.record_table import RecordTable
    from .extract.pages import Extracted, extract_html, extract_many, extract_url
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
    from .renderer.archives.open_archive import open_archive, write_exchanges
    from .renderer.egress.policy import Egress
    from .renderer.options import Limits, RenderOptions
    from .renderer.renderer import Renderer, render_html, render_url
    from .renderer.snapshot import Frame, PageFacts, Snapshot, Warn

_HOMES = {
    "errors": (
        "ArchiveError",
        "BrowserCrashed",
        "BrowserNotFound",
        "CollectionBusy",
        "EgressRefused",
        "ExtraNeeded",
        "MioloError",
        "NavigationError",
        "NoPages",
        "NotHTML",
        "PageBlockedError",
        "PageNotAccepted",
        "PageTimeout",
        "RenderError",
        "RobotsDisallowed",
        "SamePage",
        "ScreenshotNeeded",
        "SiteNeeded",
        "StorageError",
        "TooLarge",
        "UnknownMethod",
        "UnknownRole",
    ),
    "extract.pipeline": ("extract_snapshot",),
    "collect.collections.collection": ("Collection",),
    "collect.collections.page": ("CollectionPage",),
    "debug.comparison.compare": ("Change", "Comparison", "compare"),
    "debug.reports.compare_report": ("inspect_pair",),
    "extract.output.extraction": ("Block", "Extraction", "Link", "Passage"),
    "extract.pagination": ("FollowOptions",),
    "extract.output.formats": ("write",),
    "extract.pages": ("Extracted", "extract_html", "extract_many", "extract_url"),
    "debug.reports.page_report": ("inspect_snapshot",),
    "debug.reports.site_report": ("inspect_site",),
    "extract.methods.table": ("METHODS",),
    "extract.methods.nce": ("nce",),
    "extract.methods.nce_options": ("NCEOptions",),
    "debug.pictures.picture": ("annotate",),
    "extract.output.record_table": ("RecordTable",),
    "extract.methods.records": ("page_records",),
    "features.record": ("NodeRecord", "node_record"),
    "models.article.explanation": ("Contribution",),
    "models.article.model": ("Reader",),
    "models.article.roles": ("PRESETS", "ROLES"),
    "models.site": ("Site", "learn_site"),
    "models.templates.sitelevel": ("SiteLabels", "SiteLevel"),
    "models.templates.smoothing": ("Smoothed", "smooth"),
    "models.templates.model": ("TemplateModel", "TemplateScores"),
    "models.wrappers.wrappers": ("Wrapper", "WrapperOptions"),
    "renderer.egress.policy": ("Egress",),
    "renderer.archives.archive": ("Archive",),
    "renderer.archives.exchange": ("Exchange",),
    "renderer.archives.open_archive": ("open_archive", "write_exchanges"),
    "renderer.options": ("Limits", "RenderOptions"),
    "renderer.renderer": ("Renderer", "render_html", "render_url"),
    "renderer.snapshot": ("Frame", "PageFacts", "Snapshot", "Warn"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "METHODS",
    "PRESETS",
    "ROLES",
    "Archive",
    "ArchiveError",
    "Block",
    "BrowserCrashed",
    "BrowserNotFound",
    "Change",
    "Collection",
    "CollectionBusy",
    "CollectionPage",
    "Comparison",
    "Contribution",
    "Egress",
    "EgressRefused",
    "Exchange",
    "ExtraNeeded",
    "Extracted",
    "Extraction",
    "FollowOptions",
    "Frame",
    "Limits",
    "Link",
    "MioloError",
    "NCEOptions",
    "NavigationError",
    "NoPages",
    "NodeRecord",
    "NotHTML",
    "PageBlockedError",
    "PageFacts",
    "PageNotAccepted",
    "PageTimeout",
    "Passage",
    "Reader",
    "RecordTable",
    "RenderError",
    "RenderOptions",
    "Renderer",
    "RobotsDisallowed",
    "SamePage",
    "ScreenshotNeeded",
    "Site",
    "SiteLabels",
    "SiteLevel",
    "SiteNeeded",
    "Smoothed",
    "Snapshot",
    "StorageError",
    "TemplateModel",
    "TemplateScores",
    "TooLarge",
    "UnknownMethod",
    "UnknownRole",
    "Warn",
    "Wrapper",
    "WrapperOptions",
    "annotate",
    "compare",
    "extract_html",
    "extract_many",
    "extract_snapshot",
    "extract_url",
    "inspect_pair",
    "inspect_site",
    "inspect_snapshot",
    "learn_site",
    "nce",
    "node_record",
    "open_archive",
    "page_records",
    "render_html",
    "render_url",
    "smooth",
    "write",
    "write_exchanges",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME_OF[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
