"""Miolo renders web pages, extracts the article and explains every block it keeps or leaves out.

Names are loaded on first use, so importing the package is cheap. ``__init__.pyi`` lists what the
package exports.
"""

from __future__ import annotations

import logging
from typing import Any
from warnings import warn

import lazy_loader

from .version import __version__ as __version__

# The application decides where the log goes.
logging.getLogger(__name__).addHandler(logging.NullHandler())

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# Names from earlier versions, kept for one release.
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
        warn(
            f"miolo.{name} is deprecated: use miolo.{new} instead", DeprecationWarning, stacklevel=2
        )
        name = new
    return _load(name)
