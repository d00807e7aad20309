"""From the judgement of every block to the text of a page, in steps that each state why.

The blocks from the threshold on are the text with the highest expected F1. The steps after this
correct what a decision block by block cannot see.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...features.blocks import TextBlocks
from ...features.choices import action_mask, story_lines
from ...features.notes import blocks_of_notes
from ...features.page_kind import PRICE
from ...models.article.article_site import IS_TITLE
from ...models.article.decision import (
    CERTAIN,
    headings_alone,
    line_numbers,
    listings_between,
    pulled_quotes,
    without_copies,
    without_doubtful_ends,
)
from ...models.article.hidden import hidden_minority
from ...models.article.model import probability_of
from ...models.article.roles import PRESETS, ROLES
from ...models.article.units import (
    find_units,
    headings_between,
    shipped_unit_model,
    unit_features,
    units_between,
    without_torn_units,
)
from ...models.kinds.model import LISTING, PageKind
from ...output.extraction_parts import RecordTable
from ...renderer.page.elements import HEADINGS
from ...renderer.page.tree import nearest_marked
from ..metadata.posts import USER_PATH
from ..threads import closing_signature, whole_posts
from .auto_judgement import CONTENT, OF_HEAD, OF_TEMPLATE, TITLE, Judgement

# Kinds of pages whose text is their main list, and the minimum probability of these.
LISTS = (LISTING, "collection")
MIN_LIST = 0.5

# Kind of pages about one product, and the minimum number of entries of a list of others.
PRODUCT, MIN_OTHERS = "product", 3

# Elements of lists that choose among the entries.
FILTERS = ("label", "select")

# Minimum share of what the reader keeps of a shop's list that is in the main list.
MIN_OF_LIST = 0.5

# Minimum share of the entries of a list that lead to different pages, although they have authors
# and times as posts do.
MIN_LEADING = 0.8

COMMENT = ROLES.index("comment")
NOTE, CALL = ROLES.index("note"), ROLES.index("call-to-action")

QUOTES = ("quotation", "pull-quote")


@dataclass(eq=False)
class Decision:
    """Which of the b blocks of a page are its text, and which steps decided so."""

    kept: NDArray[np.bool_]
    """bool, shape (b,): blocks of the text."""
    probability: NDArray[np.float64]
    """float64, shape (b,): probability that each block belongs to the text."""
    kind: PageKind
    records: RecordTable | None = None
    """The kind of the page, and its main list if the entries of that are its text."""
    steps: dict[int, str] = field(default_factory=dict)
    """What the last step that changed the decision on a block says of it, by block."""
    listing: NDArray[np.bool_] = field(init=False)
    noted: NDArray[np.bool_] = field(init=False)
    hidden: NDArray[np.bool_] = field(init=False)
    """bool, shape (b,): code listings that are kept because of the blocks around them, notes that
    the text refers to, and hidden text that is left out."""

    def keep(self, blocks: NDArray[np.bool_], step: str) -> None:
        """Add blocks to the text."""
        self.become(self.kept | blocks, step)

    def leave_out(self, blocks: NDArray[np.bool_], step: str) -> None:
        """Remove blocks from the text."""
        self.become(self.kept & ~blocks, step)

    def become(self, kept: NDArray[np.bool_], step: str) -> None:
        """Change which blocks are the text."""
        self.steps.update(dict.fromkeys((kept != self.kept).nonzero()[0].tolist(), step))
        self.kept = kept


def decide(judged: Judgement, *, notes: bool) -> Decision:
    """Decide on the blocks of a page.

    `notes`: Whether footnotes whose marks are in the text count as text.
    """
    page, features, words = judged.page, judged.features, judged.features.words
    snapshot, apart = page.snapshot, judged.overlay | judged.story
    decision = Decision(judged.probability >= judged.threshold, judged.probability, judged.kind)
    # Units hold several roles, so they are torn where the caller leaves out one of them.
    has_units = judged.text >= PRESETS["body"]
    if has_units:
        _complete_units(judged, decision)
    decision.leave_out(apart, "because it stands apart from the article")
    if judged.is_article:
        decision.leave_out(story_lines(page, decision.kept), "as a link to another story")
    is_pre = snapshot.with_tag("pre")[page.owner]
    decision.leave_out(line_numbers(page.shown_texts, is_pre), "as the line numbers of a listing")
    # If a style sheet was not loaded, only class names show which blocks it hides.
    unseen = page.hidden | (features.column("hint.unseen") > 0)
    chosen, parent = decision.kept, snapshot.parent[page.owner]
    first = without_copies(page.texts, words, chosen, unseen, parent)
    decision.become(first | chosen & ~unseen & _fills_cell(page), "as a copy of kept text")
    if not judged.is_other:
        is_quote = probability_of(judged.roles, QUOTES) >= 0.5
        is_quote |= snapshot.in_tag("blockquote")[page.owner]
        pulled = pulled_quotes(page.texts, is_quote, decision.kept)
        pulled &= ~_is_signed(page, decision.kept & ~pulled)
        decision.leave_out(pulled, "because it quotes the text itself")
    # A reader opens details, and the listings in them.
    folded = snapshot.in_tag("details")[page.owner]
    candidate = ~(chosen | unseen & ~folded | apart) & ("code" in judged.text)
    decision.listing, decision.probability = listings_between(
        page.texts, is_pre, candidate, decision.kept, decision.probability
    )
    decision.keep(decision.listing, "as a listing in the text")
    decision.noted = blocks_of_notes(page, decision.kept) & ~judged.overlay & notes
    decision.hidden = hidden_minority(page, words, decision.kept) & ~decision.noted
    decision.keep(decision.noted, "as a note that the text refers to")
    decision.leave_out(decision.hidden, "as hidden text within shown text")
    if has_units:
        _complete_entries(judged, decision)
    decision.leave_out(_headings_alone(judged, decision.kept), "as a heading without text below")
    return decision


def roles_of(judged: Judgement, kept: NDArray[np.bool_]) -> NDArray[np.int8]:
    """int8, shape (b,): the most likely role of each block among those that fit its decision."""
    roles, counts = judged.roles, np.array([role in judged.text for role in ROLES])
    allowed = np.where(kept[:, None], counts, ~counts)
    # If all roles count as the text, a block that is not kept is still boilerplate.
    allowed[~kept, OF_TEMPLATE] = True
    allowed[:, TITLE] &= roles[:, TITLE] >= IS_TITLE
    return np.where(allowed, roles, -1).argmax(axis=1).astype(np.int8)


def _complete_units(judged: Judgement, decision: Decision) -> None:
    """Keep or leave out lists and tables as a whole, and keep the headings of text."""
    page, features, p = judged.page, judged.features, judged.probability
    words, linked = features.words, features.column("text.linked")
    headings = headings_between(page, features.column("tag.heading"), p, decision.kept)
    decision.keep(headings, "as the heading of text")
    units = find_units(page)
    if len(units):
        content = probability_of(judged.roles, CONTENT)
        head = judged.roles[:, [*OF_HEAD, COMMENT]].sum(axis=1)
        between = units_between(page, units, p, content, head, judged.title, words, linked)
        decision.keep(between, "as a list or table in the text")
        rows = unit_features(page, units, p, words, linked, judged.article)
        outcomes = shipped_unit_model().probabilities(rows)
        head = page.snapshot.with_tag("th")[page.owner]
        whole = without_torn_units(units, outcomes, decision.kept, head)
        # A table may be all of a page.
        if whole.any():
            decision.become(whole, "as the rest of its list or table")
    if judged.is_article and judged.threshold >= CERTAIN:
        remark = judged.roles[:, [NOTE, CALL]].sum(axis=1)
        firm = without_doubtful_ends(decision.kept, p, remark)
        decision.become(firm, "as a remark before or after the text")


def _complete_entries(judged: Judgement, decision: Decision) -> None:
    """Make the text the entries of a list, or the posts of a thread, if these are the page."""
    page, words, kept, kind = judged.page, judged.features.words, decision.kept, judged.kind
    text, decision.records = _entries(judged, kept)
    step = "because the text of the page is its entries"
    if decision.records is None or not _lead_on(decision.records):
        stays = decision.records is not None
        comment = roles_of(judged, kept) == COMMENT
        posts = whole_posts(page, words, kept, comment, kind, stays=stays)
        if posts is not None:
            text, decision.records, step = posts, None, "because the text of the page is its posts"
            if stays:
                share = words[kept & posts].sum() / max(words[kept].sum(), 1)
                decision.kind = kind.as_thread(float(share))
    decision.become(text & ~judged.overlay, step)
    if judged.site is not None:
        # What most pages repeat around their posts, such as the ranks of authors.
        repeated = judged.site.blocks.is_repeated(judged.keys)
        decision.leave_out(repeated & ~kept, "because most pages of the site repeat it")
    signature = closing_signature(page, decision.kept)
    decision.leave_out(signature, "as the signature of a mail")
    probabilities = decision.kind.probabilities
    is_list = sum(probabilities.get(name, 0) for name in LISTS) >= MIN_LIST
    if is_list or probabilities.get(PRODUCT, 0) >= MIN_LIST:
        actions = action_mask(page, FILTERS if is_list else ())
        decision.leave_out(actions, "as a button or filter of the page")
    if probabilities.get(PRODUCT, 0) >= MIN_LIST:
        others = _other_products(page, decision.kept)
        decision.leave_out(others, "as one of several other products")


def _entries(
    judged: Judgement, kept: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], RecordTable | None]:
    """The text of a list of entries, which is its entries, and these as a table."""
    page, words, p = judged.page, judged.features.words, judged.kind.probabilities
    if sum(p.get(name, 0) for name in LISTS) < MIN_LIST:
        return kept, None
    from .records import extract_records

    table = next((table for table in extract_records(page.snapshot) if table.main), None)
    if table is None:
        return kept, None
    entries = _blocks_of(page, table)
    constants = frozenset(table.constants)
    entries &= ~page.hidden & np.array([text not in constants for text in page.texts], bool)
    # The main list of a shop's page may be one of filters, beside the products that are kept.
    is_shop = p[LISTS[1]] > p[LISTS[0]]
    is_text = not is_shop or words[kept & entries].sum() >= MIN_OF_LIST * words[kept].sum()
    # Rows that lead to no other pages are a part of a page that has more to say.
    entries |= kept & (not _lead_on(table))
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


def _lead_on(table: RecordTable) -> bool:
    """Whether each entry has a page of its own, as topics of a forum do and its posts do not."""
    # The address of a post is a place on the page of its thread.
    addresses = {row.get("url", "") for row in table.rows}
    leading = [each for each in addresses if each and not ("#" in each or USER_PATH.search(each))]
    return len(leading) >= MIN_LEADING * len(table.rows)


def _is_signed(page: TextBlocks, others: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks of quotations with other blocks, such as who said what is quoted."""
    quotes = page.snapshot.with_tag("blockquote")
    around = nearest_marked(page.snapshot.parent, quotes)[page.owner]
    quote = np.where(quotes[page.owner], page.owner, around)
    return (quote >= 0) & np.isin(quote, quote[others & (quote >= 0)])


def _fills_cell(page: TextBlocks) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks that are all of their cell, which may repeat that of another row."""
    snapshot = page.snapshot
    is_cell = snapshot.with_tag("td", "th")
    around = nearest_marked(snapshot.parent, is_cell)[page.owner]
    cell = np.where(is_cell[page.owner], page.owner, around)
    blocks = np.bincount(cell + 1, minlength=len(snapshot) + 1)
    return (cell >= 0) & (blocks[cell + 1] == 1)


def _headings_alone(judged: Judgement, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (b,): kept headings without text below them, unless they are links to entries."""
    page, features = judged.page, judged.features
    is_heading = page.snapshot.with_tag(*HEADINGS)
    above = nearest_marked(page.snapshot.parent, is_heading)[page.owner]
    heading = np.where(is_heading[page.owner], page.owner, above)
    shows = features.column("picture_after.far") == 0
    alone = headings_alone(features.column("tag.heading"), heading, kept, shows)
    return alone & (features.column("text.linked") < 0.5)
