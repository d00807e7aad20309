"""A hand-made collection, as a run would have left it."""

import asyncio
import json
import shutil

import miolo
import pytest
from miolo.collect.batch.batch_options import BatchOptions
from miolo.collect.batch.files import file_of
from miolo.collect.batch.job_store import JobStore
from miolo.collect.batch.jobs import Address
from miolo.collect.batch.run_batch import check_same_options
from miolo.errors import NavigationError, PageTimeoutError
from newsroom import ARTICLES

RESULTS, ARCHIVE = "results.jsonl", "archive.warc.gz"


def result_line(number, page, url, options):
    """The line that a run writes about a page."""
    job = miolo.PageJob(page, extract=options.extract, requested_url=url)
    row = {"id": number, **asyncio.run(miolo.extract_page(job)).to_dict(blocks=False)}
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def save_snapshot(folder, page, url):
    """Save the snapshot of a page where a run saves it."""
    path = file_of(folder, "snapshots", url, ".miolo")
    path.parent.mkdir(parents=True, exist_ok=True)
    page.save(path)


def write_collection(folder, pages, **chosen):
    """Write a collection: all pages done, the last one first, then two failed and one queued."""
    render = miolo.RenderOptions(locale="pt-BR", headers={"Authorization": "hush"}, proxy="hush")
    extract = miolo.ExtractOptions(**{"method": "nce", **chosen})
    options = BatchOptions(render=render, extract=extract)
    job_store = JobStore(folder, (RESULTS, ARCHIVE))
    urls = [page.page.url for page in pages]
    urls += ["https://other.example/gone", "https://other.example/slow", "https://third.example/"]
    job_store.add(map(Address, urls))
    jobs = [job_store.take(host, 1e18) for host in job_store.waiting() for _ in range(len(urls))]
    jobs = {job.url: job for job in jobs if job is not None}
    for page in reversed(pages):
        job = jobs[page.page.url]
        save_snapshot(folder, page, job.url)
        job_store.finish(job, 0.25 * job.id, result_line(job.id, page, job.url, options))
    gone, slow = (jobs[url] for url in urls[-3:-1])
    job_store.fail(gone, NavigationError("404 Not Found", status=404), 0.1, passing=False)
    job_store.fail(slow, PageTimeoutError("30 s passed"), 30.0, passing=False)
    job_store.release(jobs[urls[-1]])
    check_same_options(job_store, options)
    job_store.commit()
    job_store.close()


@pytest.fixture(scope="session", name="pages")
def paper_pages(stage):
    """Rendered articles of one newspaper."""
    return stage.articles(next(iter(ARTICLES.values()))[:5])


@pytest.fixture(scope="session", name="papers")
def whole_collection(pages, tmp_path_factory):
    """A read-only collection: pages done in the order 5, 4, 3, 2, 1, two failed and one queued."""
    folder = tmp_path_factory.mktemp("collections") / "papers"
    write_collection(folder, pages)
    return folder


@pytest.fixture(name="folder")
def collection_to_change(papers, tmp_path):
    """A copy of the collection, which a test may change."""
    return shutil.copytree(papers, tmp_path / "papers")


def read_table(out, table):
    """A table of an export."""
    parquet = pytest.importorskip("pyarrow.parquet")
    return parquet.read_table(sorted((out / table).glob("*.parquet")))
