"""Roles of blocks: what else a page says beside its article.

Title, byline, date line and comment are learned, each by a small forest of its own; caption,
navigation and related links are told by markup and by how much of a block is links. What a
body model takes for the body is that, but for the title.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.article.blocks import ArticleBlocks
from ...features.article.features import BlockFeatures
from .forest import Forest
from .forest_file import read_forests, write_forests
from .model import logistic
from .role_features import candidates, role_rows

__all__ = [
    "BODY",
    "BYLINE",
    "COMMENT",
    "ROLES",
    "TITLE",
    "RoleModel",
    "roles",
    "shipped_role_model",
]

ROLES = (
    "boilerplate", "navigation", "related", "caption", "comment", "byline", "date", "title", "body"
)  # fmt: skip
"""Roles in the order of their codes."""

BOILERPLATE, NAVIGATION, RELATED, CAPTION, COMMENT, BYLINE, DATE, TITLE, BODY = range(len(ROLES))

FORMAT = "miolo-roles"
VERSION = 1
SHIPPED = Path(__file__).with_name("roles.npz")

# A block is links from half of its letters on; of so many words, they name what they lead to.
LINKED = 0.5
HEADLINE_WORDS = 4

# Nearness of an element that hints at a role (1 the block's own, 1/2 its parent, 1/3 the next).
CLOSE, AROUND = 1 / 2, 1 / 4

# Captions are short, and none in a card of links.
CAPTION_WORDS = 80


@dataclass(frozen=True, eq=False)
class RoleModel:
    """Forests for the roles that are learned.

    Attributes
    ----------
    names
        Columns that the forests ask, by name: of features of blocks and of `page_features`.
    forests
        For each learned role its log-odds.
    thresholds
        For each learned role the probability from which on a block has it.
    provenance
        How it was made, and what it reached.
    """

    names: tuple[str, ...]
    forests: dict[str, Forest]
    thresholds: dict[str, float]
    provenance: dict[str, Any] = field(default_factory=dict)

    def judge(
        self, page: ArticleBlocks, features: BlockFeatures, body: NDArray[np.bool_]
    ) -> dict[str, NDArray[np.float64]]:
        """For each learned role float64, shape (b,), in [0, 1]: that a block has it.

        Raises
        ------
        ValueError
            A feature is missing that the model was trained on.
        """
        rows = role_rows(self.names, page, features, body)
        judged: dict[str, NDArray[np.float64]] = {}
        for role, forest in self.forests.items():
            asked = np.flatnonzero(candidates(role, self.names, rows, features.words))
            judged[role] = np.zeros(len(page))
            judged[role][asked] = logistic(forest.log_odds(rows[asked]))
        return judged

    def save(self, path: str | Path) -> None:
        """Write a file of plain arrays, without pickle."""
        told = {
            "names": self.names,
            "thresholds": self.thresholds,
            "provenance": self.provenance,
        }
        write_forests(path, (FORMAT, VERSION), told, self.forests)

    @classmethod
    def load(cls, path: str | Path) -> RoleModel:
        """Read a saved model.

        Raises
        ------
        ArchiveError
            The file is no model, damaged, or of another version.
        """
        return read_forests(path, (FORMAT, VERSION), cls._of)

    @classmethod
    def _of(cls, told: dict[str, Any], forests: dict[str, Forest]) -> RoleModel:
        thresholds = {role: float(told["thresholds"][role]) for role in forests}
        return cls(tuple(told["names"]), forests, thresholds, told["provenance"])


@cache
def shipped_role_model() -> RoleModel:
    """The model that comes with the package."""
    return RoleModel.load(SHIPPED)


def roles(
    page: ArticleBlocks,
    features: BlockFeatures,
    body: NDArray[np.bool_],
    model: RoleModel | None = None,
    *,
    doubted: NDArray[np.bool_] | None = None,
) -> NDArray[np.int8]:
    """One role for each block.

    Parameters
    ----------
    page, features
        The page's b blocks.
    body
        bool, shape (b,): blocks of the body, as a body model decides.
    model
        A model of your own.
    doubted
        bool, shape (b,): blocks of the body that may be a byline after all; none without it.

    Returns
    -------
    int8, shape (b,): codes into `ROLES`. Blocks of the body have the role ``"body"``, but for
    the one that may be the title, and for bylines among the doubted.

    Raises
    ------
    ValueError
        A feature is missing that the model was trained on.
    """
    model = model or shipped_role_model()
    if not len(page):
        return np.zeros(0, np.int8)
    codes = _by_rules(features)
    over = {
        role: probability / max(model.thresholds[role], 1e-9)
        for role, probability in model.judge(page, features, body).items()
    }
    line = np.maximum(over["byline"], over["date"]) >= 1
    codes[line] = np.where(over["byline"] >= over["date"], BYLINE, DATE)[line]
    # Who commented, and when, is of the comment.
    codes[over["comment"] >= 1] = COMMENT
    codes[body if doubted is None else body & ~(doubted & (codes == BYLINE))] = BODY
    title = int(np.argmax(over["title"]))
    if over["title"][title] >= 1:
        codes[title] = TITLE
    return codes


def _by_rules(features: BlockFeatures) -> NDArray[np.int8]:
    """Roles that markup and links tell."""
    values, at = features.values, _columns(features.names)

    def column(name: str) -> NDArray[np.float32]:
        return values[:, at[name]]

    def any_of(names: Sequence[str], least: float) -> NDArray[np.bool_]:
        return np.any(values[:, [at[name] for name in names]] >= least, axis=1)

    linked = column("text.linked") >= LINKED
    words = features.words
    frame = any_of(("within.nav", "within.header", "within.footer"), 1e-9)
    menu = frame | any_of(("hint.menu", "hint.header", "hint.footer"), AROUND)
    in_figure = any_of(("tag.caption", "parent_tag.caption", "within.figure"), 1e-9)
    caption = in_figure | any_of(("hint.caption",), CLOSE)
    caption &= ~linked & (words > 0) & (words <= CAPTION_WORDS) & (column("tag.heading") > 6)
    more = any_of(("hint.related",), AROUND)
    codes = np.full(len(words), BOILERPLATE, np.int8)
    codes[caption] = CAPTION
    codes[more & (linked | (column("tag.in_heading") < 7))] = RELATED
    codes[linked & (words >= HEADLINE_WORDS)] = RELATED
    codes[linked & (words < HEADLINE_WORDS) & ~more] = NAVIGATION
    codes[(menu & linked) | (column("within.nav") > 0)] = NAVIGATION
    return codes


@lru_cache(maxsize=8)
def _columns(names: tuple[str, ...]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}
