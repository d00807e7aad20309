"""HTML report of the worst cases: a picture with boxes, and the truth beside the answer."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from rapidfuzz.distance import LCSseq

from ..debug.pictures.picture import annotated_screenshot
from ..debug.reports.report_parts import fill, inert_json
from ..errors import MioloError
from ..features.words import words
from ..renderer.page.snapshot import Snapshot
from .case import Case, Page
from .summary import JudgedRun
from .systems import OwnMethod

TEMPLATE = Path(__file__).with_name("evaluate.html")

# Wide enough to read the labels, small enough for a few dozen pictures in one file: WebP takes half
# the bytes of JPEG.
PICTURE_WIDTH = 1280
PICTURE_HEIGHT = 8000
QUALITY = 40

Shot = str
"""A picture as a ``data:`` address."""


def worst_cases(run: JudgedRun, count: int) -> list[Case]:
    """Pages on which the first system's F1 is lowest, the worst first."""
    scores = zip(run.cases, run.measures[run.first], strict=True)
    return [case for case, _ in sorted(scores, key=lambda pair: pair[1].score.f1)[:count]]


def picture_of(system: OwnMethod, case: Case, snapshot: Snapshot) -> Shot | None:
    """A picture of the page with boxes around what the system keeps; None if that fails."""
    try:
        png = annotated_screenshot(snapshot, system.extraction(Page(case, snapshot))())
    except (MioloError, ValueError):
        return None
    with Image.open(io.BytesIO(png)) as whole:
        scale = min(1.0, PICTURE_WIDTH / whole.width)
        part = whole.crop((0, 0, whole.width, min(whole.height, round(PICTURE_HEIGHT / scale))))
        size = (max(1, round(part.width * scale)), max(1, round(part.height * scale)))
        small = io.BytesIO()
        part.convert("RGB").resize(size).save(small, "WEBP", quality=QUALITY)
    return f"data:image/webp;base64,{base64.b64encode(small.getvalue()).decode()}"


def write_worst(run: JudgedRun, worst: Sequence[Case], shots: Mapping[Case, Shot | None]) -> str:
    """Self-contained HTML with the worst pages; their content is never interpreted as markup."""
    title = f"Worst cases of {run.first}"
    data = {
        "title": title,
        "pages": len(run.cases),
        "words": MAX_WORDS,
        "cases": [_case(run, case, shots.get(case)) for case in worst],
    }
    return fill(TEMPLATE, title, {"DATA": inert_json(data)})


def _case(run: JudgedRun, case: Case, shot: Shot | None) -> dict[str, Any]:
    place = run.cases.index(case)
    result = run.results[run.first][place]
    truth, answer = word_diff(case.text, result.answer.text)
    return {
        "name": f"{case.set}/{case.id}",
        "url": case.url,
        "link": case.url.startswith(("http://", "https://")) and case.site is None,
        "error": result.error,
        "titles": [case.title or "", result.answer.title or ""],
        "dates": [case.date or "", result.answer.date or ""],
        "scores": [
            [name, *(round(value, 3) for value in (score.f1, score.precision, score.recall))]
            for name, rows in run.measures.items()
            for score in [rows[place].score]
        ],
        "truth": truth,
        "answer": answer,
        "shot": shot,
    }


# Word-by-word comparison of two texts: words of both, and words of only one.

Run = tuple[Literal["both", "alone"], str]

MAX_WORDS = 6_000
"""Maximum number of compared words; the alignment matrix grows with both lengths."""


def word_diff(truth: str, answer: str) -> tuple[list[Run], list[Run]]:
    """Align the first 6,000 words of two texts by their longest common subsequence of words.

    The runs of each text, joined, are that part of it.

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
    """Words of a text, each with the part of the text up to the next word."""
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
