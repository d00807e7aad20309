"""The state of a collection, ways to damage it, and everything that reads it."""

import random
import sqlite3
from pathlib import Path

import miolo
from miolo.collect.batch.files import ARCHIVE, RESULTS
from miolo.collect.batch.job_store import JobStore
from miolo.collect.batch.jobs import Address
from miolo.collect.batch.state_file import FILE
from miolo.collect.collections.collection import Collection

__all__ = ["COLUMNS", "ODD", "damaged_bytes", "save_state", "set_value", "use_state"]

ODD = (None, -1, 2**62, 1.5, float("inf"), "", "\x1b[2J", "queued", b"\xff\xfe", "nan")
COLUMNS = ("id", "url", "host", "depth", "turn", "state", "tries", "due", "passing", "kind",
           "error", "http_status", "seconds", "place", "digest", "again")  # fmt: skip


def save_state(folder: Path) -> None:
    """Make a collection of pages that are queued, running or failed."""
    store = JobStore(folder, (RESULTS, ARCHIVE))
    store.add(Address(f"http://a.test/{number}") for number in range(40))
    for number in range(9):
        job = store.take("http://a.test", 0.0)
        if number > 6:
            store.finish(job, 0.5, b'{"id": %d}\n' % job.id)
            continue
        store.fail(job, miolo.NavigationError("no answer", url=job.url), 0.5, passing=False)
    store.commit()
    store.close()


def use_state(folder: Path) -> None:
    """Call everything that reads a state."""
    collection = Collection(folder)
    collection.counts()
    list(collection.pages(None))
    list(collection.numbered_rows())
    store = JobStore(folder, (RESULTS, ARCHIVE))
    try:
        store.counts()
        store.row_places()
        store.updatable_pages()
        store.rereads()
        list(store.addresses())
        store.waiting()
        store.retry_failed()
        job = store.take("http://a.test", 0.0)
        if not isinstance(job, (float, type(None))):
            store.same_page(job, "http://a.test/other")
        store.commit()
    finally:
        store.close()


def damaged_bytes(whole: bytes, rng: random.Random) -> bytes:
    """A file with some bytes changed, or its end cut off."""
    data = bytearray(whole)
    for _ in range(rng.choice((1, 4, 60))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.choice((len(data), len(data), rng.randrange(len(data))))])


def set_value(folder: Path, column: str, value: object) -> bool:
    """Set a column of some pages to a value; returns whether the database accepts it."""
    # Values of these columns are unique, so that only one row can be changed.
    few = "= 12" if column in ("id", "url") else "> 5"
    db = sqlite3.connect(folder / FILE)
    try:
        with db:
            db.execute("PRAGMA ignore_check_constraints = ON")
            db.execute(f"UPDATE pages SET {column} = ? WHERE id {few}", (value,))
    except sqlite3.Error:
        return False
    finally:
        db.close()
    return True
