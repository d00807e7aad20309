"""Posts of a discussion or of a live blog: who wrote which part of its text, and when.

A thread repeats one element for every post. Unlike other repeated elements, it contains text of the
thread together with an author or a time of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...features.blocks import TextBlocks
from ...features.quotations import signed_quotations
from ...features.words import collapse, words
from ...output.extraction import Post
from ...patterns import lazy_re
from ...renderer.page.elements import HEADINGS
from ...renderer.page.snapshot import Snapshot, cached_per_snapshot
from ...renderer.page.tree import innermost, subtree_mask, subtree_sums
from .dates import JOINED, find_date, is_month_first, iso_date, relative_date
from .finding import tidy

MAX_NAME = 60
MAX_NAME_WORDS = 6
MAX_NAME_NODES = 12
MAX_LINKED_WORDS = 3
MAX_CARD_NODES = 60
MAX_DATELINE = 90
MAX_CLASS = 200
MAX_HREF = 300
MAX_KINDS = 40

MIN_HALVES = 0.9
"""Minimum share of the elements around a repeated element that hold two of it, if these are halves
of posts."""

MIN_COVERAGE = 0.5
"""Minimum share of the text in posts; with less, the repeated element is something else."""

MIN_SIGNED = 0.6
"""Minimum share of posts that have an author or a time of their own."""

MIN_NAMED = 0.9
"""Minimum share of posts that begin with a link of one kind, if these are names."""

USER_CLASS = lazy_re(
    r"[-_\s](?:author|username|user[-_]?name|nick(?:name)?|poster|hnuser|display[-_]?name|"
    r"user[-_]?(?:link|details|info)|creator|screen[-_]?name|member[-_]?name|fn)[-_\s]"
)
"""Class names, between spaces, of elements that name the author of a post."""

NOT_USER = lazy_re(r"avatar|image|img|photo|title|rank|role|badge|count|stat|date|time|icon|bio")

TIME_ATTRIBUTES = {"title": 1, "content": 1, "data-timestamp": 0, "data-time": 0, "datetime": 0}
"""Attributes that contain times, with their ranks."""

NO_NAMES = frozenset(
    "logged online offline member guest author administrator moderator advertisement".split()
)
"""Labels of the status or the rank of a member, which are not names."""

QUOTING = ("blockquote", "q", "aside")
"""Elements in a post that name the author of another one."""

NAMING = ("b", "strong", "cite")
"""Elements in which names stand out from a line."""

USER_PATH = lazy_re(
    r"/(?:u|users?|user-profile|members?|profiles?|people|author|memberlist\.php|member\.php)(?=[/.?~@-])"
    r"|[?&](?:u|user|uid|user_id)=",
    re.IGNORECASE,
)
"""Addresses of profile pages on the site."""

DIGITS = lazy_re(r"\d+")

MIN_ENTRIES = 3
"""Minimum number of entries of a live blog."""

MIN_ORDERED = 0.8
"""Minimum share of consecutive entries that follow in the order of most."""

MAX_CLOCK = 40
CLOCK = lazy_re(
    r"(?:[^\d:]{0,20}(?:\d{1,2}[./]\d{1,2}[./]?(?:\d{2,4})?|\d{1,2}\W{1,2}[^\W\d]{3,10}\.?(?:\W\d{4})?)?"
    r"[^\d:]{0,8}?)(?<!\d)([01]?\d|2[0-3])\s?[:.hH]\s?([0-5]\d)(?:[:.][0-5]\d)?\s?"
    r"(?:([ap])\.?\s?m\.?)?\s?(?:[^\W\d]{1,6}\.?)?",
    re.IGNORECASE,
)
"""A time of day, possibly after a day, as the whole text of an element."""

FIGURE = lazy_re(r"\d")

MIN_AUTHORS = 2
"""Minimum number of authors of a thread. The entries of a live blog may have a single one."""

MAX_HEADED = 0.5
"""Maximum share of a thread's posts that contain a heading, as the entries of a list do."""


