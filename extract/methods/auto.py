"""The default method: a reader model that assigns a role to every text block.

See `docs/auto.md`. All texts of the page are read, painted or not. The decision on a block also
applies to its text nodes and to elements that mostly consist of them.
"""

from __future__ import annotations

from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from ...features.article.features import BlockFeatures
from ...features.blocks import TextBlocks
from ...features.words import collapse
from ...models.article.article_site import ArticleSite
from ...models.article.decision import LOWEST_LEVEL
from ...models.article.model import Reader, shipped_reader
from ...models.article.pictures import slides_of_article, with_pictures
from ...models.article.roles import ROLES
from ...models.site_titles import DeclaredTitles
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import nearest_marked, subtree_sums
from .auto_decision import COMMENT, NOTE, Decision, decide, roles_of
from .auto_evidence import BlockEvidence
from .auto_judgement import TITLE, Judgement, judge
from .method import TITLES, Learned, Method
from .reading import no_content, read
from .selection import Selection
from .title import find_title

# Name of the part that is learned from a site.
PART = "auto"

# A block of several text nodes contains only the headline if it is in a heading, or if its words
# are at least this similar to those of the declared title.
LIKE_TITLE = 0.5

CAPTION, CODE = ROLES.index("caption"), ROLES.index("code")

# Maximum number of characters of a warning that quotes the page.
MAX_MESSAGE = 500


def auto(snapshot: Snapshot, learned: Learned) -> Selection:
    """Assign a role to every block, and select the blocks that count as the text.

    `learned`: Roles that count as the text, an optional custom reader, and evidence from the site:
    blocks inside the element that contains the text of its pages are more likely to be text, and
    others less likely.
    """
    reader = learned.model_of(Reader) or shipped_reader()
    judged = judge(snapshot, reader, learned.text, learned.find_part(PART, ArticleSite))
    decision = decide(judged, notes=learned.notes)
    page = judged.page
    roles = np.where(decision.listing, CODE, roles_of(judged, decision.kept)).astype(np.int8)
    roles[decision.noted] = NOTE
    nodes, scores = _on_nodes(page, decision.kept, decision.probability)
    nodes = with_pictures(page, roles, decision.kept, nodes, is_article=judged.is_article)
    pictures, captions = slides_of_article(page, decision.kept, nodes)
    nodes |= pictures | _of_blocks(page, captions)
    roles = np.where(captions & ~decision.kept, CAPTION, roles).astype(np.int8)
    decision.keep(captions, "as the caption of a picture of the article")
    evidence = BlockEvidence(judged, decision, roles)
    # Hidden blocks are listed only if they belong to the article.
    shown = ~page.hidden | decision.kept | np.isin(roles, (TITLE, COMMENT))
    return Selection(
        kept=nodes,
        scores=scores,
        reason=_block_of_nodes(page) + 1,
        reasons=evidence.reasons,
        comments=_of_blocks(page, roles == COMMENT),
        title=_title(judged, nodes),
        warnings=_warnings(judged, decision),
        blocks=page.select(shown),
        roles=roles[shown],
        blocks_kept=decision.kept[shown],
        custom_roles=tuple(compress(reader.custom_names(judged.features), shown.tolist())),
        contributions=evidence.contributions,
        kind=decision.kind,
        site_names=judged.site_names,
        records=decision.records,
    )


def _warnings(judged: Judgement, decision: Decision) -> tuple[PageWarning, ...]:
    """Warnings about a page without text, and about hidden text that was left out."""
    warnings, page = [], judged.page
    if not decision.kept.any():
        message = "no block looks like article text on this page"
        warnings.append(no_content(page.snapshot, message))
    if decision.hidden.any():
        words = collapse(" ".join(compress(page.shown_texts, decision.hidden.tolist())))
        message = f"the page hides text within its article, which is left out: {words}"
        warnings.append(PageWarning("hidden-text", message[:MAX_MESSAGE]))
    return tuple(warnings)


