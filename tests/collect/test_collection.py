"""Collections that a run is writing, damaged collections, and their use in other commands."""

import json
import re
import shutil
import sqlite3
from contextlib import closing

import miolo
import pytest
from collection_files import (
    ARCHIVE,
    RESULTS,
    collection_to_change,  # noqa: F401
    paper_pages,  # noqa: F401
    read_table,
    result_line,
    whole_collection,  # noqa: F401
)
from miolo.collect.batch.batch_options import BatchOptions
from miolo.collect.batch.job_store import JobStore
from miolo.collect.batch.jobs import Address
from miolo.collect.collections.collection import Collection
from miolo.renderer.network.origins import learned_name

parquet = pytest.importorskip("pyarrow.parquet")


def test_pages_are_listed_by_number_and_state(papers, pages):
    collection = Collection(papers)
    assert len(collection) == 5
    assert [page.id for page in collection.pages()] == [1, 2, 3, 4, 5]
    assert [page.url for page in collection.pages()] == [page.page.url for page in pages]
    assert [page.state for page in collection.pages(None)] == ["done"] * 5 + ["failed"] * 2 + [
        "queued"
    ]
    failures = [(page.kind, page.error, page.http_status) for page in collection.failures()]
    assert failures == [
        ("NavigationError", "404 Not Found", 404),
        ("PageTimeoutError", "30 s passed", None),
    ]
    counts = collection.counts()
    assert (counts.done, counts.failed, counts.queued, counts.total) == (5, 2, 1, 8)
    assert collection.sites() == {learned_name(pages[0].page.url): 5}
    assert [host.pages for host in collection.hosts()] == [5, 2, 1]
    assert (collection.seconds(0.5), collection.seconds(0.9)) == (0.75, 30.0)


def test_a_collection_can_be_read_while_a_run_writes(folder, pages):
    """Only committed pages are visible, and they appear without reopening the collection."""
    collection = Collection(folder)
    job_store = JobStore(folder, (RESULTS, ARCHIVE))
    try:
        job = job_store.take("https://third.example", 1e18)
        job_store.finish(job, 1.0, result_line(job.id, pages[0], job.url, BatchOptions()))
        job_store.journals[RESULTS].append(b'{"id": 9, "half a ro')
        job_store.journals[RESULTS].sync()
        assert len(collection) == len(list(collection.rows())) == 5
        listed = collection.pages()
        assert next(listed).id == 1
        job_store.journals[RESULTS].append(b'w": 1}\n')
        job_store.commit()
        # Reading leaves no lock on the state file.
        with closing(sqlite3.connect(folder / "state.sqlite", timeout=0)) as db:
            assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
        assert len(collection) == len(list(collection.rows())) == 6
    finally:
        job_store.close()


def test_a_state_in_a_read_only_folder_is_readable(folder):
    """The log is a link into a missing folder, where not even root can create a file."""
    for left in folder.glob("state.sqlite-*"):
        left.unlink()
    log = folder / "state.sqlite-wal"
    log.symlink_to(folder / "nowhere" / "log")
    assert len(Collection(folder)) == 5
    # A log that cannot be opened is an error, because its pages would be missing.
    log.unlink()
    log.mkdir()
    with pytest.raises(miolo.ArchiveError, match="copy the folder"):
        Collection(folder)


def test_a_state_of_another_version_is_refused(folder):
    with closing(sqlite3.connect(folder / "state.sqlite")) as db:
        db.execute("PRAGMA user_version = 99")
    for opened in (Collection, lambda folder: JobStore(folder, ())):
        with pytest.raises(miolo.ArchiveError, match="version 99"):
            opened(folder)


def test_damaged_and_missing_snapshots(folder):
    first, second, *_ = Collection(folder).pages()
    first.file.write_bytes(b"no snapshot")
    second.file.unlink()
    with pytest.raises(miolo.ArchiveError):
        list(Collection(folder).snapshots())
    messages = []
    assert [page.id for page, _ in Collection(folder, log=messages.append).snapshots()] == [3, 4, 5]
    assert len(messages) == 2
    assert str(first.file) in messages[0]
    assert second.url in messages[1]
    shutil.rmtree(folder / "snapshots")
    with pytest.raises(miolo.EmptyInputError, match="no readable snapshot"):
        next(Collection(folder).snapshots())


