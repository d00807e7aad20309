"""Random `kill -9` of a batch, a crawl and the label service: is anything lost, doubled or left?

    python benchmarks/kill.py [--kills 50] [--pages 400] [--only batch|crawl|labels]…

Posts of real sites are served on loopback, each under a distinct address, and a site of linked
pages for the crawl. The run's own process is repeatedly killed after a random time, and finally
left to finish. Then the same command runs undisturbed in another folder. A page of the second run
is lost if the first run lacks it or has another row for it, and duplicated if it has two rows.

Two clients of the label service send actions until it is killed. An action is lost if it was
acknowledged and is not stored.

No process of a killed program may be left.
"""

from __future__ import annotations

import json
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from time import monotonic, sleep

import httpx2
import miolo
import psutil
from corpus import parser
from throughput import serve_sites

sys.path += [str(Path(__file__).resolve().parents[1] / "tests" / "shared")]

from local_server import Handler, serving

SECONDS = (0.5, 6.0)
SERVED_SECONDS = (0.0, 2.0)
START_SECONDS, END_SECONDS = 120.0, 30.0


KINDS = ("batch", "crawl", "labels")

# Pages of the crawled site, each of which links to some others.
CRAWLED = 150


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--pages", type=int, default=400)
    options.add_argument("--only", action="append", choices=KINDS)
    chosen = options.parse_args()
    figures = {}
    for kind in chosen.only or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            if kind == "labels":
                figures[kind] = kill_service(Path(folder), chosen.kills)
            elif kind == "crawl":
                with serving(Linked) as (origin, _):
                    figures[kind] = kill_run(crawl, origin, Path(folder), chosen.kills)
            else:
                with serve_sites(chosen.data, chosen.cache, chosen.pages) as urls:
                    (Path(folder) / "urls.txt").write_text("\n".join(urls), "utf-8")
                    pages = str(Path(folder) / "urls.txt")
                    figures[kind] = kill_run(batch, pages, Path(folder), chosen.kills)
        print(json.dumps({kind: figures[kind]}), flush=True)


class Linked(Handler):
    """Pages that link to later ones."""

    def do_GET(self) -> None:
        """Send a page, or an error for a page that the site does not have."""
        name = self.path.strip("/")
        number = int(name) if name.isdecimal() else 0
        if name and (not name.isdecimal() or number >= CRAWLED):
            self.send("", 404)
            return
        words = f"Harbour report {number}. The tide came in and went out again, as it does. " * 5
        links = "".join(f"<a href=/{2 * number + more}>Report</a>" for more in (1, 2))
        self.send(f"<title>Report {number}</title><h1>Report {number}</h1><p>{words}</p>{links}")


def kill_run(command: Callable[[str, Path], list[str]], source: str, folder: Path, kills: int):
    """The figures of a batch or a crawl."""
    killed, undisturbed = folder / "killed", folder / "undisturbed"
    done, left = kill_repeatedly(command(source, killed), kills)
    subprocess.run(command(source, undisturbed), check=False)
    return {"kills": done, **compare(killed, undisturbed), "processes_left": left}


def batch(pages: str, out: Path) -> list[str]:
    run = [sys.executable, "-m", "miolo", "batch", pages, "-o", str(out)]
    # With auto, the pages that are read as served depend on what is known about their hosts so far.
    run += ["--browser", "always"]
    return [*run, "--delay", "0", "--per-host", "8", "--browsers", "1", "--allow-private"]


def crawl(origin: str, out: Path) -> list[str]:
    run = [sys.executable, "-m", "miolo", "crawl", origin, "-o", str(out), "--browser", "always"]
    return [*run, "--delay", "0", "--per-host", "8", "--browsers", "1", "--allow-private"]