Facts = dict[int, tuple[int, str]]
"""Names or times by their nodes, with ranks. Of several, the one with the lowest rank is used."""


def find_posts(blocks: TextBlocks) -> tuple[Post, ...]:
    """Find the posts of a thread in the blocks of its text; empty if fewer than two are found."""
    if len(blocks) < 2:
        return ()
    # Names within the text rank last.
    with_text = _around(blocks.snapshot, blocks.first)
    names = {
        node: (rank + 3 * int(with_text[node]), name)
        for node, (rank, name) in _user_names(blocks.snapshot).items()
    }
    times = _times(blocks.snapshot)
    roots = _repeated_roots(blocks, names, times)
    if not roots:
        return ()
    roots = _with_leading_names(blocks, roots, names)
    roots = _opening_root(blocks, roots, [*names]) + roots
    posts = list(_posts(blocks, roots, names, times))
    signed = sum(1 for post in posts if post.author or post.date)
    return tuple(posts) if len(posts) > 1 and signed >= MIN_SIGNED * len(posts) else ()


def find_entries(blocks: TextBlocks, day: Callable[[], str]) -> tuple[tuple[Post, str], ...]:
    """Find the entries of a live blog: repeated elements, each with a time of its own, in order.

    Entries that show only a time of day are those of a `day` in ISO 8601, which may be "". Each
    entry comes with its time as the page shows it.
    """
    if len(blocks) < MIN_ENTRIES:
        return ()
    snapshot = blocks.snapshot
    shown, facts = _entry_times(blocks, day)
    if len(facts) < MIN_ENTRIES:
        return ()
    roots = _repeated_roots(blocks, {}, facts)
    posts = [_with_title(blocks, post) for post in _posts(blocks, roots, {}, facts)]
    dates = [post.date for post in posts if post.date]
    if len(posts) < MIN_ENTRIES or len(dates) < len(posts) or not _are_ordered(dates):
        return ()
    around = innermost(snapshot.parent, roots)
    labels: dict[int, str] = {}
    for node, label in shown.items():
        labels.setdefault(int(around[node]), label)
    times = [labels.get(post.node) or (post.date or "")[11:16] for post in posts]
    return tuple(zip(posts, times, strict=True)) if all(times) else ()


def _entry_times(blocks: TextBlocks, published: Callable[[], str]) -> tuple[dict[int, str], Facts]:
    """Times as shown, and as values, by their nodes, in and between the text; empty if too few."""
    snapshot = blocks.snapshot
    start, end = max(0, int(blocks.first[0]) - MAX_CARD_NODES), int(blocks.first[-1]) + 1
    facts: Facts = {}
    for name in ("datetime", "data-timestamp", "data-time"):
        for node, value in snapshot.attributes.with_attribute(name):
            is_near = start <= node < end and len(value) <= MAX_DATELINE
            date = iso_date(value, snapshot.page.time) if is_near else None
            if date and "T" in date:
                facts[node] = (0, date)
    clocks: dict[int, re.Match[str]] = {}
    for node in snapshot.is_text[start:end].nonzero()[0].tolist():
        written = snapshot.text[start + node]
        # Most texts have no figure, and a search is faster than their white space is collapsed.
        may_be = len(written) <= 3 * MAX_CLOCK and FIGURE.search(written)
        label = collapse(written) if may_be else ""
        if 3 < len(label) <= MAX_CLOCK and (match := CLOCK.fullmatch(label)):
            clocks[start + node] = match
    if len(facts) + len(clocks) < MIN_ENTRIES:
        return {}, {}
    day = next((time[:10] for _, time in facts.values()), "")
    # The day of publication takes the metadata of the page.
    day = day or (published()[:10] if clocks else "")
    for node, match in clocks.items() if day else ():
        hour = int(match[1]) % 12 + 12 * (match[3] in "pP") if match[3] else int(match[1])
        facts[node] = (1, f"{day}T{hour:02}:{match[2]}")
    return {node: match[0] for node, match in clocks.items()}, facts