def test_damaged_rows(folder):
    content = (folder / RESULTS).read_bytes()
    lines = content.split(b"\n")
    for bad in (b"x", b'"a string"', b'{"id": "5"}', b"[" * 100_000):
        damaged = b"\n".join([bad.ljust(len(lines[0]), b" ")[: len(lines[0])], *lines[1:]])
        (folder / RESULTS).write_bytes(damaged.ljust(len(content)))
        with pytest.raises(miolo.ArchiveError, match="byte 0"):
            list(Collection(folder).rows())
        messages = []
        rows = list(Collection(folder, log=messages.append).rows())
        assert [row["id"] for row in rows] == [4, 3, 2, 1]
        assert len(messages) == 1
    (folder / RESULTS).write_bytes(content[:-40])
    with pytest.raises(miolo.ArchiveError, match="shorter"):
        list(Collection(folder, log=print).rows())
    (folder / RESULTS).unlink()
    with pytest.raises(miolo.ArchiveError, match=RESULTS):
        list(Collection(folder).rows())


def test_a_plain_folder_of_snapshots(pages, tmp_path):
    for number, page in enumerate(pages):
        (tmp_path / str(number % 2)).mkdir(exist_ok=True)
        page.save(tmp_path / str(number % 2) / f"{number}.miolo")
    collection = Collection(tmp_path)
    assert len(collection) == 5
    files = [page.file.name for page in collection.pages()]
    assert files == ["0.miolo", "2.miolo", "4.miolo", "1.miolo", "3.miolo"]
    assert {page.url for page in collection.pages()} == {page.page.url for page in pages}
    assert collection.sites() == {learned_name(pages[0].page.url): 5}
    assert list(collection.rows()) == list(collection.failures()) == []
    out = tmp_path / "out"
    result = collection.export(out, method="nce")
    assert result.anew
    assert read_table(out, "pages").num_rows == read_table(out, "texts").num_rows == 5
    with pytest.raises(miolo.EmptyInputError):
        collection.export_results()


def test_a_missing_collection_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Collection(tmp_path / "nowhere")
    empty = Collection(tmp_path)
    assert len(empty) == 0
    assert list(empty.pages(None)) == []
    for work in (lambda: next(empty.snapshots()), lambda: empty.export(tmp_path / "out")):
        with pytest.raises(miolo.EmptyInputError):
            work()


def test_status_and_export_of_the_command_line(papers, tmp_path, run):
    status = json.loads(run("status", str(papers), "-f", "json").stdout)
    assert status["states"] == {"queued": 1, "running": 0, "done": 5, "failed": 2, "duplicate": 0}
    assert status["failures"] == {"NavigationError": 1, "PageTimeoutError": 1}
    assert status["hosts"] == 3
    assert status["bytes"]["results.jsonl"] == (papers / RESULTS).stat().st_size
    assert status["bytes"]["snapshots"] > 1000
    assert status["pages_per_second"] is None
    assert (status["is_active"], status["is_interrupted"]) == (False, True)
    shown = run("status", str(papers), "--watch", "0.01").stdout.decode()
    assert "1 failed with PageTimeoutError" in shown
    assert "0.00 pages per second" in shown
    assert " s median visit\n" in shown
    assert " s 90th percentile\n" in shown
    assert shown.endswith("interrupted: run the same command again to continue\n")
    done = run("export", str(papers), "-o", str(tmp_path), "--tables", "texts")
    assert re.search(rb"texts: 5 rows, [\d,]+ bytes, 1 file\n", done.stderr)
    assert read_table(tmp_path, "texts").num_rows == 5


def test_status_lists_each_failure_with_the_page_that_links_to_it(tmp_path, run):
    store = JobStore(tmp_path, ())
    store.add([Address("https://example.org/")])
    store.add([Address("https://example.org/gone", 1, 0, linked_from=1)])
    store._do("UPDATE pages SET state = 'failed', kind = 'NavigationError', error = 'is gone'")
    store.commit()
    store.close()
    lines = run("status", str(tmp_path), "--failed", "-f", "json").stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["url"], row["linked_from"]) for row in rows] == [
        ("https://example.org/", None),
        ("https://example.org/gone", "https://example.org/"),
    ]
    last = run("status", str(tmp_path), "--failed").stdout.decode().splitlines()[-1]
    assert last.startswith("https://example.org/gone\tNavigationError after 0 visits: is gone")
    assert last.endswith("linked from https://example.org/")
