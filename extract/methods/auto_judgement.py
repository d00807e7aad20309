"""What the reader, the page's layout and its site say of every block of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ...features.article.features import BlockFeatures, block_features
from ...features.blocks import TextBlocks, article_blocks
from ...features.choices import choice_mask
from ...features.overlays import overlay_mask
from ...models.article.article_site import IS_TITLE, ArticleSite, looks_like_headline
from ...models.article.decision import (
    LEAST,
    LEAST_IN_DOUBT,
    LOWEST_LEVEL,
    best_threshold,
    following_stories,
    group_means,
    other_stories,
)
from ...models.article.model import Reader, probability_of
from ...models.article.roles import BOILERPLATE, PRESETS, ROLES
from ...models.article.site_blocks import shipped_site_model, text_keys
from ...models.article.units import SURE
from ...models.kinds.model import ARTICLE, PageKind, kind_of
from ...renderer.page.snapshot import Snapshot

# Probability of an article below which a page is certainly of another kind.
MAX_ARTICLE = 0.1

TITLE, CALL = ROLES.index("title"), ROLES.index("call-to-action")
OF_HEAD = ROLES.index("byline"), ROLES.index("dateline")
OF_TEMPLATE = ROLES.index(BOILERPLATE)

CONTENT = frozenset(ROLES) - {BOILERPLATE, "related"}

AROUND = CONTENT - PRESETS["everything"]
"""Roles of an article that no preset counts as its text, such as those of its head."""

# Probability of the text from which a call to action may belong to it, as on the page of a product,
# and from which what follows a heading may, on a page that is no article.
SURE_ENOUGH = 0.5

# Log-odds against a sentence that all pages of the site have. Those of generated documentation, of
# which the reader and the site's places are certain, stay; boxes of the theme go.
SHARED_ODDS = 3.0

SITE, ALIKE, OVERLAY, STORY, CHOICE = "site", "alike", "overlay", "story", "choice"
"""Kinds of evidence in addition to `EVIDENCE`: the site; similar blocks, on pages that are
certainly not articles; a layer over the page; another story below the article; a call to action or
the buttons of a line."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """The evidence on the b blocks of a page."""

    page: TextBlocks
    features: BlockFeatures
    reader: Reader
    text: frozenset[str]
    """The reader, the features of the blocks, and the roles that count as the text."""
    kind: PageKind
    site: ArticleSite | None
    keys: Sequence[int]
    """What is learned of the page's site, and the keys of the blocks' texts there, if any."""
    roles: NDArray[np.float64]
    """float64, shape (b, len(ROLES)): probability of each role."""
    title: int
    """Block of the title, -1 for none."""
    repeated: NDArray[np.bool_]
    """bool, shape (b,): what could be the headline of most pages of the site."""
    site_names: tuple[str, ...]
    """Texts of these that look like headlines."""
    alone: NDArray[np.float64]
    in_context: NDArray[np.float64]
    """float64, shape (b,): probability that a block belongs to the text, from the page alone, and
    with the evidence of the site or of similar blocks."""
    context: str
    """Whether the site or similar blocks are used: `SITE` or `ALIKE`."""
    overlay: NDArray[np.bool_]
    story: NDArray[np.bool_]
    choice: NDArray[np.bool_]
    """bool, shape (b,): blocks in a layer and in another story, and calls to action and choices of
    buttons. They are no text."""

    @property
    def article(self) -> float:
        """Probability that the page is an article."""
        return self.kind.probabilities[ARTICLE]

    @property
    def is_article(self) -> bool:
        """Whether an article is the most probable kind."""
        return self.kind.kind == ARTICLE

    @property
    def is_other(self) -> bool:
        """Whether the page is certainly not an article."""
        return self.article < MAX_ARTICLE

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """float64, shape (b,): probability that a block belongs to the text, by all evidence."""
        return np.where(self.overlay | self.story | self.choice, 0, self.in_context)

    @cached_property
    def threshold(self) -> float:
        """Probability from which a block is kept, unless a later step decides."""
        words = self.features.words
        least = LEAST_IN_DOUBT if self.is_other else LEAST
        threshold = best_threshold(self.probability, words, least)
        if self.is_article and not (self.probability >= threshold).any():
            threshold = best_threshold(self.probability, words, LEAST_IN_DOUBT)
        return threshold


def judge(
    snapshot: Snapshot, reader: Reader, text: frozenset[str], site: ArticleSite | None
) -> Judgement:
    """Judge the blocks of a page, of which some roles count as the text."""
    page = article_blocks(snapshot)
    features = block_features(page)
    kind = kind_of(page, reader.kinds)
    article, is_article = kind.probabilities[ARTICLE], kind.kind == ARTICLE
    answer = reader.read(features)
    roles, alone = answer.roles, answer.of_text(text, article)
    in_context, context = alone.copy(), SITE
    keys: Sequence[int] = []
    repeated, site_names = np.zeros(len(page), bool), ()
    if site is not None:
        keys = text_keys(page)
        repeated = site.blocks.shared_headlines(keys)
        named = repeated & looks_like_headline(features, roles)
        site_names = tuple(dict.fromkeys(compress(page.texts, named.tolist())))
    if site is not None and site.blocks.pages:
        around = probability_of(roles, AROUND - text)
        in_context = _on_site(page, features, site, keys, alone, around, article < MAX_ARTICLE)
    elif article < MAX_ARTICLE:
        groups, context = features.groups["alike_nearby"], ALIKE
        in_context = group_means(alone, features.words, groups)
    # What could be the headline of most pages of the site is not that of this one.
    roles[repeated, OF_TEMPLATE] += roles[repeated, TITLE]
    roles[repeated, TITLE] = 0
    # Visible blocks are preferred.
    titles = roles[:, TITLE] * np.where(page.hidden, 0.5, 1)
    title = int(titles.argmax()) if titles.max(initial=0) >= IS_TITLE else -1
    level = features.column("tag.in_heading")
    least = SURE if is_article else SURE_ENOUGH
    others = other_titles(page, roles, title, level, in_context, least)
    in_context[others] = probability_of(roles, CONTENT)[others]
    roles[others, TITLE] = 0
    best = roles.argmax(axis=1)
    story = other_stories(
        page.article, level, title if is_article else -1, in_context, features.words
    )
    if is_article:
        is_head, moved = np.isin(best, OF_HEAD), bool(snapshot.page.later_url)
        story |= following_stories(
            page.texts, level, is_head, title, in_context, features.words, moved=moved
        )
    choice = choice_mask(page)
    if ROLES[CALL] not in text:
        choice |= (best == CALL) & (in_context < SURE_ENOUGH)
    overlay = overlay_mask(snapshot)[page.first]
    return Judgement(
        page, features, reader, text, kind, site, keys, roles, title, repeated, site_names,
        alone, in_context, context, overlay, story, choice,
    )  # fmt: skip


def other_titles(
    page: TextBlocks,
    roles: NDArray[np.floating],
    title: int,
    level: NDArray[np.floating],
    probability: NDArray[np.float64],
    least: float,
) -> NDArray[np.bool_]:
    """Blocks after the title that look like it and head a paragraph, as a page has one title.

    A heading below that of the title heads what follows wherever that is, from probability `least`.
    """
    if title < 0:
        return np.zeros(len(level), bool)
    others = roles.argmax(axis=1) == TITLE
    others[: title + 1] = False
    parent, end = page.snapshot.parent[page.owner], page.snapshot.end
    heads = (probability[1:] >= SURE) & (page.owner[1:] < end[parent[:-1]])
    is_lower = (level > level[title]) & (level <= LOWEST_LEVEL)
    others[:-1] &= heads | is_lower[:-1] & (probability[1:] >= least)
    others[-1:] = False
    for place in others.nonzero()[0].tolist():
        others[place] = page.texts[place].casefold() != page.texts[title].casefold()
    return others


def _on_site(
    page: TextBlocks,
    features: BlockFeatures,
    site: ArticleSite,
    keys: Sequence[int],
    alone: NDArray[np.float64],
    around: NDArray[np.float64],
    is_other: bool,
) -> NDArray[np.float64]:
    """Probabilities with the evidence of the site, which counts as much as that of the page alone.

    Either is wrong on some sites. Of what has a role of `AROUND` with probability `around`, the
    site says nothing.
    """
    element = site.elements.find(page, features.words, alone >= 0.5)
    rows = site.blocks.features(page, keys, alone, element, is_other=is_other)
    pair = [np.clip(p, 1e-6, 1 - 1e-6) for p in (shipped_site_model().probabilities(rows), alone)]
    odds = [np.log(p / (1 - p)) for p in pair]
    shared = SHARED_ODDS * site.blocks.shared_sentences(keys, features.words)
    within = 1 / (1 + np.exp(shared - (odds[0] + odds[1]) / 2))
    return np.minimum(within, np.maximum(alone, 1 - around))
