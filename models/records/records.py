"""Records: the repeated units of a list page, and the fields of each.

Source: Liu, Grossman and Zhai, *Mining data records in Web pages*, KDD 2003, and Zhai and
Liu, *Web data extraction based on partial tree alignment*, WWW 2005. Data regions are runs of
similar siblings, and the records of a region are aligned into a table. Likeness is based on RTDM's
restricted top-down distance instead of simple tree matching. Beyond the sources, lists within
groups (months of an archive, rows of a grid) are combined, passages of articles are distinguished
from lists, regions are ranked, and at most one is the page's main list.

A page passes through these modules in order::

    page      the tree, with the datum that each node carries
    fields    alignment of the records of a run, level by level, and the columns of the table
    records   the complete search: runs of similar siblings are the candidates, those that are
              passages of an article are left out, records that are groups are replaced by their
              items, lists are ranked, and one may be the main list
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...features.distinct_trees import DistinctTrees
from ..trees.subtree_classes import ClassedTree, SubtreeClasses
from ..trees.top_down import top_down_distance
from .fields import CELLS, Column, Place, align_records, columns_of, commonest
from .page import LINK, RecordPage

# Shapes: subtrees without repetitions among siblings, and their likeness.
#
# Two records of one list may differ in how often a part repeats: paragraphs of a body, tags, list
# items. Each distinct child is therefore counted once, so that only the kinds of parts are
# compared. Liu and Zhai, *NET*, WISE 2005, treat repetition inside a record similarly.

# Maximum size of shapes that are compared. Larger ones are columns of the page rather than records;
# they are similar only if equal, which limits the total time.
MAX_COMPARED = 500

# Maximum comparisons for a page, after which only equal shapes are similar. Real pages take some
# hundreds.
MAX_COMPARISONS = 10_000


class Shapes:
    """Numbered shapes of all subtrees of a page; equal shapes have equal numbers.

    `least`: Likenesses below this may be returned as 0.
    """

    def __init__(self, page: RecordPage, least: float) -> None:
        self._least = least
        self._comparisons = 0
        self._shapes = DistinctTrees()
        self._sizes: list[int] = []
        self._classes = SubtreeClasses()
        self._trees: dict[int, ClassedTree] = {}
        self._likeness: dict[tuple[int, int], float] = {}
        self.of: list[int] = [0] * len(page)
        """Number of each node's shape."""
        for node in range(len(page) - 1, -1, -1):
            self.of[node] = self.join(page.label[node], page.children[node])

    def join(self, label: str, nodes: list[int]) -> int:
        """Shape of a tree whose root has this label and these nodes as children."""
        parts = dict.fromkeys(self.of[node] for node in nodes)
        number = self._shapes.number(label, parts)
        if number == len(self._sizes):
            self._sizes.append(1 + sum(self._sizes[part] for part in parts))
        return number

    def likeness(self, one: int, two: int) -> float:
        """Normalised similarity of two shapes, ``1 - nu / (n1 + n2)``; 0 if below `least`."""
        if one == two:
            return 1.0
        pair = (one, two) if one < two else (two, one)
        if pair not in self._likeness:
            self._likeness[pair] = self._compare(*pair)
        return self._likeness[pair]

    def _compare(self, one: int, two: int) -> float:
        small, large = sorted((self._sizes[one], self._sizes[two]))
        limit = (1 - self._least) * (small + large)
        if large > MAX_COMPARED or large - small > limit:
            return 0.0
        if self._shapes.by_number[one][0] != self._shapes.by_number[two][0]:
            return 0.0
        self._comparisons += 1
        if self._comparisons > MAX_COMPARISONS:
            return 0.0
        comparison = top_down_distance(self._tree(one), self._tree(two), threshold=limit)
        return max(0.0, 1 - comparison.distance / (small + large))

    def _tree(self, shape: int) -> ClassedTree:
        if shape not in self._trees:
            self._trees[shape] = self._classes.tree(*self._shapes.unfold(shape))
        return self._trees[shape]


# Runs of records among siblings.
#
# Source: Liu, Grossman and Zhai, *Mining data records in Web pages*, KDD 2003 (MDR): records are
# similar generalized nodes under one parent, each of one or several consecutive siblings. MDR tries
# every length and offset of generalized nodes. Here siblings are first grouped into kinds by the
# likeness of their shapes. A record then begins at each sibling of a *head* kind and extends to the
# next one, so that records may differ in length (a term with two definitions).

