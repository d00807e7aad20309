"""Each hostile page gives a snapshot or a typed error in time, and the renderer still works."""

import asyncio
import contextlib
import signal

import miolo
import psutil
import pytest
from hostile_set import HOSTILE, MARK
from hostile_set.trial import run_trial
from patience import until_async
from samples import sample

# One page of each kind. All of them take ten minutes, and are run by `benchmarks/attacks.py`.
HERE = (
    "silent", "drip-headers", "drip-body", "redirects", "bomb-gzip", "length-too-short",
    "headers-huge", "no-http", "xml-bomb", "type-image-svg+xml", "encoding-utf16-torn",
    "encoding-utf7", "script-in-head", "script-microtasks", "script-regexp", "memory-buffers",
    "storage-flood", "dialog-alert", "print-loop", "permissions", "fullscreen-and-pointer",
    "service-worker", "window-storm", "download-storm", "external-schemes", "leave-early",
    "leave-push-state", "leave-refresh-thin", "wipe", "base-tricks", "console-flood",
    "fetch-stream", "beacon-storm", "infinite-scroll", "levels-ten-thousand", "attribute-huge",
    "title-huge", "boxes-odd", "picture-bomb", "frames-recursive", "shadow-nested",
    "markup-plaintext",
)  # fmt: skip


@pytest.mark.parametrize("name", sample(HERE, 3))
def test_a_hostile_page_ends_as_documented(stage, hostile_origin, name):
    trial = stage.run(run_trial(stage.renderer, HOSTILE[name], hostile_origin))
    assert not trial.faults, trial


def pages_of(engine) -> list[psutil.Process]:
    processes = []
    for process in engine.process.children(recursive=True):
        with contextlib.suppress(psutil.Error):  # the process has just ended
            if "type=renderer" in str(process.cmdline()):
                processes.append(process)
    return processes


@pytest.mark.parametrize("how", ["protocol", "killed"])
def test_a_page_whose_process_dies_is_retried_and_affects_no_other_page(stage, hostile_origin, how):
    async def dying() -> miolo.Snapshot:
        renderer = stage.renderer
        await renderer.close()  # earlier tests may have started browsers with another filter
        await renderer.render(f"{hostile_origin}/ordinary")
        (engine,) = renderer._engines
        before = {process.pid for process in pages_of(engine)}
        limits = miolo.Limits(seconds=10)
        page = asyncio.ensure_future(
            renderer.render(
                f"{hostile_origin}/drip-body",
                miolo.RenderOptions(egress=miolo.EgressPolicy("named"), limits=limits),
            )
        )
        born = await until_async(lambda: [p for p in pages_of(engine) if p.pid not in before])
        await until_async(lambda: engine.wire._sessions)
        if how == "killed":
            born[0].send_signal(signal.SIGKILL)
        else:
            next(iter(engine.wire._sessions.values())).post("Page.crash")
        return await page

    # The page is tried a second time, and the process of that attempt is not killed.
    snapshot = stage.run(dying())
    assert MARK in " ".join(snapshot.text)
    assert MARK in " ".join(stage.run(stage.renderer.render(f"{hostile_origin}/ordinary")).text)


def test_pages_that_are_rendered_alongside_hostile_ones_are_complete(stage, hostile_origin):
    names = ("script-microtasks", "leave-hash", "window-storm", "memory-arrays")

    async def both():
        limits = miolo.Limits(seconds=6)
        options = miolo.RenderOptions(egress=miolo.EgressPolicy("named"), limits=limits)
        hostile = [stage.renderer.render(f"{hostile_origin}/{name}", options) for name in names]
        ordinary = [stage.renderer.render(f"{hostile_origin}/ordinary?{i}") for i in range(4)]
        return await asyncio.gather(*ordinary, *hostile, return_exceptions=True)

    outcomes = stage.run(both())
    for place, page in enumerate(outcomes[:4]):
        assert isinstance(page, miolo.Snapshot)
        assert page.page.url.endswith(f"ordinary?{place}")
        assert MARK in " ".join(page.text)
    assert all(isinstance(outcome, miolo.Snapshot | miolo.RenderError) for outcome in outcomes[4:])


def test_processes_that_render_pages_have_a_memory_limit(stage, hostile_origin):
    stage.run(stage.renderer.close())
    stage.run(stage.renderer.render(f"{hostile_origin}/ordinary"))
    (engine,) = stage.renderer._engines
    zygotes = [p for p in engine.process.children() if "--type=zygote" in str(p.cmdline())]
    assert zygotes
    assert all(0 < p.rlimit(psutil.RLIMIT_DATA)[0] < 1 << 33 for p in zygotes)
