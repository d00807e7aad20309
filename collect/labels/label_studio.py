"""Labels as HTML labels of Label Studio, and back.

A task has a page's HTML as it was rendered. Each block that is not boilerplate is a region from
one place in a text node to another. The nodes are those of the HTML as Label Studio parses it, and
their paths begin at the body (https://labelstud.io/tags/hypertextlabels). A block has the label of
a region that holds at least half of its characters. Blocks of the HTML and of the page in the
collection are matched by their anchors, so that labels of any project with the HTML of a page can
be imported.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any
from xml.sax.saxutils import quoteattr

from ...errors import ArchiveError
from ...features.anchors import Anchor, BlockAnchors, match_anchors, text_paths
from ...features.blocks import article_blocks
from ...models.article.custom_roles import CustomRole
from ...models.article.roles import BOILERPLATE, LETTERS, ROLES
from ...output.schema import valid_text
from ...renderer.page.snapshot import NOWHERE, Snapshot
from ...untrusted_json import parse_json
from .label_files import MALFORMED, PageRoles, fault_of, fixture_html, load_if_any, write_file
from .store import LabelledPage

TASKS_FILE, CONFIG_FILE = "label-studio.json", "label-studio.xml"

LABEL, PAGE, KIND = "role", "page", "hypertextlabels"

MAX_TASKS = 200 << 20
"""Maximum number of bytes of a file of tasks."""

MAX_OVERLAPS = 100
"""Maximum number of times that all texts of a page may be labelled in one annotation."""


def write_label_studio(
    pages: Iterable[LabelledPage], folder: Path, out: Path, custom: Sequence[CustomRole] = ()
) -> tuple[Path, int]:
    """Write ``label-studio.json``, a task a page, and its interface as XML.

    Returned are the first file, and the number of labels, boilerplate aside, whose blocks the HTML
    has not, those of pages without a snapshot included.
    """
    bases = {role.name: role.base for role in custom}
    tasks, missing = list[dict[str, Any]](), 0
    for _, group in groupby(pages, lambda page: page.id):
        readings = list(group)
        snapshot = load_if_any(folder / readings[0].file)
        if snapshot is None:
            missing += sum(name != BOILERPLATE for page in readings for name in page.names)
            continue
        task, lost = _task(readings, fixture_html(snapshot), bases)
        tasks.append(task)
        missing += lost
    colours = {role.name: role.colour for role in custom}
    labels = "".join(
        f"<Label value={quoteattr(name)}"
        + (f" background={quoteattr(colours[name])}/>" if colours.get(name) else "/>")
        for name in (*ROLES, *bases)
    )
    config = (
        f'<View><HyperTextLabels name="{LABEL}" toName="{PAGE}">{labels}</HyperTextLabels>'
        f'<HyperText name="{PAGE}" value="$html"/></View>\n'
    )
    write_file(out / CONFIG_FILE, config)
    text = valid_text(json.dumps(tasks, ensure_ascii=False))
    return write_file(out / TASKS_FILE, text), missing


def _task(
    readings: Sequence[LabelledPage], html: str, bases: dict[str, str]
) -> tuple[dict[str, Any], int]:
    first, markup = readings[0], _Markup(html)
    places = match_anchors(first.anchors, markup.anchors)
    task = {
        "data": {
            "id": PurePosixPath(first.file).stem,
            "url": first.url,
            "html": html,
            "custom_roles": bases,
        },
        # Label Studio accepts only its own users in an annotation's `completed_by`.
        "meta": {
            "labellers": [page.labeller for page in readings],
            "reviews": [page.reviews for page in readings],
        },
        "annotations": [
            {"result": _regions(markup, places, page.names, page.comments)} for page in readings
        ],
        "predictions": [
            {"model_version": "miolo", "result": _regions(markup, places, first.suggested, ())}
        ],
    }
    rows = (zip(places, page.names, strict=True) for page in readings)
    lost = sum(place < 0 and name != BOILERPLATE for row in rows for place, name in row)
    return task, lost


def _regions(
    markup: _Markup, places: Sequence[int], names: Sequence[str], comments: Sequence[str]
) -> list[dict[str, Any]]:
    """A region for every block with a role or a comment; a block without one is boilerplate."""
    regions = []
    for number, (place, name) in enumerate(zip(places, names, strict=True)):
        comment = comments[number] if comments else ""
        if place < 0 or (name == BOILERPLATE and not comment):
            continue
        region = {
            "id": f"block-{number}",
            "from_name": LABEL,
            "to_name": PAGE,
            "type": KIND,
            "value": {**markup.range_of(place), KIND: [name]},
        }
        regions.append(region | ({"meta": {"text": [comment]}} if comment else {}))
    return regions


class _Markup:
    """The blocks of a page's HTML, and the paths of their text nodes."""

    def __init__(self, html: str) -> None:
        self._page = page = article_blocks(Snapshot.from_html(html, url=NOWHERE))
        self.texts: list[str] = page.texts
        self.anchors: list[Anchor] = BlockAnchors(page).compute()
        self._nodes = [page.snapshot.text[node] for node in page.nodes.tolist()]
        self._paths = text_paths(page.snapshot, page.nodes.tolist())
        self._number = {path: number for number, path in enumerate(self._paths) if path}
        self._block = page.of[page.nodes].tolist()
        self._sizes = list(map(_size, self._nodes))
        self._chars = Counter[int]()
        for block, size in zip(self._block, self._sizes, strict=True):
            self._chars[block] += size

    def __len__(self) -> int:
        """Number of text nodes."""
        return len(self._nodes)

    def range_of(self, block: int) -> dict[str, Any]:
        """From where to where a block is."""
        first, stop = self._page.starts[block : block + 2].tolist()
        return {
            "start": self._paths[first],
            "startOffset": 0,
            "end": self._paths[stop - 1],
            "endOffset": _units(self._nodes[stop - 1]),
            "text": self.texts[block],
        }

    def covered(self, value: Any) -> tuple[list[int], int]:
        """Blocks of which a region holds at least half, and the number of nodes that it spans."""
        first, last = self._number_of(value["start"]), self._number_of(value["end"])
        start, stop = int(value["startOffset"]), int(value["endOffset"])
        if last < first or min(start, stop) < 0:
            raise ValueError(f"a region ends at {value['end']}, before it begins")
        chars = Counter[int]()
        for number in range(first, last + 1):
            chars[self._block[number]] += self._sizes[number]
        before = _cut(self._nodes[first], 0, start)
        after = _cut(self._nodes[last], stop, None)
        chars[self._block[first]] -= _size(before)
        chars[self._block[last]] -= _size(after)
        covered = [block for block, size in chars.items() if 2 * size >= self._chars[block] > 0]
        return covered, last - first + 1

    def _number_of(self, path: str) -> int:
        if path not in self._number:
            raise ValueError(f"a region is at {str(path)[:100]}, where the HTML has no text")
        return self._number[path]


