"""Export and import of labels: lines of roles, and fixtures of web-poet.

A line of roles is ``{"id", "url", "labeller", "kind", "blocks": [[letter, text], ...], "anchors":
[[xpath, css, offset], ...]}`` with a letter of `miolo.models.article.roles.LETTERS` and an anchor
(see `miolo.Anchor`) for each block; a page has a line for each labeller. A page may also have
``"custom"`` roles and ``"comments"`` of all blocks, and a ``"note"``; a review has the labeller
whom it ``"reviews"`` and the ``"changed"`` blocks. Blocks are matched by their anchors. Files
without anchors can be imported, too: their blocks are matched by their texts in document order,
even if the page was divided differently.

A fixture (https://web-poet.readthedocs.io/en/stable/page-objects/testing.html) is a folder
``test-<page>`` with ``inputs/BrowserResponse-body.html`` and ``-info.json``, and ``output.json``,
the item: ``url``, ``title`` and ``text``, that of the preset ``article``. web-poet's pytest plugin
looks for fixtures in ``fixtures/<page object>``.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any

from ...errors import ArchiveError, EmptyInputError
from ...features.anchors import Anchor, BlockAnchors, match_anchors
from ...features.blocks import TextBlocks
from ...models.article.roles import LETTERS, PRESETS, ROLES
from ...models.article.samples import align_blocks
from ...output.schema import valid_text
from ...patterns import lazy_re
from ...renderer.page.container import whole_file
from ...renderer.page.markup import outer_html
from ...renderer.page.snapshot import Snapshot
from ...untrusted_json import parse_json
from .sheet import LabelSheet, label_sheet
from .store import BROKEN, Action, LabelledPage, LabelStore

ROLES_FILE = "roles.jsonl"

MAX_LINE = 50 << 20
"""Maximum number of bytes of a line of roles."""

NAMES = "url", "labeller", "kind", "reviews", "note"

# Errors raised while reading values from a file of another format.
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)

# Parsers treat markup within these as text, but a snapshot has the elements of a frame's document.
FRAMES = lazy_re(r"<(/?)(?:i?frame|noscript|noframes|plaintext|xmp)\b", re.IGNORECASE)


@dataclass(frozen=True)
class PageRoles:
    """The role of every block of a page."""

    id: str  # name of the snapshot's file without its suffix
    url: str
    labeller: str
    blocks: tuple[tuple[str, str], ...]  # the role's letter and the text of each
    kind: str = ""
    exam: bool = False  # reserved for evaluation: no model may be trained or tuned on it
    anchors: tuple[Anchor, ...] = ()  # of all blocks, or none
    custom: tuple[str, ...] = ()  # custom role of each block, empty for none; or none at all
    reviews: str = ""  # the labeller whose labels are reviewed
    note: str = ""
    comments: tuple[str, ...] = ()  # comment on each block, empty for none; or none at all
    blind: bool = False  # whether the page was labelled without suggestions

    def name_of(self, block: int) -> str:
        """The custom role of a block, or else its role."""
        custom = self.custom[block] if self.custom else ""
        return custom or ROLES[LETTERS.index(self.blocks[block][0])]


def write_role_lines(pages: Iterable[LabelledPage], out: Path) -> Path:
    """Write ``roles.jsonl``, a line for each page and labeller, and return the file."""
    lines = []
    for page in pages:
        row = {
            "id": PurePosixPath(page.file).stem,
            "url": page.url,
            "labeller": page.labeller,
            "kind": page.kind,
            "blocks": [
                (LETTERS[ROLES.index(role)], text)
                for role, text in zip(page.roles, page.texts, strict=True)
            ],
            "anchors": [(each.xpath, each.css, each.offset) for each in page.anchors],
            **_notes(page),
        }
        lines.append(valid_text(json.dumps(row, ensure_ascii=False)))
    return write_file(out / ROLES_FILE, "".join(f"{line}\n" for line in lines))


def _notes(page: LabelledPage) -> dict[str, Any]:
    """What few pages have: custom roles, notes, whose labels were reviewed, no suggestions."""
    more = {"custom": page.custom, "note": page.note, "comments": page.comments}
    more |= {"reviews": page.reviews, "changed": page.changed}
    notes: dict[str, Any] = {name: value for name, value in more.items() if any(value)}
    return notes | ({"blind": True} if page.blind else {})


def fault_of(error: Exception) -> str:
    """What is wrong with a file, from one of `MALFORMED` that reading it raised."""
    if isinstance(error, json.JSONDecodeError):
        return "it is not JSON"
    if isinstance(error, KeyError):
        return f"there is no {error}"
    return (
        "a value has another type" if isinstance(error, TypeError | AttributeError) else str(error)
    )


def read_role_lines(file: Path) -> Iterator[PageRoles]:
    """Read a file of role labels, ``.jsonl`` or ``.jsonl.xz``; others are an `ArchiveError`."""
    opened = lzma.open if file.suffix == ".xz" else open
    number = 1  # of the line that is read
    try:
        with opened(file, "rb") as lines:
            while line := lines.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    raise ValueError(f"it is longer than {MAX_LINE:,} bytes")
                yield _page_roles(parse_json(line))
                number += 1
    except (EOFError, lzma.LZMAError, *MALFORMED) as error:
        message = f"{file} does not contain role labels (line {number}: {fault_of(error)})"
        raise ArchiveError(message) from error


def _page_roles(row: Any) -> PageRoles:
    blocks = tuple((str(letter), str(text)) for letter, text in row["blocks"])
    unknown = {letter for letter, _ in blocks} - set(LETTERS)
    if unknown:
        raise ValueError(f"unknown role {min(unknown)!r}")
    names = {name: str(row.get(name) or "") for name in NAMES}
    custom, comments = _texts(row, "custom", blocks), _texts(row, "comments", blocks)
    anchors = _anchors(row.get("anchors"), [text for _, text in blocks])
    exam, blind = bool(row.get("exam", False)), bool(row.get("blind", False))
    return PageRoles(
        str(row["id"]), blocks=blocks, exam=exam, anchors=anchors, custom=custom, comments=comments,
        blind=blind, **names,
    )  # fmt: skip


def _texts(row: Any, name: str, blocks: Sequence[Any]) -> tuple[str, ...]:
    """A text for each block, or none at all."""
    texts = tuple(map(str, row.get(name) or ()))
    if texts and len(texts) != len(blocks):
        raise ValueError(f"{name} has {len(texts)} texts for {len(blocks)} blocks")
    return texts


def _anchors(places: Any, texts: Sequence[str]) -> tuple[Anchor, ...]:
    """Anchors of blocks, given path, selector and offset of each; empty if there are none."""
    if not places:
        return ()
    pairs = zip(places, texts, strict=True)
    return tuple(
        Anchor(str(xpath), str(css), int(offset), text) for (xpath, css, offset), text in pairs
    )


def import_labels(
    folder: Path, store: LabelStore, pages: Iterable[PageRoles], labeller: str
) -> tuple[int, int]:
    """Write labels to the store, which lists the collection's pages, and mark the pages as
    finished.

    Pages that the collection does not have are skipped; `labeller` is that of pages that do not
    state one. Returned are the number of pages whose labels were written, and the number of
    imported blocks, boilerplate aside, that match no block of these pages. If the collection
    has none of the pages, that is an `EmptyInputError`.
    """
    known = {role.name for role in store.custom_roles()}
    files = [(PurePosixPath(file).stem, url, (page, file)) for page, file, url in store.files()]
    # Files in different folders may share a name.
    by_both = {(stem, url): place for stem, url, place in files}
    by_id = {stem: place for stem, _, place in files}
    by_url = {url: place for _, url, place in files if url}
    count = missing = 0
    for page in pages:
        place = by_both.get((page.id, page.url)) or by_id.get(page.id) or by_url.get(page.url)
        if place is None:
            continue
        if unknown := sorted(set(filter(None, page.custom)) - known):
            raise ArchiveError(
                f"the labels have the custom role {unknown[0]}, which {folder} has not: pass its "
                "file with --roles"
            )
        missing += _import_page(folder, store, place, page, page.labeller or labeller)
        count += 1
    if not count:
        raise EmptyInputError(f"{folder} contains none of the pages that the file has labels of")
    return count, missing


def _import_page(
    folder: Path, store: LabelStore, place: tuple[int, str], labels: PageRoles, labeller: str
) -> int:
    sheet = label_sheet(Snapshot.load(folder / place[1]))
    page = store.visit(place[0], labeller, sheet, blind=labels.blind, reviews=labels.reviews)
    places = _places(sheet, labels)
    names = [labels.name_of(place) if place >= 0 else "" for place in places]
    steps: list[tuple[Any, ...]] = []
    for name, group in groupby(range(len(names)), lambda block: names[block]):
        blocks = list(group)
        if name:
            steps.append(("role", name, blocks[0], blocks[-1]))
    steps += [
        ("comment", labels.comments[place], block, block)
        for block, place in enumerate(places)
        if labels.comments and place >= 0 and labels.comments[place]
    ]
    page_steps = (("kind", labels.kind), ("note", labels.note))
    steps += [(field, value, 0, 0) for field, value in page_steps if value]
    store.act(
        *(
            Action(_key(page, labeller, step), page, labeller, *step)
            for step in [*steps, ("done", "1", 0, 0)]
        )
    )
    found = set(places)
    return sum(
        letter != LETTERS[0] and number not in found
        for number, (letter, _) in enumerate(labels.blocks)
    )


def _places(sheet: LabelSheet, labels: PageRoles) -> list[int]:
    """Index of the labelled block of each block of a page, -1 for none."""
    texts = [block.text for block in sheet.blocks]
    if not labels.anchors:
        return align_blocks(texts, [text for _, text in labels.blocks]).tolist()
    places = [-1] * len(texts)
    found = match_anchors(labels.anchors, [block.anchor for block in sheet.blocks])
    for number, place in enumerate(found):
        if place >= 0:
            places[place] = number
    return places


def _key(page: int, labeller: str, step: tuple[Any, ...]) -> str:
    """Key of an action, equal for equal labels, so that importing a file twice has no effect."""
    digest = hashlib.sha256(json.dumps([page, labeller, *step]).encode()).hexdigest()
    return f"import-{digest[:32]}"


def write_file(file: Path, text: str) -> Path:
    """Write a whole file in a folder that may not exist yet, and return it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as opened:
        opened.write(text.encode())
    return file


