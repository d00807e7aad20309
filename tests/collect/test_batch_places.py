"""Slots of a batch: a page holds one while it is rendered, not while it is extracted."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import miolo
from miolo.collect.batch.batch_options import BatchOptions
from miolo.collect.batch.results import visit_page
from miolo.collect.batch.visits import Setup, Visit
from miolo.collect.page_worker import JobContext
from miolo.extract.options import ExtractOptions
from miolo.extract.pipeline import extract_with
from miolo.renderer.renderer import Renderer
from patience import patient

SETUP = Setup(Path("unused"), BatchOptions(extract=ExtractOptions("nce")))


def test_an_answer_does_not_wait_for_the_extraction_of_other_pages(monkeypatch) -> None:
    second = threading.Event()

    class Browser:
        async def render(self, url: str, options: object, **_: object) -> miolo.Snapshot:
            return miolo.Snapshot.from_html("<p>Text</p>", url=url)

    def extract(page: miolo.Snapshot, options: ExtractOptions, **more: object) -> miolo.Extraction:
        if page.page.url == "about:two":
            second.wait(patient(60))
        return extract_with(page, options)

    async def answers() -> list[str]:
        events: list[str] = []
        answered = asyncio.Event()

        async def visit(number: int, url: str) -> None:
            context = JobContext(
                cast(Renderer, Browser()), reading, release=lambda: events.append(f"free {number}")
            )
            answer = await visit_page(SETUP, Visit(number, url), context)
            assert answer.error is None
            events.append(f"answer {number}")
            answered.set()

        with ThreadPoolExecutor(1) as reading:
            tasks = [
                asyncio.create_task(visit(*page)) for page in ((1, "about:one"), (2, "about:two"))
            ]
            async with asyncio.timeout(30):
                await answered.wait()
            seen = list(events)
            second.set()
            await asyncio.gather(*tasks)
        return seen

    monkeypatch.setattr("miolo.extract.job_run.extract_with", extract)
    first, other, answer = asyncio.run(answers())
    assert {first, other} == {"free 1", "free 2"}
    assert answer == "answer 1"
