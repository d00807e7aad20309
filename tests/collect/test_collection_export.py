"""Collections as Parquet tables with a data card, read by other libraries."""

import itertools
import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import miolo
import pytest
from collection_files import (
    RESULTS,
    collection_to_change,  # noqa: F401
    paper_pages,  # noqa: F401
    read_table,
    whole_collection,  # noqa: F401
)
from miolo.collect.collections import export as parts_module
from miolo.collect.collections.collection import Collection
from miolo.collect.collections.export import TableParts
from miolo.collect.labels.sheet import label_sheet
from miolo.collect.labels.store import Action, LabelStore
from miolo.errors import StorageError
from miolo.features.counts import count_nodes
from miolo.features.record import record_columns
from miolo.output.page_result import PageResult

parquet = pytest.importorskip("pyarrow.parquet")
datasets = pytest.importorskip("datasets")
duckdb = pytest.importorskip("duckdb")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
import pyarrow as pa  # noqa: E402


@pytest.fixture(scope="session")
def export(papers, tmp_path_factory):
    out = tmp_path_factory.mktemp("exported") / "papers"
    assert Collection(papers).export(out).passed_over == 0
    return out


def test_results_are_the_rows_and_the_failures(papers, export):
    table = read_table(export, "pages").to_pylist()
    assert [row["page"] for row in table] == [1, 2, 3, 4, 5, 6, 7]
    for row, kept in zip(table, Collection(papers).numbered_rows(), strict=False):
        result, expected = PageResult.from_dict(row), PageResult.from_dict(kept)
        assert result.to_dict() == expected.to_dict()
    assert [row["error"]["kind"] for row in table[5:]] == ["NavigationError", "PageTimeoutError"]
    assert table[5]["http_status"] == 404
    beside = parquet.read_table(Collection(papers).export_results(export.parent / "one.parquet"))
    assert beside.to_pylist() == table


def test_nodes_are_those_of_the_snapshots(pages, export):
    table = read_table(export, "nodes")
    assert table.num_rows == sum(map(len, pages))
    assert table["page"].to_pylist() == [
        n for n, page in enumerate(pages, 1) for _ in range(len(page))
    ]
    rows = table.slice(len(pages[0]), len(pages[1])).to_pylist()
    page = pages[1]
    records = record_columns(page, count_nodes(page))
    for node, row in enumerate(rows):
        assert row["node"] == node
        assert (row["tag"], row["text"]) == (page.tag_name(node), page.text[node])
        assert row["end"] == page.end[node]
        assert row["font_size"] == page.font_size[node]
        assert row["background"] == page.background[node]
        attributes = {each["name"]: each["value"] for each in row["attributes"]}
        assert attributes == page.attributes.of(node)
        for name in ("level", "parent", "x", "height", "own_words", "words", "intra_links"):
            assert row[name] == records[name][node], name


def test_damaged_run_options_are_an_archive_error(folder, tmp_path):
    with closing(sqlite3.connect(folder / "state.sqlite")) as db:
        db.execute("UPDATE facts SET value = ? WHERE name = ?", ('{"preset": "none"}', "about"))
        db.commit()
    with pytest.raises(miolo.ArchiveError, match="none"):
        Collection(folder).export(tmp_path / "out")


def test_a_repeated_export_is_identical_and_replaces_the_earlier_one(folder, export, tmp_path):
    out = tmp_path / "out"
    Collection(folder).export(out, ("nodes", "texts"))
    (out / "nodes" / "part-00007.parquet").write_bytes(b"of a larger one")
    (out / "texts" / "part-00000.parquetabc.part").write_bytes(b"of a killed one")
    Collection(folder).export(out)
    ours, theirs = (
        {path.relative_to(at): path.read_bytes() for path in at.rglob("*") if path.is_file()}
        for at in (out, export)
    )
    assert ours == theirs


def test_lone_surrogates_and_unextracted_pages_are_written(folder, tmp_path):
    with closing(sqlite3.connect(folder / "state.sqlite")) as db:
        rows = [
            {"id": 1, "requested_url": "https://a.example/", "url": "https://a.example/"},
            {"id": 2, "requested_url": "b", "url": None, "text": "half \ud83d of one"},
        ]
        first, second = (json.dumps(row) + "\n" for row in rows)
        (folder / RESULTS).write_text(first + second)
        db.execute("UPDATE journals SET length = 1")
        db.execute(
            "UPDATE pages SET place = CASE id WHEN 1 THEN 0 WHEN 2 THEN ? END", (len(first),)
        )
        db.commit()
    table = parquet.read_table(Collection(folder).export_results()).to_pylist()
    assert [row["text"] for row in table[:2]] == [None, "half ? of one"]


