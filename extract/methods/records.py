"""The `records` method: the lists of a page as tables, and its main list as a selection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import PageWarning
from ...features.readable import readable_texts
from ...models.records.column_names import table_columns
from ...models.records.page import RecordPage, record_page
from ...models.records.records import Region, find_regions
from ...output.extraction_parts import RecordTable
from ...renderer.page.snapshot import Snapshot
from .method import Method
from .selection import Reasons, Selection, subtree

NO_RECORDS = RecordTable((), (), (), 0, (), 0.0, main=False, left_out=0)


def extract_records(snapshot: Snapshot) -> tuple[RecordTable, ...]:
    """Lists of records on a page, such as search results, the main list first.

    Parameters
    ----------
    snapshot
        A rendered, loaded or static page.

    Returns
    -------
    A table for each list, with a row for each record; see `miolo.models.records.records`.
    """
    page = record_page(snapshot)
    return tuple(_table(snapshot, page, region) for region in find_regions(page))


def _table(snapshot: Snapshot, page: RecordPage, region: Region) -> RecordTable:
    columns, constants = table_columns(snapshot, page, region)
    rows = [
        {name: cells[number] for name, cells in columns.items() if number in cells}
        for number in range(len(region.records))
    ]
    return RecordTable(
        columns=tuple(columns),
        rows=tuple(rows),
        constants=constants,
        node=page.node[region.root],
        nodes=tuple(tuple(page.node[n] for n in nodes) for nodes in region.records),
        score=region.score,
        main=region.main,
        left_out=region.left_out,
    )


def _main(tables: Sequence[RecordTable]) -> RecordTable | None:
    """The main list; None for an article, a menu or a single post."""
    return next((table for table in tables if table.main), None)


def records(snapshot: Snapshot) -> Selection:
    """Keep the readable records of the page's main list; nothing if there is none."""
    tables = extract_records(snapshot)
    readable = readable_texts(snapshot)
    scores = np.zeros(len(snapshot), np.float32)
    kept = np.zeros(len(snapshot), bool)
    reasons = Reasons(len(snapshot), "not in a list of records")
    for place, table in reversed(list(enumerate(tables, 1))):
        why = f"record in list {place} of {len(tables)}: {len(table.rows)} records, "
        why += (
            f"score {table.score:.2f}, {'' if table.main else 'not '}the main content of the page"
        )
        for node in (node for nodes in table.nodes for node in nodes):
            part = subtree(snapshot, node)
            reasons.give(part, why)
            scores[part] = table.score
            kept[part] = table.main
    reasons.give(snapshot.is_text & ~readable, "not painted")
    return Selection(
        kept=kept & (readable | ~snapshot.is_text),
        scores=scores,
        reason=reasons.codes,
        reasons=reasons.table,
        comments=np.zeros(len(snapshot), bool),
        warnings=_warnings(tables),
        records=_main(tables) or NO_RECORDS,
    )


def _warnings(tables: Sequence[RecordTable]) -> tuple[PageWarning, ...]:
    main = _main(tables)
    if main is None:
        message = f"no list of records is the main content; other lists on the page: {len(tables)}"
        return (PageWarning("no-records", message),)
    if main.left_out:
        message = (
            f"some records are too different to align: {main.left_out:,} values are in no column"
        )
        return (PageWarning("left-out", message),)
    return ()


METHOD = Method(
    lambda page, *_: records(page),
    "the entries of a section front or an archive, as rows of a table",
    "recommended",
    article_only=False,
)
