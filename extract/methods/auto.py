"""The default method: a reader model that assigns a role to every text block.

See `docs/auto.md`. All texts of the page are read, painted or not. The decision on a block also
applies to its text nodes and to elements that mostly consist of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from ...features.article.features import BlockFeatures, block_features
from ...features.blocks import TextBlocks, article_blocks
from ...features.choices import choice_mask
from ...features.notes import blocks_of_notes
from ...features.overlays import overlay_mask
from ...features.page_kind import PRICE
from ...features.words import collapse
from ...models.article.article_site import IS_TITLE, ArticleSite, looks_like_headline
from ...models.article.decision import (
    CERTAIN,
    LEAST,
    LEAST_IN_DOUBT,
    best_threshold,
    following_stories,
    group_means,
    headings_alone,
    line_numbers,
    listings_between,
    other_stories,
    pulled_quotes,
    without_copies,
    without_doubtful_ends,
)
from ...models.article.hidden import hidden_minority
from ...models.article.model import Reader, probability_of, shipped_reader
from ...models.article.pictures import slides_of_article, with_pictures
from ...models.article.roles import BOILERPLATE, PRESETS, ROLES
from ...models.article.site_blocks import shipped_site_model, text_keys
from ...models.article.units import (
    SURE,
    find_units,
    headings_between,
    shipped_unit_model,
    unit_features,
    units_between,
    without_torn_units,
)
from ...models.kinds.model import ARTICLE, PageKind, kind_of
from ...models.site_titles import DeclaredTitles
from ...output.extraction_parts import RecordTable
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import nearest_marked, subtree_mask, subtree_sums
from ..metadata.posts import USER_PATH
from ..threads import closing_signature, whole_posts
from .auto_evidence import ALIKE, SITE, BlockEvidence
from .method import TITLES, Learned, Method
from .reading import no_content, read
from .selection import Selection
from .title import find_title

# Name of the part that is learned from a site.
PART = "auto"

# Probability of an article below which a page is certainly of another kind.
MAX_ARTICLE = 0.1

# Kinds of pages whose text is their main list, and the minimum probability of these.
LISTS = ("listing", "collection")
MIN_LIST = 0.5

# Kind of pages about one product, and the minimum number of entries of a list of others.
PRODUCT, MIN_OTHERS = "product", 3

# Minimum share of what the reader keeps of a shop's list that is in the main list.
MIN_OF_LIST = 0.5

# Minimum share of the entries of a list that lead to different pages, although they have authors
# and times as posts do.
MIN_LEADING = 0.8

# A block of several text nodes contains only the headline if it is in a heading, or if its words
# are at least this similar to those of the declared title.
LOWEST_HEADING = 6
LIKE_TITLE = 0.5

TITLE, COMMENT, CODE = ROLES.index("title"), ROLES.index("comment"), ROLES.index("code")
BYLINE, DATELINE = ROLES.index("byline"), ROLES.index("dateline")
CAPTION, NOTE = ROLES.index("caption"), ROLES.index("note")
CALL = ROLES.index("call-to-action")

# Probability of the text from which a call to action may belong to it, as on the page of a product,
# and from which what follows a heading may, on a page that is no article.
SURE_ENOUGH = 0.5

# Log-odds against a sentence that all pages of the site have. Those of generated documentation, of
# which the reader and the site's places are certain, stay; boxes of the theme go.
SHARED_ODDS = 3.0

# Maximum number of characters of a warning that quotes the page.
MAX_MESSAGE = 500

OF_TEMPLATE = ROLES.index(BOILERPLATE)

CONTENT = frozenset(ROLES) - {BOILERPLATE, "related"}

QUOTES = ("quotation", "pull-quote")

AROUND = CONTENT - PRESETS["everything"]
"""Roles of an article that no preset counts as its text, such as those of its head."""


def auto(snapshot: Snapshot, learned: Learned) -> Selection:
    """Assign a role to every block, and select the blocks that count as the text.

    `learned`: Roles that count as the text, an optional custom reader, and evidence from the site:
    blocks inside the element that contains the text of its pages are more likely to be text, and
    others less likely.
    """
    text = learned.text
    reader = learned.model_of(Reader) or shipped_reader()
    page = article_blocks(snapshot)
    features = block_features(page)
    kind = kind_of(page, reader.kinds)
    article, is_article = kind.probabilities[ARTICLE], kind.kind == ARTICLE
    is_other = article < MAX_ARTICLE
    read_as = reader.read(features)
    alone = read_as.of_text(text, article)
    around = probability_of(read_as.roles, AROUND - text)
    site = learned.find_part(PART, ArticleSite)
    texts = [] if site is None else text_keys(page)
    in_context, context = _in_context(page, features, (alone, around), site, texts, article)
    overlay, choice = overlay_mask(snapshot)[page.first], choice_mask(page)
    repeated, site_names = np.zeros(len(page), bool), ()
    if site is not None:
        repeated = site.blocks.shared_headlines(texts)
        named = repeated & looks_like_headline(features, read_as.roles)
        site_names = tuple(dict.fromkeys(compress(page.texts, named.tolist())))
        # What could be the headline of most pages of the site is not that of this one.
        read_as.roles[repeated, OF_TEMPLATE] += read_as.roles[repeated, TITLE]
        read_as.roles[repeated, TITLE] = 0
    # Visible blocks are preferred.
    titles = read_as.roles[:, TITLE] * np.where(page.hidden, 0.5, 1)
    title = int(titles.argmax()) if titles.max(initial=0) >= IS_TITLE else -1
    level = features.column("tag.in_heading")
    least = SURE if is_article else SURE_ENOUGH
    others = _other_titles(page, read_as.roles, title, level, in_context, least)
    in_context[others] = probability_of(read_as.roles, CONTENT)[others]
    read_as.roles[others, TITLE] = 0
    story = other_stories(
        page.article, level, title if is_article else -1, in_context, features.words
    )
    if is_article:
        story |= following_stories(
            page.texts,
            level,
            np.isin(read_as.roles.argmax(axis=1), (BYLINE, DATELINE)),
            title,
            in_context,
            features.words,
            moved=bool(snapshot.page.later_url),
        )
    # Units hold several roles, so they are torn where the caller leaves out one of them.
    has_units = text >= PRESETS["body"]
    if ROLES[CALL] not in text:
        choice |= (read_as.roles.argmax(axis=1) == CALL) & (in_context < SURE_ENOUGH)
    probability = np.where(overlay | story | choice, 0, in_context)
    least = LEAST_IN_DOUBT if is_other else LEAST
    threshold = best_threshold(probability, features.words, least)
    if is_article and not (probability >= threshold).any():
        threshold = best_threshold(probability, features.words, LEAST_IN_DOUBT)
    chosen = probability >= threshold
    if has_units:
        content = probability_of(read_as.roles, CONTENT)
        chosen = _without_torn_units(page, features, probability, content, chosen, article)
        if is_article and threshold >= CERTAIN:
            remark = read_as.roles[:, [NOTE, CALL]].sum(axis=1)
            chosen = without_doubtful_ends(chosen, probability, remark)
    is_pre = snapshot.with_tag("pre")[page.owner]
    chosen &= ~(overlay | story | line_numbers(page.shown_texts, is_pre))
    in_unit = chosen != (probability >= threshold)
    # If a style sheet was not loaded, only class names show which blocks it hides.
    unseen = page.hidden | (features.column("hint.unseen") > 0)
    parent = snapshot.parent[page.owner]
    kept = without_copies(page.texts, features.words, chosen, unseen, parent)
    kept |= chosen & ~unseen & _fills_cell(page)
    if not is_other:
        is_quote = probability_of(read_as.roles, QUOTES) >= 0.5
        kept &= ~pulled_quotes(page.texts, is_quote, kept)
    # A reader opens details, and the listings in them.
    folded = subtree_mask(snapshot.with_tag("details"), snapshot.end)[page.owner]
    out = chosen | unseen & ~folded | overlay | story
    candidate = ~out & (ROLES[CODE] in text)
    listing, probability = listings_between(page.texts, is_pre, candidate, kept, probability)
    kept |= listing
    noted = blocks_of_notes(page, kept) & ~overlay & learned.notes
    aside = hidden_minority(page, features.words, kept) & ~noted
    kept = (kept | noted) & ~aside
    records = None
    if has_units:
        posted, records = _entries(page, features.words, kept, kind)
        if records is None or not _lead_on(records):
            stays, comment = records is not None, _roles(read_as.roles, kept, text) == COMMENT
            posts = whole_posts(page, features.words, kept, comment, kind, stays=stays)
            if posts is not None and stays:
                kind = kind.as_thread(_share(features.words, kept & posts, kept))
            posted, records = (posted, records) if posts is None else (posts, None)
        posted = posted & ~overlay
        if site is not None:
            # What most pages repeat around their posts, such as the ranks of authors.
            posted &= kept | ~site.blocks.is_repeated(texts)
        posted &= ~closing_signature(page, posted)
        if kind.probabilities.get(PRODUCT, 0) >= MIN_LIST:
            posted &= ~_other_products(page, posted)
        in_unit |= posted != kept
        chosen &= posted | ~kept
        kept = posted
    alone_headings = _headings_alone(page, features, kept)
    kept &= ~alone_headings
    codes = np.where(listing, CODE, _roles(read_as.roles, kept, text)).astype(np.int8)
    codes[noted] = NOTE
    nodes, scores = _on_nodes(page, kept, probability)
    nodes = with_pictures(page, codes, kept, nodes, is_article=is_article)
    pictures, captions = slides_of_article(page, kept, nodes)
    nodes |= pictures | (page.of >= 0) & np.append(captions, False)[page.of]
    codes = np.where(captions & ~kept, CAPTION, codes).astype(np.int8)
    kept |= captions
    evidence = BlockEvidence(
        reader, features, text, article, alone, probability, context, overlay, story, choice,
        listing, codes, kept, chosen & ~(aside | alone_headings), in_unit,
        features.column("tag.heading") <= LOWEST_HEADING, threshold,
    )  # fmt: skip
    # Hidden blocks are listed only if they belong to the article.
    shown = ~page.hidden | kept | np.isin(codes, (TITLE, COMMENT))
    return Selection(
        kept=nodes,
        scores=scores,
        reason=_block_of_nodes(page) + 1,
        reasons=evidence.reasons,
        comments=(page.of >= 0) & np.append(codes == COMMENT, False)[page.of],
        title=_title(page, features, title, nodes, repeated),
        warnings=_warnings(page, kept, aside),
        blocks=page.select(shown),
        roles=codes[shown],
        blocks_kept=kept[shown],
        contributions=evidence.contributions,
        kind=kind,
        site_names=site_names,
        records=records,
    )


def _other_titles(
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
    is_lower = (level > level[title]) & (level <= LOWEST_HEADING)
    others[:-1] &= heads | is_lower[:-1] & (probability[1:] >= least)
    others[-1:] = False
    for place in others.nonzero()[0].tolist():
        others[place] = page.texts[place].casefold() != page.texts[title].casefold()
    return others


def _entries(
    page: TextBlocks, words: NDArray[np.float64], kept: NDArray[np.bool_], kind: PageKind
) -> tuple[NDArray[np.bool_], RecordTable | None]:
    """The text of a list of entries, which is its entries, and these as a table."""
    if sum(kind.probabilities.get(name, 0) for name in LISTS) < MIN_LIST:
        return kept, None
    from .records import extract_records

    table = next((table for table in extract_records(page.snapshot) if table.main), None)
    if table is None:
        return kept, None
    entries = _blocks_of(page, table)
    constants = frozenset(table.constants)
    entries &= ~page.hidden & np.array([text not in constants for text in page.texts], bool)
    # The main list of a shop's page may be one of filters, beside the products that are kept.
    is_shop = kind.probabilities[LISTS[1]] > kind.probabilities[LISTS[0]]
    is_text = not is_shop or words[kept & entries].sum() >= MIN_OF_LIST * words[kept].sum()
    return (entries, table) if entries.any() and is_text else (kept, None)


def _other_products(page: TextBlocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (b,): lists of other products, with pictures or prices, beside that of a page."""
    from .records import extract_records

    other = np.zeros(len(page), bool)
    for table in extract_records(page.snapshot):
        has_price = [any(map(PRICE.search, row.values())) for row in table.rows]
        shows = "image" in table.columns or sum(has_price) >= len(has_price) / 2
        if shows and len(table.rows) >= MIN_OTHERS and not table.main and _lead_on(table):
            other |= _blocks_of(page, table)
    return other if (kept & ~other).any() else np.zeros(len(page), bool)


