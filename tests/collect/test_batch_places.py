"""Slots of a batch: a page holds one while it is rendered, not while it is extracted."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import miolo
from miolo.collect.batch.batch_options import BatchOptions
from miolo.collect.batch.batch_worker import Worker
from miolo.collect.batch.runner import Pool
from miolo.collect.batch.visit_messages import Answer, Setup, Visit
from miolo.extract.options import ExtractOptions
from miolo.extract.pipeline import extract_with
from miolo.renderer.renderer import Renderer
from miolo.workers.messages import Ready, SlotReleased
from miolo.workers.pool import BACKLOG, WorkerProcess

PAGES = 2
SETUP = Setup(Path("unused"), BatchOptions(extract=ExtractOptions("nce"), browsers=1, pages=PAGES))


class DeafWorker:
    """A process that never answers."""

    def __init__(self) -> None:
        self.stdin = SimpleNamespace(write=lambda data: None)


def test_a_page_being_extracted_frees_its_slot_up_to_a_limit() -> None:
    async def free() -> list[int]:
        pool = Pool(SETUP)
        member: WorkerProcess[Any] = WorkerProcess(cast(Any, DeafWorker()), Path("unused"))
        pool._workers.append(member)
        pool._handle_message(member, Ready())
        free_counts = [pool.free]
        for number in range(BACKLOG * PAGES):
            if pool.free == 0:
                pool._handle_message(member, SlotReleased(number - PAGES))
                # A call that waits for an outcome returns None when a slot is released.
                assert await pool.outcome(60) is None
            pool.begin(Visit(number, "about:blank"))
            free_counts.append(pool.free)
        for number in range(BACKLOG * PAGES):
            pool._handle_message(member, SlotReleased(number))
        free_counts.append(pool.free)
        pool._handle_message(member, Answer(0))
        free_counts.append(pool.free)
        for timer in member.timers.values():
            timer.cancel()
        return free_counts

    assert asyncio.run(free()) == [2, 1, 0, 0, 0, 0, 1]


def test_an_answer_does_not_wait_for_the_extraction_of_other_pages(monkeypatch) -> None:
    second = threading.Event()

    class Browser:
        async def render(
            self, url: str, options: object, *, lacks_article: object = None
        ) -> miolo.Snapshot:
            return miolo.Snapshot.from_html("<p>Text</p>", url=url)

    def extract(page: miolo.Snapshot, options: ExtractOptions, **more: object) -> miolo.Extraction:
        if page.page.url == "about:two":
            second.wait(60)
        return extract_with(page, options)

    async def answers() -> list[object]:
        messages: list[object] = []
        answered = asyncio.Event()

        def send(message: object) -> None:
            messages.append(message)
            if isinstance(message, Answer):
                answered.set()

        with ThreadPoolExecutor(1) as reading:
            worker = Worker(SETUP, cast(Renderer, Browser()), reading, send)

            async def visit(number: int, url: str) -> None:
                send(await worker.answer(Visit(number, url)))

            tasks = [
                asyncio.create_task(visit(*page)) for page in ((1, "about:one"), (2, "about:two"))
            ]
            async with asyncio.timeout(30):
                await answered.wait()
            seen = list(messages)
            second.set()
            await asyncio.gather(*tasks)
        return seen

    monkeypatch.setattr("miolo.extract.job_run.extract_with", extract)
    first, other, answer = asyncio.run(answers())
    assert {first, other} == {SlotReleased(1), SlotReleased(2)}
    assert isinstance(answer, Answer)
    assert (answer.id, answer.error) == (1, None)
