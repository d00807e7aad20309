"""Labelled nodes from the snapshots of one site, as Parquet with a row group for each page.

The schema is in `docs/template.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...features.counts import count_nodes
from ...features.layout import LAYOUT_FEATURES
from ...features.record import RECORD_COLUMNS, record_columns
from ...features.template import TEMPLATE_FEATURES, template_features
from ...models.templates.model import feature_rows, scored_tree
from ...models.templates.sitelevel import SiteLevel
from ...output.schema import valid_text
from ...renderer.page.container import whole_file
from ...renderer.page.snapshot import Snapshot
from ..parquet import parquet
from .collection import Collection

Log = Callable[[str], None]

INTEGERS = (
    "level parent own_links links own_intra_links intra_links own_words words own_linked_words "
    "linked_words"
).split()
MARKUP = ("anchor_text", "text", "html")


@dataclass(frozen=True)
class LabelCount:
    """Number of labelled pages and nodes, and number of nodes that belong to the template."""

    pages: int
    nodes: int
    template: int


def label_folder(
    folder: Path,
    output: Path,
    site: SiteLevel,
    name: str,
    *,
    markup: bool = True,
    domain: str | None = None,
    log: Log,
) -> LabelCount:
    """Learn a site from the snapshots of a folder, and write every node with its label.

    `site` learns the pages, those of the registrable `domain` if one is given; it may already have
    learned others. Without `markup`, the texts and markup, most of the file, are left out. `log` is
    called with a message for every file that cannot be read; if none can, that is an
    `EmptyInputError`.
    """
    pyarrow, writer_module = parquet()
    collection = Collection(folder, log=log).of_site(domain)
    learned_pages = [kept for kept, page in collection.snapshots() if site.add(page)]
    schema = _schema(pyarrow, markup)
    nodes = template = 0
    with (
        whole_file(output) as file,
        writer_module.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        for number, (_, page) in enumerate(collection.loaded(learned_pages)):
            columns = _columns(page, site, number, name, markup)
            writer.write_table(pyarrow.table(columns, schema=schema))
            nodes += len(page)
            template += int(np.sum(columns["template"]))
    return LabelCount(len(learned_pages), nodes, template)


def _columns(
    page: Snapshot, site: SiteLevel, number: int, name: str, markup: bool
) -> dict[str, Any]:
    counts, labels, count = count_nodes(page), site.label(page), len(page)
    tree = scored_tree(page, counts)
    columns: dict[str, Any] = {
        "site": [valid_text(name)] * count,
        "page": np.full(count, number, np.int32),
        "url": [valid_text(page.page.url)] * count,
        **record_columns(page, counts),
        **dict(zip(TEMPLATE_FEATURES, template_features(page, counts).T, strict=True)),
        "area": _node_column(tree.area, tree.nodes, count, 0.0),
        "scored_parent": _node_column(
            np.append(tree.nodes, -1)[tree.parent], tree.nodes, count, -1
        ),
        "site_pages": labels.pages,
        "covered": labels.covered,
        "template": labels.template,
    }
    layout = feature_rows(page, tree, counts, "layout")
    for column, values in zip(LAYOUT_FEATURES, layout.T, strict=True):
        columns[f"layout_{column}"] = _node_column(values, tree.nodes, count, np.nan)
    texts = ("tag", *MARKUP) if markup else ("tag",)
    valid = {name: [valid_text(text) for text in columns[name]] for name in texts}
    return {k: v for k, v in columns.items() if markup or k not in MARKUP} | valid


def _node_column(values: Any, nodes: Any, count: int, empty: float) -> Any:
    """Values of some nodes as a column over all nodes, with `empty` for the others."""
    column = np.full(count, empty, np.asarray(values).dtype)
    column[nodes] = values
    return column


def _schema(pyarrow: Any, markup: bool) -> Any:
    names = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    special = {
        "id": pyarrow.int32(),
        "tag": names,
        "children": pyarrow.list_(pyarrow.int32()),
        **dict.fromkeys(INTEGERS, pyarrow.int32()),
        **dict.fromkeys(("x", "y", "width", "height"), pyarrow.float32()),
        **dict.fromkeys(MARKUP, pyarrow.string()),
    }
    fields = [("site", names), ("page", pyarrow.int32()), ("url", names)]
    fields += [(name, special[name]) for name in RECORD_COLUMNS if markup or name not in MARKUP]
    fields += [(name, pyarrow.float64()) for name in TEMPLATE_FEATURES]
    fields += [("area", pyarrow.float64()), ("scored_parent", pyarrow.int32())]
    fields += [("site_pages", pyarrow.int32()), ("covered", pyarrow.float32())]
    fields += [("template", pyarrow.bool_())]
    fields += [(f"layout_{name}", pyarrow.float64()) for name in LAYOUT_FEATURES]
    return pyarrow.schema(fields)
