"""A page of the worst cases: picture with boxes, and the truth beside the answer."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from PIL import Image
from rapidfuzz.distance import LCSseq

from ..debug.pictures.picture import annotated_screenshot
from ..debug.reports.report_parts import fill, inert_json
from ..errors import MioloError
from ..features.words import words
from ..renderer.snapshot import Snapshot
from .case import Case, Page
from .summary import JudgedRun
from .systems import OwnMethod

__all__ = ["MAX_WORDS", "Run", "Shot", "picture_of", "word_diff", "worst_cases", "write_worst"]

TEMPLATE = Path(__file__).with_name("evaluate.html")

# Wide enough to read headlines, small enough for some dozens in one file.
PICTURE_WIDTH = 640
PICTURE_HEIGHT = 4000
QUALITY = 60

Shot = str
"""A picture as a ``data:`` address."""


@dataclass(frozen=True)
class WorstCase:
    """One page that the first system is bad at, by its place among the cases."""

    case: Case
    place: int


def worst_cases(run: JudgedRun, count: int) -> list[WorstCase]:
    """Pages on which the first system's F1 is lowest, the worst first."""
    row = run.measures[run.first]
    order = sorted(range(len(row)), key=lambda place: (row[place].f1, place))
    return [WorstCase(run.cases[place], place) for place in order[:count]]


def picture_of(system: OwnMethod, case: Case, snapshot: Snapshot) -> Shot | None:
    """The page with boxes around what the system keeps; None where that fails.

    Parameters
    ----------
    system
        The method.
    case, snapshot
        The page, rendered with its screenshot.
    """
    try:
        png = annotated_screenshot(snapshot, system.extraction(Page(case, snapshot))())
    except (MioloError, ValueError):
        return None
    with Image.open(io.BytesIO(png)) as whole:
        scale = min(1.0, PICTURE_WIDTH / whole.width)
        part = whole.crop((0, 0, whole.width, min(whole.height, round(PICTURE_HEIGHT / scale))))
        size = (max(1, round(part.width * scale)), max(1, round(part.height * scale)))
        small = io.BytesIO()
        part.convert("RGB").resize(size).save(small, "JPEG", quality=QUALITY, optimize=True)
    return f"data:image/jpeg;base64,{base64.b64encode(small.getvalue()).decode()}"


def write_worst(
    run: JudgedRun, worst: Sequence[WorstCase], shots: Mapping[Case, Shot | None]
) -> str:
    """Write the report.

    Parameters
    ----------
    run
        The run.
    worst
        The pages to show; see `worst_cases`.
    shots
        Their pictures, as far as there are any.

    Returns
    -------
    HTML that needs no other file and no network, and where no content of a page is markup.
    """
    title = f"Worst cases of {run.first}"
    data = {
        "title": title,
        "pages": len(run.cases),
        "words": MAX_WORDS,
        "cases": [_case(run, each, shots.get(each.case)) for each in worst],
    }
    return fill(TEMPLATE, title, {"DATA": inert_json(data)})


def _case(run: JudgedRun, worst: WorstCase, shot: Shot | None) -> dict[str, Any]:
    case, result = worst.case, run.results[run.first][worst.place]
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
            for name, rows in run.measures.items()
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


# Two texts side by side, word by word: words of both, words of one alone.

Run = tuple[Literal["both", "alone"], str]

MAX_WORDS = 6_000
"""Words of a text that are compared: the matrix of an alignment grows with both lengths."""


def word_diff(truth: str, answer: str) -> tuple[list[Run], list[Run]]:
    """Align two texts by their longest common subsequence of words.

    Parameters
    ----------
    truth, answer
        The texts; of each the first 6,000 words are shown.

    Returns
    -------
    The runs of either text, which joined are the text as far as it is shown.

    >>> word_diff("one two three", "one three four")
    ([('both', 'one '), ('alone', 'two '), ('both', 'three')], [('both', 'one '), \
('both', 'three '), ('alone', 'four')])
    """
    left, right = _pieces(truth), _pieces(answer)
    a, b = ([word for word, _ in pieces] for pieces in (left, right))
    sides: tuple[list[Run], list[Run]] = ([], [])
    for step in LCSseq.opcodes(a, b):
        kind: Literal["both", "alone"] = "both" if step.tag == "equal" else "alone"
        for side, pieces, start, end in (
            (sides[0], left, step.src_start, step.src_end),
            (sides[1], right, step.dest_start, step.dest_end),
        ):
            if start < end:
                side.append((kind, "".join(text for _, text in pieces[start:end])))
    return sides


def _pieces(text: str) -> list[tuple[str, str]]:
    """Words with their place in the text: each together with all up to the next word."""
    tokens, starts = words(text), []
    place = 0
    for word in tokens[: MAX_WORDS + 1]:
        starts.append(text.index(word, place))
        place = starts[-1] + len(word)
    if len(tokens) <= MAX_WORDS:
        starts.append(len(text))
    starts[:1] = [0] if tokens else []
    return [
        (word, text[start:end])
        for word, start, end in zip(tokens, starts, starts[1:], strict=False)
    ]
