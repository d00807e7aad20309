"""`Pool`: slots, deadlines, cancellation and deaths, with workers that have no browser."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import psutil
import pytest
from miolo.collect.distributed.page_reader import Address as Job
from miolo.errors import BrowserCrashedError, MioloError, PageTimeoutError, TooLargeError
from miolo.workers.pool import BACKLOG, HOPELESS, Pool, PoolOptions
from patience import patient, until_async

PROGRAM = """
import asyncio, os, pathlib, signal, sys, time
from miolo.collect.distributed.page_reader import Address as Job
from miolo.errors import MioloError, StorageError
from miolo.workers.child import run_worker
from miolo.workers.messages import Answer, Fatal, Ready, SlotReleased, Stop, Task

async def work(setup, inbox, send):
    if setup == "exit":
        sys.exit(1)
    if setup == "fatal":
        raise StorageError("no disk")
    send(Ready())
    print("a line", file=sys.stderr, flush=True)
    tasks = {}
    async for message in inbox:
        if isinstance(message, Stop):
            tasks.pop(message.id).cancel()
            if setup != "deaf":
                send(Answer(message.id))
        else:
            tasks[message.id] = asyncio.ensure_future(answer(message, send))
            await asyncio.sleep(0)

async def answer(task, send):
    word, _, path = task.job.url.partition(" ")
    kept = [bytearray(300 << 20)] if word == "memory" else []
    if word == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif word == "block":
        time.sleep(600)
    elif word in ("wait", "release", "memory"):
        if word == "release":
            send(SlotReleased(task.id))
        while not pathlib.Path(path).exists():
            await asyncio.sleep(0.02)
    elif word == "fail":
        send(Answer(task.id, error=MioloError("no")))
        return
    send(Answer(task.id, os.getpid()))

if __name__ == "__main__":
    run_worker(work)
