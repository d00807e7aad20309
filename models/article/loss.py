"""Training loss of a reader, with its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .model import EXCLUSIVE, OWN, RELATED, TEXT

__all__ = ["IS_TEXT", "Targets", "text_and_role_loss"]

Array = NDArray[np.float32]

IS_TEXT = np.isin(EXCLUSIVE, TEXT)
"""bool, shape (len(EXCLUSIVE),): roles of the text."""

OF_RELATED, OF_OWN = np.float32(0.1), np.float32(0.3)
"""Weights of two of the losses: for ``related``, and for the page's own content."""


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets of the network for b blocks."""

    roles: Array
    """float32, shape (b, len(EXCLUSIVE)): probability of each role; rows sum to 1."""
    text: Array
    own: Array
    related: Array
    """float32, shape (b,): probability that the block belongs to the text, and that it is the
    page's own content; whether its role is ``related``."""
    of_role: Array
    of_text: Array
    of_related: Array
    of_own: Array
    """float32, shape (b,): weights of the losses."""


def text_and_role_loss(odds: Array, targets: Targets) -> tuple[float, Array]:
    """The loss and its gradient with respect to the log-odds.

    The loss is a sum of four cross entropies:

    - of roles;
    - of text or not, in which confusing the roles of the text costs nothing;
    - of links to other stories among boilerplate, weighted by a tenth, since these labels are
      uncertain;
    - of the page's own content, weighted by three tenths, which is also learned from pages without
      roles.

    The loss, and float32, shape (b, OUTPUTS).
    """
    exclusive, text = odds[:, EXCLUSIVE], targets.text
    total, role = _log_sum(exclusive)
    of_text, among_text = _log_sum(exclusive[:, IS_TEXT])
    of_other, among_other = _log_sum(exclusive[:, ~IS_TEXT])
    related, by_related = _entropy(odds[:, RELATED], targets.related)
    own, by_own = _entropy(odds[:, OWN], targets.own)
    loss = (
        targets.of_role * (total - (exclusive * targets.roles).sum(axis=1))
        + targets.of_text * (total - text * of_text - (1 - text) * of_other)
        + OF_RELATED * targets.of_related * related
        + OF_OWN * targets.of_own * own
    )
    by_exclusive = (targets.of_role + targets.of_text)[:, None] * role
    by_exclusive -= targets.of_role[:, None] * targets.roles
    by_exclusive[:, IS_TEXT] -= (targets.of_text * text)[:, None] * among_text
    by_exclusive[:, ~IS_TEXT] -= (targets.of_text * (1 - text))[:, None] * among_other
    slope = np.empty_like(odds)
    slope[:, EXCLUSIVE] = by_exclusive
    slope[:, RELATED] = OF_RELATED * targets.of_related * by_related
    slope[:, OWN] = OF_OWN * targets.of_own * by_own
    return float(loss.sum()), slope


def _log_sum(x: Array) -> tuple[Array, Array]:
    """Log-sum-exp of each row, and its gradient: each column's share of the sum."""
    highest = x.max(axis=1, keepdims=True)
    grown = np.exp(x - highest)
    total = grown.sum(axis=1, keepdims=True)
    return (np.log(total) + highest)[:, 0], grown / total


def _entropy(log_odds: Array, truth: Array) -> tuple[Array, Array]:
    """Binary cross entropy, and its derivative."""
    small = np.exp(-np.abs(log_odds))
    positive = np.where(log_odds >= 0, np.ones_like(small), small) / (1 + small)
    # NumPy's type stubs widen the maximum with a number; the array stays in single precision.
    loss: Any = np.maximum(log_odds, 0) + np.log1p(small) - log_odds * truth
    slope: Any = positive - truth
    return loss, slope
