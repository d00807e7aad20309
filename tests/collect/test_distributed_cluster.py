"""A local cluster that loses one of its two actors writes each row once and leaves no process."""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from miolo.renderer.network.origins import learned_name
from newsroom import ARTICLES
from patience import patient, remaining_processes, until
from services import held_pages
from stage import OFFLINE

pytest.importorskip("ray", reason="many machines need the extra [ray]")
pq = pytest.importorskip("pyarrow.parquet", reason="tables need the extra [collect]")

STORIES = [page for paper in ARTICLES.values() for page in paper]

CLUSTER = """
import json, sys
from pathlib import Path
import ray
from miolo import EgressPolicy, ExtractOptions, RenderOptions
from miolo.collect.distributed import PageRecipe, extract_to_parquet, learn_sites

settings = json.loads(sys.argv[1])
ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, log_to_driver=False)
switches = tuple(settings["switches"])
local = RenderOptions(egress=EgressPolicy("never", allowed=("127.0.0.1",)))
chosen = {"extract": ExtractOptions("nce"), "pages": 2, "switches": switches, "render": local}
saving = PageRecipe(**chosen, snapshots=Path(settings["snapshots"]))
first = extract_to_parquet(settings["urls"], settings["out"], saving, actors=2, cpus=0.5, batch=4)
with open(settings["table"], "w") as file:
    file.write("\\n".join(["url", *settings["urls"], settings["more"]]))
second = extract_to_parquet(settings["table"], settings["out"], saving, actors=1, cpus=0.5, batch=8)
sites = learn_sites(ray.data.read_parquet(settings["out"]), settings["sites"]).take_all()
answer = [vars(first), vars(second), sites]
with open(settings["answer"], "w") as file:
    json.dump(answer, file)
ray.shutdown()
"""


@pytest.fixture
def short_folder():
    """A folder with a short path, because the sockets of Ray below it are limited to 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="ray") as folder:
        yield Path(folder)


def actor_with_a_browser(driver: psutil.Process) -> psutil.Process | None:
    with suppress(psutil.Error):  # one of them has just ended
        actors = (p for p in driver.children(recursive=True) if "MapWorker" in str(p.cmdline()))
        return next((p for p in actors if len(p.children(recursive=True)) > 1), None)
    return None


def test_a_cluster_completes_after_one_of_its_actors_is_killed(site, tmp_path, short_folder):
    failing = [site.url("/hostile/not-found"), site.url("/hostile/pdf"), "nonsense"]
    more = site.url("/hostile/server-error")
    names = ("out", "snapshots", "sites", "table.csv", "answer.json")
    settings: dict = {Path(name).stem: str(tmp_path / name) for name in names}
    # Ray sends usage statistics unless they are disabled.
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "TMPDIR": str(short_folder)}
    with held_pages() as (origin, requests, release):
        urls = [f"{origin}/held", *(site.url(page) for page in STORIES[::2]), *failing]
        settings |= {"urls": [*urls, urls[1]], "more": more, "switches": OFFLINE}
        command = [sys.executable, "-c", CLUSTER, json.dumps(settings)]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as driver:
            until(lambda: "/held" in requests)
            actor = until(lambda: actor_with_a_browser(psutil.Process(driver.pid)))
            family = actor.children(recursive=True)
            actor.kill()
            release.set()
            _, stderr = driver.communicate(timeout=patient(120))
    assert driver.returncode == 0, stderr[-4000:]
    first, second, sites = json.loads(Path(settings["answer"]).read_text())

    assert first == {"pages": len(urls), "failed": len(failing), "before": 0}
    assert second == {"pages": 1, "failed": 1, "before": len(urls) + 1}
    table = pq.read_table(tmp_path / "out")
    assert sorted(table["requested_url"].to_pylist()) == sorted([*urls, more])
    failed = [row["requested_url"] for row in table.to_pylist() if row["error"]]
    assert sorted(failed) == sorted([*failing, more])
    # Each port is a site of its own.
    found = [(site_row["site"], site_row["pages"], site_row["error"]) for site_row in sites]
    assert sorted(found) == [
        (learned_name(url), pages, None)
        for url, pages in sorted([(origin, 1), (site.url("/"), len(urls) - len(failing) - 1)])
    ]

    assert len(family) > 1
    assert not remaining_processes(family)
    # The browser of the last actor may still be ending. A killed browser can leave two folders.
    until(lambda: len(list(short_folder.glob("playwright*"))) <= 2)
