"""The parts of a batch: journal, job store, order of hosts, retries, lists of pages."""

import contextlib
import gzip
import io
import lzma
import resource
import tarfile
from pathlib import Path

import miolo
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from miolo.cli.batch import missing_later
from miolo.collect.batch.batch_options import Kept
from miolo.collect.batch.hosts import Hosts, Politeness
from miolo.collect.batch.job_store import ENDED, JobStore
from miolo.collect.batch.jobs import Address, BadLine, Job
from miolo.collect.batch.lists import MAX_LINE, read_list
from miolo.collect.batch.retries import Verdict, verdict
from miolo.collect.collections.collection import Collection, status_of
from miolo.collect.collections.collection_reader import Confidence

JOURNAL = "results.jsonl"


@pytest.fixture
def job_store(tmp_path):
    opened = JobStore(tmp_path, (JOURNAL,))
    yield opened
    opened.close()


def take(job_store: JobStore, host: str = "http://a.test", now: float = 0.0) -> Job:
    job = job_store.take(host, now)
    assert isinstance(job, Job)
    return job


def reopen(folder: Path) -> JobStore:
    return JobStore(folder, (JOURNAL,))


def test_each_address_is_queued_once_nearest_first(job_store: JobStore) -> None:
    assert job_store.add([Address("http://a.test/deep", 2, rank=2), Address("http://a.test/")]) == {
        "http://a.test": 2
    }
    assert job_store.add([Address("http://a.test/", 1), Address("http://b.test/")]) == {
        "http://b.test": 1
    }
    assert job_store.waiting() == {"http://a.test": 2, "http://b.test": 1}
    assert [take(job_store).url for _ in range(2)] == ["http://a.test/", "http://a.test/deep"]
    assert job_store.take("http://a.test", 0) is None
    assert job_store.counts().running == 2


def test_committed_pages_stay_and_the_rest_is_done_again(tmp_path: Path) -> None:
    job_store = reopen(tmp_path)
    job_store.add(Address(f"http://a.test/{n}") for n in range(3))
    job_store.commit()
    first = take(job_store)
    job_store.finish(first, 0.1, b'{"id": 1}\n')
    job_store.commit()
    second = take(job_store)
    job_store.finish(second, 0.1, b'{"id": 2}\n')
    job_store.close()  # as if the process were killed before the commit
    job_store = reopen(tmp_path)
    assert (job_store.counts().done, job_store.counts().queued) == (1, 2)
    assert (tmp_path / JOURNAL).read_bytes() == b'{"id": 1}\n'
    assert take(job_store).id == second.id
    job_store.close()


def test_the_status_tells_a_killed_run_from_a_running_one(tmp_path: Path) -> None:
    job_store = reopen(tmp_path)
    job_store.add([Address("http://a.test/"), Address("http://b.test/")])
    job_store.note(ENDED, "earlier")
    take(job_store)
    job_store.commit()
    status = status_of(miolo.Collection(tmp_path))
    assert (status.states["running"], status.states["queued"]) == (1, 1)
    assert (status.is_active, status.is_interrupted) == (True, False)
    job_store.close()  # as the kernel does if the process is killed
    status = status_of(miolo.Collection(tmp_path))
    assert (status.states["running"], status.states["queued"]) == (0, 2)
    assert (status.is_active, status.is_interrupted) == (False, True)
    # A crawl that is complete may have queued pages.
    job_store = reopen(tmp_path)
    assert job_store.counts().queued == 2
    job_store.close()
    assert not status_of(miolo.Collection(tmp_path)).is_interrupted


def test_temporary_failures_are_retried_by_the_next_run_and_others_on_request(
    tmp_path: Path,
) -> None:
    job_store = reopen(tmp_path)
    job_store.add([Address("http://a.test/gone"), Address("http://a.test/busy")])
    gone = miolo.NavigationError("no such page", status=404)
    job_store.fail(take(job_store), gone, 0.1, passing=False)
    job_store.fail(take(job_store), miolo.PageTimeoutError("late"), 30.0, passing=True)
    job_store.commit()
    assert job_store.counts().kinds == {"NavigationError": 1, "PageTimeoutError": 1}
    assert job_store.counts().passing == miolo.Collection(tmp_path).counts().passing == 1
    job_store.close()
    job_store = reopen(tmp_path)
    assert (job_store.counts().queued, job_store.counts().failed) == (1, 1)
    assert job_store.counts().passing == 0
    job_store.retry_failed()
    assert job_store.counts().queued == 2
    job_store.close()


