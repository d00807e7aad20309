"""NCE, the News Content Extractor: separator node, comment removal, title.

Source: the *News Content Extractor* chapter. The method has three stages over a single page. They
are linear in the number of nodes, except for the comparisons of neighbouring short texts.
``NCEOptions(literal=True)`` follows the chapter as published. The default settles what the chapter
leaves open and corrects its contradictions; see `docs/nce.md` for each point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...errors import PageWarning
from ...features.blocks import block_owners
from ...features.counts import count_texts
from ...models.nce import NCEOptions, find_separator, first_repetition, separator_conditions
from ...renderer.page.snapshot import Snapshot
from ...renderer.page.tree import subtree_sums
from .method import Method
from .reading import Reading, read
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
    options = options or NCEOptions()
    page = _read(snapshot, options)
    reasons = Reasons(len(snapshot), "outside the separator's subtree")
    warnings: list[PageWarning] = []
    separator = _separator(page, options)
    if separator is None:
        warnings.append(PageWarning("no-separator", "no separator node was found"))
    kept = _forest(page, options, separator, reasons)
    area = _comment_area(page, options, kept)
    comments = np.zeros(len(snapshot), bool)
    if area is not None:
        comments[area:] = kept[area:]
        kept = kept & ~comments
        reasons.give(comments, f"after the first repetition of short texts, at node {area}")
    title = find_title(snapshot, page.texts, page.counts, kept, options)
    if title is not None:
        reasons.give(*title)
    reasons.give(snapshot.is_text & ~page.texts, "not painted")
    if not options.literal:
        reasons.give(page.overlays, "part of a layer over the page")
        kept, comments = kept & ~page.overlays, comments & ~page.overlays
    marks = {"separator": separator, "comments": area}
    return Selection(
        kept=kept,
        scores=np.where(kept, 1 - page.counts.density(), 0).astype(np.float32),
        reason=reasons.codes,
        reasons=reasons.table,
        comments=comments,
        title=None if title is None else title[0],
        marks={name: node for name, node in marks.items() if node is not None},
        warnings=tuple(warnings),
    )


def _read(snapshot: Snapshot, options: NCEOptions) -> Reading:
    if not options.literal:
        return read(snapshot)
    painted = snapshot.is_text & snapshot.visible
    counts = count_texts(snapshot, painted, wide=False)
    return Reading(snapshot, painted, painted, np.zeros(len(snapshot), bool), counts)


def _separator(page: Reading, options: NCEOptions) -> int | None:
    """Stage 1: the separator node."""
    snapshot, counts = page.snapshot, page.counts
    leaf_chars = np.where(page.texts, counts.chars, 0)
    is_plain = np.ones(len(snapshot), bool)
    if not options.literal:
        # A paragraph that is split by links and emphasis is read as one text.
        owners = block_owners(snapshot)
        of_block = np.bincount(owners, weights=leaf_chars, minlength=len(snapshot))
        leaf_chars = np.where(page.texts, of_block[owners], 0).astype(np.int64)
        is_plain = counts.density() <= options.max_link_density
    plain = counts.chars - counts.link_chars
    for attempt in _attempts(options):
        conditions = separator_conditions(snapshot.parent, snapshot.with_tag("p"), counts, attempt)
        fits = np.logical_and.reduce(conditions, axis=1)
        if attempt is not options:
            # Shorter texts are accepted only if the page mainly consists of them.
            fits = np.logical_and(fits, plain >= MAIN_SHARE * int(plain[0]))
        least = attempt.min_leaf_chars
        separator = find_separator(snapshot.parent, leaf_chars, fits, is_plain, least)
        if separator is not None:
            return separator
    return None


def _attempts(options: NCEOptions) -> Iterator[NCEOptions]:
    """The options, then (not in the source) the same ones for shorter texts."""
    yield options
    for part in () if options.literal else SHORTER:
        leaf_chars, chars = options.min_leaf_chars // part, options.min_chars // part
        yield replace(options, min_leaf_chars=leaf_chars, min_chars=chars)


def _forest(
    page: Reading, options: NCEOptions, separator: int | None, reasons: Reasons
) -> NDArray[np.bool_]:
    """The forest U: children of the separator with few links, or the whole page."""
    kept = np.zeros(len(page.snapshot), bool)
    if separator is None:
        kept[:] = True
        reasons.give(slice(None), "no separator node was found: the whole page is kept")
        return kept
    reasons.give(separator, "the separator node")
    densities, limit = page.counts.density(), options.max_link_density
    for child in page.snapshot.children(separator):
        inside, density = subtree(page.snapshot, child), densities[child]
        kept[inside] = density <= limit
        sign = "≤" if density <= limit else ">"
        why = f"in a child of the separator with link density {density:.2f} {sign} {limit:g}"
        reasons.give(inside, why)
    return kept


def _comment_area(page: Reading, options: NCEOptions, kept: NDArray[np.bool_]) -> int | None:
    """Stage 2: the first node of the comments. All kept text after it belongs to them too."""
    nodes = _short_nodes(page, options, kept)
    texts = [counted_text(page.snapshot, page.texts, node) for node in nodes]
    indices = first_repetition(texts, options)
    if indices is None:
        return None
    # The child of the lowest common ancestor of the first two nodes that contains the first.
    first, second = nodes[indices[0]], nodes[indices[1]]
    above = page.snapshot.parent
    while above[first] >= 0 and second >= page.snapshot.end[above[first]]:
        first = int(above[first])
    if options.literal:
        return first
    members = [nodes[i] for i in indices]
    return first if _are_comments(page, options, kept, first, members) else None


def _are_comments(
    page: Reading, options: NCEOptions, kept: NDArray[np.bool_], first: int, members: list[int]
) -> bool:
    """Whether a repetition introduces comments; not in the source."""
    end = page.snapshot.end
    chars = np.where(kept & page.texts, page.counts.chars, 0)
    of_members = sum(int(chars[node : end[node]].sum()) for node in members)
    between = int(chars[members[0] : end[members[-1]]].sum()) - of_members
    return bool(
        chars[:first].sum() >= options.min_chars
        and chars[first:].sum() <= options.chars_per_repetition * len(members)
        and between >= MIN_TEXT_BETWEEN * of_members
    )


def _short_nodes(page: Reading, options: NCEOptions, kept: NDArray[np.bool_]) -> list[int]:
    """The list L: outermost kept nodes with alpha 4 to alpha 5 characters."""
    chars = page.counts.chars
    low, high = options.min_comment_chars, options.max_comment_chars
    short = kept & (chars >= low) & (chars <= high)
    if not options.literal:
        # Lines of code resemble each other, but code contains no reader comments.
        code = page.snapshot.in_tag("pre", "code")
        in_code = subtree_sums(np.where(page.texts & code, chars, 0), page.snapshot.end)
        short &= 2 * in_code < chars
    outermost: list[int] = []
    covered = 0
    for node in short.nonzero()[0].tolist():
        if node >= covered:
            outermost.append(node)
            covered = int(page.snapshot.end[node])
    return outermost


METHOD = Method(
    lambda page, _, options: nce(page, options),
    "separator node, comment removal, title",
    "from the sources",
    NCEOptions(),
    {"literal": NCEOptions(literal=True)},
)