Run = Sequence[Sequence[int]]
"""Top nodes of each record."""

LISTS = frozenset(("ul", "ol", "menu", "table", "tbody"))


# Minimum normalised similarity of two records, and of two records with the same class names, since
# bodies of posts differ greatly.
MIN_LIKENESS = 0.7
MIN_MARKED_LIKENESS = 0.4

# Number of recent kinds that a sibling is compared with, to limit the comparisons.
MAX_KINDS = 12

# Number of kinds tried as the first part of records, most frequent first.
MAX_HEADS = 4


def sibling_runs(page: RecordPage, shapes: Shapes, node: int) -> list[Run]:
    """Runs of two or more records among the children of a node.

    Runs of two are included because they may be groups that contain the records of a list.
    """
    children = page.children[node]
    if len(children) < 2:
        return []
    kinds = _kinds(page, shapes, children)
    heads = [kind for kind, count in Counter(kinds).most_common(MAX_HEADS) if count > 1]
    runs = [_split_at_leaders(head, kinds, children, shapes) for head in heads]
    return [run for run in runs if len(run) > 1]


def sibling_groups(page: RecordPage, node: int) -> list[Run]:
    """Lists among the children of a node, similar or not, which may be parts of one list."""
    by_label: dict[str, list[tuple[int, ...]]] = {}
    for child in page.children[node]:
        if page.label[child] in LISTS:
            by_label.setdefault(page.label[child], []).append((child,))
    return [tuple(group) for group in by_label.values() if len(group) > 1]


def _kinds(page: RecordPage, shapes: Shapes, children: list[int]) -> list[int]:
    """Kind of each child, identified by the first child that it is similar to."""
    leaders: list[int] = []
    kinds: list[int] = []
    kind_of: dict[tuple[int, tuple[str, ...]], int] = {}
    for child in children:
        key = (shapes.of[child], page.marks[child])
        if key not in kind_of:
            like = [one for one in leaders if _are_similar(page, shapes, one, child)]
            kind_of[key] = like[0] if like else child
            if not like:
                leaders = [*leaders[-MAX_KINDS + 1 :], child]
        kinds.append(kind_of[key])
    return kinds


def _are_similar(page: RecordPage, shapes: Shapes, one: int, two: int) -> bool:
    likeness = shapes.likeness(shapes.of[one], shapes.of[two])
    # `article` elements are of one kind by definition (HTML), like elements with the same classes.
    marked = page.marks[one] == page.marks[two] and (
        page.marks[one] or page.label[one] == page.label[two] == "article"
    )
    return likeness >= (MIN_MARKED_LIKENESS if marked else MIN_LIKENESS)


def _split_at_leaders(head: int, kinds: list[int], children: list[int], shapes: Shapes) -> Run:
    """Records that begin at the children of one kind."""
    places = [i for i, kind in enumerate(kinds) if kind == head]
    tails = [range(a + 1, b) for a, b in zip(places, [*places[1:], len(kinds)], strict=True)]
    # Nodes that only occasionally follow a record are headings or advertisements.
    if 2 * sum(len(tail) > 0 for tail in tails[:-1]) <= len(tails) - 1:
        return tuple((children[place],) for place in places)
    # Nodes after the last record belong to no record.
    seen = {kinds[i] for tail in tails[:-1] for i in tail}
    longest = max(len(tail) for tail in tails[:-1])
    last = next((i for i in tails[-1] if kinds[i] not in seen), tails[-1].stop)
    tails[-1] = range(tails[-1].start, min(last, tails[-1].start + longest))
    records = [[children[i] for i in (a, *b)] for a, b in zip(places, tails, strict=True)]
    return _keep_commonest_shape(records, shapes)


def _keep_commonest_shape(records: list[list[int]], shapes: Shapes) -> Run:
    """The records whose shape is similar to the most common one; the last may lack parts."""
    shape_of_record = [shapes.join("#record", record) for record in records]
    model = Counter(shape_of_record).most_common(1)[0][0]
    return tuple(
        tuple(record)
        for record, shape in zip(records, shape_of_record, strict=True)
        if shapes.likeness(model, shape) >= MIN_LIKENESS
    )