def kill_repeatedly(run: list[str], kills: int) -> tuple[int, int]:
    """Kill a run at random moments, then let it finish; returns the kills and processes left."""
    chance, done, left = random.Random(0), 0, 0
    while done < kills:
        process = subprocess.Popen(run, stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(*SECONDS))
            break  # all pages were done before the last of the kills
        except subprocess.TimeoutExpired:
            below = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
            left += len(psutil.wait_procs(below, timeout=END_SECONDS)[1])
        print(f"kill {done}", file=sys.stderr, flush=True)
    subprocess.run(run, check=False)
    return done, left


class Labeller(threading.Thread):
    """Sends actions to the label service until it is gone; `acknowledged` are their keys."""

    def __init__(self, name: str, address: str, keys: Iterator[int]) -> None:
        super().__init__()
        self.name, self.address, self.keys = name, address, keys
        self.acknowledged: list[str] = []
        self.acts = threading.Event()

    def run(self) -> None:
        """Open the page, and send actions that change its note."""
        with suppress(httpx2.TransportError), httpx2.Client(base_url=self.address) as client:
            client.get("/label/pages/1", params={"labeller": self.name}, timeout=60)
            for key in self.keys:
                action = {"key": f"{self.name}-{key:08}", "page": 1, "field": "note"}
                sent = {"labeller": self.name, "actions": [{**action, "value": f"note {key}"}]}
                if client.post("/label/actions", json=sent).status_code == 200:
                    self.acknowledged.append(action["key"])
                    self.acts.set()


def kill_service(folder: Path, kills: int) -> dict[str, int]:
    """The figures of the label service."""
    miolo.Snapshot.from_html("<p>The tide comes in.</p>").save(folder / "a.miolo")
    chance, keys, acknowledged, left, damaged = random.Random(0), count(), set(), 0, 0
    stored: set[str] = set()
    for kill in range(kills):
        address = f"http://127.0.0.1:{free_port()}"
        serve = [sys.executable, "-m", "miolo", "serve", "--no-sandbox", "--workers", "1"]
        serve += ["--port", address.rpartition(":")[2], "--collection", str(folder)]
        process = subprocess.Popen(serve, stderr=subprocess.DEVNULL)
        await_answer(address)
        labellers = [Labeller(name, address, keys) for name in ("Ada", "Ben")]
        for each in labellers:
            each.start()
        labellers[0].acts.wait(START_SECONDS)
        sleep(chance.uniform(*SERVED_SECONDS))
        below = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left += len(psutil.wait_procs(below, timeout=END_SECONDS)[1])
        for each in labellers:
            each.join()
            acknowledged.update(each.acknowledged)
        with closing(sqlite3.connect(folder / "labels.sqlite")) as db:
            damaged += db.execute("PRAGMA integrity_check").fetchone() != ("ok",)
            stored = {key for (key,) in db.execute("SELECT key FROM actions")}
        print(f"kill {kill + 1}, {len(acknowledged)} actions", file=sys.stderr, flush=True)
    lost = len(acknowledged - stored)
    return {"kills": kills, "actions": len(acknowledged), "lost": lost, "damaged": damaged,
            "processes_left": left}  # fmt: skip


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def await_answer(address: str) -> None:
    """Wait until a service answers."""
    start = monotonic()
    while monotonic() - start < START_SECONDS:
        with suppress(httpx2.TransportError):
            if httpx2.get(f"{address}/healthz").status_code == 200:
                return
        sleep(0.05)
    raise SystemExit("the service did not start")


def compare(killed: Path, undisturbed: Path) -> dict[str, int]:
    first, second = rows(killed), rows(undisturbed)
    by_page = {row["requested_url"]: row for row in first}
    pairs = [(by_page.get(row["requested_url"], {}), row) for row in second]
    other = Counter(key for a, b in pairs for key in a.keys() | b if a.get(key) != b.get(key))
    if other:
        print(f"fields that differ, with their pages: {dict(other)}")
    return {
        "pages": len(second),
        "lost": sum(one != row for one, row in pairs),
        "duplicated": len(first) - len(by_page),
    }


def rows(folder: Path) -> list[dict]:
    lines = (folder / "results.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()
