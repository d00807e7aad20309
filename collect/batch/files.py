"""Paths of a page's files in its collection."""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["RESULTS", "file_of", "new_file_of", "page_key"]

RESULTS, ARCHIVE = "results.jsonl", "archive.warc.gz"


def page_key(url: str) -> str:
    """Name of a page's files: 20 hexadecimal digits of the SHA-256 of its address."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def file_of(folder: Path, kind: str, url: str, suffix: str) -> Path:
    """Path of a page's file, such as ``snapshots/3f/3f….miolo``; subfolders keep folders small."""
    key = page_key(url)
    return folder / kind / key[:2] / f"{key}{suffix}"


def new_file_of(folder: Path, kind: str, url: str, suffix: str) -> Path:
    """Path of a page's file; its folder is created if missing."""
    path = file_of(folder, kind, url, suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
