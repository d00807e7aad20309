"""`miolo batch`, `crawl` and `status` on the command line: notes, summaries and errors."""

import signal
import subprocess
import sys

import miolo
import pytest
from local_server import answering
from miolo.collect.collections.collection import Collection
from miolo.renderer.network.exchange import Exchange
from miolo.workers.system import is_root
from patience import patient

STORY = "<article><h1>Harbour</h1>" + 30 * "<p>It was rebuilt within a year, and then paid for.</p>"
# Without a browser it has a text, which is most likely not all of it.
FILLED = (
    "<title>Harbour</title><article><h1>Harbour</h1><p>The harbour was rebuilt within a year.</p>"
    f"<p>Loading...</p></article><div id=app></div><script>app.innerHTML = `{STORY}`</script>"
)
ROOT_NOTE = b"running as root"


@pytest.fixture
def pages():
    """A server with a page of text, /plain, and one that a script fills, /filled."""
    with answering({"/plain": STORY, "/filled": FILLED}) as (url, _):
        yield url


def batch(run, folder, urls, *options):
    (folder / "list.txt").write_text("\n".join(urls))
    words = ("--allow", "127.0.0.1", "--delay", "0", "--browsers", "1")
    return run("batch", str(folder / "list.txt"), "-o", str(folder / "out"), *words, *options)


def test_pages_that_need_a_browser_are_counted(run, pages, tmp_path):
    urls = [f"{pages}/filled", f"{pages}/plain"]
    advice = b"1 most likely incomplete without a browser: use --browser auto in another folder"
    done = batch(run, tmp_path, urls, "--browser", "never")
    assert done.returncode == 0, done.stderr
    assert b"2 done" in done.stderr
    assert advice in done.stderr
    again = batch(run, tmp_path, urls, "--browser", "never")
    assert b"incomplete" not in again.stderr


@pytest.mark.parametrize("name", ["pages.warc.gz", "pages.warc", "pages.wacz", "pages.har"])
def test_all_pages_of_an_archive_are_read(run, name, tmp_path):
    html, other = (("Content-Type", "text/html"),), (("Content-Type", "application/pdf"),)
    # Visits on the network would leave out the parameter.
    urls = [f"http://a.test/{number}?utm_source=mail" for number in range(20)]
    exchanges = [Exchange(url, 200, html, STORY.encode()) for url in urls]
    exchanges += [
        Exchange("http://a.test/paper", 200, other, b"%PDF-1.7"),
        Exchange("http://a.test/none", 404, html, b"<p>There is none."),
        Exchange("http://a.test/file", 200, html, b"%PDF-1.7"),
    ]
    archive, folder = tmp_path / name, tmp_path / "out"
    miolo.save_archive(archive, exchanges)
    words = ("batch", str(archive), "-o", str(folder))
    done = run(*words, MIOLO_CHROMIUM="/nowhere")
    assert done.returncode == 1
    assert b"20 done" in done.stderr
    assert b"1 failed with NotHTMLError, first: http://a.test/file" in done.stderr
    failures = run("status", str(folder), "--failed").stdout
    assert failures.count(b"http://a.test/file") == 1
    found = list(Collection(folder).pages())
    assert {page.url for page in found if page.error is None} == set(urls)
    assert run(*words).returncode == 1
    assert (folder / "results.jsonl").read_bytes().count(b"\n") == 20
    assert run(*words, "--column", "link").returncode == 2


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ("https://example.org/", 2, "miolo extract"),
        ("no.txt", 2, "there is no file no.txt"),
        (".", 2, ". is a folder"),
        ("pages.har", miolo.ArchiveError.exit_code, "pages.har"),
    ],
)
def test_what_is_no_list_is_refused_before_there_is_a_folder(
    run, tmp_path, monkeypatch, source, code, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pages.har").write_text('{"log": {"entries": [')
    done = run("batch", source, "-o", "out")
    assert done.returncode == code
    assert message in done.stderr.decode()
    assert not (tmp_path / "out").exists()


def test_a_list_that_is_being_read_is_interrupted_at_once(tmp_path):
    folder = tmp_path / "out"
    words = [sys.executable, "-m", "miolo", "batch", "-", "-o", str(folder)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # More than a pipe holds, so that writing ends only once the list is being read.
        process.stdin.write(b"".join(b"http://a.test/%d\n" % number for number in range(50_000)))
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(patient(30)) == 130
        errors = process.stderr.read()
    assert b"interrupted: no page was added" in errors
    assert b"Traceback" not in errors
    assert Collection(folder).counts().total == 0


@pytest.mark.skipif(not is_root(), reason="only root has no sandbox")
def test_the_missing_sandbox_is_reported_once_and_only_if_a_browser_starts(run, pages, tmp_path):
    for name, browser, notes in (
        ("plain", "auto", 0),
        ("filled", "auto", 1),
        ("plain", "always", 1),
    ):
        folder = tmp_path / f"{name}-{browser}"
        folder.mkdir()
        done = batch(run, folder, [f"{pages}/{name}"], "--browser", browser)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count(ROOT_NOTE) == notes
        assert ROOT_NOTE not in batch(run, folder, [], "--browser", browser).stderr


def test_a_folder_without_a_collection_has_no_status(run, tmp_path):
    (tmp_path / "notes.txt").write_text("not a collection")
    done = run("status", str(tmp_path))
    assert done.returncode == 14
    assert not done.stdout
    assert b"neither the state of a run (state.sqlite) nor snapshots (*.miolo)" in done.stderr
