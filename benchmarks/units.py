"""Train the model of units that are kept whole, and count torn structures.

    python benchmarks/units.py --reader fold.npz --held-out 0 --train models/article/units.json
    python benchmarks/units.py --reader fold.npz --held-out 0

The probabilities of a reader on pages that it was trained on are too certain, so the units are
those of the styled sites in one fold (of three), and the reader was trained on the other folds:
`benchmarks/reader.py --folds 3 --only 0 --keep fold.npz`. A model is scored on half of the fold's
sites after being trained on the other half; the written file is trained on all of them.
"""

from __future__ import annotations

import json
import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before NumPy is imported
    os.environ.setdefault(name, "1")

from collections.abc import Sequence  # noqa: E402
from dataclasses import dataclass, replace  # noqa: E402
from datetime import UTC, datetime  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import miolo  # noqa: E402
import numpy as np  # noqa: E402
from corpus import parser  # noqa: E402
from miolo.features.article.features import block_features  # noqa: E402
from miolo.features.blocks import article_blocks  # noqa: E402
from miolo.models.article.decision import best_threshold  # noqa: E402
from miolo.models.article.model import Reader, shipped_reader  # noqa: E402
from miolo.models.article.roles import PRESETS  # noqa: E402
from miolo.models.article.training import group_folds  # noqa: E402
from miolo.models.article.units import (  # noqa: E402
    OUTCOMES,
    UnitModel,
    Units,
    find_units,
    unit_features,
    without_torn_units,
)
from miolo.models.kinds.model import ARTICLE, kind_of  # noqa: E402
from miolo.models.logistic import fit_logistic  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from platform_pages import (  # noqa: E402
    PlatformPage,
    block_truth,
    node_truth,
    platform_pages,
    render_pages,
)
from platforms import report, with_snapshots  # noqa: E402

FOLDS = 3
STRENGTH = 0.1
"""Inverse of the strength of the L2 penalty."""

WHOLE, PART = 0.95, 0.05
"""Shares of a unit's words that count as all of it, and as nothing of it."""


@dataclass(frozen=True, eq=False)
class UnitPage:
    """A page with its units, the reader's probabilities, and its truth.

    Attributes
    ----------
    group
        Source of the site.
    units, rows
        The units, and their features.
    outcome
        int64, shape (u,): what of each unit belongs to the page's own content; see `OUTCOMES`.
    probability, words
        float64, shape (b,).
    own, head
        bool, shape (b,): blocks of the page's own content, and cells of the heads of tables.
    """

    group: str
    units: Units
    rows: NDArray[np.float64]
    outcome: NDArray[np.int64]
    probability: NDArray[np.float64]
    words: NDArray[np.float64]
    own: NDArray[np.bool_]
    head: NDArray[np.bool_]


def main() -> None:
    options = with_snapshots(parser(__doc__ or ""))
    options.add_argument("--reader", type=Path, help="reader that has not seen the fold")
    options.add_argument("--held-out", type=int, default=0, help="number of the fold")
    options.add_argument("--per-site", type=int, default=3, help="pages of each site")
    options.add_argument("--train", type=Path, help="file of the model to write")
    chosen = options.parse_args()
    pages = platform_pages(chosen.data, chosen.cache, chosen.snapshots)
    fold = group_folds([page.case.group for page in pages], FOLDS)
    pages = [page for page, of in zip(pages, fold, strict=True) if of == chosen.held_out]
    pages = [page for page in pages if page.number < chosen.per_site]
    render_pages(pages, report)
    reader = Reader.load(chosen.reader) if chosen.reader else shipped_reader()
    unit_pages = [unit for page in pages for unit in read_units(page, reader)]
    report(f"{len(unit_pages)} pages with {sum(len(p.units) for p in unit_pages)} units")
    figures = score(unit_pages)
    if chosen.train:
        fit(unit_pages, {"pages": len(unit_pages), "scores": figures}).save(chosen.train)
    print(json.dumps(figures))


