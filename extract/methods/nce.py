"""NCE, the News Content Extractor: separator node, comment removal, title.

Source: the *News Content Extractor* chapter. The method has three stages over a single page. They
are linear in the number of nodes, except for the comparisons of neighbouring short texts.
``NCEOptions(literal=True)`` follows the chapter as published. The default settles what the chapter
leaves open and corrects its contradictions; see `docs/nce.md` for each point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from ...features.blocks import block_owners
from ...features.counts import TextCounts, count_texts
from ...features.overlays import overlay_mask
from ...features.readable import readable_texts
from ...models.nce import NCEOptions, find_separator, first_repetition, separator_conditions
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import subtree_mask, subtree_sums
from .method import Method
from .selection import Reasons, Selection, subtree
from .title import counted_text, find_title

# Further attempts use a half, a quarter and an eighth of alpha 0 and alpha 1.
SHORTER = (2, 4, 8)

# Minimum share of the page's unlinked text that such an attempt must find.
MAIN_SHARE = 0.4

# Minimum ratio of the text between similar texts to their own text. Comments are found between
# bylines, but nothing is found between the items of a list.
MIN_TEXT_BETWEEN = 0.5


def nce(snapshot: Snapshot, options: NCEOptions | None = None) -> Selection:
    """Select the article of one page, rendered or static.

    If no separator is found, the whole page is kept, as in the source, with the warning
    ``"no-separator"``.
    """
    view = _View.of(snapshot, options or NCEOptions())
    reasons = Reasons(len(snapshot), "outside the separator's subtree")
    warnings: list[PageWarning] = []
    separator = _separator(view)
    if separator is None:
        warnings.append(PageWarning("no-separator", "no separator node was found"))
    kept = _forest(view, separator, reasons)
    area = _comment_area(view, kept)
    comments = np.zeros(len(snapshot), bool)
    if area is not None:
        comments[area:] = kept[area:]
        kept = kept & ~comments
        reasons.give(comments, f"after the first repetition of short texts, at node {area}")
    title = find_title(snapshot, view.counted, view.counts, kept, view.options)
    if title is not None:
        reasons.give(*title)
    reasons.give(snapshot.is_text & ~view.counted, "not painted")
    if not view.options.literal:
        reasons.give(view.overlays, "part of a layer over the page")
        kept, comments = kept & ~view.overlays, comments & ~view.overlays
    marks = {"separator": separator, "comments": area}
    return Selection(
        kept=kept,
        scores=np.where(kept, 1 - view.counts.density(), 0).astype(np.float32),
        reason=reasons.codes,
        reasons=reasons.table,
        comments=comments,
        title=None if title is None else title[0],
        marks={name: node for name, node in marks.items() if node is not None},
        warnings=tuple(warnings),
    )


@dataclass(frozen=True, eq=False)
class _View:
    """A page as input to the stages.

    `counted` marks the text nodes that count, and `counts` has their sums over all subtrees.
    """

    page: Snapshot
    options: NCEOptions
    overlays: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    counts: TextCounts

    @classmethod
    def of(cls, page: Snapshot, options: NCEOptions) -> _View:
        overlays = overlay_mask(page)
        if options.literal:
            counted = page.is_text & page.visible
        else:
            counted = readable_texts(page) & ~overlays
        counts = count_texts(page, counted, wide=not options.literal)
        return cls(page, options, overlays, counted, counts)

    @property
    def is_plain(self) -> NDArray[np.bool_]:
        """bool, shape (n,): nodes whose link density is low enough for them to be kept."""
        return self.counts.density() <= self.options.max_link_density

    @property
    def plain_chars(self) -> int:
        """Characters of the page outside links."""
        return int(self.counts.chars[0] - self.counts.link_chars[0])


def _separator(view: _View) -> int | None:
    """Stage 1: the separator node."""
    page, counts = view.page, view.counts
    leaf_chars = np.where(view.counted, counts.chars, 0)
    if not view.options.literal:
        # A paragraph that is split by links and emphasis is read as one text.
        owners = block_owners(page)
        of_block = np.bincount(owners, weights=leaf_chars, minlength=len(page))
        leaf_chars = np.where(view.counted, of_block[owners], 0).astype(np.int64)
    everything = np.ones(len(page), bool)
    is_plain = everything if view.options.literal else view.is_plain
    for options in _attempts(view.options):
        conditions = separator_conditions(page.parent, page.with_tag("p"), counts, options)
        fits = np.logical_and.reduce(conditions, axis=1)
        if options is not view.options:
            # Shorter texts are accepted only if the page mainly consists of them.
            plain = counts.chars - counts.link_chars
            fits = np.logical_and(fits, plain >= MAIN_SHARE * view.plain_chars)
        least = options.min_leaf_chars
        separator = find_separator(page.parent, leaf_chars, fits, is_plain, least)
        if separator is not None:
            return separator
    return None


def _attempts(options: NCEOptions) -> Iterator[NCEOptions]:
    """The options, then (not in the source) the same ones for shorter texts."""
    yield options
    for part in () if options.literal else SHORTER:
        leaf_chars, chars = options.min_leaf_chars // part, options.min_chars // part
        yield replace(options, min_leaf_chars=leaf_chars, min_chars=chars)


def _forest(view: _View, separator: int | None, reasons: Reasons) -> NDArray[np.bool_]:
    """The forest U: children of the separator with few links, or the whole page."""
    kept = np.zeros(len(view.page), bool)
    if separator is None:
        kept[:] = True
        reasons.give(slice(None), "no separator node was found: the whole page is kept")
        return kept
    reasons.give(separator, "the separator node")
    densities, limit = view.counts.density(), view.options.max_link_density
    for child in view.page.children(separator):
        inside, density = subtree(view.page, child), densities[child]
        kept[inside] = density <= limit
        sign = "≤" if density <= limit else ">"
        why = f"in a child of the separator with link density {density:.2f} {sign} {limit:g}"
        reasons.give(inside, why)
    return kept


def _comment_area(view: _View, kept: NDArray[np.bool_]) -> int | None:
    """Stage 2: the first node of the comments. All kept text after it belongs to them too."""
    nodes = _short_nodes(view, kept)
    indices = first_repetition(
        [counted_text(view.page, view.counted, node) for node in nodes], view.options
    )
    if indices is None:
        return None
    # The child of the lowest common ancestor of the first two nodes that contains the first.
    first, second = nodes[indices[0]], nodes[indices[1]]
    above = view.page.parent
    while above[first] >= 0 and second >= view.page.end[above[first]]:
        first = int(above[first])
    if view.options.literal:
        return first
    return first if _are_comments(view, kept, first, [nodes[i] for i in indices]) else None


def _are_comments(view: _View, kept: NDArray[np.bool_], first: int, members: list[int]) -> bool:
    """Whether a repetition introduces comments; not in the source."""
    options, end = view.options, view.page.end
    chars = np.where(kept & view.counted, view.counts.chars, 0)
    of_members = sum(int(chars[node : end[node]].sum()) for node in members)
    between = int(chars[members[0] : end[members[-1]]].sum()) - of_members
    return bool(
        chars[:first].sum() >= options.min_chars
        and chars[first:].sum() <= options.chars_per_repetition * len(members)
        and between >= MIN_TEXT_BETWEEN * of_members
    )


def _short_nodes(view: _View, kept: NDArray[np.bool_]) -> list[int]:
    """The list L: outermost kept nodes with alpha 4 to alpha 5 characters."""
    chars = view.counts.chars
    low, high = view.options.min_comment_chars, view.options.max_comment_chars
    short = kept & (chars >= low) & (chars <= high)
    if not view.options.literal:
        # Lines of code resemble each other, but code contains no reader comments.
        code = subtree_mask(view.page.with_tag("pre", "code"), view.page.end)
        in_code = subtree_sums(np.where(view.counted & code, chars, 0), view.page.end)
        short &= 2 * in_code < chars
    outermost: list[int] = []
    covered = 0
    for node in short.nonzero()[0].tolist():
        if node >= covered:
            outermost.append(node)
            covered = int(view.page.end[node])
    return outermost


METHOD = Method(
    lambda page, _, options: nce(page, options),
    "separator node, comment removal, title",
    "from the sources",
    NCEOptions(),
    {"literal": NCEOptions(literal=True)},
)