def test_the_row_of_a_failed_page_is_kept_until_another_supersedes_it(tmp_path: Path) -> None:
    def fail(row: bytes, error: miolo.MioloError) -> None:
        job_store.retry_failed()
        job_store.fail(take(job_store), error, 0.1, passing=False, row=row, confidence=0.25)
        job_store.commit()

    def kept() -> list[int]:
        return [row["n"] for row in Collection(tmp_path).rows()]

    job_store = JobStore(tmp_path, (JOURNAL,))
    with contextlib.closing(job_store):
        job_store.add([Address("http://a.test/")])
        first, second, last = (b'{"id": 1, "n": %d}\n' % number for number in range(3))
        fail(first, miolo.LowConfidenceError("doubtful"))
        assert kept() == [0]
        fail(b"", miolo.NavigationError("busy", status=500))
        assert kept() == [0]
        fail(second, miolo.LowConfidenceError("doubtful"))
        assert kept() == [1]
        job_store.retry_failed()
        job_store.finish(take(job_store), 0.1, last, 0.75)
        job_store.commit()
        assert kept() == [2]
        assert Collection(tmp_path).confidence() == Confidence(1, 0.75, 0)


def test_a_requeued_page_is_not_taken_before_it_is_due(job_store: JobStore) -> None:
    job_store.add([Address("http://a.test/")])
    job_store.requeue(take(job_store), miolo.PageTimeoutError("late"), due=50.0)
    assert job_store.take("http://a.test", 49.0) == 50.0
    assert take(job_store, now=50.0).tries == 2


def test_a_run_whose_clock_was_set_back_does_not_wait_for_the_time_before(job_store) -> None:
    job_store.add([Address("http://a.test/")])
    job_store.requeue(take(job_store), miolo.PageTimeoutError("late"), due=1e6)
    assert take(job_store, now=0.0).tries == 2


def test_one_run_at_a_time(job_store: JobStore, tmp_path: Path) -> None:
    with pytest.raises(miolo.CollectionLockedError):
        reopen(tmp_path)


def test_a_short_journal_is_an_error(tmp_path: Path) -> None:
    job_store = reopen(tmp_path)
    job_store.journals[JOURNAL].append(b"line\n")
    job_store.commit()
    job_store.close()
    (tmp_path / JOURNAL).write_bytes(b"li")
    with pytest.raises(miolo.ArchiveError, match="shorter"):
        reopen(tmp_path)


def test_a_disk_that_is_full_at_the_start_is_an_error(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(miolo.StorageError, match=r"state\.sqlite cannot be written"):
            reopen(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    reopen(tmp_path).close()


class OneByOne:
    """A slow reference: the same rules, evaluated again for each query."""

    def __init__(self, delay: float, concurrency: int) -> None:
        self.delay, self.concurrency = delay, concurrency
        self.waiting: dict[str, int] = {}
        self.running: dict[str, int] = {}
        self.ready: dict[str, float] = {}

    def may(self, host: str, now: float) -> bool:
        return (
            self.waiting.get(host, 0) > 0
            and self.running.get(host, 0) < self.concurrency
            and self.ready.get(host, 0.0) <= now
        )


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "next", "end", "pause"]),
        st.sampled_from("abc"),
        st.floats(0, 3),
    ),
    max_size=60,
)


@given(STEPS, st.integers(1, 2), st.sampled_from([0.0, 1.0]))
def test_the_order_of_hosts_follows_the_reference(steps, concurrency: int, delay: float) -> None:
    hosts, oracle, now = Hosts(Politeness(delay, concurrency)), OneByOne(delay, concurrency), 0.0
    for step, name, amount in steps:
        now += amount
        if step == "add":
            hosts.add({name: 1})
            oracle.waiting[name] = oracle.waiting.get(name, 0) + 1
        elif step == "pause":
            hosts.pause(name, now + amount)
            oracle.ready[name] = max(oracle.ready.get(name, 0.0), now + amount)
        elif step == "end" and oracle.running.get(name):
            hosts.end_visit(name)
            oracle.running[name] -= 1
        elif step == "next":
            next_host = hosts.next(now)
            free = {host for host in "abc" if oracle.may(host, now)}
            assert (next_host in free) if free else next_host is None
            if next_host:
                hosts.begin_visit(next_host, now)
                oracle.waiting[next_host] -= 1
                oracle.running[next_host] = oracle.running.get(next_host, 0) + 1
                oracle.ready[next_host] = now + delay
    assert hosts.idle == (not any(oracle.waiting.values()))


