"""Files of learned sites."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import cast

import numpy as np

from ..errors import ArchiveError
from ..features.hashes import Hashing
from ..renderer.container import open_container, read_array, save_container
from .sitelevel import SiteLevel

__all__ = ["load_site", "save_site"]

FORMAT, VERSION = "miolo-site", 1


def save_site(site: SiteLevel, path: Path) -> None:
    """Write a learned site; the file appears whole or not at all."""
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "share": site.share,
        "cover": site.cover,
        "hashing": site.hashing,
        "deduplicate": site.deduplicate,
        "size": site.size,
    }
    contents = sorted(site.pages)  # in order, so that equal sites make equal files
    save_container(
        path,
        {
            "meta.json": json.dumps(meta).encode(),
            "contents.npy": np.array(contents, np.uint64),
            "pages.npy": np.array([site.pages[content] for content in contents], np.int32),
            "known.npy": np.array(sorted(site.known), np.uint64),
        },
    )


def load_site(path: Path) -> SiteLevel:
    """Read a learned site; see `open_container` for its errors."""
    with open_container(path, "learned site") as archive:
        meta = json.loads(archive.read("meta.json"))
        if meta.get("format") != FORMAT or meta.get("version") != VERSION:
            raise ArchiveError(f"not a learned site of version {VERSION}")
        site = SiteLevel(
            float(meta["share"]),
            float(meta["cover"]),
            cast("Hashing", meta["hashing"]),
            deduplicate=bool(meta["deduplicate"]),
        )
        contents = read_array(archive, "contents", np.uint64)
        pages = read_array(archive, "pages", np.int32)
        known = read_array(archive, "known", np.uint64)
        size = int(meta["size"])
        if contents.shape != pages.shape or contents.ndim != 1 or known.ndim != 1:
            raise ArchiveError("the tables do not fit each other")
        if len(pages) and not 1 <= pages.min() <= pages.max() <= size:
            raise ArchiveError("content on more pages than there are")
        site.size = size
        site.pages = Counter(dict(zip(contents.tolist(), pages.tolist(), strict=True)))
        site.known = set(known.tolist())
    return site
