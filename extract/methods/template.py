"""The `template` method: template detection on a single page, learned from other sites."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from ...models.templates.model import TemplateModel, TemplateScores, shipped_model
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import innermost
from .method import Method
from .reading import read, select
from .selection import Reasons, Selection

NO_GEOMETRY = PageWarning(
    "no-geometry", "the page has no layout: text order and length replace position and area"
)


def template(snapshot: Snapshot, model: TemplateModel | None = None) -> Selection:
    """Keep the readable texts in nodes that a template model classifies as content.

    A node too small to be judged gets the decision of the nearest judged node above it.
    """
    model = model or shipped_model()
    scores = model.judge(snapshot)
    # The judged node that decides for each node: itself or an ancestor; -1 for none.
    nearest = innermost(snapshot.parent, scores.tree.nodes)
    judge = np.where(nearest >= 0, np.searchsorted(scores.tree.nodes, nearest), -1)
    content = np.append(scores.content, False)[judge]
    selection = select(
        read(snapshot),
        content,
        np.where(content, 1 - np.append(scores.smoothed, 1.0)[judge], 0),
        _reasons(snapshot, model, scores, judge),
        warnings=() if snapshot.page.has_geometry else (NO_GEOMETRY,),
    )
    return replace(selection, template=scores)


def _reasons(
    snapshot: Snapshot, model: TemplateModel, scores: TemplateScores, judge: NDArray[np.int64]
) -> Reasons:
    """Reason for the decision on each node: the score and the rule."""
    reasons = Reasons(len(snapshot), "no ancestor is large enough to be judged")
    sentences = [_reason(model, scores, place) for place in range(len(scores.raw))]
    own = np.zeros(len(snapshot), bool)
    own[scores.tree.nodes] = True
    for node in (judge >= 0).nonzero()[0].tolist():
        above = "" if own[node] else f"below node {scores.tree.nodes[judge[node]]}: "
        reasons.give(node, above + sentences[judge[node]])
    return reasons


def _reason(model: TemplateModel, scores: TemplateScores, place: int) -> str:
    score = f"templateness {scores.raw[place]:.2f}"
    if model.c is not None:
        score += f", smoothed {scores.smoothed[place]:.2f}"
    if model.decision == "region":
        where = "in" if scores.content[place] else "outside"
        return f"{score}; {where} the most likely content region"
    sign = "<" if scores.content[place] else "≥"
    return f"{score} {sign} {model.threshold:g}"


METHOD = Method(
    lambda page, learned, _: template(page, learned.model_of(TemplateModel)),
    "page-level template detection by a learned model",
    "from the sources",
    model_type=TemplateModel,
)
