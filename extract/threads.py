"""Threads and live blogs: pages whose text is repeated posts, each of which is text as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..features.blocks import TextBlocks
from ..models.kinds.blocked import BLOCKED
from ..models.kinds.model import ARTICLE, FORUM, PageKind
from ..output.extraction import Post
from ..patterns import lazy_re
from ..renderer.page.elements import HEADINGS
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import nearest_marked
from .metadata.posts import (
    find_entries,
    find_posts,
    find_siblings,
    find_thread,
    innermost_roots,
    signing_nodes,
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

# Maximum number of characters of these elements, as a multiple of those of the known text.
MAX_MORE = 1.5

# Minimum number of posts, and share of them, that repeat a text which is a label or a button.
MIN_REPEATED, MIN_REPEATED_SHARE = 3, 0.5

# Maximum number of characters of a counter, such as the number of a post or of its votes.
MAX_COUNTER = 60

# A signature begins with a line of two hyphens (RFC 3676, section 4.3), or with a drawn line that
# begins others, too.
HYPHENS = lazy_re(r"--[ \t]*\n")
DRAWN_LINE = lazy_re(r"(?<![_=*~\u2500-])([_=*~\u2500-]{5,}+)\s")

# Maximum number of characters of a signature.
MAX_SIGNATURE = 1000

# Maximum number of characters of what says who wrote a post, and when.
MAX_HEAD = 160

# Entries are ordered by their times; the day of those that only show a time of day does not matter.
ANY_DAY = "2000-01-01"

MAX_LEVELS = 40
DIGITS = lazy_re(r"[\d.,]+")
CONTROLS = ("button", "nav")

Kind = tuple[str, str]


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
        text = _text_of_posts(page, among, posts)
        within = innermost_roots(page.snapshot, [post.node for post in posts])[page.owner] >= 0
        lost = words[kept & ~(text | within)].sum()
        if lost <= (1 - MIN_SHARE) * words[kept].sum():
            return text
        # The first post of a thread may stand apart; an article is much longer than its comments.
        is_article = lost > MAX_OPENING * words[text].sum() / len(posts)
        return kept if is_article else kept | text
    headings, places = _inside(page, HEADINGS) & ~(kept | page.hidden), kept.nonzero()[0]
    # Most articles leave out no headings, and need no search for entries.
    if not len(places) or not headings[places[0] : places[-1]].any():
        return None
    roots = [entry.node for entry, _ in find_entries(page.select(kept), lambda: ANY_DAY)]
    if not roots:
        return None
    return kept | headings & (innermost_roots(page.snapshot, roots)[page.owner] >= 0)


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
    page: TextBlocks, among: NDArray[np.bool_], posts: Sequence[Post]
) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks of the posts without those that say who wrote them, and when."""
    roots = [post.node for post in posts]
    roots += find_siblings(page.snapshot, roots)
    of = innermost_roots(page.snapshot, roots)[page.owner]
    signs, signing = _signatures(page, of), signing_nodes(page.snapshot, roots)
    # A date in a sentence does not say when the post was written.
    is_long = among & (np.array(list(map(len, page.texts))) > MAX_HEAD)
    signing[page.nodes[np.repeat(is_long, np.diff(page.starts))]] = False
    for node in signing.nonzero()[0].tolist():
        first, stop = np.searchsorted(page.nodes, [node, page.snapshot.end[node]])
        signs[page.of[page.nodes[first:stop]]] = True
    out = signs | page.hidden | _repeated(page.texts, of) | _inside(page, CONTROLS)
    text = np.zeros(len(page), bool)
    found = set()
    for root, first, stop in _texts_of_posts(page, among & ~out, out, signing, roots, of):
        text[first:stop] = True
        found.add(root)
    text |= among & (of >= 0) & ~np.isin(of, [*found])
    short = [DIGITS.sub("", text) if len(text) <= MAX_COUNTER else text for text in page.texts]
    return text & ~(out | _repeated(short, of))