# Whether repeated siblings are the records of a list or a passage of an article.
#
# Parts of an article repeat as well: a heading with its paragraphs, a sentence with the source code
# that it introduces, a paragraph with a link. A record differs in that it has a link of its own as
# its title, or that the markup declares it as a row or an item. Liu and Zhai leave this open; their
# data regions include the paragraphs of an article.

# Elements of running text, whose sequences are read continuously rather than as list items.
PROSE = frozenset((
    "#text", "b", "blockquote", "br", "code", "em", "font", "h1", "h2", "h3", "h4", "h5", "h6",
    "hr", "i", "p", "pre", "small", "strong",
))  # fmt: skip

# Elements whose tag declares that they are one of several.
ROWS = frozenset(("tr", "li", "dt", "dd", "td", "th"))

# Elements that occur within a line of text.
INLINE = frozenset(("a", "span", "#text", "time", "img", "label"))

# Elements that may wrap a link within its block.
WRAPPERS = frozenset(("span", "label", "b", "strong", "em", "i"))

# Minimum share of records titled by a link if they consist of elements typical of articles.
MIN_TITLED = 0.8

# Minimum characters of a paragraph, and mean number of paragraphs per record from which records
# count as sections of an article.
PARAGRAPH_CHARS = 100
SECTION_PARAGRAPHS = 2.0

# Minimum share of records that have a column for it to count as evidence of a list.
MIN_SUPPORT = 0.5

Sums = NDArray[np.int64]


class Evidence:
    """Evidence for lists or passages on a page, computed once for all runs."""

    def __init__(self, page: RecordPage) -> None:
        self._page = page
        self._titles = _prefix_sums(_titles(page))
        self._paragraphs = _prefix_sums((page.chars >= PARAGRAPH_CHARS) & ~page.in_link)
        self._sources = _prefix_sums([label == "pre" for label in page.label])

    def is_list(self, run: Run, columns: Sequence[Column]) -> bool:
        """Whether a run with these columns is a list of records."""
        head = self._page.label[run[0][0]]
        if head not in ROWS and self._is_passage(run):
            return False
        kinds = [column.kind for column in columns if column.support >= MIN_SUPPORT]
        if "image" in kinds or "link" in kinds:
            return True
        return kinds.count("text") + kinds.count("datetime") > 1

    def is_pair(self, run: Run) -> bool:
        """Whether a run is two titled records of the same kind, by class or `article` tag."""
        tops = [nodes[0] for nodes in run]
        kinds = {(self._page.label[top], self._page.marks[top]) for top in tops}
        label, marks = next(iter(kinds))
        return (
            len(run) == 2
            and all(len(nodes) == 1 for nodes in run)
            and len(kinds) == 1
            and (bool(marks) or label == "article")
            and all(map(self._is_titled, run))
        )

    def _is_passage(self, run: Run) -> bool:
        """Whether a run that is not declared as a list by its markup is part of an article."""
        labels = {self._page.label[node] for nodes in run for node in nodes}
        if labels & PROSE and self._share(run, self._opens_with_link) < MIN_TITLED:
            return True
        titled = self._share(run, self._is_titled)
        if any(len(nodes) > 1 for nodes in run):
            return titled < MIN_TITLED or self._are_sections(run)
        if labels & INLINE:
            return self._in_running_text(run)
        return titled < MIN_SUPPORT and self._are_sections(run)

    def _share(self, run: Run, holds: Callable[[Sequence[int]], bool]) -> float:
        return sum(map(holds, run)) / len(run)

    def _count(self, sums: Sums, nodes: Sequence[int]) -> int:
        """Number of marked nodes in the subtrees of a record."""
        return sum(int(sums[self._page.end[node]] - sums[node]) for node in nodes)

    def _opens_with_link(self, nodes: Sequence[int]) -> bool:
        """Whether the first text of a record is in a link that leads to another page."""
        page = self._page
        text = page.first_text[nodes[0]]
        if text >= page.end[nodes[-1]]:
            return False
        link = page.link_around[text]
        return link >= nodes[0] and not page.inward[link]

    def _is_titled(self, nodes: Sequence[int]) -> bool:
        """Whether a link that leads to another page is the title of a record."""
        return self._count(self._titles, nodes) > 0 or self._opens_with_link(nodes)

    def _in_running_text(self, run: Run) -> bool:
        """Whether there is more text between the records than in them."""
        page = self._page
        tops = [node for nodes in run for node in nodes]
        around = page.children[page.parent[tops[0]]]
        between = sum(int(page.chars[node]) for node in set(around) - set(tops))
        return between > sum(map(page.subtree_chars, tops))

    def _are_sections(self, run: Run) -> bool:
        """Whether records look like sections of an article: many paragraphs, or source code."""
        paragraphs = sum(self._count(self._paragraphs, nodes) for nodes in run)
        sources = self._share(run, lambda nodes: self._count(self._sources, nodes) > 0)
        return paragraphs >= SECTION_PARAGRAPHS * len(run) or sources >= MIN_SUPPORT


