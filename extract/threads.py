"""Threads and live blogs: pages whose text is repeated posts, each of which is text as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..features.blocks import TextBlocks
from ..models.kinds.blocked import BLOCKED
from ..models.kinds.model import ARTICLE, FORUM, PageKind
from ..output.extraction import Post
from ..patterns import lazy_re
from ..renderer.page.elements import HEADINGS
from ..renderer.page.tree import innermost
from .metadata.posts import (
    find_entries,
    find_posts,
    find_siblings,
    find_thread,
    kind_of_element,
    signing_nodes,
    time_mask,
)

# Minimum share of the text in posts of a page that is a thread although it looks like another kind.
MIN_THREAD = 0.8

# Probability of an article above which no posts are looked for.
MAX_ARTICLE = 0.95

# Probability of an article above which its comments are no replies, and the minimum number of posts
# of a thread and of their share of its text, if that is found among the comments, too.
MAX_DOUBTFUL_ARTICLE, MIN_POSTS, MIN_SHARE = 0.75, 3, 0.7

# Maximum number of words of what stands before a thread, as a multiple of those of a post.
MAX_OPENING = 8

# Minimum share of the posts in which the element around a post's text is of the same kind.
MIN_ALIKE = 0.9

# Minimum share of the known text in these elements, of what those of any kind hold, and the maximum
# number of their characters, as a multiple of those of the known text.
MIN_COVERED, MAX_MORE = 0.8, 1.5

# Minimum share of the known text of a post in this element; of other posts, the known text is kept.
MIN_OWN = 0.25

# Minimum number of posts, and share of them, that repeat a text which is a label or a button.
MIN_REPEATED, MIN_REPEATED_SHARE = 3, 0.5

# Maximum number of characters of a counter, such as the number of a post or of its votes.
MAX_COUNTER = 60

# A signature begins with a line of two hyphens (RFC 3676, section 4.3), or with a drawn line that
# begins others, too.
HYPHENS = lazy_re(r"--[ \t]*\n")
DRAWN_LINE = lazy_re(r"(?<![_=*~\u2500-])([_=*~\u2500-]{5,}+)\s")

# Maximum number of characters of a signature, and of its blocks.
MAX_SIGNATURE, MAX_SIGNATURE_BLOCKS = 1000, 20

# Maximum number of characters of what says who wrote a post, and when.
MAX_HEAD = 160

# Entries are ordered by their times; the day of those that only show a time of day does not matter.
ANY_DAY = "2000-01-01"

DIGITS = lazy_re(r"[\d.,]+")
CONTROLS = ("button", "nav")

Kind = tuple[str, str]

Part = tuple[int, int]
"""The first block, and one past the last."""


def thread_of(body: TextBlocks, kind: PageKind) -> tuple[tuple[Post, ...], PageKind]:
    """Posts of a thread, and the kind of the page, which is a thread if posts are its text."""
    if kind.kind == BLOCKED or kind.probabilities.get(ARTICLE, 0) > MAX_ARTICLE:
        return (), kind
    if kind.kind == FORUM:
        return find_posts(body), kind
    posts, share = find_thread(body)
    return (posts, kind.as_thread(share)) if share >= MIN_THREAD else ((), kind)


def whole_posts(
    page: TextBlocks,
    words: NDArray[np.float64],
    kept: NDArray[np.bool_],
    comment: NDArray[np.bool_],
    kind: PageKind,
    *,
    stays: bool = False,
) -> NDArray[np.bool_] | None:
    """bool, shape (b,): the text of a thread, which is its posts, and that of a live blog with its
    headings; None for a page without posts.

    The text of a post is in an element of the same kind in nearly all posts. All of that element is
    text, such as quotations, except for what most posts repeat. The replies of a thread that looks
    like an article are not its comments (`comment`). On a page that looks like a list whose entries
    lead to no other pages (`stays`), posts need no author.
    """
    among = (kept | comment) & ~page.hidden
    if posts := _find_posts(page, among, kept, kind, stays=stays):
        text = _text_of_posts(page, among, kept, posts)
        within = innermost(page.snapshot.parent, [post.node for post in posts])[page.owner] >= 0
        lost = words[kept & ~(text | within)].sum()
        if lost <= (1 - MIN_SHARE) * words[kept].sum():
            return text
        # The first post of a thread may stand apart; an article is much longer than its comments.
        is_article = lost > MAX_OPENING * words[text].sum() / len(posts)
        return kept if is_article else kept | text
    headings = page.snapshot.in_tag(*HEADINGS)[page.owner] & ~(kept | page.hidden)
    places = kept.nonzero()[0]
    # Most articles leave out no headings, and need no search for entries.
    if not len(places) or not headings[places[0] : places[-1]].any():
        return None
    roots = [entry.node for entry, _ in find_entries(page.select(kept), lambda: ANY_DAY)]
    if not roots:
        return None
    return kept | headings & (innermost(page.snapshot.parent, roots)[page.owner] >= 0)


def closing_signature(page: TextBlocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (b,): the last block of a text if it is the signature of a mail."""
    signature, places = np.zeros(len(page), bool), kept.nonzero()[0].tolist()
    for place in places[1:][-1:]:
        text = page.texts[place]
        signature[place] = len(text) <= MAX_SIGNATURE and HYPHENS.match(text) is not None
    return signature