def _blocks_of(page: TextBlocks, table: RecordTable) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks of the records of a table."""
    inside = np.zeros(len(page), bool)
    for node in (node for nodes in table.nodes for node in nodes):
        first, stop = np.searchsorted(page.first, [node, page.snapshot.end[node]])
        inside[first:stop] = True
    return inside


def _share(words: NDArray[np.float64], part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> float:
    return float(words[part].sum() / max(words[whole].sum(), 1))


def _lead_on(table: RecordTable) -> bool:
    """Whether each entry has a page of its own, as topics of a forum do and its posts do not."""
    # The address of a post is a place on the page of its thread.
    addresses = {row.get("url", "") for row in table.rows}
    leading = [each for each in addresses if each and not ("#" in each or USER_PATH.search(each))]
    return len(leading) >= MIN_LEADING * len(table.rows)


def _without_torn_units(
    page: TextBlocks,
    features: BlockFeatures,
    probability: NDArray[np.float64],
    content: NDArray[np.float64],
    kept: NDArray[np.bool_],
    article: float,
) -> NDArray[np.bool_]:
    """The selection without torn lists and tables."""
    units, words, linked = find_units(page), features.words, features.column("text.linked")
    kept = kept | headings_between(page, features.column("tag.heading"), probability, kept)
    if not len(units):
        return kept
    kept |= units_between(page, units, probability, content, words, linked)
    rows = unit_features(page, units, probability, words, linked, article)
    outcomes = shipped_unit_model().probabilities(rows)
    return without_torn_units(units, outcomes, kept, page.snapshot.with_tag("th")[page.owner])


def _fills_cell(page: TextBlocks) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks that are all of their cell, which may repeat that of another row."""
    snapshot = page.snapshot
    is_cell = snapshot.with_tag("td", "th")
    around = nearest_marked(snapshot.parent, is_cell)[page.owner]
    cell = np.where(is_cell[page.owner], page.owner, around)
    blocks = np.bincount(cell + 1, minlength=len(snapshot) + 1)
    return (cell >= 0) & (blocks[cell + 1] == 1)