def _with_title(blocks: TextBlocks, post: Post) -> Post:
    """An entry with its heading."""
    snapshot = blocks.snapshot
    first, end = np.searchsorted(blocks.first, [post.node, snapshot.end[post.node]]).tolist()
    for place in range(first, min(end, first + 2)):
        if snapshot.tag_name(int(blocks.owner[place])) in HEADINGS:
            return replace(post, title=blocks.texts[place])
    return post


def _are_ordered(dates: list[str]) -> bool:
    """Whether times mostly rise or mostly fall, and are not all the same."""
    pairs = list(pairwise(date[:16] for date in dates))
    rising, falling = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    same = len(pairs) - rising - falling
    return max(rising, falling) > 0 and max(rising, falling) + same >= MIN_ORDERED * len(pairs)


def find_thread(blocks: TextBlocks, *, stays: bool = False) -> tuple[tuple[Post, ...], float]:
    """Posts of a page that does not look like a thread otherwise, and their share of its text.

    There are no posts if they have a single author, most lack an author or a time, or most contain
    a heading, as the entries of lists and live blogs do. If the page is known to repeat an element
    that leads to no other page (`stays`), the times of the posts suffice, since many themes do not
    mark up the names of users.
    """
    snapshot = blocks.snapshot
    if len(blocks) < 2:
        return (), 0.0
    names = _user_names(snapshot)
    authors = {name for _, name in names.values()}
    # Without marked names, posts may begin with names.
    if names and not (stays or (len(authors) >= MIN_AUTHORS and _may_be_posts(blocks, [*names]))):
        return (), 0.0
    posts = find_posts(blocks)
    is_name = np.zeros(len(snapshot), bool)
    is_name[[*names, *(_times(snapshot) if stays else ())]] = True
    # Some forums mark up the names of users, or who wrote a post and when, as headings.
    is_heading = snapshot.with_tag(*HEADINGS) & (subtree_sums(is_name, snapshot.end) == 0)
    is_heading &= ~subtree_mask(is_name, snapshot.end)
    signed = [post for post in posts if post.date and (post.author or stays)]
    headed = _count_headed(snapshot, posts, is_heading.nonzero()[0].tolist())
    if (
        (len({post.author for post in signed}) < MIN_AUTHORS and not stays)
        or len(signed) < MIN_SIGNED * len(posts)
        or headed > MAX_HEADED * len(posts)
    ):
        return (), 0.0
    chars = sum(map(len, blocks.texts))
    return posts, min(sum(len(post.text) for post in posts) / max(chars, 1), 1.0)


def _count_headed(snapshot: Snapshot, posts: Sequence[Post], headings: list[int]) -> int:
    """Number of posts with a heading of their own, not the subject of the thread ("Re: …")."""
    root = innermost(snapshot.parent, [post.node for post in posts])[headings].tolist()
    inside = [(heading, of) for heading, of in zip(headings, root, strict=True) if of >= 0]
    subjects = [
        collapse("".join(snapshot.text[n : snapshot.end[n]])).rpartition(":")[2].strip()
        for n, _ in inside
    ]
    count = Counter(subjects)
    own = zip(inside, subjects, strict=True)
    return len({of for (_, of), subject in own if count[subject] == 1})


def _may_be_posts(blocks: TextBlocks, names: list[int]) -> bool:
    """Whether two elements with text and a name are side by side or of one kind.

    Two posts with an author are of one kind, or one of them is the opening post. In most articles,
    such elements are one within the other, so the times of the page need not be read.
    """
    nodes = np.array(_elements_with_text_and(blocks, names), np.intp)
    if (nodes[1:] >= blocks.snapshot.end[nodes[:-1]]).any():
        return True
    return len({kind_of_element(blocks.snapshot, node) for node in nodes.tolist()}) < len(nodes)


