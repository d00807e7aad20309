"""From a request to its answer; a worker imports this module while its browser starts."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from ..collect.batch.files import with_screenshot
from ..collect.labels.sheet import LabelSheet, label_sheet
from ..collect.page_worker import JobContext
from ..debug.comparison.text_versions import shorten
from ..debug.pictures.canvas import screenshot_if_any
from ..debug.pictures.picture import Outline, drawn_outlines, kind_of
from ..debug.reports.html_reports import html_report
from ..debug.reports.inspection import inspection
from ..debug.reports.report_parts import picture_size, stage_size
from ..extract.job import Artefact, PageJob
from ..extract.job_run import extract_page
from ..extract.options import ExtractOptions
from ..extract.sources import HTML
from ..extract.warm_up import SAMPLE
from ..models.article.model import Reader, shipped_reader
from ..models.article.roles import role_set
from ..output.formats import format_result
from ..output.page_result import PageResult
from ..renderer.page.snapshot import NOWHERE, Snapshot
from .logs import trace_of
from .work import MEDIA, WorkRequest, WorkResponse

ANSWER = "answer"

MAX_SAID = 2000

# The report's own policy, in its head, allows only its script and its style sheet.
REPORT_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"


WARM_UP = WorkRequest("report", "", SAMPLE, extract=(ExtractOptions(),))
"""A request for everything that requests may need, so that none pays for its first use."""


async def answer_request(
    setup: None, work_request: WorkRequest, context: JobContext
) -> WorkResponse:
    """Answer a request; tracebacks of errors have no messages, which may quote the page."""
    job = _job(WARM_UP if work_request.action == "warm_up" else work_request, context.seconds)
    result = await extract_page(job, context.renderer, executor=context.executor)
    error = result.error
    if error is None:
        return result.artefacts[ANSWER]
    if error.traceback is not None:
        error.traceback = trace_of(error)
    raise error


def _job(work_request: WorkRequest, seconds: float | None) -> PageJob:
    url, html = work_request.url, work_request.html
    write = _ACTIONS[work_request.action]
    source = url if html is None else HTML(html, url or NOWHERE)
    return PageJob(
        work_request.file or source,
        work_request.render,
        work_request.extract,
        artefacts=(Artefact(ANSWER, partial(write, work_request)),),
        deadline=seconds,
    )


def _extract(work_request: WorkRequest, result: PageResult) -> WorkResponse:
    text = format_result(result, work_request.form, work_request.writing)
    return WorkResponse(_bytes(text), MEDIA[work_request.form])


def _render(work_request: WorkRequest, result: PageResult) -> WorkResponse:
    return WorkResponse(_save(_page(result)), "application/octet-stream")


def _report(work_request: WorkRequest, result: PageResult) -> WorkResponse:
    report = html_report(_page(result), result.unwrap())
    return WorkResponse(_bytes(report), MEDIA["html"], REPORT_POLICY)


def _inspect(work_request: WorkRequest, result: PageResult) -> WorkResponse:
    page, roles = _page(result), work_request.extract[0].roles
    fields = {
        "snapshot": _base64(_save(replace(page, screenshot=None))),
        "picture": _base64(page.screenshot),
        "inspections": {
            name: inspection(page, extraction, roles)
            for name, extraction in result.extractions.items()
        },
    }
    return _json(fields)


def _label(work_request: WorkRequest, result: PageResult) -> WorkResponse:
    page = with_screenshot(_page(result), work_request.picture)
    sheet = label_sheet(page, _reader(work_request.model))
    fields = {
        "title": shorten(page.page.title, MAX_SAID),
        "url": shorten(page.page.url, MAX_SAID),
        "stage": stage_size(page),
        "picture_size": picture_size(page),
        "picture": _base64(page.screenshot),
        "sheet": asdict(_with_drawn_boxes(sheet, page)),
    }
    return _json(fields)


def _with_drawn_boxes(sheet: LabelSheet, page: Snapshot) -> LabelSheet:
    """The sheet with what is drawn of the boxes, as if the suggested roles were the extraction."""
    kept_roles, texts = role_set(), []
    for block in sheet.blocks:
        is_kept = block.role in kept_roles
        kind = kind_of(block.role, kept=is_kept)
        texts.append(Outline(kind, block.node, block.box, block.role, is_kept))
    firsts = [block.node for block in sheet.blocks]
    drawn = drawn_outlines(page, texts, firsts, page=screenshot_if_any(page))
    blocks = (
        replace(block, box=tuple(round(side, 1) for side in outline.box))
        for block, outline in zip(sheet.blocks, drawn, strict=False)  # then layers
    )
    return replace(sheet, blocks=tuple(blocks))


def _uncertainty(work_request: WorkRequest, result: PageResult) -> WorkResponse:
    sheet = label_sheet(_page(result), _reader(work_request.model))
    return _json({"uncertainty": sheet.uncertainty, "kind": sheet.kind})


@cache
def _reader(file: Path | None) -> Reader:
    return shipped_reader() if file is None else Reader.load(file)


def _page(result: PageResult) -> Snapshot:
    assert result.snapshot is not None
    return result.snapshot


_ACTIONS: dict[str, Callable[[WorkRequest, PageResult], WorkResponse]] = {
    "extract": _extract,
    "render": _render,
    "report": _report,
    "inspect": _inspect,
    "label": _label,
    "uncertainty": _uncertainty,
}


def _json(fields: dict[str, Any]) -> WorkResponse:
    return WorkResponse(_bytes(json.dumps(fields, ensure_ascii=False)), MEDIA["json"])


def _bytes(text: str) -> bytes:
    # Scripts can produce lone surrogates, which UTF-8 cannot encode.
    return text.encode("utf-8", "replace")


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _save(page: Snapshot) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.miolo"
        page.save(path)
        return path.read_bytes()