@pytest.mark.parametrize(
    ("error", "tries", "wait", "passing", "pause"),
    [
        (miolo.NavigationError("", status=404), 1, None, False, 0),
        (miolo.NavigationError("", status=429, retry_after=7), 1, 7, True, 7),
        (miolo.NavigationError("", status=429, retry_after=1e9), 1, 300, True, 300),
        (miolo.NavigationError("", status=503), 2, 8, True, 8),
        (miolo.NavigationError("", status=503), 5, None, True, 300),
        (miolo.NavigationError("", status=500), 3, None, True, 0),
        (miolo.NavigationError("", cause="ERR_CONNECTION_RESET"), 1, 2, True, 0),
        (miolo.NavigationError("", cause="ERR_CONTENT_LENGTH_MISMATCH"), 1, 2, True, 0),
        (miolo.NavigationError("", cause="ERR_CERT_DATE_INVALID"), 1, None, False, 0),
        (miolo.NavigationError("", cause="ERR_DNS_X", unreachable=True), 2, 8, True, 8),
        (miolo.NavigationError("", cause="ERR_DNS_X", unreachable=True), 3, None, True, 0),
        (miolo.PageTimeoutError(""), 1, 2, True, 0),
        (miolo.PageTimeoutError(""), 2, None, True, 0),
        (miolo.NotHTMLError(""), 1, None, False, 0),
    ],
)
def test_retries_depend_on_the_kind_of_failure(error, tries, wait, passing, pause) -> None:
    decision = verdict(error, tries)
    assert (decision.wait, decision.passing, decision.pause) == (wait, passing, pause)
    # An archive always gives the same response.
    if isinstance(error, miolo.NavigationError):
        assert verdict(error, tries, is_replayed=True) == Verdict(None, passing=False)
    else:
        assert verdict(error, tries, is_replayed=True) == decision


def test_lists_of_lines_and_columns(tmp_path: Path) -> None:
    lines = tmp_path / "list.txt"
    lines.write_text("\ufeffhttp://a.test/\n\n# no page\n  page.html  \n", "utf-8")
    assert list(read_list(lines)) == ["http://a.test/", "page.html"]
    table = tmp_path / "list.csv"
    table.write_text('name,url\n"a, b",http://a.test/\nc,\n', "utf-8")
    assert list(read_list(table)) == ["http://a.test/"]
    assert list(read_list(table, "name")) == ["a, b", "c"]
    table.write_text('Name;URL\r\n"a; b";http://a.test/?x,y\r\n', "utf-8")
    assert list(read_list(table)) == ["http://a.test/?x,y"]
    with pytest.raises(miolo.EmptyInputError, match="no column link") as caught:
        list(read_list(table, "link"))
    assert caught.value.lacks == "column"


def test_a_line_that_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    lines = tmp_path / "list.txt"
    long = b"http://long.test/" + b"a" * MAX_LINE
    lines.write_bytes(b"null\0.html\na.html\n\xff\xfe\n" + long + b"\nb.html\nc.html")
    entries = list(read_list(lines))
    good = ["a.html", "b.html", "c.html"]
    assert [each for each in entries if isinstance(each, str)] == good
    bad = [each for each in entries if isinstance(each, BadLine)]
    assert [each.place for each in bad] == [f"{lines}, line {number}" for number in (1, 3, 4)]
    table = tmp_path / "list.csv"
    table.write_bytes(b"url,n\nhttp://a.test/,1\ncaf\xe9.html,2\n" + long + b",3\nb.html,4\n")
    entries = list(read_list(table))
    assert [each for each in entries if isinstance(each, str)] == ["http://a.test/", "b.html"]
    assert len(entries) == 4


def test_lists_of_json_lines(tmp_path: Path) -> None:
    lines = tmp_path / "list.jsonl"
    lines.write_text(
        '\ufeff{"id": 1, "URL": " http://a.test/ "}\n\n"page.html"\n'
        + '{"requested_url": "http://b.test/", "html": "%s"}\n' % (MAX_LINE * "a")
        + '{"id": 2}\n{"url": null}\n["http://c.test/"]\nhttp://d.test/\n"\\ud800"\n'
        + 10_000 * "["
        + '\n{"url": "http://e.test/", "id": "http://f.test/"}',
        "utf-8",
    )
    good = ["http://a.test/", "page.html", "http://b.test/", "http://e.test/"]
    entries = list(read_list(lines))
    assert [each for each in entries if isinstance(each, str)] == good
    bad = {
        each.place.rpartition(" ")[2]: each.reason for each in entries if isinstance(each, BadLine)
    }
    missing = "no key url or requested_url or address or link"
    reasons = [missing, missing, missing, "not valid JSON", "not valid UTF-8", "not valid JSON"]
    assert bad == dict(zip("5 6 7 8 9 10".split(), reasons, strict=True))
    packed = tmp_path / "list.ndjson.gz"
    packed.write_bytes(gzip.compress(b'{"url": "http://a.test/", "id": "http://b.test/"}'))
    assert list(read_list(packed, "id")) == ["http://b.test/"]


