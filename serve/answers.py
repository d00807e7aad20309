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
from ..debug.reports.page_report import html_report
from ..extract.methods.default import DEFAULT_METHOD
from ..extract.output.extraction import Extraction
from ..extract.output.formats import format_extraction
from ..extract.pipeline import extract_snapshot
from ..models.article.roles import Preset
from ..renderer.snapshot import Snapshot
from .messages import WorkRequest, WorkResponse
from .sample import SAMPLE

__all__ = ["done", "warm"]

MEDIA = {
    "json": "application/json",
    "text": "text/plain; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "tei": "application/tei+xml; charset=utf-8",
    "chunks": "application/jsonl; charset=utf-8",
}

# Elements of ours in a report: scripts that run, and style sheets.
_SCRIPTS = re.compile(r"<script(?: type=\"?module\"?)?>(.*?)</script>", re.DOTALL)
_STYLES = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def done(work_request: WorkRequest, page: Snapshot) -> WorkResponse:
    """What an order asks of a page."""
    return _ACTIONS[work_request.action](work_request, page)


def warm(page: Snapshot) -> None:
    """Do all that an order may ask for, so that none is the first to."""
    inspection(page, extract_snapshot(page, DEFAULT_METHOD))
    _report_policy()


def _extract(work_request: WorkRequest, page: Snapshot) -> WorkResponse:
    extraction = _extraction(work_request, page, work_request.methods[0])
    found = format_extraction(extraction, work_request.form, work_request.writing)
    return WorkResponse(work_request.id, _bytes(found), MEDIA[work_request.form])


def _render(work_request: WorkRequest, page: Snapshot) -> WorkResponse:
    return WorkResponse(work_request.id, _save(page), "application/octet-stream")


def _report(work_request: WorkRequest, page: Snapshot) -> WorkResponse:
    report = html_report(page, _extraction(work_request, page, work_request.methods[0]))
    return WorkResponse(work_request.id, _bytes(report), MEDIA["html"], _report_policy())


def _inspect(work_request: WorkRequest, page: Snapshot) -> WorkResponse:
    found = {
        "snapshot": _base64(_save(replace(page, screenshot=None))),
        "picture": None if page.screenshot is None else _base64(page.screenshot),
        "inspections": {
            name: inspection(page, _extraction(work_request, page, name), work_request.text.roles())
            for name in work_request.methods
        },
    }
    return WorkResponse(
        work_request.id, _bytes(json.dumps(found, ensure_ascii=False)), MEDIA["json"]
    )


def _extraction(work_request: WorkRequest, page: Snapshot, method: str) -> Extraction:
    return extract_snapshot(
        page,
        method,
        preset=cast("Preset", work_request.text.preset),
        include=work_request.text.include,
        exclude=work_request.text.exclude,
    )


_ACTIONS: dict[str, Callable[[WorkRequest, Snapshot], WorkResponse]] = {
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


def _save(page: Snapshot) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.miolo"
        page.save(path)
        return path.read_bytes()


@cache
def _report_policy() -> str:
    """Policy of a report: its own scripts and styles run, and nothing else does."""
    # Found in a report on a page of ours: nothing that a page says has a part in it.
    report = html_report(Snapshot.from_html(SAMPLE))
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