def _elements_with_text_and(blocks: TextBlocks, nodes: list[int]) -> list[int]:
    """Elements that hold both text and some of the nodes."""
    snapshot = blocks.snapshot
    both = _around(snapshot, blocks.first) & _around(snapshot, nodes) & ~snapshot.is_text
    return both.nonzero()[0].tolist()


def _around(snapshot: Snapshot, nodes: ArrayLike) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes that are or hold one of some nodes."""
    return subtree_sums(np.bincount(nodes, minlength=len(snapshot)), snapshot.end) > 0


def signing_nodes(snapshot: Snapshot, roots: list[int]) -> NDArray[np.bool_]:
    """bool, shape (n,): the nodes that say who wrote each post, and when."""
    signing = np.zeros(len(snapshot), bool)
    around = innermost(snapshot.parent, roots)
    for facts in (_user_names(snapshot), _times(snapshot)):
        # The attributes of a post show nothing.
        shown = {node: fact for node, fact in facts.items() if around[node] != node}
        best = _best_by_root(around, shown)
        signing[[node for root, node in best.items() if root >= 0]] = True
    return signing


def time_mask(blocks: TextBlocks) -> NDArray[np.bool_]:
    """bool, shape (b,): blocks that show a time, outside of quotations."""
    snapshot = blocks.snapshot
    shows = np.zeros(len(snapshot), bool)
    shows[[*_times(snapshot)]] = True
    shows &= snapshot.is_text | snapshot.with_tag("time")
    of = blocks.of[subtree_mask(shows, snapshot.end) & ~quoted(snapshot)]
    return np.bincount(of[of >= 0], minlength=len(blocks)) > 0


def find_siblings(snapshot: Snapshot, roots: Sequence[int]) -> list[int]:
    """Elements beside posts that are of their kind and have an author and a time, as posts do."""
    kinds = {kind_of_element(snapshot, root) for root in roots}
    signed = _around(snapshot, [*_user_names(snapshot)]) & _around(snapshot, [*_times(snapshot)])
    signed &= np.isin(snapshot.parent, snapshot.parent[[*roots]]) & ~snapshot.is_text
    signed[[*roots]] = False
    return [
        node for node in signed.nonzero()[0].tolist() if kind_of_element(snapshot, node) in kinds
    ]


def _repeated_roots(blocks: TextBlocks, names: Facts, times: Facts) -> list[int]:
    """Elements of the repeated kind that most often contains text with an author and a time."""
    snapshot = blocks.snapshot
    kinds: dict[tuple[str, str], list[int]] = {}
    for node in _elements_with_text_and(blocks, [*names, *times]):
        kinds.setdefault(kind_of_element(snapshot, node), []).append(node)
    candidates = sorted((k for k in kinds.values() if len(k) > 1), key=len, reverse=True)
    ranked_members: list[tuple[int, int, int, list[int]]] = []
    for candidate in candidates[:MAX_KINDS]:
        if _are_halves(snapshot, candidate):
            continue
        members, complete = _with_own_text(blocks, candidate, names, times)
        if len(members) > 1 and _coverage(blocks, members) >= MIN_COVERAGE:
            size = sum(int(snapshot.end[node]) - node for node in members)
            ranked_members.append((complete, len(members), -size, members))
    return max(ranked_members, default=(0, 0, 0, []))[3]


def _are_halves(snapshot: Snapshot, members: list[int]) -> bool:
    """Whether members are in pairs, such as the cells of posts for the author and for the text."""
    sizes = Counter(Counter(snapshot.parent[members].tolist()).values())
    return sizes[2] > 1 and sizes[2] >= MIN_HALVES * sizes.total()


def kind_of_element(snapshot: Snapshot, node: int) -> tuple[str, str]:
    """Tag, and first class or else id, without numbers, which differ from post to post."""
    attributes = snapshot.attributes
    classes = (attributes.get(node, "class") or "")[:MAX_CLASS].split()
    name = classes[0] if classes else (attributes.get(node, "id") or "")[:MAX_CLASS]
    return snapshot.tag_name(node), DIGITS.sub("", name)


def _with_own_text(
    blocks: TextBlocks, members: list[int], names: Facts, times: Facts
) -> tuple[list[int], int]:
    """Members with text and an author or a time of their own, not only those of nested members.

    The second value is the number of members with text, an author and a time.
    """
    nodes = (blocks.first.tolist(), sorted(names), sorted(times))
    around = innermost(blocks.snapshot.parent, members)
    text, author, time = (set(around[each].tolist()) for each in nodes)
    signed = [node for node in members if node in text and (node in author or node in time)]
    return signed, len(text & author & time - {-1})


def _coverage(blocks: TextBlocks, members: list[int]) -> float:
    """Share of the text, from the first member on, that is within members."""
    first = blocks.first.tolist()
    around = innermost(blocks.snapshot.parent, members)[first].tolist()
    inside = total = 0
    for node, text, root in zip(first, blocks.texts, around, strict=True):
        if node >= members[0]:
            total += len(text)
            inside += len(text) if root >= 0 else 0
    return inside / max(total, 1)


def _with_leading_names(blocks: TextBlocks, roots: list[int], names: Facts) -> list[int]:
    """The posts, after the names with which posts begin were added where none was known."""
    around = innermost(blocks.snapshot.parent, roots)
    unsigned = {*roots} - {*around[[*names]].tolist()}
    if not unsigned:
        return roots
    whole = _whole(blocks.snapshot, roots)
    leading = _leading_names(blocks, whole)
    if leading and not names:
        # The name may be beside the element that has the time and the text.
        roots, around = whole, innermost(blocks.snapshot.parent, whole)
        unsigned = {*roots}
    names |= {node: name for node, name in leading.items() if int(around[node]) in unsigned}
    return roots


def _whole(snapshot: Snapshot, roots: list[int]) -> list[int]:
    """The largest elements around repeated elements that hold one of these each."""
    while min(above := snapshot.parent[roots].tolist()) >= 0:
        if any(snapshot.end[one] > other for one, other in pairwise(above)):
            break
        roots = above
    return roots


def _leading_names(blocks: TextBlocks, roots: Sequence[int]) -> Facts:
    """The first link of each post before its text, if nearly all posts have one of a kind.

    Links that differ in nothing but figures are numbers of posts.
    """
    snapshot, names = blocks.snapshot, Facts()
    # The days of some posts are links.
    is_link = snapshot.with_tag("a", *NAMING) & ~_around(snapshot, [*_times(snapshot)])
    for root in roots:
        place = int(np.searchsorted(blocks.first, root))
        stop = int(blocks.first[place]) if place < len(blocks) else root
        links = (is_link[root:stop].nonzero()[0] + root).tolist()
        node = next((each for each in links if _has_text(snapshot, each)), root)
        text = _short_text(snapshot, node) if node > root else ""
        if len(text.split()) <= MAX_LINKED_WORDS and (name := _as_name(text)):
            names[node] = (0, name)
    kinds = Counter(kind_of_element(snapshot, node) for node in names)
    are_of_kind = max(kinds.values(), default=0) >= MIN_NAMED * len(roots)
    differ = len({DIGITS.sub("", name) for _, name in names.values()}) > 1
    return names if are_of_kind and differ else {}


def _opening_root(blocks: TextBlocks, roots: list[int], names: list[int]) -> list[int]:
    """The element of the first post, if it is of another kind than those of the replies.

    What stands before them without an author, although all of them have one, is about the forum.
    """
    snapshot, node = blocks.snapshot, int(blocks.first[0])
    if node >= roots[0]:
        return []
    while (above := int(snapshot.parent[node])) >= 0 and snapshot.end[above] <= roots[0]:
        node = above
    has_name = _around(snapshot, names)
    return [node] if has_name[node] or not has_name[roots].all() else []


def _posts(blocks: TextBlocks, roots: list[int], names: Facts, times: Facts) -> Iterator[Post]:
    snapshot = blocks.snapshot
    texts: dict[int, list[str]] = {root: [] for root in roots}
    around = innermost(snapshot.parent, roots)
    for text, root in zip(blocks.texts, around[blocks.first].tolist(), strict=True):
        if root >= 0:
            texts[root].append(text)
    authors, dates = (
        {root: each[node][1] for root, node in _best_by_root(around, each).items()}
        for each in (names, times)
    )
    for root in roots:
        if texts[root]:
            yield Post(authors.get(root, ""), dates.get(root), "\n\n".join(texts[root]), root)


def _best_by_root(around: NDArray[np.int64], facts: Facts) -> dict[int, int]:
    """The node of the lowest rank within each root; the first one if there are several."""
    best: dict[int, int] = {}
    for node in sorted(facts, key=lambda node: (facts[node][0], node), reverse=True):
        best[int(around[node])] = node
    return best


@cached_per_snapshot
def _user_names(snapshot: Snapshot) -> Facts:
    """Names of users by node. Names in quotations rank last."""
    attributes = snapshot.attributes
    ranks = {node: 2 for node, _ in attributes.with_attribute("href", _is_profile)}
    ranks |= {node: 1 for node, _ in attributes.with_attribute("class", _names_user)}
    for name, declared in (("itemprop", "author"), ("rel", "author")):
        marked = attributes.with_attribute(name, lambda value: declared in value.lower().split())  # noqa: B023
        ranks |= {node: 0 for node, _ in marked}
    texts = [(n, rank, _short_text(snapshot, n)) for n, rank in _innermost_ranks(snapshot, ranks)]
    for name in ("data-author", "data-username", "data-user-name"):
        texts += [(node, 0, value) for node, value in attributes.with_attribute(name)]
    if not texts:
        # Old boards and archives only write names in bold, or in links, beside the times of posts.
        beside = _beside_times(snapshot)
        texts = [(node, rank, _short_text(snapshot, node)) for node, rank in beside]
    if not texts:
        return {}
    in_quotation = quoted(snapshot)
    later = np.where(snapshot.in_tag(*QUOTING), 6, 0)
    named = ((node, rank, _as_name(text)) for node, rank, text in texts if not in_quotation[node])
    return {node: (rank + int(later[node]), name) for node, rank, name in named if name}


def _beside_times(snapshot: Snapshot) -> list[tuple[int, int]]:
    """Elements in bold, sources of quotations, and links of few words, of which the text after
    them, or that before them in their line, is a time. Those in the line of the time rank first.
    """
    texts = [n for n in snapshot.is_text.nonzero()[0].tolist() if not snapshot.text[n].isspace()]
    times = {n for n in _times(snapshot) if 0 < len(snapshot.text[n]) <= MAX_NAME}
    if not times:
        return []
    naming = snapshot.with_tag(*NAMING)
    links = (snapshot.with_tag("a") & ~snapshot.in_tag(*HEADINGS)).nonzero()[0].tolist()
    naming[[n for n in links if len(_short_text(snapshot, n).split()) <= MAX_LINKED_WORDS]] = True
    found = []
    for node in naming.nonzero()[0].tolist():
        after, before = bisect_left(texts, int(snapshot.end[node])), bisect_left(texts, node) - 1
        beside = texts[max(before, 0) : before + 1] + texts[after : after + 1]
        own = [text for text in beside if snapshot.parent[text] == snapshot.parent[node]]
        if not times.isdisjoint(own):
            found.append((node, 0))
        elif not times.isdisjoint(texts[after : after + 1]):
            found.append((node, 1))
    return found


def _is_profile(address: str) -> bool:
    return USER_PATH.search(address[:MAX_HREF]) is not None


@cached_per_snapshot
def quoted(snapshot: Snapshot) -> NDArray[np.bool_]:
    """bool, shape (n,): nodes in quotations, whose authors have not written the post."""
    quotes = snapshot.with_tag("blockquote")
    found = quotes.nonzero()[0].tolist()
    quotes[[*signed_quotations(found, snapshot.parent, snapshot.end, snapshot.text)]] = True
    return subtree_mask(quotes, snapshot.end)


def _innermost_ranks(snapshot: Snapshot, ranks: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Innermost elements of `ranks`, each with the lowest rank of itself and those around it."""
    nodes = sorted(ranks)
    lowest: list[tuple[int, int]] = []
    for node, following in zip(nodes, [*nodes, len(snapshot)][1:], strict=False):
        while lowest and lowest[-1][0] <= node:
            lowest.pop()
        rank = min(ranks[node], lowest[-1][1] if lowest else ranks[node])
        lowest.append((int(snapshot.end[node]), rank))
        if following >= snapshot.end[node]:
            yield node, rank


