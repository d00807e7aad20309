"""Accuracy of the reader's roles: precision, recall and F1 of each role, and confusions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from ..errors import MioloError
from ..features.article.features import block_features
from ..features.blocks import article_blocks
from ..models.article.model import Reader, shipped_reader
from ..models.article.roles import LETTERS, PRESETS, ROLES
from ..models.article.samples import UNKNOWN, align_roles
from .case import Case, Page
from .systems import OwnMethod

__all__ = ["RoleScores", "confusion_picture", "judge_roles", "role_table"]

RELATED, BOILERPLATE = ROLES.index("related"), ROLES.index("boilerplate")


@dataclass(frozen=True, eq=False)
class RoleScores:
    """Confusion of true and predicted roles.

    Attributes
    ----------
    confusion
        int64, shape (len(ROLES), len(ROLES)): number of blocks by true role (rows) and predicted
        role (columns).
    unaligned
        Number of labelled blocks without a counterpart among the page's current blocks.
    """

    confusion: NDArray[np.int64]
    unaligned: int

    def figures(self) -> dict[str, Any]:
        """Precision, recall and F1 of every role and preset, with the number of blocks.

        Links to other stories and boilerplate are also scored as one class, ``"boilerplate or
        related"``, because the labels distinguish them only near an article.
        """
        groups = {role: [code] for code, role in enumerate(ROLES)}
        groups["boilerplate or related"] = [BOILERPLATE, RELATED]
        for preset, roles in PRESETS.items():
            groups[f"preset {preset}"] = [ROLES.index(role) for role in sorted(roles)]
        return {
            "unaligned": self.unaligned,
            "scores": {name: self._scores(codes) for name, codes in groups.items()},
        }

    def _scores(self, codes: list[int]) -> dict[str, float]:
        both = int(self.confusion[np.ix_(codes, codes)].sum())
        true = int(self.confusion[codes].sum())
        predictions = int(self.confusion[:, codes].sum())
        return {
            "precision": round(both / max(1, predictions), 4),
            "recall": round(both / max(1, true), 4),
            "f1": round(2 * both / max(1, true + predictions), 4),
            "blocks": true,
        }


def judge_roles(system: OwnMethod, cases: Sequence[Case]) -> RoleScores:
    """Compare the most likely role of every block with its label; skip pages without labels.

    Parameters
    ----------
    system
        The learned method, with a reader for each page if it is trained out of fold.
    cases
        The pages.
    """
    confusion = np.zeros((len(ROLES), len(ROLES)), np.int64)
    unaligned = 0
    for case in cases:
        if case.labels is None:
            continue
        try:
            page = article_blocks(Page(case).snapshot())
        except MioloError:
            continue
        reader: Reader = system.model.value(case) if system.model else shipped_reader()
        truth = align_roles(page.texts, case.labels.blocks)
        is_labelled = truth != UNKNOWN
        unaligned += max(0, len(case.labels.blocks) - int(is_labelled.sum()))
        answer = reader.read(block_features(page)).roles.argmax(axis=1)
        np.add.at(confusion, (truth[is_labelled], answer[is_labelled]), 1)
    return RoleScores(confusion, unaligned)


def role_table(figures: dict[str, Any]) -> str:
    """The figures of `RoleScores.figures` as a human-readable table."""
    lines = [f"{'role':24} letter      P      R     F1  blocks"]
    letters = dict(zip(ROLES, LETTERS, strict=True))
    for name, row in figures["scores"].items():
        lines.append(
            f"{name:24}    {letters.get(name, ' ')}    {row['precision']:.3f}  "
            f"{row['recall']:.3f}  {row['f1']:.3f}  {row['blocks']:6}"
        )
    if figures["unaligned"]:
        lines.append(f"{figures['unaligned']} labelled blocks match no block of their page")
    return "\n".join(lines)


CELL, LABEL = 34, 110


def confusion_picture(scores: RoleScores) -> str:
    """An SVG of the confusion matrix: rows are true roles, darkness is the share of the row."""
    total = np.maximum(scores.confusion.sum(axis=1, keepdims=True), 1)
    share = scores.confusion / total
    side = LABEL + CELL * len(ROLES) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{side}" height="{side}" fill="white"/>',
    ]
    for place, role in enumerate(ROLES):
        at = LABEL + CELL * place
        middle = at + CELL // 2
        parts += [
            f'<text x="{LABEL - 6}" y="{middle + 4}" text-anchor="end">{escape(role)}</text>',
            f'<text x="{middle + 4}" y="{LABEL - 6}" transform="rotate(-90 {middle + 4} '
            f'{LABEL - 6})">{escape(role)}</text>',
        ]
    for row, column in zip(*np.nonzero(scores.confusion), strict=True):
        part = float(share[row, column])
        x, y = LABEL + CELL * int(column), LABEL + CELL * int(row)
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
