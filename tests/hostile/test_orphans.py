"""After `kill -9` of a browser's owner no process is left, even if none of them responds."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
import psutil
import pytest
from patience import patient, remaining_processes, until
from services import Aside, held_pages, serving_miolo

SECONDS = 5.0

LOCAL = ("--allow", "127.0.0.1")
OPTIONS = {
    "extract": ("{url}", *LOCAL),
    "batch": ("{list}", "-o", "{out}", "--browsers", "1", "--browser", "always", *LOCAL),
    "crawl": ("{url}", "-o", "{out}", "--browsers", "1", *LOCAL),
}

ACTOR = """
import os, sys, ray
from miolo import EgressPolicy, RenderOptions
from miolo import ExtractOptions
from miolo.collect.distributed import PageExtractor, PageRecipe

@ray.remote
class Reader:
    def pid(self):
        return os.getpid()

    def read(self, url):
        local = RenderOptions(egress=EgressPolicy("never", allowed=("127.0.0.1",)))
        recipe = PageRecipe(extract=ExtractOptions("nce"), render=local)
        return len(list(PageExtractor(recipe)({"url": [url]})))

ray.init(num_cpus=1, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False)
reader = Reader.remote()
print(ray.get(reader.pid.remote()), flush=True)
done = reader.read.remote(sys.argv[1])
sys.stdin.read()
"""


@pytest.fixture
def server():
    with held_pages() as (origin, requests, _):
        yield origin, requests


@contextmanager
def start(command: list[str], **more) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, text=True, **more) as process:
        try:
            yield process
        finally:
            process.kill()


def runs(process: psutil.Process) -> bool:
    """Whether a process has not ended; the system may list one that has for a while."""
    with suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False


def left_by_kill(owner: psutil.Process) -> list[psutil.Process]:
    """Suspend the descendants of a process except keepers, kill it; return those that remain."""
    below = owner.children(recursive=True)
    assert any("--headless" in each.cmdline() for each in below)
    folders = {Path(each.environ()["TMPDIR"]) for each in below if "TMPDIR" in each.environ()}
    keepers = [each for each in below if any("browser.keeper" in part for part in each.cmdline())]
    for each in below:
        if each not in keepers:
            with suppress(psutil.NoSuchProcess):
                each.suspend()
    owner.kill()
    left = [each for each in psutil.wait_procs(below, patient(SECONDS))[1] if runs(each)]
    for each in left:
        with suppress(psutil.NoSuchProcess):
            each.kill()
    scratch = [folder for folder in folders if folder.name.startswith("miolo-worker-")]
    assert not [folder for folder in scratch if folder.exists()]
    return left


@pytest.mark.parametrize("name", OPTIONS)
def test_nothing_outlives_a_command_that_is_killed(name: str, server, tmp_path: Path) -> None:
    origin, requests = server
    url = f"{origin}/held/{name}"
    (tmp_path / "list").write_text(url, "utf-8")
    places = {"url": url, "list": tmp_path / "list", "out": tmp_path / "out"}
    words = [word.format(**places) for word in OPTIONS[name]]
    with start([sys.executable, "-m", "miolo", name, *words, "-m", "nce"]) as process:
        until(lambda: f"/held/{name}" in requests)
        assert not left_by_kill(psutil.Process(process.pid))


def test_nothing_outlives_a_service_that_is_killed(server) -> None:
    origin, requests = server
    with serving_miolo("--workers", "1", *LOCAL) as service:
        # Workers have their own sessions, so that Ctrl-C in a terminal reaches only the service.
        assert all(os.getsid(each.pid) == each.pid for each in service.workers())

        def ask() -> None:
            with suppress(httpx2.TransportError):
                service.post("/extract", url=f"{origin}/held/serve", method="nce")

        request = Aside(ask)
        until(lambda: "/held/serve" in requests)
        assert not left_by_kill(psutil.Process(service.process.pid))
        request.value()


def test_nothing_outlives_an_actor_that_is_killed(server, tmp_path_factory) -> None:
    pytest.importorskip("ray", reason="many machines need the extra [ray]")
    origin, requests = server
    # Ray sends usage statistics unless they are disabled.
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    with start(
        [sys.executable, "-c", ACTOR, f"{origin}/held/actor"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    ) as driver:
        assert driver.stdout is not None
        assert driver.stdin is not None
        actor = psutil.Process(int(driver.stdout.readline()))
        until(lambda: "/held/actor" in requests)
        assert not left_by_kill(actor)
        family = psutil.Process(driver.pid).children(recursive=True)
        driver.stdin.close()
        driver.wait(patient(60))
        assert not remaining_processes(family)
