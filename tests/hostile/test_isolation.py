"""A page whose extraction uses all memory or time, or kills its process, fails no other page."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from local_server import answering
from miolo.collect.collections.collection import Collection
from patience import patient
from services import kind, serving_miolo

LOCAL = ("--allow", "127.0.0.1")
TOGETHER = ("--browsers", "1", "--pages-at-once", "4", "--per-host", "8", "--delay", "0")
NAMES = ("one", "kill", "two", "spin", "three", "memory", "four")
ENDS = {"kill": "BrowserCrashedError", "memory": "TooLargeError", "spin": "PageTimeoutError"}

# An extraction method that fails in the way that the URL of a page selects.
TRAP = """
import os, signal
from time import process_time
from miolo.extract.methods.method import Method
from miolo.extract.methods.registry import find_method
from miolo.workers.process_limits import limit_cpu

def run(page, *more):
    if page.page.url.endswith("/kill"):
        os.kill(os.getpid(), signal.SIGKILL)
    if page.page.url.endswith("/memory"):
        bytearray(1 << 33)
    if page.page.url.endswith("/broken"):
        raise ZeroDivisionError("no blocks")
    if page.page.url.endswith("/spin"):
        # In place of the deadline of a page and a grace, a minute. Other pages renew the limit.
        end = process_time() + 1.0
        while True:
            limit_cpu(end - process_time())
    return find_method("nce").run(page, *more)

METHOD = Method(run, "breaks where a page wants it to")
"""

SPIN = """
import sys
from time import process_time
from miolo.collect import page_worker

page_worker.CPU_GRACE_SECONDS = 0.0

def spin(seconds):
    end = process_time() + seconds
    while process_time() < end:
        pass

thread = page_worker.ReadingThread()
thread.allow(1.0)
for _ in range(4):
    thread.submit(spin, 0.6).result()
print("renewed", flush=True)
thread.submit(spin, 9.0).result()
print("never ended", flush=True)
"""

ROWS = """
import json, sys
from miolo import EgressPolicy, ExtractOptions, RenderOptions
from miolo.collect.distributed import PageRecipe, extract_rows

local = RenderOptions(egress=EgressPolicy("never", allowed=("127.0.0.1",)))
recipe = PageRecipe(local, ExtractOptions("trap"))
rows = extract_rows(({"url": url} for url in sys.argv[1:]), recipe)
print(json.dumps([[row["requested_url"], row["error"]] for row in rows]))
"""

LINE = "A sentence of a story that goes on for a while, with a word or two more."
STORY = "".join(f"<p>{LINE} {number}</p>" for number in range(9))


def linked_page(path: str) -> str:
    """A page with its path as title and heading, and links to all pages of `NAMES`."""
    links = "".join(f"<a href=/{name}>{name}</a>" for name in NAMES)
    return f"<title>{path}</title><h1>{path}</h1>{STORY}{links}"


@pytest.fixture(scope="module")
def trap(tmp_path_factory) -> dict[str, str]:
    """Environment variables that add the extraction method `trap`."""
    folder = tmp_path_factory.mktemp("trap")
    info = folder / "trap-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: trap\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[miolo.methods]\ntrap = trap_method:METHOD\n")
    (folder / "trap_method.py").write_text(TRAP)
    paths = [str(folder), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


@pytest.mark.parametrize("command", ["batch", "crawl"])
def test_no_other_page_fails_when_one_ends_its_worker(command: str, trap, tmp_path: Path) -> None:
    with answering(linked_page) as (origin, _):
        first = f"{origin}/"
        names = ["", *NAMES]
        if command == "batch":
            first = str(tmp_path / "list")
            Path(first).write_text("\n".join(f"{origin}/{name}" for name in names), "utf-8")
        words = [command, first, "-o", str(tmp_path / "out"), "-m", "trap", *LOCAL, *TOGETHER]
        run = subprocess.run(
            [sys.executable, "-m", "miolo", *words],
            env={**os.environ, **trap},
            capture_output=True,
            timeout=patient(90),
        )
    pages = list(Collection(tmp_path / "out").pages(("done", "failed")))
    failed = {page.url.rpartition("/")[2]: page.kind for page in pages if page.state == "failed"}
    assert failed == ENDS, run.stderr
    # The failure is not counted against any other page: each was visited only once.
    done = [page.tries for page in pages if page.state == "done"]
    assert done == [1] * (len(names) - len(failed))


def test_no_other_request_fails_when_one_ends_its_worker(trap) -> None:
    with serving_miolo("--workers", "1", *LOCAL, **trap) as service:
        ends = {}
        for name in ("kill", "one", "memory", "two", "spin", "three"):
            url = f"https://trap.test/{name}"
            answer = service.post("/extract", html=STORY, url=url, method="trap", deadline=30)
            ends[name] = 200 if answer.status_code == 200 else kind(answer)
    assert ends == {
        "kill": (502, "BrowserCrashedError"),
        "memory": (422, "TooLargeError"),
        "spin": (504, "PageTimeoutError"),
        "one": 200,
        "two": 200,
        "three": 200,
    }


def test_no_other_row_fails_when_a_page_ends_its_worker(trap) -> None:
    names = [*NAMES, "broken"]
    with answering(linked_page) as (origin, _):
        run = subprocess.run(
            [sys.executable, "-c", ROWS, *(f"{origin}/{name}" for name in names)],
            env={**os.environ, **trap},
            capture_output=True,
            timeout=patient(90),
        )
    assert run.returncode == 0, run.stderr
    errors = {url.rpartition("/")[2]: error for url, error in json.loads(run.stdout)}
    assert sorted(errors) == sorted(names)
    broken = errors.pop("broken")
    assert (broken["kind"], broken["message"]) == (
        "ExtractionError",
        "ZeroDivisionError: no blocks",
    )
    assert {name: error["kind"] for name, error in errors.items() if error} == ENDS


def test_a_command_that_runs_out_of_memory_has_an_error(trap) -> None:
    with answering(linked_page) as (origin, _):
        urls = [f"{origin}/memory", f"{origin}/one"]
        run = subprocess.run(
            [sys.executable, "-m", "miolo", "extract", *urls, "-m", "trap", *LOCAL],
            env={**os.environ, **trap},
            capture_output=True,
            timeout=patient(60),
        )
    assert run.returncode == 22
    assert b"MemoryError" in run.stderr
    assert LINE.encode() in run.stdout


def test_processor_time_is_limited_for_each_page() -> None:
    run = subprocess.run([sys.executable, "-c", SPIN], capture_output=True, timeout=patient(60))
    assert run.stdout == b"renewed\n"
    assert run.returncode == -signal.SIGXCPU
