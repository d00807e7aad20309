"""Web archives as files: written, read back, and refused if damaged."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
import tempfile
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import brotli
import miolo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_source import MemorySource
from miolo.renderer.archives import warc_source as record_stream
from miolo.renderer.archives.archive import Archive, Entry
from miolo.renderer.archives.decoding import decode_body
from miolo.renderer.archives.exchange import Exchange, bare_url
from miolo.renderer.archives.har import write_har
from miolo.renderer.archives.open_archive import open_archive
from miolo.renderer.archives.warc import warc_records
from miolo.renderer.archives.warc_source import WarcSource
from warcio.checker import Checker
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HTML = (("Content-Type", "text/html; charset=utf-8"),)
PAGE = Exchange(
    "https://example.org/", 200, HTML, b"<p>page", dest="document",
    time="2024-05-14T10:00:00.000000Z",
)  # fmt: skip
STYLE = Exchange(
    "https://example.org/a.css", 200, (("Content-Type", "text/css"),), b"p {}", dest="style",
    time="2024-05-14T10:00:01.500000Z",
)  # fmt: skip

names = st.from_regex(r"X-[a-z]{1,8}", fullmatch=True)
values = st.from_regex(r"[!-~]([ -~]{0,20}[!-~])?", fullmatch=True)
exchanges = st.builds(
    Exchange,
    url=st.from_regex(r"https?://[a-z]{1,9}\.test(:81)?/[!$-;=?-~]{0,20}|"
                      r"https://a\.test/[a-z]{1,9}\?[a-z=&%0-9]{0,20}", fullmatch=True),
    status=st.sampled_from((200, 204, 301, 404, 503)),
    headers=st.lists(st.tuples(names, values), max_size=4).map(tuple),
    body=st.binary(max_size=300),
    method=st.sampled_from(("GET", "POST", "PUT")),
    posted=st.binary(max_size=50),
    dest=st.sampled_from(("", "document", "script", "empty")),
    time=st.datetimes().map(lambda when: when.isoformat(timespec="microseconds") + "Z"),
)  # fmt: skip


# Positions in files, taken modulo the length, which varies since records have random names.
places = st.integers(0, 1 << 20)


def compress(data: bytes) -> bytes:
    # Without a time: test names contain the bytes, and every process must collect the same tests.
    return gzip.compress(data, mtime=0)


def save(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def open_archive_of(folder: Path, data: bytes, name: str = "a.warc.gz") -> Archive:
    return open_archive(save(folder, name, data))


def write(folder: Path, form: str, held: list[Exchange]) -> Path:
    if form == "har":
        write_har(folder / "a.har", held)
        return folder / "a.har"
    packed = warc_records(held)
    if form == "warc.gz":
        return save(folder, "a.warc.gz", packed)
    if form == "warc":
        return save(folder, "a.warc", gzip.decompress(packed))
    with zipfile.ZipFile(folder / "a.wacz", "w") as archive:
        archive.writestr("archive/a.warc.gz", packed)
    return folder / "a.wacz"


@pytest.mark.parametrize("form", ["warc.gz", "warc", "wacz", "har"])
@settings(max_examples=25)
@given(held=st.lists(exchanges, max_size=6, unique_by=lambda e: (e.url, e.method, e.posted)))
def test_written_records_are_found_again(form, held):
    with tempfile.TemporaryDirectory() as folder:
        if not held and form != "har":
            return
        with open_archive(write(Path(folder), form, held)) as archive:
            for one in held:
                assert archive.find(one.url, one.method, posted=one.posted) == one
            assert archive.find("https://nowhere.test/") is None


def test_written_archives_pass_the_check_of_the_format(tmp_path):
    path = write(tmp_path, "warc.gz", [PAGE, STYLE])
    checker = Checker(type("Arguments", (), {"inputs": [str(path)], "verbose": False}))
    checker.process_all()
    assert checker.exit_value == 0


def test_a_warc_grows_by_appending(tmp_path):
    path = save(tmp_path, "a.warc.gz", warc_records([PAGE]))
    path.write_bytes(path.read_bytes() + warc_records([STYLE]))
    with open_archive(path) as archive:
        assert archive.find(PAGE.url) == PAGE
        assert archive.find(STYLE.url) == STYLE
        assert list(archive.pages()) == [PAGE.url]


@pytest.mark.parametrize("packed", [True, False])
def test_a_truncated_last_record_affects_no_other_record(tmp_path, packed):
    whole = warc_records([PAGE]), warc_records([STYLE])
    first, last = whole if packed else map(gzip.decompress, whole)
    for end in range(len(last)):
        source = WarcSource(save(tmp_path, "a.warc", first + last[:end]))
        entries = [e for e in source.entries() if isinstance(e, Entry)]
        bodies = [source.read(entry.place).body for entry in entries]
        source.close()
        assert bodies in ([PAGE.body], [PAGE.body, STYLE.body])
        assert [e.exchange.url for e in entries] == [PAGE.url, STYLE.url][: len(entries)]
    with open_archive_of(tmp_path, first + last[: len(last) // 4]) as archive:
        assert archive.find(PAGE.url) == PAGE
        assert archive.find(STYLE.url) is None
    with open_archive_of(tmp_path, first + last) as archive:
        assert archive.find(STYLE.url) == STYLE


def test_damage_before_the_end_is_an_error(tmp_path):
    first, last = warc_records([PAGE]), warc_records([STYLE])
    broken = bytearray(first)
    broken[len(broken) // 3] ^= 0xFF
    with pytest.raises(miolo.ArchiveError, match="damaged"):
        open_archive_of(tmp_path, bytes(broken) + last)


@settings(max_examples=40)
@given(data=st.data())
def test_damaged_files_raise_only_archive_errors(data):
    with tempfile.TemporaryDirectory() as folder:
        form = data.draw(st.sampled_from(("warc.gz", "warc", "wacz", "har")))
        path = write(Path(folder), form, [PAGE, STYLE])
        content = bytearray(path.read_bytes())
        for place, value in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), max_size=4)):
            content[place % len(content)] = value
        path.write_bytes(content[: 1 + data.draw(places) % len(content)])
        with contextlib.suppress(miolo.ArchiveError), open_archive(path) as archive:
            for page in archive.pages():
                archive.find(page)
            archive.find(STYLE.url)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.warc.gz", b""),
        ("text.warc", b"WARC/1.0"),
        ("page.har", b"<html>"),
        ("list.har", b"[]"),
        ("other.har", b'{"a": 1}'),
        ("deep.har", b"{" + b'"log":' * 1 + b"[" * 100_000),
        ("entries.har", b'{"log": {"entries": [3]}}'),
        ("torn.zip", b"PK\x03\x04 and no more"),
        ("plain.gz", compress(b"not a record")),
        ("endless.gz", compress(b"WARC/1.1\r\n" + b"A" * (3 << 20))),
        ("headers.gz", compress(b"WARC/1.1\r\n" + b"A: b\r\n" * 400_000)),
        ("length.warc", b"WARC/1.1\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\n"),
    ],
)
def test_foreign_files_are_errors(tmp_path, name, content):
    with pytest.raises(miolo.ArchiveError):
        open_archive_of(tmp_path, content, name)


def test_a_zip_of_something_else_is_an_error(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(miolo.ArchiveError, match="neither"):
        open_archive(tmp_path / "a.zip")


def foreign(folder: Path, *records: tuple[str, str, str, list[tuple[str, str]], bytes, dict]):
    """A WARC by another writer; a record is kind, URL, status line, headers, body, WARC headers."""
    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True)
    for kind, url, line, headers, body, warc_headers in records:
        head = StatusAndHeaders(line, headers, protocol="HTTP/1.1") if line else None
        writer.write_record(
            writer.create_warc_record(
                url,
                kind,
                io.BytesIO(body),
                len(body),
                http_headers=head,
                warc_headers_dict=warc_headers,
            )
        )
    return open_archive_of(folder, buffer.getvalue())


CHUNKED = b"5\r\nhello\r\n6\r\n there\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ([("Transfer-Encoding", "chunked")], CHUNKED),
        ([("Content-Encoding", "gzip")], compress(b"hello there")),
        ([("Content-Encoding", "deflate")], zlib.compress(b"hello there")),
        ([("Content-Encoding", "deflate")], zlib.compress(b"hello there")[2:-4]),
        ([("Content-Encoding", "br")], brotli.compress(b"hello there")),
        ([("Content-Encoding", "gzip")], b"hello there"),
    ],
)
def test_bodies_are_decoded_from_any_transfer_or_content_encoding(tmp_path, headers, body):
    with foreign(tmp_path, ("response", PAGE.url, "200 OK", headers, body, {})) as archive:
        exchange = archive.find(PAGE.url)
        assert exchange is not None
        assert exchange.body == b"hello there"
        assert exchange.headers == ()


@pytest.mark.parametrize(
    ("name", "bomb"),
    [
        ("gzip", compress(bytes(20 << 20))),
        ("br", brotli.compress(bytes(20 << 20), quality=1)),
    ],
)
def test_a_body_that_would_decompress_beyond_the_limit_is_refused(name, bomb):
    assert len(decode_body(bomb, name, 20 << 20)) == 20 << 20
    tracemalloc.start()
    with pytest.raises(miolo.ArchiveError, match="longer"):
        decode_body(bomb, name, 1 << 20)
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


def test_a_revisit_has_the_body_of_the_first_visit(tmp_path):
    digest = {"WARC-Payload-Digest": "sha1:AAAA"}
    with foreign(
        tmp_path,
        ("response", "https://a.test/1", "200 OK", list(HTML), b"<p>once", digest),
        ("revisit", "https://a.test/2", "200 OK", list(HTML), b"", digest),
        ("resource", "https://a.test/3", "", [], b"plain", {"Content-Type": "text/plain"}),
        ("warcinfo", "", "", [], b"software: other\r\n", {}),
    ) as archive:
        again, plain = archive.find("https://a.test/2"), archive.find("https://a.test/3")
        assert again is not None
        assert plain is not None
        assert again.body == b"<p>once"
        assert (plain.status, plain.mime, plain.body) == (200, "text/plain", b"plain")
        assert list(archive.pages()) == ["https://a.test/1", "https://a.test/2"]


def test_the_pages_of_a_wacz_are_those_that_it_lists(tmp_path):
    rows = [{"format": "json-pages-1.0"}, {"url": PAGE.url}, {"url": "ftp://x"}, {"id": 1}]
    lines = "\n".join([*map(json.dumps, rows), '{"url": "https://torn'])
    frame = Exchange("https://a.test/frame", 200, HTML, b"<p>")
    with zipfile.ZipFile(tmp_path / "a.wacz", "w") as archive:
        archive.writestr("pages/pages.jsonl", lines)
        archive.writestr("archive/1.warc.gz", warc_records([frame]))
        archive.writestr("archive/2.warc.gz", warc_records([PAGE]))
    with open_archive(tmp_path / "a.wacz") as archive:
        assert list(archive.pages()) == [PAGE.url]
        assert archive.find(frame.url) is not None
        assert archive.find(PAGE.url) == PAGE


def test_a_compressed_warc_member_in_a_wacz_is_an_error(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.wacz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/1.warc", gzip.decompress(warc_records([PAGE])))
    with pytest.raises(miolo.ArchiveError, match="store"):
        open_archive(tmp_path / "a.wacz")


def test_attached_bodies_are_read_only_from_the_folder_of_their_har(tmp_path):
    write_har(tmp_path / "a.har", [PAGE])
    log = json.loads((tmp_path / "a.har").read_bytes())
    secret = save(tmp_path, "secret", b"secret")
    (tmp_path / "in").mkdir()
    for name, body in (("../secret", None), (str(secret), None), ("body", b"beside")):
        log["log"]["entries"][0]["response"]["content"] = {"_file": name}
        if body:
            save(tmp_path / "in", name, body)
        with open_archive_of(tmp_path / "in", json.dumps(log).encode(), "b.har") as archive:
            if body:
                exchange = archive.find(PAGE.url)
                assert exchange is not None
                assert exchange.body == body
            else:
                with pytest.raises(miolo.ArchiveError, match="not a name"):
                    archive.find(PAGE.url)


def answer(url: str, body: bytes, **fields) -> Exchange:
    return Exchange(url, 200, HTML, body, **fields)


def body_of(archive: Archive, *args, **query) -> bytes | None:
    exchange = archive.find(*args, **query)
    return exchange.body if exchange else None


def test_requests_are_distinguished_by_address_method_and_body():
    url = "https://a.test/x"
    held = [
        answer(url, b"got"), answer(url, b"put", method="PUT"),
        answer(url, b"one", method="POST", posted=b"1"),
        answer(url, b"two", method="POST", posted=b"2"),
    ]  # fmt: skip
    with Archive(MemorySource(held)) as archive:
        assert body_of(archive, url + "#part") == b"got"
        assert body_of(archive, url, "PUT") == b"put"
        assert body_of(archive, url, "POST", posted=b"2") == b"two"
        assert body_of(archive, url, "POST", posted=b"3") is None
        assert body_of(archive, url + "?a=1") is None


def test_cache_busters_are_ignored_if_only_one_candidate_remains():
    held = [
        answer("https://a.test/x?page=1&_=1715680000123", b"one"),
        answer("https://a.test/y?r=0.123456789", b"first"),
        answer("https://a.test/y?r=0.987654321", b"second"),
    ]
    with Archive(MemorySource(held)) as archive:
        assert body_of(archive, "https://a.test/x?page=1&_=1799999999999") == b"one"
        assert body_of(archive, "https://a.test/x?page=2&_=1799999999999") is None
        assert body_of(archive, "https://a.test/y?r=0.555555555") is None


def test_repeated_requests_get_answers_in_recorded_order():
    url = "https://a.test/poll"
    times = [f"2024-05-14T10:00:0{second}.000000Z" for second in range(4)]
    held = [answer(url, b"%d" % n, time=time) for n, time in enumerate(times)]
    with Archive(MemorySource(held)) as archive:
        assert [body_of(archive, url, nth=n) for n in range(5)] == [b"0", b"1", b"2", b"3", b"3"]
        assert body_of(archive, url, since=times[2]) == b"2"
        assert body_of(archive, url, since="2025") == b"3"


@given(st.from_regex(r"https://a\.test/\?([a-z_]{1,3}=[a-z0-9.]{0,13}&){0,4}", fullmatch=True))
def test_bare_url_is_idempotent_and_removes_cache_busters(url):
    once = bare_url(url)
    assert bare_url(once) == once
    assert not re.search(r"[?&]_=", once)


def test_records_of_an_archive_larger_than_one_block_are_found(tmp_path):
    pages = [
        answer(f"https://a.test/{n}", bytes([n % 251]) * (3 * record_stream.BLOCK // 2))
        for n in range(40)
    ]
    for form in ("warc.gz", "warc"):
        with open_archive(write(tmp_path, form, pages)) as archive:
            for page in reversed(pages):
                assert body_of(archive, page.url) == page.body
            assert list(archive.pages()) == [page.url for page in pages]
