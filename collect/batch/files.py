"""A page's files in its collection."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from ...renderer.page.snapshot import Snapshot

RESULTS, ARCHIVE = "results.jsonl", "archive.warc.gz"

LOCK = "lock"  # file that a run keeps locked while it writes to a collection

MAX_SCREENSHOT = 64 << 20


def file_of(folder: Path, kind: str, url: str, suffix: str) -> Path:
    """Path of a page's file, such as ``snapshots/3f/3f….miolo``; subfolders keep folders small."""
    key = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    return folder / kind / key[:2] / f"{key}{suffix}"


def new_file_of(folder: Path, kind: str, url: str, suffix: str) -> Path:
    """Path of a page's file; its folder is created if missing."""
    path = file_of(folder, kind, url, suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def screenshot_of(folder: Path, url: str) -> Path | None:
    """The file of a page's screenshot; None if the collection has none."""
    file = file_of(folder, "screenshots", url, ".png")
    return file if file.is_file() else None


def screenshot_beside(snapshot: Path) -> Path | None:
    """The screenshot that a collection keeps beside a snapshot; None if there is none."""
    part = snapshot.absolute().parent
    if part.parent.name != "snapshots":
        return None
    file = part.parent.with_name("screenshots") / part.name / f"{snapshot.stem}.png"
    return file if file.is_file() else None


def with_screenshot(page: Snapshot, file: Path | None) -> Snapshot:
    """The page with the screenshot that its collection keeps beside it."""
    if file is None or page.screenshot is not None or file.stat().st_size > MAX_SCREENSHOT:
        return page
    return replace(page, screenshot=file.read_bytes())
