"""`open_labels`: open the labels of a collection and add its pages."""

from __future__ import annotations

import zlib

from ...errors import EmptyInputError
from ...output.schema import valid_text
from ..labelling.store import LabelStore
from .reader import CollectionReader

__all__ = ["OVERLAP", "open_labels"]

OVERLAP = 0.2
"""Default share of the pages that every labeller gets."""

SHARES = 1000


def open_labels(collection: CollectionReader, overlap: float = OVERLAP) -> LabelStore:
    """Open the labels of a collection, created if missing, and add all pages with snapshots.

    Parameters
    ----------
    collection
        The collection.
    overlap
        Share of new pages that every labeller gets, in [0, 1].

    Raises
    ------
    EmptyInputError
        The collection has no snapshots.
    ArchiveError
        The labels are damaged.
    """
    files = [
        (page.file.relative_to(collection.path).as_posix(), page.url)
        for page in collection.pages()
        if page.file.is_file()
    ]
    if not files:
        raise EmptyInputError(f"no snapshot (*.miolo) in {collection.path}", lacks="snapshots")
    store = LabelStore(collection.path, create=True)
    try:
        # SQLite does not accept names that are not valid UTF-8.
        store.add_pages(
            (name, url, _is_shared(name, overlap))
            for name, url in files
            if name == valid_text(name)
        )
    except BaseException:
        store.close()
        raise
    return store


def _is_shared(name: str, overlap: float) -> bool:
    return zlib.crc32(name.encode()) % SHARES < overlap * SHARES