def _title(judged: Judgement, kept: NDArray[np.bool_]) -> int | None:
    """Element of the headline: the title block, or else that most similar to the declared title.

    It has no text that most pages of the site have.

    If the headline shares its block with other text, as on pages laid out with tables, the rules of
    NCE find its element.
    """
    page, features, repeated = judged.page, judged.features, judged.repeated
    block = judged.title if judged.title >= 0 else features.headline
    block = -1 if block >= 0 and repeated[block] else block
    if block >= 0 and _is_headline_alone(page, features, block):
        return _node_of(page, block)
    reading = read(page.snapshot)
    counted = reading.texts & ~np.append(repeated, False)[page.of]
    headline = find_title(page.snapshot, counted, reading.counts, kept)
    if headline is not None:
        return headline[0]
    return _node_of(page, block) if block >= 0 else None


def _node_of(page: TextBlocks, block: int) -> int:
    """Element of a block, or the lowest node with its text if the element contains other blocks."""
    owner, end = int(page.owner[block]), page.snapshot.end
    if np.isin(page.of[owner : end[owner]], (-1, block)).all():
        return owner
    nodes = page.nodes_of(block)
    node = int(nodes[0])
    while end[node] <= nodes[-1]:
        node = int(page.snapshot.parent[node])
    return node


def _is_headline_alone(page: TextBlocks, features: BlockFeatures, block: int) -> bool:
    """Whether the block of a title contains nothing else."""
    like = features.column("declared.title")[block]
    in_heading = features.column("tag.in_heading")[block]
    return len(page.nodes_of(block)) == 1 or in_heading <= LOWEST_LEVEL or like >= LIKE_TITLE


def _on_nodes(
    page: TextBlocks, kept: NDArray[np.bool_], probability: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Decision and score of all nodes: bool and float32, shape (n,).

    An element is kept if at least half of its text is kept. An element without text, such as a
    picture, is kept if its nearest ancestor with text is kept. The score of a node is the mean over
    its blocks, weighted by characters.
    """
    snapshot, end = page.snapshot, page.snapshot.end
    texts, chars = page.nodes, page.chars
    kept_chars, weight = np.zeros_like(chars), np.zeros(len(snapshot))
    kept_chars[texts] = chars[texts] * kept[page.of[texts]]
    weight[texts] = chars[texts] * probability[page.of[texts]]
    total = subtree_sums(chars, end)
    of_text = (total > 0) & (2 * subtree_sums(kept_chars, end) >= total)
    around = nearest_marked(snapshot.parent, total > 0)
    of_text |= (total == 0) & (around >= 0) & of_text[around] & ~snapshot.is_text
    sums = np.concatenate([[0.0], np.cumsum(weight)])
    scores = (sums[end] - sums[:-1]) / np.maximum(total, 1)
    return of_text, np.clip(scores, 0, 1).astype(np.float32)


def _of_blocks(page: TextBlocks, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (n,): text nodes of some blocks."""
    return (page.of >= 0) & np.append(chosen, False)[page.of]


def _block_of_nodes(page: TextBlocks) -> NDArray[np.int32]:
    """int32, shape (n,): block of each text node, and first block of each element; -1 for none."""
    snapshot = page.snapshot
    block = page.of.copy()
    texts = (block >= 0).nonzero()[0]
    if len(texts):
        place = np.cumsum(block >= 0) - (block >= 0)
        first = texts[np.minimum(place, len(texts) - 1)]
        inside = (place < len(texts)) & ~snapshot.is_text & (first < snapshot.end)
        block[inside] = block[first[inside]]
    return block


METHOD = Method(
    lambda page, learned, _: auto(page, learned),
    "a learned model that assigns a role to every block of the rendered page",
    "recommended",
    uses_site=True,
    site_parts={PART: ArticleSite, TITLES: lambda _: DeclaredTitles()},
    model_type=Reader,
)