@lru_cache(maxsize=1 << 14)
def _names_user(classes: str) -> bool:
    classes = f" {classes[:MAX_CLASS].lower()} "
    return USER_CLASS.search(classes) is not None and any(
        USER_CLASS.search(f" {word} ") and not NOT_USER.search(word) for word in classes.split()
    )


def _short_text(snapshot: Snapshot, node: int) -> str:
    """Text of a small element, or of the first link in a larger one, such as a card."""
    end = int(snapshot.end[node])
    if end - node > MAX_NAME_NODES:
        within = range(node + 1, min(end, node + MAX_CARD_NODES))
        links = (n for n in within if snapshot.tag_name(n) == "a" and _has_text(snapshot, n))
        node = next(links, end)
        end = min(int(snapshot.end[node]), node + MAX_NAME_NODES) if node < end else end
    return collapse(" ".join(filter(None, snapshot.text[node:end])))


def _has_text(snapshot: Snapshot, node: int) -> bool:
    end = min(int(snapshot.end[node]), node + MAX_NAME_NODES)
    return any(text and not text.isspace() for text in snapshot.text[node:end])


def _as_name(text: str) -> str:
    """The name of a person or an account in a text; the empty string if it cannot be one."""
    name = tidy(text).removeprefix("@").strip(" :,·•-")
    if name.lower().startswith("by "):
        name = name[3:]
    parts = [word.lower() for word in words(name)]
    is_name = 1 < len(name) <= MAX_NAME and len(parts) <= MAX_NAME_WORDS
    return (
        name
        if is_name and not NO_NAMES.issuperset(parts[-1:]) and any(map(str.isalpha, name))
        else ""
    )


@cached_per_snapshot
def _times(snapshot: Snapshot) -> Facts:
    """Times by node. Attributes rank before text, which may state the day when a member joined."""
    attributes, captured = snapshot.attributes, snapshot.page.time
    month_first = is_month_first(snapshot.page.language)
    is_time = snapshot.in_tag("time")
    facts: Facts = {}
    for node in snapshot.is_text.nonzero()[0].tolist():
        text = snapshot.text[node]
        short = len(text) <= MAX_DATELINE and not text.isspace()
        if short and (
            day := find_date(text, month_first=month_first) or relative_date(text, captured)
        ):
            # What an element for times shows is not the day when a member joined.
            facts[node] = (1 if is_time[node] else 3 if JOINED.search(text) else 2, day)
    for name, rank in TIME_ATTRIBUTES.items():
        for node, value in attributes.with_attribute(name):
            short = len(value) <= MAX_DATELINE and any(map(str.isdecimal, value))
            if short and (day := iso_date(value, captured, month_first=month_first)):
                facts[node] = (rank, day)
    return facts