def read_units(page: PlatformPage, reader: Reader) -> list[UnitPage]:
    """The page as rendered and as served."""
    marked = miolo.Snapshot.from_html(page.marked, url=page.case.url)
    pairs = [(page.served, node_truth(marked, page.facts))]
    if page.case.saved.exists():
        rendered = page.rendered()
        pairs.append((lambda: rendered, node_truth(rendered, page.facts)))
    found = []
    for read, truth in pairs:
        snapshot = read()
        blocks = article_blocks(snapshot)
        own = block_truth(blocks, truth)[1]
        if own.any():
            found.append(_unit_page(page.case.group, blocks, own, reader))
    return found


def _unit_page(group: str, blocks: Any, own: NDArray[np.bool_], reader: Reader) -> UnitPage:
    features = block_features(blocks)
    article = kind_of(blocks, reader.kinds).probabilities[ARTICLE]
    probability = reader.read(features).of_text(PRESETS["article"], article)
    units = find_units(blocks)
    linked = features.column("text.linked")
    rows = unit_features(blocks, units, probability, features.words, linked, article)
    outcome = outcomes_of(units, own, features.words)
    head = blocks.snapshot.with_tag("th")[blocks.owner]
    return UnitPage(group, units, rows, outcome, probability, features.words, own, head)


def outcomes_of(
    units: Units, chosen: NDArray[np.bool_], words: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Index in `OUTCOMES` of what of each unit is chosen."""
    size = np.maximum(words, 1)
    share = units.sums(size * chosen) / np.maximum(units.sums(size), 1)
    return 1 + (share >= WHOLE).astype(int) - (share <= PART).astype(int)


def fit(pages: Sequence[UnitPage], provenance: dict[str, Any]) -> UnitModel:
    """Logistic regression; a page counts as the square root of its number of units."""
    pages = [page for page in pages if len(page.units)]
    rows = np.concatenate([page.rows for page in pages])
    outcomes = np.concatenate([page.outcome for page in pages])
    weight = np.concatenate([np.full(len(page.rows), len(page.rows) ** -0.5) for page in pages])
    about = {
        "command": f"python benchmarks/units.py {' '.join(sys.argv[1:])}",
        "date": datetime.now(UTC).date().isoformat(),
    }
    model = fit_logistic(UnitModel, rows, outcomes, weight, STRENGTH)
    return replace(model, provenance=about | provenance)


def score(pages: Sequence[UnitPage]) -> dict[str, Any]:
    """Torn units and F1 by words, of the reader alone and with units, on two halves in turn."""
    half = group_folds([page.group for page in pages], 2)
    columns: dict[str, list[tuple[float, int, int]]] = {"alone": [], "with units": []}
    for side in (0, 1):
        model = fit([p for p, of in zip(pages, half, strict=True) if of != side], {})
        for page in (p for p, of in zip(pages, half, strict=True) if of == side):
            kept = page.probability >= best_threshold(page.probability, page.words)
            columns["alone"].append(_judge(page, kept))
            if len(page.units):
                outcomes = model.probabilities(page.rows)
                kept = without_torn_units(page.units, outcomes, kept, page.head)
            columns["with units"].append(_judge(page, kept))
    figures = {}
    for name, rows in columns.items():
        f1, torn, count = (np.array(column, float) for column in zip(*rows, strict=True))
        figures[name] = {
            "f1": round(float(f1.mean()), 4),
            "torn": round(float(torn.sum() / max(count.sum(), 1)), 4),
            "units": int(count.sum()),
        }
        report(f"{name}: {figures[name]}")
    return figures


def _judge(page: UnitPage, kept: NDArray[np.bool_]) -> tuple[float, int, int]:
    """F1 by words, torn units among those that are whole by the truth, and their number."""
    right = float(page.words[kept & page.own].sum())
    total = float(page.words[kept].sum() + page.words[page.own].sum())
    whole = page.outcome == OUTCOMES.index("whole")
    torn = outcomes_of(page.units, kept, page.words) == OUTCOMES.index("torn")
    return 2 * right / max(total, 1.0), int((whole & torn).sum()), int(whole.sum())


if __name__ == "__main__":
    main()
