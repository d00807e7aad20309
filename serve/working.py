"""A rendered page to the answer of a request.

Loaded by a worker's thread while its browser starts: methods and models take most of a second.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

from ..debug.reports.inspection import inspection
from ..debug.reports.page_report import inspect_snapshot
from ..extract.methods.default import DEFAULT_METHOD
from ..extract.output.extraction import Extraction
from ..extract.output.formats import write
from ..extract.pipeline import extract_snapshot
from ..models.article.roles import Preset
from ..renderer.snapshot import Snapshot
from .messages import Done, Order
from .sample import SAMPLE

__all__ = ["done", "warm"]

MEDIA = {
    "json": "application/json",
    "text": "text/plain; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "tei": "application/tei+xml; charset=utf-8",
}

# Elements of ours in a report: scripts that run, and style sheets.
_SCRIPTS = re.compile(r"<script(?: type=\"?module\"?)?>(.*?)</script>", re.DOTALL)
_STYLES = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def done(order: Order, page: Snapshot) -> Done:
    """What an order asks of a page."""
    return _ACTIONS[order.action](order, page)


def warm(page: Snapshot) -> None:
    """Do all that an order may ask for, so that none is the first to."""
    inspection(page, extract_snapshot(page, DEFAULT_METHOD))
    _report_policy()


def _extract(order: Order, page: Snapshot) -> Done:
    found = write(_extraction(order, page, order.methods[0]), order.form)
    return Done(order.id, _bytes(found), MEDIA[order.form])


def _render(order: Order, page: Snapshot) -> Done:
    return Done(order.id, _saved(page), "application/octet-stream")


def _report(order: Order, page: Snapshot) -> Done:
    report = inspect_snapshot(page, _extraction(order, page, order.methods[0]))
    return Done(order.id, _bytes(report), MEDIA["html"], _report_policy())


def _inspect(order: Order, page: Snapshot) -> Done:
    found = {
        "snapshot": _base64(_saved(replace(page, screenshot=None))),
        "picture": None if page.screenshot is None else _base64(page.screenshot),
        "inspections": {
            name: inspection(page, _extraction(order, page, name), order.text.roles())
            for name in order.methods
        },
    }
    return Done(order.id, _bytes(json.dumps(found, ensure_ascii=False)), MEDIA["json"])


def _extraction(order: Order, page: Snapshot, method: str) -> Extraction:
    return extract_snapshot(
        page,
        method,
        preset=cast("Preset", order.text.preset),
        include=order.text.include,
        exclude=order.text.exclude,
    )


_ACTIONS: dict[str, Callable[[Order, Snapshot], Done]] = {
    "extract": _extract,
    "render": _render,
    "report": _report,
    "inspect": _inspect,
}


def _bytes(text: str) -> bytes:
    # Scripts make texts of half characters, which UTF-8 has not.
    return text.encode("utf-8", "replace")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _saved(page: Snapshot) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.miolo"
        page.save(path)
        return path.read_bytes()


@cache
def _report_policy() -> str:
    """Policy of a report: its own scripts and styles run, and nothing else does."""
    # Found in a report on a page of ours: nothing that a page says has a part in it.
    report = inspect_snapshot(Snapshot.from_html(SAMPLE))
    return "; ".join(
        (
            "sandbox allow-scripts allow-downloads",
            "default-src 'none'",
            f"script-src {_hashes(_SCRIPTS, report)}",
            f"style-src {_hashes(_STYLES, report)}",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _hashes(elements: re.Pattern[str], report: str) -> str:
    digests = {hashlib.sha256(text.encode()).digest() for text in elements.findall(report)}
    return " ".join(sorted(f"'sha256-{_base64(digest)}'" for digest in digests)) or "'none'"
