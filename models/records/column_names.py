"""Names for the columns of a table of records, by content and appearance."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean

from ...features.dates import is_date
from ...features.words import count_chars
from ...patterns import lazy_re
from ...renderer.page.elements import HEADINGS
from ...renderer.page.snapshot import Snapshot
from .page import RecordPage
from .records import Region

Cells = dict[int, str]

# Minimum share of dates among the texts of a column of dates.
MIN_DATES = 0.8

# Minimum share of records that have the title column.
MIN_SUPPORT = 0.5

# Minimum mean characters of a summary; shorter texts are categories or counts.
SUMMARY_CHARS = 40

# Characters beyond which the length of a title no longer raises its score.
TITLE_CHARS = 6

AUTHOR = lazy_re(r"(?:^|[\s_-])(?:author|byline)(?:$|[\s_-])", re.IGNORECASE)

# Separators between fields. Stars are not included, since they may be a rating.
SEPARATORS = lazy_re(r"[\s|,;:.·•/\\–—>»«‹›<()\[\]&+-]*")


@dataclass(frozen=True)
class Field:
    """A column with the texts of its cells by record number."""

    number: int
    kind: str
    inside: int | None
    cells: Cells
    nodes: tuple[int, ...]

    @property
    def chars(self) -> float:
        """Mean number of characters of a cell."""
        return mean(count_chars(cell) for cell in self.cells.values())


def table_columns(
    snapshot: Snapshot, page: RecordPage, region: Region
) -> tuple[dict[str, Cells], tuple[str, ...]]:
    """Named columns of a region, and the texts that are the same in all its records."""
    fields = _fields(page, region)
    named: dict[str, Field] = {}
    dates = [f for f in fields if f.kind == "datetime"] + [f for f in fields if _is_dates(f)]
    _name(named, "date", dates)
    texts = [f for f in fields if f.kind == "text" and f not in dates]
    authors = [f for f in texts if _is_author(snapshot, page, region, f)]
    # "By" precedes the name.
    _name(named, "author", sorted(authors, key=lambda f: (f.inside is None, -f.number)))
    rest = [f for f in texts if f not in named.values()]
    _name(named, "title", _titles(snapshot, page, region, rest))
    # Links around the title, else the most varied first.
    links, title = [f for f in fields if f.kind == "link"], named.get("title")
    around = [f for f in links if title is not None and f.number == title.inside]
    varied = sorted(links, key=lambda f: (-len(set(f.cells.values())), f.number))
    _name(named, "url", around or varied)
    _name(named, "image", [f for f in fields if f.kind == "image" and not _is_constant(f, region)])
    rest = [f for f in texts if f not in named.values() and f.chars >= SUMMARY_CHARS]
    _name(named, "summary", sorted(rest, key=lambda f: -f.chars))
    order = ("title", "url", "date", "author", "image", "summary")
    columns = {name: named[name].cells for name in order if name in named}
    others, constants = _unnamed_columns(fields, named, region)
    return columns | others, constants


def _name(named: dict[str, Field], name: str, candidates: Iterable[Field]) -> None:
    """Assign a name to the first of its candidates."""
    for field in candidates:
        named[name] = field
        return


def _fields(page: RecordPage, region: Region) -> list[Field]:
    fields: list[Field] = []
    for number, column in enumerate(region.columns):
        values = {row: [page.value[node] for node in nodes] for row, nodes in column.cells.items()}
        cells = {
            row: " ".join(texts if column.kind == "text" else dict.fromkeys(texts))
            for row, texts in sorted(values.items())
        }
        nodes = tuple(node for row in cells for node in column.cells[row])
        fields.append(Field(number, column.kind, column.inside, cells, nodes))
    return fields


def _is_dates(field: Field) -> bool:
    dates = sum(map(is_date, field.cells.values()))
    return field.kind == "text" and dates >= MIN_DATES * len(field.cells)


def _is_constant(field: Field, region: Region) -> bool:
    return len(field.cells) == len(region.records) and len(set(field.cells.values())) == 1


def _chain(page: RecordPage, region: Region, node: int) -> Iterable[int]:
    """A node and its ancestors within its record."""
    tops = set(region.tops)
    while node != region.root and node >= 0:
        yield node
        if node in tops:
            return
        node = page.parent[node]


def _is_author(snapshot: Snapshot, page: RecordPage, region: Region, field: Field) -> bool:
    for node in list(_chain(page, region, field.nodes[0]))[:4]:
        attributes = snapshot.attributes.of(page.node[node])
        rel = attributes.get("rel", "").split()
        names = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}"
        if "author" in rel or AUTHOR.search(names):
            return True
    return False


def _titles(
    snapshot: Snapshot, page: RecordPage, region: Region, texts: list[Field]
) -> list[Field]:
    """Text columns that may be the title of their record, the most prominent first."""
    fonts = {
        field.number: mean(float(snapshot.font_size[page.node[node]]) for node in field.nodes)
        for field in texts
    }
    largest = max(fonts.values(), default=0)
    sure = MIN_SUPPORT * len(region.records)
    several = len(region.records) > 1

    def prominence(field: Field) -> tuple[float, int]:
        labels = {page.label[node] for node in _chain(page, region, field.nodes[0])}
        distinct = len(set(field.cells.values())) / len(field.cells)
        linked = field.inside is not None and region.columns[field.inside].kind == "link"
        font = fonts[field.number] / largest if largest else 0
        length = min(field.chars, TITLE_CHARS) / TITLE_CHARS
        score = 3 * bool(labels & set(HEADINGS)) + 2 * linked + 3 * font + length + 2 * distinct
        return -score, field.number

    fit = [f for f in texts if len(f.cells) >= sure and not (several and _is_constant(f, region))]
    return sorted(fit, key=prominence)


def _unnamed_columns(
    fields: list[Field], named: dict[str, Field], region: Region
) -> tuple[dict[str, Cells], tuple[str, ...]]:
    """Columns without a specific name, and constants."""
    url = named["url"].cells if "url" in named else {}
    columns: dict[str, Cells] = {}
    constants: list[str] = []
    counts: dict[str, int] = {}
    for field in fields:
        if field in named.values():
            continue
        if field.kind == "link" and all(url.get(row) == cell for row, cell in field.cells.items()):
            continue  # the same URL again, around an image or "read more"
        if field.inside is not None and fields[field.inside].kind == "datetime":
            continue  # the same date in words
        if all(SEPARATORS.fullmatch(cell) for cell in field.cells.values()):
            continue
        if _is_constant(field, region):
            constants.append(next(iter(field.cells.values())))
            continue
        kind = "date" if _is_dates(field) or field.kind == "datetime" else field.kind
        kind = "url" if kind == "link" else kind
        counts[kind] = counts.get(kind, 0) + 1
        columns[f"{kind}-{counts[kind]}"] = field.cells
    return columns, tuple(constants)
