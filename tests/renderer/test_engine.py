"""The lifetime of browsers: crashes, renewal, concurrency and cleanup."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import miolo
import psutil
import pytest
from miolo.renderer.browser import engine
from miolo.renderer.renderer import run
from miolo.workers.system import is_root
from newsroom import ROUTES
from patience import patient, remaining_processes, until_async

SCRIPT = """
import asyncio, os, sys, miolo
async def main():
    async with miolo.Renderer() as renderer:
        await renderer.render("data:text/html,<p>ready</p>")
        print("ready", flush=True)
        {end}
asyncio.run(main())
"""


NAMED = miolo.RenderOptions(egress=miolo.EgressPolicy("named"))


def family() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def has_run(process: psutil.Process) -> bool:
    return sum(process.cpu_times()[:2]) > 0.05


def kill_pages(engine) -> None:
    """Kill the processes that render pages."""
    for process in engine.process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it has just ended
            if "--type=renderer" in " ".join(process.cmdline()):
                process.kill()


def engine_of(stage):
    return stage.run(stage.renderer._ready_engine())


STATE = {
    "cookies": [],
    "origins": [{"origin": "http://a.example", "localStorage": [{"name": "a", "value": "1"}]}],
}


@pytest.mark.parametrize("state", [None, STATE], ids=["plain", "restored"])
async def test_a_browser_that_no_longer_answers_is_replaced(state):
    options = miolo.RenderOptions(storage_state=state, limits=miolo.Limits(seconds=patient(3)))
    async with miolo.Renderer(NAMED) as renderer:
        await renderer.render_html("<p>one</p>")
        stopped = [old.process for old in renderer._engines]
        for process in stopped:
            process.suspend()
        work = renderer.render_html("<p>two</p>", options=options)
        assert "two" in (await asyncio.wait_for(work, patient(30))).text
        assert not any(process.is_running() for process in stopped)


async def test_a_page_may_be_cancelled_while_its_browser_does_not_answer():
    async with miolo.Renderer(NAMED) as renderer:
        await renderer.render_html("<p>one</p>")
        (old,) = renderer._engines
        old.process.suspend()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(renderer.render_html("<p>x</p>"), 1)
        assert not old.process.is_running()


def test_only_root_has_no_sandbox(stage):
    command = engine_of(stage).process.cmdline()
    assert ("--no-sandbox" in command) == is_root()


def test_a_browser_that_was_killed_is_started_again(stage):
    engine_of(stage).process.kill()
    assert "two" in stage.html("<p>two</p>").text


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_browser_whose_driver_was_killed_is_replaced(stage, site):
    before = set(family())

    def kill_driver():
        for process in set(family()) - before:
            if any("playwright/driver" in part for part in process.cmdline()[:1]):
                process.kill()

    async def scenario():
        async with miolo.Renderer(NAMED) as renderer:
            first = await renderer._ready_engine()
            kill_driver()
            idle = await renderer.render_html("<p>two</p>")
            asked = len(site.requests)
            waiting = asyncio.create_task(renderer.render(stage.url("slow-headers")))
            await until_async(lambda: len(site.requests) > asked)
            kill_driver()
            return idle.text, len(await waiting), first.process.is_running()

    text, nodes, remains = asyncio.run(scenario())
    # Playwright leaves the pipes of a killed driver open, which would be reported in a later test.
    gc.collect()
    assert "two" in text
    assert nodes > 100
    assert not remains
    assert set(family()) <= before


@pytest.mark.parametrize("is_used", [True, False])
async def test_a_browser_that_was_started_before_is_used_and_closed(is_used):
    start = asyncio.create_task(engine.Engine.start(sealed=True))
    renderer = miolo.Renderer(first=(start, True))
    if is_used:
        await renderer.render_html("<p>x</p>")
        assert list(renderer._engines) == [start.result()]
    await renderer.close()
    assert not start.result().process.is_running()


async def test_the_browser_is_renewed():
    seen = set()
    async with miolo.Renderer(NAMED, max_pages=2) as renderer:
        for _ in range(5):
            await renderer.render_html("<p>x</p>")
            seen.add((await renderer._ready_engine()).process.pid)
    assert len(seen) == 3


def test_contexts_are_closed_after_errors_and_cancellation(stage):
    async def scenario():
        for url in ("not-found", "pdf"):
            with pytest.raises(miolo.MioloError):
                await stage.renderer.render(stage.url(url))
        asked = len(stage.site.requests)
        hanging = asyncio.create_task(stage.renderer.render(stage.url("hangs")))
        await until_async(lambda: len(stage.site.requests) > asked)
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        return (await stage.renderer._ready_engine()).contexts

    assert not stage.run(scenario())


async def test_a_retired_browser_ends_after_a_page_of_it_has_crashed(stage, site):
    async with miolo.Renderer(NAMED, max_pages=1) as renderer:
        asked = len(site.requests)
        waiting = asyncio.create_task(renderer.render(stage.url("hangs")))
        await until_async(lambda: len(site.requests) > asked)
        (old,) = renderer._engines
        assert old.process
        await renderer.render_html("<p>x</p>")
        asked = len(site.requests)
        kill_pages(old)
        await until_async(lambda: len(site.requests) > asked)  # it is tried again
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        assert old not in renderer._engines
        assert not old.process.is_running()


def test_a_page_that_asks_for_sound_leaves_nothing_in_the_users_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    play = """<p>Silence<script>const audio = new AudioContext(), tone = audio.createOscillator();
    tone.connect(audio.destination); tone.start()</script>"""
    assert "Silence" in miolo.render_html(play, url="https://site.example/").text
    assert not (tmp_path / ".config" / "pulse").exists()


@pytest.mark.parametrize(
    ("end", "send"),
    [
        ("raise RuntimeError('on purpose')", None),
        ("await asyncio.sleep(60)", signal.SIGTERM),
        ("await asyncio.sleep(60)", signal.SIGINT),
    ],
)
@pytest.mark.usefixtures("handles_ctrl_c")
def test_no_process_outlives_its_owner(end, send):
    owner = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(end=end)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert owner.stdout
    assert owner.stdout.readline() == b"ready\n"
    try:
        children = psutil.Process(owner.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        children = []
    if send:
        os.kill(owner.pid, send)
    owner.wait(patient(30))
    owner.stdout.close()
    assert not [each for each in remaining_processes(children) if alive(each)]


def alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def test_nothing_is_left_of_a_browser_whose_start_is_cancelled():
    before = set(family())
    starting = asyncio.create_task(miolo.Renderer().__aenter__())
    # The driver runs, but has not answered yet.
    await until_async(lambda: any(map(has_run, set(family()) - before)))
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    # The end of the loop would end the driver, too.
    assert not await asyncio.to_thread(remaining_processes, set(family()) - before)


@pytest.mark.parametrize("moment", ["start", "visit"])
async def test_closing_ends_pages_that_are_being_rendered(site, moment):
    before, starts = set(family()), []
    renderer = miolo.Renderer(NAMED, on_start=lambda: starts.append(moment))
    url, asked = site.url(ROUTES["hangs"]), len(site.requests)
    pages = [asyncio.create_task(renderer.render(url)) for _ in range(2)]
    while not starts or (moment == "visit" and len(site.requests) < asked + len(pages)):
        await asyncio.sleep(0)
    await renderer.close()
    for page in pages:
        with pytest.raises(miolo.RenderError, match="renderer was closed"):
            await page
    assert not set(family()) - before
    async with renderer:
        assert "again" in (await renderer.render_html("<p>again</p>")).text
    assert starts == [moment] * 2


def test_no_code_of_the_current_folder_runs(tmp_path, monkeypatch):
    (tmp_path / "psutil.py").write_text("open('run', 'w')")
    monkeypatch.chdir(tmp_path)
    miolo.render_html("<p>x</p>")
    assert not (tmp_path / "run").exists()


async def test_synchronous_calls_work_within_a_running_loop():
    assert "in a notebook" in miolo.render_html("<p>in a notebook</p>").text


@pytest.mark.usefixtures("handles_ctrl_c")
def test_an_interrupt_within_a_running_loop_closes_the_browser(site):
    before = set(family())

    async def page():
        async with miolo.Renderer(NAMED) as renderer:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            await renderer.render(site.url(ROUTES["hangs"]))

    async def notebook():
        run(page())

    # `asyncio.run` would handle the first interrupt itself.
    loop = asyncio.new_event_loop()
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(notebook())
    loop.close()
    assert not set(family()) - before


def test_the_error_about_a_missing_browser_names_its_variable(monkeypatch):
    monkeypatch.setenv("MIOLO_CHROMIUM", "/nowhere/chromium")
    with pytest.raises(miolo.BrowserNotFoundError, match="MIOLO_CHROMIUM"):
        miolo.render_html("<p>x")