@pytest.mark.parametrize("column", [None, "url"])
def test_standard_input_is_utf_8_whatever_the_locale(column, tmp_path: Path, monkeypatch) -> None:
    header = "url\n" if column else ""
    lines = f"\ufeff{header}http://a.test/\nhttp://b.test/caf\u00e9\n".encode() + b"\xff\n"
    (tmp_path / "list").write_bytes(lines)
    with (tmp_path / "list").open(encoding="ascii") as file:
        monkeypatch.setattr("sys.stdin", file)
        *urls, bad = read_list("-", column)
    assert urls == ["http://a.test/", "http://b.test/caf\u00e9"]
    assert isinstance(bad, BadLine)


def tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))
    return file.getvalue()


NO_LISTS = {
    "not a list of pages, but an HTML page": b"\n <!DOCTYPE html><title>Tides</title><p>A word",
    "not a list of pages, but an XML document": b"<?xml version='1.0'?><places></places>",
    "a compressed file, not a page: unpack it": b"PK\x03\x04" + bytes(100),
    "not a list of pages, but a binary file": tar(),
    "a compressed file, not a page": lzma.compress(b"http://a.test/"),
    "a PDF": b"%PDF-1.7\n1 0 obj\n",
    "a picture, not a page": b"\x89PNG\r\n\x1a\n",
    "empty, not a page": b" \n",
    "not a list of pages, but text in UTF-16": "http://a.test/\n".encode("utf-16"),
    "not a list of pages, but a WARC archive": b"WARC/1.1\r\nWARC-Type: warcinfo\r\n",
    "not a list of pages, but JSON": b'{"log": {"entries": []}}',
    "not a list of pages, but a log": (
        b"2026-11-27 10:00:0%d INFO GET http://a.test/\n" * 3 % (1, 2, 3)
    ),
    "not a list of pages, but a binary": bytes(range(256)) * 20,
}


@pytest.mark.parametrize("kind", NO_LISTS)
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_no_list_is_named(tmp_path: Path, kind: str, packed: bool) -> None:
    path = tmp_path / ("list.txt.gz" if packed else "list.txt")
    path.write_bytes(gzip.compress(NO_LISTS[kind]) if packed else NO_LISTS[kind])
    with pytest.raises((miolo.EmptyInputError, miolo.NotHTMLError), match=f" is {kind}"):
        list(read_list(path))


def test_a_line_without_an_end_is_no_list(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("miolo.collect.batch.lists.MAX_SKIPPED", 1_000_000)
    path = tmp_path / "list.txt.gz"
    path.write_bytes(gzip.compress(b"http://a.test/" + b"a" * 3_000_000 + b"\nhttp://b.test/"))
    with pytest.raises(miolo.EmptyInputError, match="a line is longer than 1,000,000 characters"):
        list(read_list(path))


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_compressed_list_is_an_error(tmp_path: Path, data: st.DataObject) -> None:
    whole = gzip.compress(b"".join(b"http://a.test/%d\n" % number for number in range(200)))
    path = tmp_path / "list.gz"
    path.write_bytes(whole[: data.draw(st.integers(1, len(whole) - 1))])
    with pytest.raises(miolo.EmptyInputError, match="not a valid gzip file"):
        list(read_list(path))
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[place] ^ data.draw(st.integers(1, 255))
    path.write_bytes(whole[:place] + bytes([changed]) + whole[place + 1 :])
    with contextlib.suppress(miolo.EmptyInputError):
        list(read_list(path))


@given(st.binary(max_size=200), st.sampled_from([".txt", ".csv", ".tsv"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bytes_break_a_list(tmp_path: Path, data: bytes, suffix: str) -> None:
    path = tmp_path / f"list{suffix}"
    path.write_bytes(data)
    try:
        entries = list(read_list(path, None if suffix == ".txt" else "url"))
    except (miolo.EmptyInputError, miolo.NotHTMLError):
        return
    assert all("\0" not in each for each in entries if isinstance(each, str))


def test_lists_in_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(
        pa.table({"url": ["http://a.test/", None, " "], "n": [1, 2, 3]}), tmp_path / "l.pq"
    )
    assert list(read_list(tmp_path / "l.pq")) == ["http://a.test/"]
    (tmp_path / "no.parquet").write_bytes(b"no table")
    with pytest.raises(miolo.EmptyInputError):
        list(read_list(tmp_path / "no.parquet"))


@pytest.mark.parametrize(
    ("kept", "browser", "option"),
    [
        (Kept(), "auto", "--snapshots"),
        (Kept(screenshots=True), "always", "--snapshots"),
        (Kept(snapshots=True), "always", "--screenshots"),
        (Kept(snapshots=True), "auto", "without a browser"),
        (Kept(snapshots=True, screenshots=True), "always", None),
    ],
)
def test_a_run_warns_at_its_start_of_files_that_later_steps_need(kept, browser, option):
    gaps = list(missing_later(kept, browser))
    assert len(gaps) == (option is not None)
    assert all(option in gap for gap in gaps)
