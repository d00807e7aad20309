"""The label queue without a browser: what its requests do to those of others."""

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from types import SimpleNamespace
from typing import Any, cast

import miolo
import pytest
from miolo.collect.labels.sheet import label_sheet
from miolo.collect.labels.store import FILE, MAX_LABELLERS, Action, LabelStore
from miolo.serve import labelling
from miolo.serve.labelling import LabelAction, LabelActions, LabelQueue
from patience import patient
from starlette.exceptions import HTTPException

SHEET = label_sheet(miolo.Snapshot.from_html("<p>The tide comes in.</p><p>It goes.</p>"))


def note(labeller):
    action = LabelAction(key=f"note-of-{labeller}", page=1, field="note", value="a note")
    return LabelActions(labeller=labeller, actions=[action])


@contextmanager
def queue_of(folder, labellers):
    """A queue of one page that all labellers have opened and finished."""
    with LabelStore(folder, create=True) as store, ThreadPoolExecutor(1) as thread:
        store.add_pages([("a.miolo", "https://tides.example/a", True)])
        for name in labellers:
            store.visit(1, name, SHEET, blind=False)
            store.act(Action(f"done-by-{name}", 1, name, "done", "1"))
        collection = cast("Any", SimpleNamespace(path=folder))
        yield LabelQueue(collection, store, cast("Any", None), thread)


async def test_a_lock_on_the_labels_stops_nobody_else(tmp_path):
    with (
        queue_of(tmp_path, ["Ada"]) as queue,
        closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        saving = asyncio.create_task(queue.act(note("Ada")))
        # These are answered while the lock is held.
        assert await queue.agreement() == []
        assert not saving.done()
        other.rollback()
        assert (await saving)["progress"]["done"] == 1


async def test_labellers_are_compared_beside_the_loop(tmp_path, monkeypatch):
    compare, saved = labelling._compare_labellers, threading.Event()

    def compare_later(folder):
        assert saved.wait(patient(2))
        return compare(folder)

    monkeypatch.setattr(labelling, "_compare_labellers", compare_later)

    names = ["Ada", "Ben", *(f"labeller {n}" for n in range(MAX_LABELLERS - 2))]
    with queue_of(tmp_path, names) as queue:
        comparing = [asyncio.create_task(queue.agreement()) for _ in range(3)]
        await asyncio.sleep(0)
        # This is answered while the labellers are compared.
        await queue.act(note("Ben"))
        saved.set()
        pairs, *others = [await task for task in comparing]
        # Requests at the same time are answered by one comparison.
        assert all(other is pairs for other in others)
        assert len(pairs) == MAX_LABELLERS * (MAX_LABELLERS - 1) // 2
        with pytest.raises(HTTPException, match="use one of their names"):
            await queue.next_page("one more")