def _prefix_sums(marked: Sequence[bool] | NDArray[np.bool_]) -> Sums:
    """Prefix sums of marked nodes."""
    return np.concatenate([[0], np.cumsum(np.asarray(marked, np.int64))])


def _titles(page: RecordPage) -> list[bool]:
    """Links that lead to another page and contain the first text of their block."""
    blocks: list[int] = []
    is_title: list[bool] = []
    for node, above in enumerate(page.parent):
        wrapped = above > 0 and page.label[above] in WRAPPERS
        blocks.append(blocks[above] if wrapped else max(above, 0))
        leads = page.fact[node] == LINK and not page.inward[node]
        is_title.append(leads and node < page.first_text[blocks[node]] < page.end[node])
    return is_title


# Number of lists, and of pairs, that are tried as the main list, best first.
MAX_TRIED = 20

# Minimum number of records of a list. Two may form the main list if each has a link as its title
# and the markup declares that they are of the same kind.
MIN_RECORDS = 3


def find_regions(page: RecordPage) -> tuple[Region, ...]:
    """Non-overlapping lists of the page, the main list first and the others by score.

    Time is bounded. On a page that needs more comparisons than `Shapes` allows (a thousand
    siblings without equal ones), remaining siblings that are similar but not equal are missed.
    """
    by_nodes: dict[tuple[tuple[int, ...], ...], Region] = {}
    for region in _candidates(page):
        by_nodes.setdefault(region.records, region)
    ranked = sorted(by_nodes.values(), key=lambda region: (-region.score, region.root))
    lists = _disjoint(page, [one for one in ranked if len(one.records) >= MIN_RECORDS])
    pairs = [one for one in ranked if len(one.records) < MIN_RECORDS]
    candidates = lists[:MAX_TRIED]
    for region in (*candidates, *pairs[:MAX_TRIED]):
        if is_main(page, region, [other for other in candidates if other is not region]):
            others = [other for other in lists if other is not region]
            return _disjoint(page, [replace(region, main=True), *others])
    return lists


def _candidates(page: RecordPage) -> Iterator[Region]:
    """All lists, including nested ones, and pairs, which qualify only as the main list."""
    shapes = Shapes(page, MIN_MARKED_LIKENESS)
    evidence = Evidence(page)
    for node in range(len(page)):
        whole = sibling_runs(page, shapes, node)
        for run in (*whole, *sibling_groups(page, node)):
            places = align_records(page, run)
            # Groups that are not similar are not records themselves.
            good = run in whole
            while inner := inner_records(page, shapes, run, places):
                run, places, good = inner, align_records(page, inner), True
            if good and (len(run) >= MIN_RECORDS or evidence.is_pair(run)):
                region = region_of(page, run, places)
                if evidence.is_list(run, region.columns):
                    yield region


def _disjoint(page: RecordPage, regions: Iterable[Region]) -> tuple[Region, ...]:
    """The regions that have no node in common with a region kept before them."""
    is_covered = np.zeros(len(page), bool)
    kept: list[Region] = []
    for region in regions:
        slices = [slice(node, page.end[node]) for node in region.tops]
        if not any(is_covered[part].any() for part in slices):
            kept.append(region)
            for part in slices:
                is_covered[part] = True
    return tuple(kept)


