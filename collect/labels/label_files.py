"""Export and import of labels: lines of roles, tasks of Label Studio, fixtures of web-poet.

A line of roles is ``{"id", "url", "labeller", "kind", "blocks": [[letter, text], ...], "anchors":
[[xpath, css, offset], ...]}`` with a letter of `miolo.models.article.roles.LETTERS` and an anchor
(see `miolo.Anchor`) for each block; a page has a line for each labeller. Label Studio's tasks show
blocks as paragraphs, each with one label, its role, and have their anchors. Blocks are matched by
these. Files without anchors can be imported, too: their blocks are matched by their texts in
document order, even if the page was divided differently.

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
from xml.sax.saxutils import quoteattr

from ...errors import ArchiveError, EmptyInputError
from ...features.anchors import Anchor, match_anchors
from ...models.article.roles import BOILERPLATE, LETTERS, PRESETS, ROLES
from ...models.article.samples import UNKNOWN, align_roles
from ...output.schema import valid_text
from ...patterns import lazy_re
from ...renderer.page.container import whole_file
from ...renderer.page.markup import outer_html
from ...renderer.page.snapshot import Snapshot
from ...untrusted_json import parse_json
from .sheet import LabelSheet, label_sheet
from .store import BROKEN, Action, LabelledPage, LabelStore

ROLES_FILE = "roles.jsonl"
TASKS_FILE, CONFIG_FILE = "label-studio.json", "label-studio.xml"

LABEL, BLOCKS = "role", "blocks"

MAX_LINE, MAX_TASKS = 50 << 20, 200 << 20
"""Maximum number of bytes of a line of roles, and of a file of tasks."""

MAX_OVERLAPS = 100
"""Maximum number of times that all blocks of a page may be labelled in one annotation."""

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
        }
        lines.append(valid_text(json.dumps(row, ensure_ascii=False)))
    return _write(out / ROLES_FILE, "".join(f"{line}\n" for line in lines))


def read_role_lines(file: Path) -> Iterator[PageRoles]:
    """Read a file of role labels, ``.jsonl`` or ``.jsonl.xz``; others are an `ArchiveError`."""
    opened = lzma.open if file.suffix == ".xz" else open
    try:
        with opened(file, "rb") as lines:
            while line := lines.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    raise ValueError(f"a line is longer than {MAX_LINE:,} bytes")
                yield _page_roles(parse_json(line))
    except (EOFError, lzma.LZMAError, *MALFORMED) as error:
        raise ArchiveError(f"{file} does not contain role labels ({error})") from error


def _page_roles(row: Any) -> PageRoles:
    blocks = tuple((str(letter), str(text)) for letter, text in row["blocks"])
    unknown = {letter for letter, _ in blocks} - set(LETTERS)
    if unknown:
        raise ValueError(f"unknown role {min(unknown)!r}")
    names = {name: str(row.get(name) or "") for name in ("url", "labeller", "kind")}
    anchors = _anchors(row.get("anchors"), [text for _, text in blocks])
    exam = bool(row.get("exam", False))
    return PageRoles(str(row["id"]), blocks=blocks, exam=exam, anchors=anchors, **names)


def _anchors(places: Any, texts: Sequence[str]) -> tuple[Anchor, ...]:
    """Anchors of blocks, given path, selector and offset of each; empty if there are none."""
    if not places:
        return ()
    pairs = zip(places, texts, strict=True)
    return tuple(
        Anchor(str(xpath), str(css), int(offset), text) for (xpath, css, offset), text in pairs
    )


def write_label_studio(pages: Iterable[LabelledPage], out: Path) -> Path:
    """Write ``label-studio.json``, a task a page, which is returned, and its interface as XML."""
    tasks = [_task(list(group)) for _, group in groupby(pages, lambda page: page.id)]
    labels = "".join(f"<Label value={quoteattr(role)}/>" for role in ROLES)
    config = (
        f'<View><ParagraphLabels name="{LABEL}" toName="{BLOCKS}">{labels}</ParagraphLabels>'
        f'<Paragraphs name="{BLOCKS}" value="${BLOCKS}" layout="none" textKey="text" '
        'nameKey="number"/></View>\n'
    )
    _write(out / CONFIG_FILE, config)
    return _write(out / TASKS_FILE, valid_text(json.dumps(tasks, ensure_ascii=False)))


def _task(readings: Sequence[LabelledPage]) -> dict[str, Any]:
    first = readings[0]
    texts = [{"number": str(number), "text": text} for number, text in enumerate(first.texts)]
    return {
        "data": {
            "id": PurePosixPath(first.file).stem,
            "url": first.url,
            BLOCKS: texts,
            "anchors": [(each.xpath, each.css, each.offset) for each in first.anchors],
        },
        # Label Studio accepts only its own users in an annotation's `completed_by`.
        "meta": {"labellers": [page.labeller for page in readings]},
        "annotations": [{"result": _regions(page.roles, page.texts)} for page in readings],
        "predictions": [
            {"model_version": "miolo", "result": _regions(first.suggested, first.texts)}
        ],
    }


def _regions(roles: Sequence[str], texts: Sequence[str]) -> list[dict[str, Any]]:
    """A region for every block except boilerplate; a block without a region is boilerplate."""
    return [
        {
            "id": f"block-{number}",
            "from_name": LABEL,
            "to_name": BLOCKS,
            "type": "paragraphlabels",
            "value": {
                "start": str(number),
                "end": str(number),
                "startOffset": 0,
                "endOffset": len(texts[number]),
                "text": texts[number],
                "paragraphlabels": [role],
            },
        }
        for number, role in enumerate(roles)
        if role != BOILERPLATE
    ]


def read_label_studio(file: Path) -> Iterator[PageRoles]:
    """Read annotated tasks from a JSON export of Label Studio; others are an `ArchiveError`."""
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_TASKS + 1)
        if len(data) > MAX_TASKS:
            raise ValueError(f"it is larger than {MAX_TASKS:,} bytes")
        for task in parse_json(data):
            yield from _task_roles(task)
    except MALFORMED as error:
        raise ArchiveError(f"{file} does not contain Label Studio tasks ({error})") from error


def _task_roles(task: Any) -> Iterator[PageRoles]:
    data, names = task["data"], (task.get("meta") or {}).get("labellers", [])
    texts = [str(block["text"]) for block in data[BLOCKS]]
    anchors = _anchors(data.get("anchors"), texts)
    for number, annotation in enumerate(task["annotations"]):
        letters = ["."] * len(texts)
        labelled = 0
        for region in annotation["result"]:
            if region.get("type") != "paragraphlabels":
                continue
            value = region["value"]
            (role,) = value["paragraphlabels"]
            first, last = int(value["start"]), int(value["end"])
            if not 0 <= first <= last < len(texts):
                raise ValueError(f"there are no blocks {first} to {last}")
            labelled += last - first + 1
            if labelled > MAX_OVERLAPS * len(texts):
                raise ValueError("too many labels of the same blocks")
            letters[first : last + 1] = LETTERS[ROLES.index(role)] * (last - first + 1)
        person = annotation.get("completed_by", "")
        person = person.get("email", "") if isinstance(person, dict) else person
        name = names[number] if number < len(names) else person
        blocks = tuple(zip(letters, texts, strict=True))
        address = str(data.get("url") or "")
        yield PageRoles(str(data["id"]), address, str(name), blocks, anchors=anchors)


def import_labels(
    folder: Path, store: LabelStore, pages: Iterable[PageRoles], labeller: str
) -> tuple[int, int]:
    """Write labels to the store, which lists the collection's pages, and mark the pages as
    finished.

    Pages that the collection does not have are skipped; `labeller` is that of pages that do not
    state one. Returned are the number of pages whose labels were written, and the number of
    imported blocks that match no block of these pages. If the collection has none of the pages,
    that is an `EmptyInputError`.
    """
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
        missing += _import_page(folder, store, place, page, page.labeller or labeller)
        count += 1
    if not count:
        raise EmptyInputError(f"{folder} contains none of the labelled pages")
    return count, missing


def _import_page(
    folder: Path, store: LabelStore, place: tuple[int, str], labels: PageRoles, labeller: str
) -> int:
    sheet = label_sheet(Snapshot.load(folder / place[1]))
    page = store.visit(place[0], labeller, sheet, blind=False)
    codes = _codes(sheet, labels)
    steps: list[tuple[Any, ...]] = []
    for code, group in groupby(range(len(codes)), lambda number: codes[number]):
        numbers = list(group)
        if code != UNKNOWN:
            steps.append(("role", ROLES[code], numbers[0], numbers[-1]))
    if labels.kind:
        steps.append(("kind", labels.kind, 0, 0))
    store.act(
        *(
            Action(_key(page, labeller, step), page, labeller, *step)
            for step in [*steps, ("done", "1", 0, 0)]
        )
    )
    return len(labels.blocks) - sum(code != UNKNOWN for code in codes)


def _codes(sheet: LabelSheet, labels: PageRoles) -> list[int]:
    """Code of the role of each block of a page, `UNKNOWN` for one without a label."""
    if not labels.anchors:
        return align_roles([block.text for block in sheet.blocks], labels.blocks).tolist()
    codes = [UNKNOWN] * len(sheet.blocks)
    places = match_anchors(labels.anchors, [block.anchor for block in sheet.blocks])
    for (letter, _), place in zip(labels.blocks, places, strict=True):
        if place >= 0:
            codes[place] = LETTERS.index(letter)
    return codes


def _key(page: int, labeller: str, step: tuple[Any, ...]) -> str:
    """Key of an action, equal for equal labels, so that importing a file twice has no effect."""
    digest = hashlib.sha256(json.dumps([page, labeller, *step]).encode()).hexdigest()
    return f"import-{digest[:32]}"


def _write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as opened:
        opened.write(text.encode())
    return file


def write_fixtures(pages: Iterable[LabelledPage], folder: Path, out: Path) -> Path:
    """Write a fixture for each finished page, and return the folder.

    Pages are ordered by number; of several labellers the first by name is used. Broken pages and
    pages that were captured again after they were labelled are skipped.
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
    _write(fixture / "inputs" / "BrowserResponse-body.html", body)
    _write(fixture / "inputs" / "BrowserResponse-info.json", json.dumps(info, indent=2))
    output = valid_text(json.dumps(item, ensure_ascii=False, indent=2))
    _write(fixture / "output.json", output)
