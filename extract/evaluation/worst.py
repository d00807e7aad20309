"""A page of the worst cases: picture with boxes, and the truth beside the answer."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from PIL import Image

from ...errors import MioloError
from ...renderer.snapshot import Snapshot
from ..reports.picture import annotate
from ..reports.report_parts import fill, inert_json
from .case import Case, Page
from .diff import MAX_WORDS, word_diff
from .summary import Judged
from .systems import Own

__all__ = ["Shot", "picture_of", "worst_cases", "write_worst"]

TEMPLATE = Path(__file__).parents[1] / "reports" / "evaluate.html"

# Wide enough to read headlines, small enough for some dozens in one file.
PICTURE_WIDTH = 640
PICTURE_HEIGHT = 4000
QUALITY = 60

Shot = str
"""A picture as a ``data:`` address."""


@dataclass(frozen=True)
class Worst:
    """One page that the first system is bad at, by its place among the cases."""

    case: Case
    place: int


def worst_cases(judged: Judged, count: int) -> list[Worst]:
    """Pages on which the first system's F1 is lowest, the worst first."""
    row = judged.measures[judged.first]
    order = sorted(range(len(row)), key=lambda place: (row[place].f1, place))
    return [Worst(judged.cases[place], place) for place in order[:count]]


def picture_of(system: Own, case: Case, snapshot: Snapshot) -> Shot | None:
    """The page with boxes around what the system keeps; None where that fails.

    Parameters
    ----------
    system
        The method.
    case, snapshot
        The page, rendered with its screenshot.
    """
    try:
        drawn = annotate(snapshot, system.extraction(Page(case, snapshot))())
    except (MioloError, ValueError):
        return None
    with Image.open(io.BytesIO(drawn)) as whole:
        scale = min(1.0, PICTURE_WIDTH / whole.width)
        part = whole.crop((0, 0, whole.width, min(whole.height, round(PICTURE_HEIGHT / scale))))
        size = (max(1, round(part.width * scale)), max(1, round(part.height * scale)))
        small = io.BytesIO()
        part.convert("RGB").resize(size).save(small, "JPEG", quality=QUALITY, optimize=True)
    return f"data:image/jpeg;base64,{base64.b64encode(small.getvalue()).decode()}"


def write_worst(judged: Judged, worst: Sequence[Worst], shots: Mapping[Case, Shot | None]) -> str:
    """Write the report.

    Parameters
    ----------
    judged
        The run.
    worst
        The pages to show; see `worst_cases`.
    shots
        Their pictures, as far as there are any.

    Returns
    -------
    HTML that needs no other file and no network, and in which nothing of a page is markup.
    """
    title = f"Worst cases of {judged.first}"
    data = {
        "title": title,
        "pages": len(judged.cases),
        "words": MAX_WORDS,
        "cases": [_case(judged, each, shots.get(each.case)) for each in worst],
    }
    return fill(TEMPLATE, title, {"DATA": inert_json(data)})


def _case(judged: Judged, worst: Worst, shot: Shot | None) -> dict[str, Any]:
    case, result = worst.case, judged.results[judged.first][worst.place]
    truth, answer = word_diff(case.text, result.text)
    return {
        "name": f"{case.set}/{case.id}",
        "url": case.url,
        "link": _is_web(case.url) and case.site is None,
        "error": result.error,
        "titles": [case.title or "", result.title or ""],
        "dates": [case.date or "", result.date or ""],
        "scores": [
            [name, *(round(value, 3) for value in (row.f1, row.precision, row.recall))]
            for name, rows in judged.measures.items()
            for row in [rows[worst.place]]
        ],
        "truth": truth,
        "answer": answer,
        "shot": shot,
    }


def _is_web(url: str) -> bool:
    try:
        return urlsplit(url).scheme in ("http", "https")
    except ValueError:
        return False
