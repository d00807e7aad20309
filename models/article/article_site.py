"""`ArticleSite`: what a reader learns from the pages of one site."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.article.features import BlockFeatures, block_features
from ...features.blocks import article_blocks
from ...renderer.page.snapshot import Snapshot
from ..kinds.model import ARTICLE, kind_of
from .body_elements import BodyElements
from .model import Reader, probability_of, shipped_reader
from .roles import PRESETS, ROLES
from .site_blocks import SiteBlocks

__all__ = ["IS_TITLE", "ArticleSite", "looks_like_headline"]


TITLE = ROLES.index("title")

IS_TITLE = 0.5
"""Minimum probability of the title role for the block of a headline."""


def looks_like_headline(features: BlockFeatures, roles: NDArray[np.float64]) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks that may be the headline, by role, heading or declared title."""
    likely = (roles[:, TITLE] >= IS_TITLE) | (features.column("tag.heading") == 1)
    if features.headline >= 0:
        likely[features.headline] = True
    return likely


class ArticleSite:
    """The elements of the bodies of a site, and the texts and places of its blocks.

    `model`: Reader that judges the blocks; by default the one that comes with the package.
    """

    def __init__(self, model: Reader | None = None) -> None:
        self._model = model
        self.elements = BodyElements()
        self.blocks = SiteBlocks()

    def add(self, snapshot: Snapshot) -> None:
        """Learn from one more page."""
        reader = self._model or shipped_reader()
        page = article_blocks(snapshot)
        features = block_features(page)
        article = kind_of(page, reader.kinds).probabilities[ARTICLE]
        probabilities = reader.read(features)
        # All text that was written for the page fits the element better than the article alone.
        written = probability_of(probabilities.roles, PRESETS["everything"])
        self.elements.add(page, features.words, written)
        headlines = looks_like_headline(features, probabilities.roles)
        self.blocks.add(page, probabilities.of_text(PRESETS["article"], article), headlines)

    def to_json(self) -> dict[str, Any]:
        """What was learned, as JSON values."""
        return {**self.elements.to_json(), "blocks": self.blocks.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ArticleSite:
        """Read the output of `to_json`."""
        read = cls()
        read.elements = BodyElements.from_json(data)
        read.blocks = SiteBlocks.from_json(data["blocks"])
        return read
