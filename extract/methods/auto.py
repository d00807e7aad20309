"""The default method: a learned model over rendered features of text blocks.

See `docs/auto.md`. All texts of the page are judged, painted or not; what is decided of a
block holds for its texts, and for the elements that are mostly such text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ...features.article.blocks import ArticleBlocks, article_blocks
from ...features.article.features import BlockFeatures, block_features
from ...features.overlays import overlay_mask
from ...models.article.body_elements import BodyElement, BodyElements
from ...models.article.conventions import Shares
from ...models.article.decision import without_repeats
from ...models.article.model import BlockScores, shipped_article_model, updated
from ...models.article.roles import BODY, BYLINE, COMMENT, TITLE, roles
from ...models.headline import HeadlineRule
from ...models.kinds.model import ARTICLE, PageKind
from ...renderer.snapshot import Snapshot, Warn
from ...renderer.tree import nearest_marked, subtree_sums
from .learned import Learned
from .page_kind import kind_of
from .reading import read
from .selection import Selection
from .shares import SHARES_OF, SharesByKind
from .title import find_title

__all__ = ["auto"]

# Features that a reason names.
TOLD = 3

SENTENCE = "%s: probability %.2f, by itself %.2f (" + ", ".join(["%s %+.1f"] * TOLD) + ")"

# A byline between an article's texts is left out where the body model is less sure than this.
# Of date lines it has the last word: who publishes a post may count its own.
SURELY_BODY = 0.8

# What the site's pages say of a block, in log-odds, at the most.
MOST_SAID = 2.2


def auto(
    snapshot: Snapshot, learned: Learned, shares: SharesByKind = SHARES_OF["auto"]
) -> Selection:
    """Select the article of one page, and of it what the conventions count as its text.

    What kind of page it is tells which conventions are asked. Where the page's site is known,
    blocks inside of the element that holds the bodies of its pages are likelier to be body, and
    others less so.
    """
    model = learned.article_model or shipped_article_model()
    page = article_blocks(snapshot)
    features = block_features(page)
    kind = kind_of(snapshot, page.blocks, model.kinds)
    asked = shares.on(kind.probabilities[ARTICLE], model.judges)
    judged = model.judge_by_shares(features, asked)
    element = _element(page, features, judged, learned)
    if element is not None:
        judged = _within(page, judged, element)
    over = overlay_mask(snapshot)[page.first]
    body = without_repeats(page.texts, features.words, judged.body & ~over)
    doubted = body & (judged.probability < SURELY_BODY)
    told = roles(page, features, body, doubted=doubted)
    body &= told != BYLINE
    kept, scores = _on_nodes(page, body, judged.probability)
    verdicts = _verdicts(judged, body, over, told)
    besides = _told_of_kind(kind, asked, shares) + _told_of_site(element)
    codes, reasons = _reasons(page, _sentences(judged, verdicts, besides))
    # What nobody sees is of no use to a reader of the answer, unless it is the article.
    shown = ~page.hidden | np.isin(told, (BODY, TITLE, COMMENT))
    return Selection(
        kept=kept,
        scores=scores,
        reason=codes,
        reasons=reasons,
        comments=(page.of >= 0) & np.append(told == COMMENT, False)[page.of],
        title=_title(page, features, told, kept),
        warnings=() if body.any() else (Warn("no-content", "no block looks like an article's"),),
        blocks=tuple(compress(page.blocks, shown.tolist())),
        roles=told[shown],
        kind=kind,
    )


def _element(
    page: ArticleBlocks, features: BlockFeatures, judged: BlockScores, learned: Learned
) -> BodyElement | None:
    part = learned.site.parts.get("auto") if learned.site else None
    if not isinstance(part, BodyElements):
        return None
    return part.find(page, features.words, judged.body)


def _within(page: ArticleBlocks, judged: BlockScores, element: BodyElement) -> BlockScores:
    """Judgements with what the site says: the odds that an element's text is its page's body."""
    inside = (page.first >= element.node) & (page.first < page.snapshot.end[element.node])
    said = min(np.log(element.fit / max(1 - element.fit, 1e-9)), MOST_SAID)
    return replace(judged, probability=updated(judged.probability, np.where(inside, said, -said)))


def _told_of_kind(kind: PageKind, asked: Shares, shares: SharesByKind) -> str:
    if asked.keys() <= shares.article.keys():
        return ""
    return f"; the page is no article by {1 - kind.probabilities[ARTICLE]:.2f}"


def _told_of_site(element: BodyElement | None) -> str:
    if element is None:
        return ""
    return f"; the site's bodies are in {element.selector} on {element.pages} pages"


def _title(
    page: ArticleBlocks,
    features: BlockFeatures,
    told: NDArray[np.integer],
    kept: NDArray[np.bool_],
) -> int | None:
    """Element of the headline: the block in that role, or the one most like the page's title.

    Where a headline shares its block with other text, as on pages laid out by tables, NCE's
    rules find its element.
    """
    titles = np.flatnonzero(told == TITLE)
    block = int(titles[0]) if len(titles) else features.headline
    if block >= 0:
        return int(page.owner[block])
    reading = read(page.snapshot)
    found = find_title(page.snapshot, reading.texts, reading.counts, kept, HeadlineRule())
    return None if found is None else found[0]


def _on_nodes(
    page: ArticleBlocks, body: NDArray[np.bool_], probability: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """What is decided of blocks, for all nodes: bool and float32, shape (n,).

    An element is of the body if half of the text in it is; one without text, such as a
    picture, if the nearest element around it with text is. A node's score is the mean of its
    blocks', by characters.
    """
    snapshot, end = page.snapshot, page.snapshot.end
    texts = np.flatnonzero(page.of >= 0)
    chars = np.zeros(len(snapshot), np.int64)
    chars[texts] = [len(snapshot.text[node]) for node in texts.tolist()]
    taken, weight = np.zeros_like(chars), np.zeros(len(snapshot))
    taken[texts] = chars[texts] * body[page.of[texts]]
    weight[texts] = chars[texts] * probability[page.of[texts]]
    total = subtree_sums(chars, end)
    kept = (total > 0) & (2 * subtree_sums(taken, end) >= total)
    around = nearest_marked(snapshot.parent, total > 0)
    kept |= (total == 0) & (around >= 0) & kept[around] & ~snapshot.is_text
    sums = np.concatenate([[0.0], np.cumsum(weight)])
    scores = (sums[end] - sums[:-1]) / np.maximum(total, 1)
    return kept, np.clip(scores, 0, 1).astype(np.float32)


def _reasons(
    page: ArticleBlocks, sentences: Iterable[str]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Codes of all nodes, shape (n,), and reasons: an element has that of its first block."""
    snapshot = page.snapshot
    codes = (page.of + 1).astype(np.int32)
    texts = np.flatnonzero(codes)
    if len(texts):
        place = np.searchsorted(texts, np.arange(len(snapshot)))
        first = texts[np.minimum(place, len(texts) - 1)]
        inside = (place < len(texts)) & ~snapshot.is_text & (first < snapshot.end)
        codes[inside] = codes[first[inside]]
    return codes, ("no text", *sentences)


