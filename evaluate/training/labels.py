"""Labels of users as training pages for a reader: those of a collection, and corrected ones.

A file of corrections, exported by the web page, is JSON. It holds the saved snapshot without its
screenshot, and for each block that the page showed the block's first text node, its role, and
whether the role was set by hand.
"""

from __future__ import annotations

import base64
import binascii
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...collect.collections.collection import Collection
from ...collect.labels.label_files import blocks_of_labels
from ...collect.labels.store import BROKEN, FILE, LabelStore, files_left_out
from ...collect.labels.store import LabelledPage as StoredPage
from ...errors import ArchiveError
from ...features.article.features import BlockFeatures, block_features
from ...features.blocks import TextBlocks, article_blocks
from ...features.page_kind import page_kind_features
from ...models.article.custom_roles import CustomRole
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

    `pages`, `blind`: Pages that a labeller has finished, and whether each was labelled without
    suggestions. `by_hand`, `disputed`: Number of roles that labellers set by hand, and of blocks on
    which they disagree, which are not used for training. `custom`: Its custom roles. `others`:
    Address, texts and features of at most `MAX_OTHERS` pages that no labeller has finished.
    """

    pages: tuple[LabelledPage, ...]
    blind: tuple[bool, ...]
    by_hand: int
    disputed: int
    custom: tuple[CustomRole, ...]
    others: tuple[tuple[str, tuple[str, ...], BlockFeatures], ...]


def has_labels(folder: Path) -> bool:
    """Whether a folder is a collection with labels."""
    return (folder / FILE).is_file()


def read_collection(folder: Path, log: Log) -> CollectionLabels:
    """Read the labels of a collection; log every page that cannot be read."""
    with LabelStore(folder) as store:
        left_out, custom = files_left_out(store, log), store.custom_roles()
        done = [readings for readings in store.final_pages() if readings[0].file not in left_out]
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
        columns = zip(*(reading.names for reading in readings), strict=True)
        pairs = zip(columns, readings[0].roles, strict=True)
        agreed = [role if len(set(names)) == 1 else None for names, role in pairs]
        pages.append(_labelled_page(snapshot, readings[0], agreed))
        blind.append(all(reading.blind for reading in readings))
        by_hand += sum(when is not None for reading in readings for when in reading.times)
        disputed += agreed.count(None)
    files = {readings[0].file for readings in done}
    others = _others(folder, files, log)
    return CollectionLabels(tuple(pages), tuple(blind), by_hand, disputed, custom, others)


def _labelled_page(
    snapshot: Snapshot, first: StoredPage, agreed: Sequence[str | None]
) -> LabelledPage:
    """A training page; the role of a block on which labellers disagree is None."""
    page = article_blocks(snapshot)
    roles, custom = _roles(page, first, agreed)
    explained = float((roles != UNKNOWN).sum()) / max(1, min(len(page), len(first.roles)))
    url = first.url or first.file
    labelled = _training_page(page, roles, "collection", first.file, url, first.kind, explained)
    return replace(labelled, custom=custom)


def _training_page(
    page: TextBlocks,
    roles: NDArray[np.int8],
    name: str,
    id: str,
    url: str,
    kind: str | None = None,
    explained: float = 1.0,
) -> LabelledPage:
    return LabelledPage(
        set=name,
        id=id,
        group=site_of(url) or url,
        kind=kind or "article",
        features=block_features(page),
        roles=roles,
        text=np.zeros(len(page), bool),
        explained=explained,
        kind_features=page_kind_features(page.snapshot),
    )


def _roles(
    page: TextBlocks, first: StoredPage, agreed: Sequence[str | None]
) -> tuple[NDArray[np.int8], tuple[str, ...]]:
    """Role and custom role of each block: int8, shape (b,), `UNKNOWN` for a block without a label;
    and a name, empty for none.
    """
    places = blocks_of_labels(page, first)
    roles, custom = np.full(len(page), UNKNOWN, np.int8), [""] * len(page)
    for place, role, name in zip(places, agreed, first.custom, strict=True):
        if place >= 0 and role is not None:
            roles[place], custom[place] = ROLES.index(role), name
    return roles, tuple(custom)


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


# Files of corrections.

CORRECTIONS_SUFFIX = ".corrections.json"

FORMAT, VERSION = "miolo-corrections", 2

# Far above the size of any snapshot without its screenshot.
MAX_BYTES = 256 << 20
MAX_NAME = 200


@dataclass(frozen=True)
class BlockLabel:
    """Role of the block of a first text node, which a person set by hand, or the method."""

    node: int
    role: str
    by_hand: bool


@dataclass(frozen=True, eq=False)
class CorrectedPage:
    """A page without its screenshot, the method, and labels that a user corrected, in order."""

    snapshot: Snapshot
    method: str
    labels: tuple[BlockLabel, ...]


def correction_files(paths: Iterable[Path]) -> list[Path]:
    """The given files, and all corrections in the given folders, in order of name."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.glob(f"*{CORRECTIONS_SUFFIX}")) if path.is_dir() else [path]
    return files


def read_corrections(path: Path) -> CorrectedPage:
    """Read a file exported by the web page."""
    if path.stat().st_size > MAX_BYTES:
        raise ArchiveError(f"{path} is too large for a corrections file")
    try:
        data = json.loads(path.read_bytes())
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise ArchiveError(f"not a corrections file of version {VERSION}")
        try:
            content = base64.b64decode(data["snapshot"], validate=True)
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "snapshot"
                file.write_bytes(content)
                snapshot = Snapshot.load(file)
        except (ArchiveError, binascii.Error, TypeError, ValueError):
            raise ArchiveError("the snapshot is damaged") from None
        rows = [(each["node"], each["role"], each["by_hand"] is True) for each in data["labels"]]
        labels = tuple(BlockLabel(*row) for row in rows)
        _check(snapshot, labels)
        return CorrectedPage(snapshot, str(data["method"])[:MAX_NAME], labels)
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from None
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError) as error:
        raise ArchiveError(f"{path} does not contain corrections ({error})") from None


def _check(snapshot: Snapshot, labels: Sequence[BlockLabel]) -> None:
    if not all(type(label.node) is int and label.role in ROLES for label in labels):
        raise ArchiveError("a label is damaged")
    nodes = [label.node for label in labels]
    if len(set(nodes)) != len(nodes):
        raise ArchiveError("a block is labelled twice")
    for node in nodes:
        if not 0 <= node < len(snapshot) or not snapshot.is_text[node]:
            raise ArchiveError(f"node {node} is not a text node of the page")


def corrected_page(corrected: CorrectedPage) -> LabelledPage:
    """The page as a training page for a reader.

    A method may divide the page into other blocks. Of several labels in one block, those set by
    hand take precedence, and then the first.
    """
    page, url = article_blocks(corrected.snapshot), corrected.snapshot.page.url
    roles = np.full(len(page), UNKNOWN, np.int8)
    for label in sorted(corrected.labels, key=lambda label: (label.by_hand, -label.node)):
        block = int(page.of[label.node])
        if block >= 0:
            roles[block] = ROLES.index(label.role)
    return _training_page(page, roles, "corrections", url, url)
