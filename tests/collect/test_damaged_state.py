"""State files that something else has written to: a typed error or an answer, never a traceback."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import miolo
import pytest
from miolo.collect.batch.files import ARCHIVE, RESULTS
from miolo.collect.batch.job_store import JobStore
from miolo.collect.batch.pages import Address
from miolo.collect.batch.state_file import FILE
from miolo.collect.collections.collection import Collection

ODD = (None, -1, 2**62, 1.5, float("inf"), "", "\x1b[2J", "queued", b"\xff\xfe", "nan")
COLUMNS = ("id", "url", "host", "depth", "turn", "state", "tries", "due", "passing", "kind",
           "error", "http_status", "seconds")  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store = JobStore(tmp_path, (RESULTS, ARCHIVE))
    store.add(Address(f"http://a.test/{number}") for number in range(40))
    for _ in range(9):
        job = store.take("http://a.test", 0.0)
        store.failed(job, miolo.NavigationError("no answer", url=job.url), 0.5, passing=False)
    store.commit()
    store.close()
    return tmp_path


def use(folder: Path) -> None:
    """All that is done with a state."""
    collection = Collection(folder)
    collection.counts()
    list(collection.pages())
    store = JobStore(folder, (RESULTS, ARCHIVE))
    try:
        store.counts()
        list(store.addresses())
        store.waiting()
        store.retry_failed()
        job = store.take("http://a.test", 0.0)
        if not isinstance(job, (float, type(None))):
            store.same_page(job, "http://a.test/other")
        store.commit()
    finally:
        store.close()


def test_no_damaged_byte_breaks_a_collection(folder: Path, tmp_path_factory) -> None:
    whole = (folder / FILE).read_bytes()
    rng = random.Random(7)
    failed = 0
    for _ in range(300):
        damaged = tmp_path_factory.mktemp("damaged")
        data = bytearray(whole)
        for _ in range(rng.choice((1, 4, 60))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        end = rng.choice((len(data), len(data), rng.randrange(len(data))))
        (damaged / FILE).write_bytes(data[:end])
        try:
            use(damaged)
        except miolo.MioloError:
            failed += 1
    assert 30 < failed < 270


@pytest.mark.parametrize("column", COLUMNS)
def test_no_odd_value_breaks_a_collection(folder: Path, column: str) -> None:
    whole = (folder / FILE).read_bytes()
    for value in ODD:
        (folder / FILE).write_bytes(whole)
        with sqlite3.connect(folder / FILE) as db:
            db.execute("PRAGMA ignore_check_constraints = ON")
            try:
                # The numbers and the addresses are unique.
                few = "= 12" if column in ("id", "url") else "> 5"
                db.execute(f"UPDATE pages SET {column} = ? WHERE id {few}", (value,))
            except sqlite3.Error:
                continue
        db.close()
        try:
            use(folder)
        except miolo.MioloError:
            continue


@pytest.mark.parametrize("text", [b"", b"SQLite format 3\0", b"no database at all" * 100])
def test_a_foreign_file_is_named(folder: Path, text: bytes) -> None:
    (folder / FILE).write_bytes(text)
    with pytest.raises(miolo.MioloError):
        use(folder)


def test_the_state_of_a_later_version_is_named(folder: Path) -> None:
    with sqlite3.connect(folder / FILE) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(miolo.ArchiveError, match="version"):
        use(folder)
