"""One page from its source to its result, which contains every outcome."""

import asyncio
import logging
import pickle
from dataclasses import replace
from itertools import count
from pathlib import Path

import miolo
import pytest
from miolo.extract import job_run
from miolo.extract.job import refuse_blocked, refuse_empty
from miolo.extract.job_run import CallingThread
from miolo.extract.pipeline import extract_with
from patience import patient

STORY = "<h1>Snow on the pass</h1>" + "".join(
    f"<p>Sentence {n} of the story goes on for a while, and says something, and ends.</p>"
    for n in range(8)
)
URL = "https://page.invalid/story"


def page(html: str = STORY) -> miolo.Snapshot:
    return miolo.Snapshot.from_html(html, url=URL)


def run_job(source, **options) -> miolo.PageResult:
    job = miolo.PageJob(source, **{"extract": miolo.ExtractOptions("nce"), **options})
    return miolo.extract_page_sync(job)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: miolo.PageJob(URL, extract=(3,)), TypeError, "a way to extract must be of"),
        (lambda: miolo.learn_site([page()], parts="titles"), ValueError, "parts must be a list"),
        (lambda: miolo.FollowOptions(max_pages=0), ValueError, "max_pages must be at least 1"),
        (lambda: miolo.extract_snapshot(page(), model="reader.npz"), TypeError, "not str"),
        (lambda: miolo.extract_snapshot(page(), include=None), TypeError, "include must be of the"),
        (lambda: miolo.extract_snapshot(page(), site="a.json"), TypeError, "a site must be of the"),
        (lambda: miolo.extract_snapshot("a.miolo"), TypeError, "type Snapshot, not str"),
        (lambda: miolo.extract_url(URL, method=None), TypeError, "a method must be of the type"),
        (lambda: miolo.extract_url(URL, options={}), TypeError, "type RenderOptions, not dict"),
        (lambda: miolo.Snapshot.from_html(None), TypeError, "HTML must be a string or bytes"),
        (lambda: miolo.render_url(Path("page.html")), miolo.NavigationError, "is not an address"),
    ],
)
def test_wrong_arguments_are_refused_with_a_sentence(call, error, message) -> None:
    with pytest.raises(error, match=message):
        call()


def artefact(name: str):
    return miolo.Artefact(name, lambda result: name)


def fail(result: miolo.PageResult):
    return [][1]


def test_every_source_gives_the_same_result(stage, tmp_path) -> None:
    page().save(tmp_path / "page.miolo")
    (tmp_path / "page.html").write_text(STORY, "utf-8")
    sources = {
        "snapshot": page(),
        "saved": tmp_path / "page.miolo",
        "file": tmp_path / "page.html",
        "html": miolo.HTML(STORY, URL),
        "bytes": miolo.HTML(STORY.encode(), URL),
        "address": f"data:text/html,{STORY}",
    }
    for name, source in sources.items():
        job = miolo.PageJob(source, extract=miolo.ExtractOptions("nce"))
        result = stage.run(miolo.extract_page(job, stage.renderer))
        assert result.error is None, name
        assert result.unwrap().text.count("of the story") == 8, name
        assert result.requested_url, name
        assert result.snapshot is None, name


def test_an_unexpected_failure_is_an_extraction_error_with_cause_and_traceback(
    monkeypatch, caplog
) -> None:
    def fail(*values, **named):
        raise AttributeError("no such thing")

    monkeypatch.setattr("miolo.extract.job_run.extract_with", fail)
    with caplog.at_level(logging.ERROR, "miolo"):
        result = run_job(page())
    error = result.error
    assert isinstance(error, miolo.ExtractionError)
    assert isinstance(error.__cause__, AttributeError)
    assert str(error) == "AttributeError: no such thing"
    assert "in fail" in (error.traceback or "")
    assert [record.exc_info[1] for record in caplog.records if record.exc_info] == [error.__cause__]
    assert result.to_dict()["error"]["traceback"] == error.traceback
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.url, again.traceback) == (type(error), URL, error.traceback)
    with pytest.raises(miolo.ExtractionError):
        result.unwrap()


def test_an_artefact_that_breaks_or_cannot_be_written_fails_the_page(tmp_path) -> None:
    result = run_job(page(), artefacts=(artefact("first"), miolo.Artefact("second", fail)))
    assert isinstance(result.error, miolo.ExtractionError)
    assert result.extraction is None
    assert result.artefacts == {"first": "first"}
    there = miolo.Artefact("file", lambda _: (tmp_path / "none" / "file").write_bytes(b""))
    error = run_job(page(), artefacts=(there,)).error
    assert isinstance(error, miolo.StorageError)
    assert str(error) == f"cannot write {tmp_path / 'none' / 'file'}: No such file or directory"


