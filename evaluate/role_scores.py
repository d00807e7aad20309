"""Accuracy of the reader's roles: precision, recall and F1 of each role, and confusions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from ..errors import MioloError
from ..features.article.features import block_features
from ..features.blocks import article_blocks
from ..models.article.model import Reader, shipped_reader
from ..models.article.roles import LETTERS, PRESETS, ROLES
from ..models.article.samples import align_blocks
from .case import Case, Page
from .systems import OwnMethod

RELATED, BOILERPLATE = ROLES.index("related"), ROLES.index("boilerplate")


@dataclass(frozen=True, eq=False)
class RoleScores:
    """Number of blocks by true role (rows) and predicted role (columns): int64, shape (22, 22).

    Unaligned labelled blocks have no counterpart among the page's current blocks. `custom` counts
    blocks by their true and predicted custom roles, which are empty for none.
    """

    confusion: NDArray[np.int64]
    unaligned: int
    custom: Counter[tuple[str, str]] = field(default_factory=Counter)

    def figures(self) -> dict[str, Any]:
        """Precision, recall and F1 of each role, preset and custom role, with its number of blocks.

        Figures that are not defined are None: recall and F1 of a role without blocks, and precision
        of a role that is never predicted.

        Links to other stories and boilerplate are also scored as one class, ``"boilerplate or
        related"``, because the labels distinguish them only near an article.
        """
        groups = {role: [code] for code, role in enumerate(ROLES)}
        groups["boilerplate or related"] = [BOILERPLATE, RELATED]
        for preset, roles in PRESETS.items():
            groups[f"preset {preset}"] = [ROLES.index(role) for role in sorted(roles)]
        scores = {name: self._scores(codes) for name, codes in groups.items()}
        for role in sorted({role for pair in self.custom for role in pair if role}):
            scores[role] = _scores(
                self.custom[role, role],
                sum(count for (true, _), count in self.custom.items() if true == role),
                sum(count for (_, answer), count in self.custom.items() if answer == role),
            )
        return {"unaligned": self.unaligned, "scores": scores}

    def _scores(self, codes: list[int]) -> dict[str, float | None]:
        both = int(self.confusion[np.ix_(codes, codes)].sum())
        true = int(self.confusion[codes].sum())
        return _scores(both, true, int(self.confusion[:, codes].sum()))


def _scores(both: int, true: int, predictions: int) -> dict[str, float | None]:
    return {
        "precision": round(both / predictions, 4) if predictions else None,
        "recall": round(both / true, 4) if true else None,
        "f1": round(2 * both / (true + predictions), 4) if true else None,
        "blocks": true,
    }


def judge_roles(system: OwnMethod, cases: Sequence[Case]) -> RoleScores:
    """Compare the most likely role of every block with its label; skip pages without labels."""
    confusion = np.zeros((len(ROLES), len(ROLES)), np.int64)
    unaligned, custom = 0, Counter[tuple[str, str]]()
    for case in cases:
        if case.labels is None:
            continue
        try:
            page = article_blocks(Page(case).snapshot())
        except MioloError:
            continue
        reader: Reader = system.model(case) if system.model else shipped_reader()
        places = align_blocks(page.texts, [text for _, text in case.labels.blocks])
        codes = np.array([LETTERS.index(letter) for letter, _ in case.labels.blocks], np.int64)
        is_labelled = places >= 0
        truth = codes[places[is_labelled]]
        unaligned += max(0, len(case.labels.blocks) - int(is_labelled.sum()))
        features = block_features(page)
        answer = reader.read(features).roles.argmax(axis=1)
        np.add.at(confusion, (truth, answer[is_labelled]), 1)
        named = reader.custom_names(features) or [""] * len(page)
        true_names = case.labels.custom or [""] * len(codes)
        custom.update((true_names[p], named[b]) for b, p in enumerate(places.tolist()) if p >= 0)
    return RoleScores(confusion, unaligned, custom)


def role_table(figures: dict[str, Any]) -> str:
    """The figures of `RoleScores.figures` of a system as a human-readable table."""
    lines = [f"roles of {figures['system']}", f"{'role':24} letter      P      R     F1  blocks"]
    letters = dict(zip(ROLES, LETTERS, strict=True))
    for name, row in figures["scores"].items():
        scores = (row[score] for score in ("precision", "recall", "f1"))
        columns = "  ".join("    –" if score is None else f"{score:.3f}" for score in scores)
        lines.append(f"{name:24}    {letters.get(name, ' ')}    {columns}  {row['blocks']:6}")
    if figures["unaligned"]:
        lines.append(f"{figures['unaligned']} labelled blocks match no block of their page")
    return "\n".join(lines)


CELL = 34
LEFT, TOP = 165, 125
"""Space for the titles and labels of the axes, in px."""


def confusion_picture(scores: RoleScores) -> str:
    """An SVG of the confusion matrix: rows are true roles, darkness is the share of the row."""
    blocks = scores.confusion.sum(axis=1, keepdims=True)
    share = scores.confusion / np.maximum(blocks, 1)
    grid = CELL * len(ROLES)
    wide, high = LEFT + grid + 10, TOP + grid + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img" '
        'font-family="sans-serif" font-size="12">',
        "<title>Confusion matrix of roles: how the blocks of each true role are predicted</title>",
        f'<rect width="{wide}" height="{high}" fill="white"/>',
        _axis_title("predicted role, % of the row", LEFT + grid // 2, 20),
        _axis_title("true role (blocks)", 20, TOP + grid // 2, turned=True),
    ]
    for place, (role, count) in enumerate(zip(ROLES, blocks[:, 0].tolist(), strict=True)):
        x, y = LEFT + CELL * place + CELL // 2 + 4, TOP + CELL * place + CELL // 2 + 4
        parts += [
            f'<text x="{LEFT - 6}" y="{y}" text-anchor="end">{escape(role)} ({count:,})</text>',
            f'<text x="{x}" y="{TOP - 6}" transform="rotate(-90 {x} {TOP - 6})">'
            f"{escape(role)}</text>",
        ]
    for row, column in zip(*np.nonzero(scores.confusion), strict=True):
        part = float(share[row, column])
        x, y = LEFT + CELL * int(column), TOP + CELL * int(row)
        ink = "white" if part > 0.5 else "black"
        parts.append(
            f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{CELL - 1}" fill="#1f5fa8" '
            f'fill-opacity="{part:.3f}"/>'
        )
        if part >= 0.005:
            parts.append(
                f'<text x="{x + CELL // 2}" y="{y + 21}" text-anchor="middle" fill="{ink}">'
                f"{round(100 * part)}</text>"
            )
    return "\n".join([*parts, "</svg>", ""])


def _axis_title(title: str, x: int, y: int, turned: bool = False) -> str:
    turn = f' transform="rotate(-90 {x} {y})"' if turned else ""
    return f'<text x="{x}" y="{y}" text-anchor="middle" font-weight="bold"{turn}>{title}</text>'
