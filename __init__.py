"""Miolo renders web pages in headless Chromium, takes out the article and shows why.

Names are loaded when they are first used: importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from .extract.article import extract_snapshot
    from .extract.collections.collection import Collection
    from .extract.collections.page import CollectionPage
    from .extract.comparison.compare import Change, Comparison, compare
    from .extract.extraction import Block, Extraction, Link, Passage
    from .extract.face import extract_html, extract_url
    from .extract.follow import FollowOptions
    from .extract.formats import write
    from .extract.many import Extracted, extract_many
    from .extract.methods.nce import nce
    from .extract.methods.nce_options import NCEOptions
    from .extract.methods.record_table import RecordTable
    from .extract.methods.records import page_records
    from .extract.methods.table import METHODS
    from .extract.reports.compare_report import inspect_pair
    from .extract.reports.inspect import inspect_snapshot
    from .extract.reports.inspect_site import inspect_site
    from .extract.reports.picture import annotate
    from .features.record import NodeRecord, node_record
    from .models.article.explanation import Contribution
    from .models.article.model import Reader
    from .models.article.roles import PRESETS, ROLES
    from .models.site import Site, learn_site
    from .models.templates.model import TemplateModel, TemplateScores
    from .models.templates.sitelevel import SiteLabels, SiteLevel
    from .models.templates.smoothing import Smoothed, smooth
    from .models.wrappers.wrappers import Wrapper, WrapperOptions
    from .renderer.egress.policy import Egress
    from .renderer.exchanges.archive import Archive
    from .renderer.exchanges.exchange import Exchange
    from .renderer.exchanges.open_archive import open_archive, write_exchanges
    from .renderer.options import Limits, RenderOptions
    from .renderer.renderer import Renderer, render_html, render_url
    from .renderer.snapshot import Frame, PageFacts, Snapshot, Warn

__version__ = "0.1.0"

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
    "extract.article": ("extract_snapshot",),
    "extract.collections.collection": ("Collection",),
    "extract.collections.page": ("CollectionPage",),
    "extract.comparison.compare": ("Change", "Comparison", "compare"),
    "extract.reports.compare_report": ("inspect_pair",),
    "extract.extraction": ("Block", "Extraction", "Link", "Passage"),
    "extract.face": ("extract_html", "extract_url"),
    "extract.follow": ("FollowOptions",),
    "extract.formats": ("write",),
    "extract.many": ("Extracted", "extract_many"),
    "extract.reports.inspect": ("inspect_snapshot",),
    "extract.reports.inspect_site": ("inspect_site",),
    "extract.methods.table": ("METHODS",),
    "extract.methods.nce": ("nce",),
    "extract.methods.nce_options": ("NCEOptions",),
    "extract.reports.picture": ("annotate",),
    "extract.methods.record_table": ("RecordTable",),
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
    "renderer.exchanges.archive": ("Archive",),
    "renderer.exchanges.exchange": ("Exchange",),
    "renderer.exchanges.open_archive": ("open_archive", "write_exchanges"),
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