def _texts_of_posts(
    page: TextBlocks,
    among: NDArray[np.bool_],
    out: NDArray[np.bool_],
    signing: NDArray[np.bool_],
    roots: Sequence[int],
    of: NDArray[np.int64],
) -> Iterator[tuple[int, int, int]]:
    """Root, first block, and one past the last, of the element around the text of each post.

    It is the largest of a kind that nearly all posts have, that does not say who wrote the post or
    when, and that holds little but the text which is known.
    """
    snapshot, end = page.snapshot, page.snapshot.end
    signs = np.append(0, np.cumsum(signing))
    sizes = np.array(list(map(len, page.texts)), float)
    chars = np.append(0, np.cumsum(np.where(out, 0, sizes)))
    around: list[dict[Kind, tuple[int, int]]] = []
    own: dict[int, list[int]] = {root: [] for root in roots}
    for place in (among & (of >= 0)).nonzero()[0].tolist():
        own[int(of[place])].append(int(page.first[place]))
    for root, texts in own.items():
        elements = _elements_around(snapshot, texts[0], texts[-1], root) if texts else []
        bounds: dict[Kind, tuple[int, int]] = {}
        for node in reversed(elements):
            if signs[end[node]] == signs[node]:
                first, stop = np.searchsorted(page.first, [node, end[node]]).tolist()
                bounds[_kind(snapshot, node)] = first, stop
        around.append(bounds)
    counts = Counter(kind for bounds in around for kind in bounds)
    known = float(sizes[among & ~out & (of >= 0)].sum())
    held = {
        kind: sum(float(chars[b[kind][1]] - chars[b[kind][0]]) for b in around if kind in b)
        for kind, count in counts.items()
        if count >= MIN_ALIKE * sum(map(bool, own.values()))
    }
    if not held:
        return
    # A post may quote more than it says, so the smallest kind has no such limit.
    fitting = {kind: size for kind, size in held.items() if size <= MAX_MORE * known}
    fitting = fitting or dict([min(held.items(), key=lambda each: (each[1], each[0]))])
    chosen = max(fitting, key=lambda kind: (fitting[kind], kind))
    is_one = snapshot.with_tag(chosen[0])
    for root, bounds in zip(roots, around, strict=True):
        if chosen in bounds:
            yield root, *bounds[chosen]
        elif not own[root]:
            # The reader has not seen that this is a post.
            nodes = (is_one[root : end[root]].nonzero()[0] + root).tolist()
            node = next((node for node in nodes if _kind(snapshot, node) == chosen), root)
            if signs[end[node]] == signs[node]:
                yield root, *np.searchsorted(page.first, [node, end[node]]).tolist()


def _elements_around(snapshot: Snapshot, first: int, last: int, root: int) -> list[int]:
    """Elements within a root that hold two nodes, the innermost first."""
    found, node = [], int(snapshot.parent[first])
    for _ in range(MAX_LEVELS):
        if node <= root:
            break
        if snapshot.end[node] > last:
            found.append(node)
        node = int(snapshot.parent[node])
    return found


def _kind(snapshot: Snapshot, node: int) -> Kind:
    """Tag and first class of an element, without numbers, which differ from post to post."""
    classes = (snapshot.attributes.get(node, "class") or "")[:200].split()
    return snapshot.tag_name(node), DIGITS.sub("", classes[0]) if classes else ""


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


def _repeated(texts: Sequence[str], of: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks whose text most posts have."""
    inside = (of >= 0).nonzero()[0].tolist()
    pairs = {(texts[place], int(of[place])) for place in inside}
    counts = Counter(text for text, _ in pairs)
    least = max(MIN_REPEATED, MIN_REPEATED_SHARE * len({root for _, root in pairs}))
    repeated = np.zeros(len(texts), bool)
    repeated[inside] = [counts[texts[place]] >= least for place in inside]
    return repeated


def _inside(page: TextBlocks, tags: Sequence[str]) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks that are or are in elements of some tags."""
    snapshot = page.snapshot
    is_one = snapshot.with_tag(*tags)
    return is_one[page.owner] | (nearest_marked(snapshot.parent, is_one)[page.owner] >= 0)