def test_some_artefacts_are_also_made_for_failed_pages() -> None:
    artefacts = (
        artefact("row"),
        miolo.Artefact("log", lambda result: result.error, of_failures=True),
    )
    failed = run_job(page(), extract=miolo.ExtractOptions("sitelevel"), artefacts=artefacts)
    assert failed.artefacts == {"log": failed.error}
    assert isinstance(failed.error, miolo.MissingSiteError)
    assert run_job(page(), artefacts=artefacts).artefacts == {"row": "row", "log": None}


@pytest.mark.parametrize("slow", ["extraction", "artefact", "check"])
def test_one_deadline_covers_extraction_and_artefacts(slow, monkeypatch) -> None:
    late = [0.0]
    ticks = count()
    monkeypatch.setattr(job_run, "monotonic", lambda: next(ticks) * 1e-6 + late[0])

    def wait(*values) -> None:
        late[0] += 11.0

    def extract(snapshot, options, **named):
        wait()
        return extract_with(snapshot, options, **named)

    options: dict = {
        "extraction": {},
        "artefact": {"artefacts": (miolo.Artefact("slow", wait),)},
        "check": {"check": wait},
    }[slow]
    if slow == "extraction":
        monkeypatch.setattr("miolo.extract.job_run.extract_with", extract)
    result = run_job(page(), deadline=10.0, **options)
    assert isinstance(result.error, miolo.PageTimeoutError)
    assert "10 s" in str(result.error)
    late[0] = 0.0
    assert run_job(page(), deadline=12.0, **options).error is None


def test_time_is_left_for_reading_a_page_that_never_stops_loading(stage) -> None:
    endless = "<p>Text.</p><script>setInterval(() => document.body.append('word '), 5)</script>"
    extract = miolo.ExtractOptions("nce")
    job = miolo.PageJob(miolo.HTML(STORY + endless), extract=extract, deadline=patient(4.0))
    result = stage.run(miolo.extract_page(job, stage.renderer))
    assert result.error is None
    assert "of the story" in result.unwrap().text


def test_a_blocked_page_is_refused_on_request() -> None:
    check = "<title>Just a moment...</title><p>Verify you are human.<div id=challenge-stage></div>"
    assert run_job(page(check)).error is None
    refused = run_job(page(check), check=refuse_blocked)
    assert isinstance(refused.error, miolo.PageBlockedError)


def test_a_page_without_a_text_is_refused_with_its_extraction() -> None:
    empty = page("<title>Log</title><form><input><textarea></textarea></form>")
    for method, reason in (("auto", "2 form fields"), ("nce", "nce selected nothing")):
        refused = run_job(empty, extract=miolo.ExtractOptions(method), check=refuse_empty)
        assert isinstance(refused.error, miolo.EmptyPageError)
        assert reason in str(refused.error)
        assert refused.extraction is not None
        assert refused.extraction.title == "Log"
        assert miolo.PageResult.from_dict(refused.to_dict()).to_dict() == refused.to_dict()
        with pytest.raises(miolo.EmptyPageError):
            refused.unwrap()


def test_the_log_is_silent_without_a_handler(caplog) -> None:
    with caplog.at_level(logging.INFO, "miolo"):
        run_job(page())
    assert URL in caplog.text
    handlers = logging.getLogger("miolo").handlers
    assert any(isinstance(handler, logging.NullHandler) for handler in handlers)


def test_waiting_for_a_thread_extends_the_deadline_once(monkeypatch):
    late = [0.0]

    class BusyExecutor(CallingThread):
        def submit(self, fn, /, *values):
            late[0] += 5.0
            return super().submit(fn, *values)

    def wait(*values) -> None:
        late[0] += 12.0

    monkeypatch.setattr(job_run, "monotonic", lambda: late[0])
    monkeypatch.setattr("miolo.extract.warm_up.is_warm", lambda method: False)
    # Nor does the compilation of a method count.
    monkeypatch.setattr("miolo.extract.warm_up.warm_up", wait)
    job = miolo.PageJob(page(), extract=miolo.ExtractOptions("nce"), deadline=10.0, check=wait)
    result = asyncio.run(miolo.extract_page(job, executor=BusyExecutor()))
    assert isinstance(result.error, miolo.PageTimeoutError)
    result = asyncio.run(miolo.extract_page(replace(job, check=None), executor=BusyExecutor()))
    assert result.error is None