def _size(text: str) -> int:
    """Number of characters that are not white space."""
    return sum(map(len, text.split()))


def _units(text: str) -> int:
    """Length of a text as browsers count it, in UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _cut(text: str, start: int, stop: int | None) -> str:
    """A part of a text, with offsets in UTF-16."""
    units = text.encode("utf-16-le", "surrogatepass")
    part = units[2 * start : None if stop is None else 2 * stop]
    return part.decode("utf-16-le", "replace")


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
        message = f"{file} does not contain Label Studio tasks ({fault_of(error)})"
        raise ArchiveError(message) from error


def _task_roles(task: Any) -> Iterator[PageRoles]:
    data, meta = task["data"], task.get("meta") or {}
    names, reviews = meta.get("labellers", []), meta.get("reviews", [])
    markup, bases = _Markup(str(data["html"])), data.get("custom_roles") or {}
    for number, annotation in enumerate(task["annotations"]):
        roles, comments = _read_regions(markup, annotation["result"])
        letters = [LETTERS[ROLES.index(bases.get(role, role))] for role in roles]
        person = annotation.get("completed_by", "")
        person = person.get("email", "") if isinstance(person, dict) else person
        yield PageRoles(
            str(data["id"]) if "id" in data else "",
            str(data.get("url") or ""),
            str(names[number] if number < len(names) else person),
            tuple(zip(letters, markup.texts, strict=True)),
            anchors=tuple(markup.anchors),
            custom=tuple(role if role in bases else "" for role in roles),
            reviews=str(reviews[number]) if number < len(reviews) else "",
            comments=tuple(comments),
        )


def _read_regions(markup: _Markup, regions: Any) -> tuple[list[str], list[str]]:
    """Role or custom role of each block of the HTML, and the comment on it."""
    roles, comments = [BOILERPLATE] * len(markup.texts), [""] * len(markup.texts)
    spanned = 0
    for region in regions:
        if region.get("type") != KIND:
            continue
        (role,) = region["value"][KIND]
        blocks, nodes = markup.covered(region["value"])
        spanned += nodes
        if spanned > MAX_OVERLAPS * len(markup):
            raise ValueError("too many labels of the same texts")
        for block in blocks:
            roles[block] = str(role)
            comments[block] = "\n".join(map(str, (region.get("meta") or {}).get("text", ())))
    return roles, comments
