"""Labels of a collection as training pages for a reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...collect.collections.collection import Collection
from ...collect.labels.store import BROKEN, FILE, LabelStore
from ...collect.labels.store import LabelledPage as StoredPage
from ...errors import ArchiveError
from ...features.anchors import block_anchors, match_anchors
from ...features.article.features import BlockFeatures, block_features
from ...features.blocks import TextBlocks, article_blocks
from ...features.page_kind import page_kind_features
from ...models.article.roles import ROLES
from ...models.article.samples import UNKNOWN, LabelledPage
from ...renderer.network.origins import site_of
from ...renderer.page.snapshot import Snapshot

MAX_OTHERS = 200
"""Maximum number of pages without labels that are read."""

Log = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class CollectionLabels:
    """Training pages of a collection, and other pages on which to show the effect of training.

    Attributes
    ----------
    pages, blind
        Pages that a labeller has finished, and whether each was labelled without suggestions.
    by_hand, disputed
        Number of roles that labellers set by hand, and of blocks on which they disagree, which are
        not used for training.
    others
        Address, texts and features of at most `MAX_OTHERS` pages that no labeller has finished.
    """

    pages: tuple[LabelledPage, ...]
    blind: tuple[bool, ...]
    by_hand: int
    disputed: int
    others: tuple[tuple[str, tuple[str, ...], BlockFeatures], ...]


def has_labels(folder: Path) -> bool:
    """Whether a folder is a collection with labels."""
    return (folder / FILE).is_file()


def read_collection(folder: Path, log: Log) -> CollectionLabels:
    """Read the labels of a collection; log every page that cannot be read."""
    with LabelStore(folder) as store:
        done = [list(group) for _, group in groupby(store.labelled_pages(), lambda page: page.id)]
    pages: list[LabelledPage] = []
    blind: list[bool] = []
    by_hand = disputed = 0
    for readings in done:
        if any(page.kind == BROKEN for page in readings):
            continue
        try:
            snapshot = Snapshot.load(folder / readings[0].file)
        except (ArchiveError, OSError) as error:
            log(f"{readings[0].file} is skipped: {error}")
            continue
        columns = zip(*(reading.roles for reading in readings), strict=True)
        agreed = [roles[0] if len(set(roles)) == 1 else None for roles in columns]
        pages.append(_labelled_page(snapshot, readings[0], agreed))
        blind.append(all(reading.blind for reading in readings))
        by_hand += sum(when is not None for reading in readings for when in reading.times)
        disputed += agreed.count(None)
    files = {readings[0].file for readings in done}
    others = _others(folder, files, log)
    return CollectionLabels(tuple(pages), tuple(blind), by_hand, disputed, others)


def _labelled_page(
    snapshot: Snapshot, first: StoredPage, agreed: Sequence[str | None]
) -> LabelledPage:
    """A training page; the role of a block on which labellers disagree is None."""
    page, url = article_blocks(snapshot), first.url or first.file
    roles = _roles(page, first, agreed)
    return LabelledPage(
        set="collection",
        id=first.file,
        group=site_of(url) or url,
        kind=first.kind or "article",
        features=block_features(page),
        roles=roles,
        text=np.zeros(len(page), bool),
        explained=float((roles != UNKNOWN).sum()) / max(1, min(len(page), len(first.roles))),
        kind_features=page_kind_features(snapshot),
    )


def _roles(page: TextBlocks, first: StoredPage, agreed: Sequence[str | None]) -> NDArray[np.int8]:
    """int8, shape (b,): role of each block, `UNKNOWN` for a block without a label."""
    if first.content == page.snapshot.page.content_hash:
        places = [int(page.of[node]) if node < len(page.of) else -1 for node in first.nodes]
    else:  # the page was captured again after it was labelled
        anchors = block_anchors(page.snapshot, page.owner.tolist(), page.texts)
        places = match_anchors(first.anchors, anchors)
    roles = np.full(len(page), UNKNOWN, np.int8)
    for place, role in zip(places, agreed, strict=True):
        if place >= 0 and role is not None:
            roles[place] = ROLES.index(role)
    return roles


def _others(
    folder: Path, files: set[str], log: Log
) -> tuple[tuple[str, tuple[str, ...], BlockFeatures], ...]:
    collection = Collection(folder, log=log)
    unseen = [
        page
        for page in collection.pages()
        if page.file.is_file() and page.file.relative_to(folder).as_posix() not in files
    ]
    others = []
    for page, snapshot in collection.loaded(unseen[:MAX_OTHERS]):
        blocks = article_blocks(snapshot)
        others.append((page.url, tuple(blocks.texts), block_features(blocks)))
    return tuple(others)