def _headings_alone(
    page: TextBlocks, features: BlockFeatures, kept: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """bool, shape (b,): kept headings without text below them, unless they are links to entries."""
    is_heading = page.snapshot.with_tag("h1", "h2", "h3", "h4", "h5", "h6")
    above = nearest_marked(page.snapshot.parent, is_heading)[page.owner]
    heading = np.where(is_heading[page.owner], page.owner, above)
    shows = features.column("picture_after.far") == 0
    alone = headings_alone(features.column("tag.heading"), heading, kept, shows)
    return alone & (features.column("text.linked") < 0.5)


def _warnings(
    page: TextBlocks, kept: NDArray[np.bool_], aside: NDArray[np.bool_]
) -> tuple[PageWarning, ...]:
    """Warnings about a page without text, and about hidden text that was left out."""
    warnings = []
    if not kept.any():
        message = "no block looks like article text on this page"
        warnings.append(no_content(page.snapshot, message))
    if aside.any():
        words = collapse(" ".join(compress(page.shown_texts, aside.tolist())))
        message = f"the page hides text within its article, which is left out: {words}"
        warnings.append(PageWarning("hidden-text", message[:MAX_MESSAGE]))
    return tuple(warnings)


def _in_context(
    page: TextBlocks,
    features: BlockFeatures,
    judged: tuple[NDArray[np.float64], NDArray[np.float64]],
    site: ArticleSite | None,
    texts: Sequence[int],
    article: float,
) -> tuple[NDArray[np.float64], str]:
    """Probabilities with the evidence of the site or of similar blocks, and its kind.

    `texts` are the keys of the blocks' texts, and `judged` the probabilities, from the page alone,
    that a block belongs to the text, and that it has a role of `AROUND`, of which the site says
    nothing. The judgement from the page alone counts as much as that with the evidence of the site:
    either is wrong on some sites.
    """
    alone, around = judged
    is_other = article < MAX_ARTICLE
    if site is not None and site.blocks.pages:
        element = site.elements.find(page, features.words, alone >= 0.5)
        rows = site.blocks.features(page, texts, alone, element, is_other=is_other)
        within = shipped_site_model().probabilities(rows)
        shared = site.blocks.shared_sentences(texts, features.words)
        within = _mean_odds(within, alone, SHARED_ODDS * shared)
        return np.minimum(within, np.maximum(alone, 1 - around)), SITE
    if is_other:
        return group_means(alone, features.words, features.groups["alike_nearby"]), ALIKE
    return alone, SITE


def _mean_odds(
    one: NDArray[np.float64], other: NDArray[np.float64], less: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Probabilities whose log-odds are the means of those of two others, less something."""
    pair = [np.clip(each, 1e-6, 1 - 1e-6) for each in (one, other)]
    odds = [np.log(each / (1 - each)) for each in pair]
    return 1 / (1 + np.exp(less - (odds[0] + odds[1]) / 2))


def _roles(
    roles: NDArray[np.float64], kept: NDArray[np.bool_], text: frozenset[str]
) -> NDArray[np.int8]:
    """int8, shape (b,): the most likely role of each block among those that fit its decision."""
    counts = np.array([role in text for role in ROLES])
    allowed = np.where(kept[:, None], counts, ~counts)
    # If all roles count as the text, a block that is not kept is still boilerplate.
    allowed[~kept, OF_TEMPLATE] = True
    allowed[:, TITLE] &= roles[:, TITLE] >= IS_TITLE
    return np.where(allowed, roles, -1).argmax(axis=1).astype(np.int8)


def _title(
    page: TextBlocks,
    features: BlockFeatures,
    title: int,
    kept: NDArray[np.bool_],
    repeated: NDArray[np.bool_],
) -> int | None:
    """Element of the headline: the title block, or else that most similar to the declared title.

    It has no text that most pages of the site have.

    If the headline shares its block with other text, as on pages laid out with tables, the rules of
    NCE find its element.
    """
    block = title if title >= 0 else features.headline
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
    return len(page.nodes_of(block)) == 1 or in_heading <= LOWEST_HEADING or like >= LIKE_TITLE


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