def _find_posts(
    page: TextBlocks,
    among: NDArray[np.bool_],
    kept: NDArray[np.bool_],
    kind: PageKind,
    *,
    stays: bool,
) -> tuple[Post, ...]:
    """Posts of a thread in its text, or in that and its comments."""
    if kind.kind == FORUM or kind.probabilities.get(ARTICLE, 0) <= MAX_DOUBTFUL_ARTICLE:
        posts, share = find_thread(page.select(among), stays=stays)
        if share >= MIN_SHARE and len(posts) >= MIN_POSTS:
            return posts
    posts, _ = thread_of(page.select(kept), kind)
    return posts and (find_posts(page.select(among)) or posts)


def _text_of_posts(
    page: TextBlocks,
    among: NDArray[np.bool_],
    kept: NDArray[np.bool_],
    posts: Sequence[Post],
) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks of the posts without those that say who wrote them, and when.

    Signatures are left out, and so are short lines that the reader does not keep and that have a
    time or are in several posts, such as that of the last change or the label of a button.
    """
    roots = [post.node for post in posts]
    roots += find_siblings(page.snapshot, roots)
    of = innermost(page.snapshot.parent, roots)[page.owner]
    signs, signing = _signatures(page, of), signing_nodes(page.snapshot, roots)
    # A date in a sentence does not say when the post was written.
    is_long = among & (np.array(list(map(len, page.texts))) > MAX_HEAD)
    signing[page.nodes[np.repeat(is_long, np.diff(page.starts))]] = False
    for node in signing.nonzero()[0].tolist():
        first, stop = np.searchsorted(page.nodes, [node, page.snapshot.end[node]])
        signs[page.of[page.nodes[first:stop]]] = True
    controls = page.snapshot.in_tag(*CONTROLS)[page.owner]
    out = signs | page.hidden | _repeated(page.texts, of) | controls
    text = np.zeros(len(page), bool)
    found = set()
    for root, first, stop in _texts_of_posts(page, among & ~out, out, signing, roots, of):
        text[first:stop] = True
        found.add(root)
    text |= among & (of >= 0) & ~np.isin(of, [*found])
    short = [DIGITS.sub("", text) if len(text) <= MAX_COUNTER else text for text in page.texts]
    label = _repeated(short, of, MIN_REPEATED) | time_mask(page)
    label &= ~kept & np.array([len(text) <= MAX_COUNTER for text in page.texts], bool)
    out |= _repeated(short, of) | label
    return text & ~(out | _signatures_of_authors(page, text, of, posts))


def _signatures_of_authors(
    page: TextBlocks, text: NDArray[np.bool_], of: NDArray[np.int64], posts: Sequence[Post]
) -> NDArray[np.bool_]:
    """bool, shape (b,): elements after the beginning of posts that are the same for each author.

    They are recognised by the authors of several posts, and are of the same kind in other posts.
    """
    starts: dict[int, int] = {}
    for place in text.nonzero()[0].tolist():
        starts.setdefault(int(of[place]), place)
    found: dict[Kind, dict[int, list[Part]]] = {}
    for root, node in _elements_around(page, text, of):
        kind = kind_of_element(page.snapshot, node)
        first, stop = np.searchsorted(page.first, [node, page.snapshot.end[node]]).tolist()
        if kind[1] and first > starts[root] and stop - first <= MAX_SIGNATURE_BLOCKS:
            found.setdefault(kind, {}).setdefault(root, []).append((first, stop))
    signature = np.zeros(len(page), bool)
    for parts in found.values():
        of_author: dict[str, list[tuple[str, ...]]] = {}
        for post in posts:
            ranges = parts.get(post.node, ())
            own = tuple(text for first, stop in ranges for text in page.texts[first:stop])
            if own and post.author:
                of_author.setdefault(post.author, []).append(own)
        several = [texts for texts in of_author.values() if len(texts) > 1]
        if several and all(len(set(texts)) == 1 for texts in several):
            for first, stop in (part for each in parts.values() for part in each):
                signature[first:stop] = True
    return signature


def _texts_of_posts(
    page: TextBlocks,
    among: NDArray[np.bool_],
    out: NDArray[np.bool_],
    signing: NDArray[np.bool_],
    roots: Sequence[int],
    of: NDArray[np.int64],
) -> Iterator[tuple[int, int, int]]:
    """Root, first block, and one past the last, of the element around the text of each post.

    It is the largest of a kind that nearly all posts have once, that does not say who wrote the
    post or when, and that holds most of the known text and little else.
    """
    snapshot, end = page.snapshot, page.snapshot.end
    signs = np.append(0, np.cumsum(signing))
    sizes = np.array(list(map(len, page.texts)), float)
    is_known = among & (of >= 0)
    known, held = (
        np.append(0, np.cumsum(np.where(chosen, sizes, 0))) for chosen in (is_known, ~out)
    )

    def chars(of_texts: NDArray[np.float64], part: Part) -> float:
        return float(of_texts[part[1]] - of_texts[part[0]])

    elements: dict[int, dict[Kind, list[Part]]] = {root: {} for root in roots}
    own: Counter[int] = Counter()
    for place in is_known.nonzero()[0].tolist():
        own[int(of[place])] += int(sizes[place])
    for root, node in _elements_around(page, is_known, of):
        if signs[end[node]] == signs[node]:
            first, stop = np.searchsorted(page.first, [node, end[node]]).tolist()
            elements[root].setdefault(kind_of_element(snapshot, node), []).append((first, stop))
    around: dict[int, dict[Kind, Part]] = {root: {} for root in roots}
    for root, kinds in elements.items():
        for kind, of_kind in kinds.items():
            low, high = max(of_kind, key=partial(chars, known))
            # Several beside each other are paragraphs of the text, or the like.
            if all(low <= first and stop <= high for first, stop in of_kind):
                around[root][kind] = low, high
    parts: dict[Kind, list[Part]] = {}
    for kind, part in (each for kinds in around.values() for each in kinds.items()):
        parts.setdefault(kind, []).append(part)
    parts = {kind: of for kind, of in parts.items() if len(of) >= MIN_ALIKE * len(own)}
    if not parts:
        return
    covered = {kind: sum(chars(known, part) for part in of) for kind, of in parts.items()}
    sizes_of = {
        kind: sum(chars(held, part) for part in of)
        for kind, of in parts.items()
        if covered[kind] >= MIN_COVERED * max(covered.values())
    }
    # A post may quote more than it says, so the smallest kind has no such limit.
    most = MAX_MORE * sum(own.values())
    fitting = {kind: size for kind, size in sizes_of.items() if size <= most}
    fitting = fitting or dict([min(sizes_of.items(), key=lambda each: (each[1], each[0]))])
    chosen = max(fitting, key=lambda kind: (fitting[kind], kind))
    is_one = snapshot.with_tag(chosen[0])
    for root, kinds in around.items():
        if chosen in kinds and chars(known, kinds[chosen]) >= MIN_OWN * own[root]:
            yield root, *kinds[chosen]
        elif not own[root]:
            # The reader has not seen that this is a post.
            nodes = (is_one[root : end[root]].nonzero()[0] + root).tolist()
            node = next((node for node in nodes if kind_of_element(snapshot, node) == chosen), root)
            if signs[end[node]] == signs[node]:
                yield root, *np.searchsorted(page.first, [node, end[node]]).tolist()


def _elements_around(
    page: TextBlocks, known: NDArray[np.bool_], of: NDArray[np.int64]
) -> Iterator[tuple[int, int]]:
    """Roots, and each element within them that holds a known block, once."""
    seen: set[int] = set()
    for place in known.nonzero()[0].tolist():
        root, node = int(of[place]), int(page.first[place])
        while (node := int(page.snapshot.parent[node])) > root and node not in seen:
            seen.add(node)
            yield root, node


def _signatures(page: TextBlocks, of: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks from the line above the signature of a post to the post's end."""
    lines = [DRAWN_LINE.match(text) for text in page.texts]
    drawn = Counter(line[1] for line in lines if line)
    begins: dict[int, int] = {}
    sizes: Counter[int] = Counter()
    for place in (of >= 0).nonzero()[0][::-1].tolist():
        root, line = int(of[place]), lines[place]
        sizes[root] += len(page.texts[place])
        is_line = drawn[line[1]] > 1 if line else HYPHENS.match(page.texts[place])
        if is_line and sizes[root] <= MAX_SIGNATURE:
            begins[root] = place
    signature = np.zeros(len(page), bool)
    for place in (of >= 0).nonzero()[0].tolist():
        signature[place] = place >= begins.get(int(of[place]), len(page))
    return signature


def _repeated(
    texts: Sequence[str], of: NDArray[np.int64], least: float | None = None
) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks whose text is in at least some posts, by default in most of them."""
    inside = (of >= 0).nonzero()[0].tolist()
    pairs = {(texts[place], int(of[place])) for place in inside}
    counts = Counter(text for text, _ in pairs)
    if least is None:
        least = max(MIN_REPEATED, MIN_REPEATED_SHARE * len({root for _, root in pairs}))
    repeated = np.zeros(len(texts), bool)
    repeated[inside] = [counts[texts[place]] >= least for place in inside]
    return repeated