def _sentences(judged: BlockScores, verdicts: Sequence[str], besides: str) -> Iterator[str]:
    """For each block the probability, the features that moved it most, and what else is told."""
    columns = _largest(judged.moved)
    amounts = np.take_along_axis(judged.moved, columns, axis=1)
    names = np.array(judged.names, object)[columns]
    told = np.empty((len(columns), 2 * TOLD), object)
    told[:, ::2], told[:, 1::2] = names, amounts
    rows = zip(
        verdicts,
        judged.probability.tolist(),
        judged.first.tolist(),
        told.tolist(),
        strict=True,
    )
    for verdict, probability, first, features in rows:
        yield SENTENCE % (verdict, probability, first, *features) + besides


def _largest(moved: NDArray[np.float32]) -> NDArray[np.intp]:
    """The columns of the `TOLD` largest amounts of each row, the largest first."""
    size = np.abs(moved)
    rows = np.arange(len(size))
    columns = np.empty((len(size), TOLD), np.intp)
    for place in range(TOLD):
        columns[:, place] = size.argmax(axis=1)
        size[rows, columns[:, place]] = -1
    return columns


def _verdicts(
    judged: BlockScores,
    body: NDArray[np.bool_],
    over: NDArray[np.bool_],
    told: NDArray[np.integer],
) -> list[str]:
    verdict = np.where(body, "body", "not body").astype(object)
    verdict[judged.body & ~body] = "not body, which has said the same before"
    verdict[judged.body & (told == BYLINE)] = "not body, but the byline"
    verdict[judged.body & over] = "not body, but part of a layer over the page"
    return verdict.tolist()