def test_parts_are_bounded_and_complete(tmp_path, monkeypatch):
    monkeypatch.setattr(parts_module, "GROUP_BYTES", 1000)
    schema = pa.schema([("a", pa.int64())])
    numbers = pa.table({"a": range(10)}, schema=schema)
    with TableParts(lambda n: tmp_path / f"{n}.parquet", schema, part_bytes=2000) as parts:
        for _ in range(1000):
            parts.add(numbers)
            for path in tmp_path.glob("*.parquet"):
                parquet.read_metadata(path)
    files = sorted(tmp_path.iterdir())
    assert parts.size.parts == len(files) > 2
    assert parts.size.rows == 10_000
    assert all(path.stat().st_size < 4000 for path in files)
    assert parquet.read_table(tmp_path)["a"].to_pylist() == list(range(10)) * 1000


def test_a_failed_export_leaves_no_draft_and_no_card(papers, tmp_path, monkeypatch):
    monkeypatch.setattr(parts_module, "GROUP_BYTES", 1)

    def full(self, rows, *more):
        raise OSError(28, "No space left on device")

    Collection(papers).export(tmp_path)
    monkeypatch.setattr(parquet.ParquetWriter, "write_table", full)
    with pytest.raises(StorageError, match="No space left"):
        Collection(papers).export(tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_impossible_exports_are_errors(folder, tmp_path):
    shutil.rmtree(folder / "snapshots")
    collection = Collection(folder)
    assert set(collection.export(tmp_path).tables) == {"pages", "texts"}
    for tables, method, error in (
        (("nodes",), None, miolo.EmptyInputError),
        (("pictures",), None, miolo.EmptyInputError),
        (("texts",), "nce", miolo.EmptyInputError),
        (None, "sitelevel", miolo.UnknownMethodError),
        (None, "no-such", miolo.UnknownMethodError),
    ):
        with pytest.raises(error):
            collection.export(tmp_path, tables, method=method)
    assert (tmp_path / "README.md").exists()


def test_the_card_describes_the_tables(export):
    yaml = pytest.importorskip("yaml")
    front, _, text = (export / "README.md").read_text("utf-8")[4:].partition("\n---\n")
    card = yaml.safe_load(front)
    assert card["license"] is None
    assert [config["config_name"] for config in card["configs"]] == [
        "pages", "nodes", "blocks", "texts",
    ]  # fmt: skip
    assert "5 done, 2 failed" in text
    assert "nce, during the run" in text
    assert '"viewport": [1280, 1024], "device": null, "javascript": true, "locale": "pt-BR"' in text
    assert "hush" not in text


@pytest.fixture
def labelled_folder(folder, pages):
    """The collection with labels: two people on the second page, one on the third."""
    keys = itertools.count()
    with LabelStore(folder, create=True) as store:
        files = [page.file.relative_to(folder).as_posix() for page in Collection(folder).pages()]
        store.add_pages((name, "", True) for name in files)
        for number, labeller in ((2, "Ada"), (2, "Ben"), (3, "Ada")):
            sheet = label_sheet(pages[number - 1])
            place = store.visit(number, labeller, sheet, blind=False)
            for field, value in (("role", "note"), ("note", "odd \ud83d one"), ("done", "1")):
                store.act(Action(f"{next(keys):08}", place, labeller, field, value))
    return folder


def test_labels_are_exported_with_their_labellers_and_times(labelled_folder, pages, tmp_path):
    out = tmp_path / "out"
    result = Collection(labelled_folder).export(out)
    blocks = [label_sheet(page).blocks for page in pages]
    rows = read_table(out, "labels").to_pylist()
    assert result.tables["labels"].rows == len(rows) == 2 * len(blocks[1]) + len(blocks[2])
    by_person = [(row["page"], row["labeller"]) for row in rows if row["block"] == 0]
    assert by_person == [(2, "Ada"), (2, "Ben"), (3, "Ada")]
    first, second = rows[:2]
    assert (first["role"], first["by_hand"], second["by_hand"]) == ("note", True, False)
    assert second["role"] == second["suggested"] == blocks[1][1].role
    assert second["text"] == blocks[1][1].text
    assert second["node"] == blocks[1][1].node
    now = datetime.now(UTC)
    for moment in (first["time"], second["finished"]):
        assert now - timedelta(minutes=5) < datetime.fromisoformat(moment) <= now
    assert second["time"] is None
    assert first["content"] == pages[1].page.content_hash


def test_a_collection_without_labels_has_no_labels_table(folder, tmp_path):
    assert "labels" not in Collection(folder).export(tmp_path / "out").tables
    with pytest.raises(miolo.EmptyInputError, match="no labels"):
        Collection(folder).export(tmp_path / "out", ("labels",))