"""


@pytest.fixture
def build_pool(tmp_path: Path, monkeypatch) -> Callable[..., AbstractAsyncContextManager[Pool]]:
    (tmp_path / "obedient_worker.py").write_text(PROGRAM)
    path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
    monkeypatch.setenv("PYTHONPATH", path)

    @asynccontextmanager
    async def build(setup: str = "", *, workers: int = 1, note=lambda line: None, **limits):
        options = PoolOptions(workers, **limits)
        async with (
            asyncio.timeout(patient(60)),
            Pool("obedient_worker", setup, options, note=note) as pool,
        ):
            yield pool
        below = psutil.Process().children()
        assert not [each for each in below if "obedient_worker" in each.cmdline()]

    return build


def start(pool: Pool, *urls: str) -> list[asyncio.Task[int]]:
    return [asyncio.create_task(pool.run(Job(url))) for url in urls]


async def test_jobs_are_answered_and_lines_passed_on(build_pool) -> None:
    lines: list[str] = []
    async with build_pool(workers=2, note=lines.append) as pool:
        await until_async(lambda: pool.ready == 2)
        assert len(set(await asyncio.gather(*start(pool, *6 * ["answer"])))) == 2
        with pytest.raises(MioloError, match="no"):
            await pool.run(Job("fail"))
        assert (pool.busy, pool.queue_length) == (0, 0)
    assert set(lines) == {"a line"}


@pytest.mark.parametrize("pages", [1, 2])
async def test_a_released_slot_is_free_up_to_a_limit(
    build_pool, tmp_path: Path, pages: int
) -> None:
    end = tmp_path / "end"

    async with build_pool(pages=pages) as pool:
        await until_async(lambda: pool.free == pages)
        running = start(pool, *pages * [f"wait {end}"])
        await until_async(lambda: pool.busy == pages)
        assert pool.free == 0
        waiting = start(pool, f"wait {end}")
        await until_async(lambda: pool.queue_length == 1)
        end.touch()
        await asyncio.gather(*running, *waiting)
        end.unlink()
        released = []
        for number in range(BACKLOG * pages):
            released += start(pool, f"release {end}")
            await until_async(lambda number=number: pool.busy == number + 1)
        changed = asyncio.Event()
        pool.on_change = changed.set
        while pool.free:
            await changed.wait()
            changed.clear()
        end.touch()
        await asyncio.gather(*released)
        assert pool.free == pages


async def test_pages_of_a_dead_worker_are_retried_alone(build_pool, tmp_path: Path) -> None:
    end = tmp_path / "end"
    async with build_pool(pages=4) as pool:
        others = start(pool, f"wait {end}", f"wait {end}")
        await until_async(lambda: pool.busy == 2)
        deadly = start(pool, "kill")
        # The three pages wait for a worker of their own, one after the other.
        await until_async(lambda: pool.busy == 1 and pool.queue_length == 2)
        end.touch()
        assert all(isinstance(each, int) for each in await asyncio.gather(*others))
        with pytest.raises(BrowserCrashedError):
            await deadly[0]


async def test_a_page_that_blocks_its_worker_fails(build_pool) -> None:
    async with build_pool(seconds=0.5, grace=0.5) as pool:
        with pytest.raises(PageTimeoutError, match="blocked its worker"):
            await pool.run(Job("block"))
        assert await pool.run(Job("answer"))


async def test_a_page_that_takes_too_much_memory_fails(build_pool, tmp_path: Path) -> None:
    async with build_pool(max_memory=250 << 20) as pool:
        with pytest.raises(TooLargeError, match="memory limit"):
            await pool.run(Job(f"memory {tmp_path / 'never'}"))
        assert await pool.run(Job("answer"))


@pytest.mark.parametrize("setup", ["", "deaf"])
async def test_a_job_beyond_its_deadline_frees_the_worker(
    build_pool, tmp_path: Path, setup
) -> None:
    async with build_pool(setup, grace=1.0 if setup else 600.0) as pool:
        first = await pool.run(Job("answer"))
        running, waiting = start(pool, *2 * [f"wait {tmp_path / 'never'}"])
        await until_async(lambda: pool.queue_length == 1)
        with pytest.raises(PageTimeoutError, match="deadline"):
            await pool.run(Job("answer"), time.monotonic() + 0.1)
        assert (pool.busy, pool.queue_length) == (1, 1)
        waiting.cancel()
        running.cancel()
        # A worker that does not react is replaced.
        assert (await pool.run(Job("answer")) == first) is (setup == "")


async def test_a_worker_is_replaced_after_its_lifetime(build_pool) -> None:
    async with build_pool(lifetime=3) as pool:
        assert len({await pool.run(Job("answer")) for _ in range(7)}) == 3


@pytest.mark.parametrize(
    ("setup", "error", "message"),
    [("exit", BrowserCrashedError, "as soon as they are started"), ("fatal", MioloError, "disk")],
)
async def test_no_job_waits_for_workers_that_cannot_work(
    build_pool, monkeypatch, setup, error, message
) -> None:
    monkeypatch.setattr("miolo.workers.pool.PATIENCE_SECONDS", 0.0)

    async with build_pool(setup, workers=2) as pool:
        running = start(pool, "answer", "answer")
        assert isinstance(await pool.until_failure(), error)
        for failed in (*running, pool.run(Job("answer"))):
            with pytest.raises(error, match=message):
                await failed


@pytest.mark.parametrize("lasting", [True, False])
async def test_idle_workers_are_replaced_by_a_lasting_pool(build_pool, lasting) -> None:
    async with build_pool(lasting=lasting) as pool:
        for _ in range(HOPELESS + 1):
            await until_async(lambda: pool.ready or pool.failure)
            for worker in psutil.Process().children():
                if "obedient_worker" in worker.cmdline():
                    os.kill(worker.pid, signal.SIGKILL)
            await until_async(lambda: not pool.ready)
        assert bool(pool.failure) is not lasting
        if lasting:
            assert await pool.run(Job("answer"))
