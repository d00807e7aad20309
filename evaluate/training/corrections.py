"""Labels that a user has corrected: files exported by the web page, as training pages.

A file is JSON. It holds the saved snapshot without its screenshot, and for each block that the page
showed the block's first text node, its role, and whether the role was set by hand.
"""

from __future__ import annotations

import base64
import binascii
import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError
from ...features.article.features import block_features
from ...features.blocks import TextBlocks, article_blocks
from ...features.page_kind import page_kind_features
from ...models.article.roles import ROLES
from ...models.article.samples import UNKNOWN, LabelledPage
from ...renderer.network.origins import site_of
from ...renderer.page.snapshot import Snapshot

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
    """The page as a training page for a reader."""
    page = article_blocks(corrected.snapshot)
    url = corrected.snapshot.page.url
    return LabelledPage(
        set="corrections",
        id=url,
        group=site_of(url) or url,
        kind="article",
        features=block_features(page),
        roles=_roles(page, corrected.labels),
        text=np.zeros(len(page), bool),
        explained=1.0,
        kind_features=page_kind_features(corrected.snapshot),
    )


def _roles(page: TextBlocks, labels: Sequence[BlockLabel]) -> NDArray[np.int8]:
    """int8, shape (b,): role of each block, `UNKNOWN` for a block without a label.

    A method may divide the page into other blocks. Of several labels in one block, those set by
    hand take precedence, and then the first.
    """
    roles = np.full(len(page), UNKNOWN, np.int8)
    for label in sorted(labels, key=lambda label: (label.by_hand, -label.node)):
        block = int(page.of[label.node])
        if block >= 0:
            roles[block] = ROLES.index(label.role)
    return roles
