"""Pages with their truth to a role model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ..errors import MioloError, NoPages
from ..models.article.role_labels import RoleSample, RoleTruth, label_roles
from ..models.article.role_training import RoleOptions, train_roles
from ..models.article.roles import RoleModel
from ..renderer.snapshot import Snapshot
from .evaluation.case import Case

__all__ = ["label_role_cases", "train_role_cases"]

Tell = Callable[[str], None]


def label_role_cases(
    cases: Sequence[Case], *, tell: Tell, advance: Callable[[], None] = lambda: None
) -> tuple[RoleSample, ...]:
    """Label single pages by their truth; posts of sites tell no roles and are passed over.

    Parameters
    ----------
    cases
        The pages, rendered.
    tell
        Called with a sentence for every page that cannot be read.
    advance
        Called after every page.
    """
    samples: list[RoleSample] = []
    for case in cases:
        try:
            if case.site is None:
                page, truth = Snapshot.load(case.saved), _truth(case)
                samples.append(label_roles(page, truth, set=case.set, group=case.group))
        except (MioloError, OSError, ValueError) as error:
            tell(f"{case.set}/{case.id} teaches no roles: {error}")
        advance()
    return tuple(samples)


def train_role_cases(
    cases: Sequence[Case],
    options: RoleOptions | None = None,
    provenance: dict[str, Any] | None = None,
    tell: Tell = lambda _: None,
) -> RoleModel:
    """Train a role model.

    Parameters
    ----------
    cases
        Single pages whose truths, ``<id>.json``, tell `title`, `author`, `date` or `comments`.
    options
        How.
    provenance
        What to note beside the numbers.
    tell
        Called with a sentence as the work goes on.

    Raises
    ------
    NoPages
        There is nothing to learn from.
    """
    samples = label_role_cases(cases, tell=tell)
    try:
        model = train_roles(samples, options, tell)
    except ValueError as error:
        raise NoPages(str(error)) from error
    told = {"date": datetime.now(UTC).date().isoformat(), "pages": len(samples)}
    return replace(model, provenance=told | (provenance or {}) | model.provenance)


def _truth(case: Case) -> RoleTruth:
    """All that the truth of a page tells; a `Case` holds what every measure needs."""
    told = json.loads(case.source.with_suffix(".json").read_text("utf-8"))
    comments = told.get("comments")
    return RoleTruth(
        text=case.text,
        title=case.title or "",
        author=told["author"] if isinstance(told.get("author"), str) else "",
        date=case.date or "",
        comments=comments if isinstance(comments, str) else None,
    )
