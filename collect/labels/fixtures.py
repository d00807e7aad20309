"""Labels as test fixtures for web-poet: the page as it was labelled, and the expected item.

A fixture is a folder ``test-<page>`` with ``inputs/BrowserResponse-body.html`` and ``-info.json``,
the page's rendered HTML and its address, and ``output.json``, the item: ``url``, ``title`` and
``text``, the text of the blocks whose roles are in the preset ``article``. web-poet's pytest plugin
looks for fixtures in ``fixtures/<page object>``.

References
----------
https://web-poet.readthedocs.io/en/stable/page-objects/testing.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from ...errors import ArchiveError
from ...models.article.roles import PRESETS
from ...output.schema import valid_text
from ...renderer.page.container import whole_file
from ...renderer.page.snapshot import Snapshot
from .store import BROKEN, LabelledPage

__all__ = ["write_fixtures"]

# Elements that have no end tag (HTML Standard, 13.1.2).
VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
     "wbr")
)  # fmt: skip

# Parsers treat markup within these as text, but a snapshot has the elements of a frame's document.
FRAMES = frozenset(("frame", "iframe", "noscript", "noframes", "plaintext", "xmp"))

NAME = re.compile(r"[a-z][a-z0-9:_.-]*", re.IGNORECASE)


def write_fixtures(pages: Iterable[LabelledPage], folder: Path, out: Path) -> Path:
    """Write a fixture for each page; of several labellers the first by name is used.

    Parameters
    ----------
    pages
        Finished pages, ordered by number. Broken pages and pages that were captured again after
        they were labelled are skipped.
    folder
        Collection with the snapshots of the pages.
    out
        Folder of the fixtures.

    Returns
    -------
    The folder.

    Raises
    ------
    ArchiveError
        A snapshot is damaged.
    """
    written: set[int] = set()
    for page in pages:
        if page.id in written or page.kind == BROKEN:
            continue
        snapshot = _snapshot(folder / page.file)
        if snapshot is None or snapshot.page.content_hash != page.content:
            continue
        _write_fixture(page, snapshot, out / f"test-{page.id}")
        written.add(page.id)
    return out


def _snapshot(file: Path) -> Snapshot | None:
    try:
        return Snapshot.load(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ArchiveError(f"{file} cannot be read: {error}") from error


def _write_fixture(page: LabelledPage, snapshot: Snapshot, fixture: Path) -> None:
    text = PRESETS["article"]
    blocks = list(zip(page.roles, page.texts, strict=True))
    item = {
        "url": page.url,
        "title": next((words for role, words in blocks if role == "title"), None),
        "text": "\n\n".join(words for role, words in blocks if role in text),
    }
    info = {"url": page.url, "status": snapshot.page.status, "type": "BrowserResponse"}
    _write(fixture / "inputs" / "BrowserResponse-body.html", "".join(_html(snapshot)))
    _write(fixture / "inputs" / "BrowserResponse-info.json", json.dumps(info, indent=2))
    _write(fixture / "output.json", json.dumps(item, ensure_ascii=False, indent=2))


def _html(snapshot: Snapshot) -> Iterator[str]:
    """The page as HTML, without scripts and styles, which a snapshot does not contain."""
    yield "<!DOCTYPE html>\n"
    ends: list[tuple[int, str]] = []
    for node in range(len(snapshot)):
        while ends and ends[-1][0] <= node:
            yield f"</{ends.pop()[1]}>"
        if snapshot.is_text[node]:
            yield escape(snapshot.text[node], quote=False)
            continue
        tag = snapshot.tag_name(node)
        if not NAME.fullmatch(tag) or tag in FRAMES:
            tag = "div"
        yield f"<{tag}{''.join(_attributes(snapshot, node))}>"
        if tag not in VOID:
            ends.append((int(snapshot.end[node]), tag))
    yield from (f"</{tag}>" for _, tag in reversed(ends))


def _attributes(snapshot: Snapshot, node: int) -> Iterator[str]:
    for name, value in dict(snapshot.attributes.of(node)).items():
        if NAME.fullmatch(name):
            yield f' {name}="{escape(value)}"'


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as opened:
        opened.write(valid_text(text).encode())