# Lists within groups: months of an archive, rows of a grid, columns of a directory.
#
# If each of several similar siblings is a group of items, the items are alike across all groups,
# and they contain most of the text, then the items are the records rather than the groups. An item
# that is itself a group of such items is also replaced by them. DEPTA splits such a generalized
# node only if its items are in one row of a table.

# Minimum share of the groups' characters that is inside their items.
MIN_CHARS = 0.6

# Minimum share of items with linked text; items without are paragraphs of a body.
MIN_LINKED = 0.8

# Minimum mean number of items per group.
MIN_ITEMS = 1.5

# Minimum share of items whose shape is similar to the most common one.
MIN_ALIKE = 0.75

LINKED_TEXT = 1


def inner_records(
    page: RecordPage, shapes: Shapes, records: Sequence[Sequence[int]], places: Sequence[Place]
) -> list[tuple[int, ...]]:
    """Items of the records if these are groups, in document order; else empty."""
    chars = sum(page.subtree_chars(node) for record in records for node in record)
    for place in places:
        for label in dict.fromkeys(page.label[_first(below)] for below in place.below):
            chosen = [below for below in place.below if page.label[_first(below)] == label]
            items = sorted({n for one in chosen for row in one.members.values() for n in row})
            groups = len({number for one in chosen for number in one.members})
            if (
                label not in CELLS
                and len(items) >= MIN_ITEMS * groups
                and sum(map(page.subtree_chars, items)) >= MIN_CHARS * max(chars, 1)
                and _are_records(page, shapes, items, chosen)
            ):
                return [(item,) for item in _open(page, shapes, items)]
    return []


def _open(page: RecordPage, shapes: Shapes, items: list[int]) -> Iterator[int]:
    """Items, with an item that only has a heading and a list replaced by the list's items."""
    model, _ = commonest(shapes.of[item] for item in items)
    for item in items:
        lists = [part for part in page.children[item] if page.label[part] in LISTS]
        inner = [node for part in lists for node in page.children[part]]
        rest = [part for part in page.children[item] if part not in lists]
        linked = any(page.signature[part] & LINKED_TEXT for part in rest)
        if (
            not linked
            and inner
            and all(shapes.likeness(model, shapes.of[n]) >= MIN_LIKENESS for n in inner)
        ):
            yield from inner
        else:
            yield item


def _first(place: Place) -> int:
    return next(iter(place.members.values()))[0]


def _are_records(page: RecordPage, shapes: Shapes, items: list[int], places: list[Place]) -> bool:
    linked = [item for item in items if page.signature[item] & LINKED_TEXT]
    if len(linked) < MIN_LINKED * len(items):
        return False
    # If no place repeats, the items may be fields of one record, such as title and author.
    if not any(place.repeats for place in places) and page.signature[items[0]].bit_count() < 3:
        return False
    model, _ = commonest(shapes.of[item] for item in items)
    alike = [i for i in items if shapes.likeness(model, shapes.of[i]) >= MIN_LIKENESS]
    return len(alike) >= MIN_ALIKE * len(items)


# Regions: tables of records with a score that ranks the lists of a page.
#
# The score is the list's share of the page, reduced if its records are short, narrow, repeated,
# incomplete or beside the main content. MDR and DEPTA do not rank their data regions.
#
# `is_main` decides whether a list is the purpose of its page. The page of a single post has a menu,
# a list of tags and a list of links like every other page of its site, and an article may contain a
# list that belongs to its subject. None of them is the purpose of the page, and an empty result is
# better than one of them. The main list is in the main part of the page and makes up most of its
# text, and the page's paragraphs are in the list rather than around it.

# Mean characters per record that halve the score: records of menus are shorter than those of lists.
SHORT_RECORD = 40

# Factor for the score of lists beside the main part.
SIDE_FACTOR = 0.5

# Minimum share of the main part's text that is in the records of the main list (0.7 or more on real
# pages), and of a main list of two records, which may also be two comments on an article.
MIN_SHARE = 0.4
MIN_PAIR_SHARE = 0.7

# Maximum characters of the paragraphs around the main list per character of its records.
MAX_PROSE = 0.5

# Minimum share of the page's width that the main list spans; sidebars span a quarter.
MIN_BREADTH = 0.3