def blocks_of_labels(page: TextBlocks, labels: LabelledPage) -> list[int]:
    """The block of a page that each label belongs to, -1 for none."""
    if labels.content == page.snapshot.page.content_hash:
        return [int(page.of[node]) if node < len(page.of) else -1 for node in labels.nodes]
    # The page was captured again after it was labelled.
    return match_anchors(labels.anchors, BlockAnchors(page).compute())


def write_fixtures(pages: Iterable[LabelledPage], folder: Path, out: Path) -> Path:
    """Write a fixture for each finished page, and return the folder.

    `pages` has one reading of each. Broken pages and
    pages that were captured again after they were labelled are skipped.
    """
    for page in pages:
        if page.kind == BROKEN:
            continue
        snapshot = load_if_any(folder / page.file)
        if snapshot is None or snapshot.page.content_hash != page.content:
            continue
        _write_fixture(page, snapshot, out / f"test-{page.id}")
    return out


def load_if_any(file: Path) -> Snapshot | None:
    """A snapshot; None if the collection has it no more."""
    try:
        return Snapshot.load(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ArchiveError(f"{file} cannot be read: {error}") from error


def fixture_html(snapshot: Snapshot) -> str:
    """The page as HTML, without scripts and styles, which a snapshot does not contain."""
    return "<!DOCTYPE html>\n" + FRAMES.sub(r"<\1div", outer_html(snapshot, 0))


def _write_fixture(page: LabelledPage, snapshot: Snapshot, fixture: Path) -> None:
    text = PRESETS["article"]
    blocks = list(zip(page.roles, page.texts, strict=True))
    item = {
        "url": page.url,
        "title": next((words for role, words in blocks if role == "title"), None),
        "text": "\n\n".join(words for role, words in blocks if role in text),
    }
    info = {"url": page.url, "status": snapshot.page.status, "type": "BrowserResponse"}
    body = valid_text(fixture_html(snapshot))
    write_file(fixture / "inputs" / "BrowserResponse-body.html", body)
    write_file(fixture / "inputs" / "BrowserResponse-info.json", json.dumps(info, indent=2))
    output = valid_text(json.dumps(item, ensure_ascii=False, indent=2))
    write_file(fixture / "output.json", output)