@dataclass(frozen=True)
class Region:
    """A list of records."""

    root: int
    """Nearest common ancestor of the records."""
    records: tuple[tuple[int, ...], ...]
    """Top nodes of each record, usually consecutive siblings."""
    columns: tuple[Column, ...]
    score: float
    """Score in [0, 1]: how much of the page the list covers, and how regular it is."""
    left_out: int = 0
    """Number of texts, links, images and dates of the records that are in no column."""
    main: bool = False
    """Whether it is the page's main list."""

    @property
    def tops(self) -> list[int]:
        """Top nodes of all records."""
        return [node for nodes in self.records for node in nodes]


def region_of(page: RecordPage, run: Sequence[Sequence[int]], places: Sequence[Place]) -> Region:
    """The table of a run's records with its score."""
    columns = columns_of(page, places, len(run))
    records = tuple(tuple(nodes) for nodes in run)
    root = _root(page, run)
    evidence = sum(
        page.fact[n] > 0 for nodes in run for top in nodes for n in range(top, page.end[top])
    )
    cells = sum(len(nodes) for column in columns for nodes in column.cells.values())
    score = _score(page, root, records, columns)
    return Region(root, records, columns, score, left_out=evidence - cells)


def _root(page: RecordPage, run: Sequence[Sequence[int]]) -> int:
    first, last = min(nodes[0] for nodes in run), max(nodes[-1] for nodes in run)
    root = page.parent[first]
    while page.end[root] <= last:
        root = page.parent[root]
    return root


def _score(
    page: RecordPage, root: int, records: Sequence[tuple[int, ...]], columns: Sequence[Column]
) -> float:
    """Share of the page, reduced for the shortcomings listed in the module docstring."""
    tops = [node for nodes in records for node in nodes]
    chars = sum(page.subtree_chars(node) for node in tops)
    evidence = {
        tuple(page.value[node] for column in columns for node in column.cells.get(number, ()))
        for number in range(len(records))
    }
    length = chars / len(records)
    # Mean of the supports weighted by themselves: a column that few records have matters little.
    supports = np.array([column.support for column in columns])
    filled = float((supports**2).sum() / supports.sum())
    score = _share(page, tops, chars) * len(evidence) / len(records) * filled
    score *= length / (length + SHORT_RECORD) * (1 - 1 / len(records))
    return score * (SIDE_FACTOR if page.side[root] else 1)


def _share(page: RecordPage, tops: list[int], chars: int) -> float:
    """Share of the page's text and, if there is geometry, also of its area and width."""
    share = chars / max(page.sums[-1], 1)
    _, _, width, height = page.box[tops].astype(np.float64).T
    page_width, page_height = page.box[0, 2:].tolist()
    if not page_width * page_height:
        return share
    area = min(1.0, float((width * height).sum()) / (page_width * page_height))
    return (share + area) / 2 * min(1.0, _breadth(page, tops)) ** 0.5


def is_main(page: RecordPage, region: Region, others: Sequence[Region]) -> bool:
    """Whether a list is the main list of its page.

    `others`: The page's other lists; those less than half as wide count as beside the list.
    """
    side = np.array(page.side, bool)
    breadth = _breadth(page, region.tops)
    if side[region.tops[0]] or (breadth and breadth < MIN_BREADTH):
        return False
    own = _mask(page, region)
    for other in others:
        if _breadth(page, other.tops) < breadth / 2:
            side |= _mask(page, other)
    around = ~own & ~side
    paragraphs = around & (page.chars >= PARAGRAPH_CHARS) & ~page.in_link
    chars = int(page.chars[own].sum())
    least = MIN_PAIR_SHARE if len(region.records) == 2 else MIN_SHARE
    return (
        chars >= least * int(page.chars[own | around].sum())
        and int(page.chars[paragraphs].sum()) <= MAX_PROSE * chars
    )


def _breadth(page: RecordPage, tops: list[int]) -> float:
    """Share of the page's width that a list spans; 0 without geometry."""
    x, _, width, _ = page.box[tops].astype(np.float64).T
    page_width = float(page.box[0, 2])
    return float((x + width).max() - x.min()) / page_width if page_width else 0.0


def _mask(page: RecordPage, region: Region) -> NDArray[np.bool_]:
    """Mask of the nodes of the records."""
    mask = np.zeros(len(page), bool)
    for node in region.tops:
        mask[node : page.end[node]] = True
    return mask
