"""Web archives as files: written, read back, and refused if damaged."""

import gzip
import hashlib
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
from hypothesis import given
from hypothesis import strategies as st
from memory_source import MemorySource
from miolo.renderer.archives import wacz
from miolo.renderer.archives.archive import Archive
from miolo.renderer.archives.open_archive import open_archive
from miolo.renderer.archives.warc import WarcSource, warc_records
from miolo.renderer.network.decoding import decode_body
from miolo.renderer.network.exchange import Entry, Exchange
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


@pytest.mark.parametrize("form", ["warc.gz", "warc", "wacz", "har"])
@given(held=st.lists(exchanges, max_size=6, unique_by=lambda e: (e.url, e.method, e.posted)))
def test_written_records_are_found_again(form, held):
    with tempfile.TemporaryDirectory() as folder:
        if not held and form != "har":
            return
        path = Path(folder) / f"a.{form}"
        miolo.save_archive(path, held)
        with open_archive(path) as archive:
            for one in held:
                assert archive.find(one.url, one.method, posted=one.posted) == one
            assert archive.find("https://nowhere.test/") is None


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


@pytest.mark.parametrize("packed", [True, False])
@given(data=st.data())
def test_a_damaged_record_costs_that_record_alone(packed, data):
    middle = answer("https://a.test/middle", b"middle", time=PAGE.time)
    whole = [warc_records([each]) for each in (PAGE, middle, STYLE)]
    first, second, last = whole if packed else map(gzip.decompress, whole)
    broken = bytearray(second)
    if data.draw(st.booleans(), "cut"):
        start = data.draw(places) % len(broken)
        del broken[start : start + data.draw(st.integers(1, 40))]
    else:
        broken[data.draw(places) % len(broken)] ^= data.draw(st.integers(1, 255))
    with (
        tempfile.TemporaryDirectory() as folder,
        open_archive_of(Path(folder), first + bytes(broken) + last) as archive,
    ):
        assert archive.find(PAGE.url) == PAGE
        assert archive.find(STYLE.url) is not None
        found = archive.find(middle.url)
        # What no checksum covers, such as the name of a header, may be damaged unnoticed.
        if packed and found != middle and found is None:
            assert [warning.code for warning in archive.warnings] == ["damaged-archive"]


def test_a_record_with_a_wrong_length_does_not_take_the_following_ones(tmp_path):
    records = [gzip.decompress(warc_records([each])) for each in (PAGE, STYLE)]
    long = re.sub(rb"(Content-Length: )\d+", rb"\g<1>99999999", records[0], count=1)
    with open_archive_of(tmp_path, long + records[1] * 2, "a.warc") as archive:
        assert archive.find(STYLE.url) == STYLE
        assert len(archive.warnings) == 1


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_that_is_damaged_everywhere_is_refused_in_linear_time(tmp_path, packed):
    # Each start claims the rest of the file: reading on at each would take quadratic time.
    start = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 999999999\r\n\r\n"
    member = gzip.compress(start, mtime=0)[:-1] + b"\1"
    content = (member if packed else start) * 40_000
    with pytest.raises(miolo.ArchiveError):
        open_archive_of(tmp_path, content, "a.warc")


ARC_HEAD = b"""filedesc://a.arc 0.0.0.0 20080430204825 text/plain 66
1 0 Test
URL IP-address Archive-date Content-type Archive-length

"""


def arc_record(url: str, body: bytes) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return f"{url} 127.0.0.1 20080430204826 text/html {len(http)}\n".encode() + http + b"\n"


@pytest.mark.parametrize("packed", [True, False])
def test_an_arc_is_read(tmp_path, packed):
    parts = [ARC_HEAD, arc_record("http://a.test/1", b"<p>one"), b"damaged\n",
             arc_record("http://a.test", b"<p>two")]  # fmt: skip
    content = b"".join(map(compress, parts) if packed else parts)
    with open_archive_of(tmp_path, content, "a.arc") as archive:
        assert list(archive.pages()) == ["http://a.test/1", "http://a.test/"]
        assert body_of(archive, "http://a.test/") == b"<p>two"
        exchange = archive.find("http://a.test/1")
        assert exchange is not None
        assert (exchange.mime, exchange.time) == ("text/html", "2008-04-30T20:48:26.000000Z")
        assert len(archive.warnings) == 1


@pytest.mark.parametrize(
    ("written", "requested"),
    [
        ("http://a.test", "http://a.test/"),
        ("https://a.test?q=1", "https://a.test/?q=1"),
        ("http://A.test:80/x", "http://a.test/x"),
        ("<http://a.test/x>", "http://a.test/x"),
        ("http://a.test/caf\u00e9 x", "http://a.test/caf%C3%A9%20x"),
    ],
)
def test_an_address_is_found_however_it_is_written(tmp_path, written, requested):
    target = {"WARC-Target-URI": written}
    record = ("response", written, "200 OK", list(HTML), b"<p>here", target)
    with foreign(tmp_path, record) as archive:
        assert body_of(archive, requested) == b"<p>here"
        assert list(archive.pages()) == [requested]


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
    [("gzip", compress(bytes(20 << 20))), ("br", brotli.compress(bytes(20 << 20), quality=1))],
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


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_a_zip_with_a_folder_of_archives_is_read(tmp_path, compression):
    arc = ARC_HEAD + arc_record("http://a.test/arc", b"<p>arc")
    with zipfile.ZipFile(tmp_path / "a.zip", "w", compression) as archive:
        archive.writestr("crawls/2024/1.warc", gzip.decompress(warc_records([PAGE])))
        archive.writestr("crawls/2024/2.WARC.gz", warc_records([STYLE]))
        archive.writestr("crawls/3.arc", arc)
        archive.writestr("crawls/readme.txt", "text")
    with open_archive(tmp_path / "a.zip") as archive:
        assert list(archive.pages()) == [PAGE.url, "http://a.test/arc"]
        assert archive.find(PAGE.url) == PAGE
        assert archive.find(STYLE.url) == STYLE
        assert archive.warnings == ()


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(wacz, "MAX_UNPACKED_BYTES", 1 << 20)
    for name, start in (("zeros", b""), ("records", gzip.decompress(warc_records([PAGE])))):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.warc", start + bytes(4 << 20))
        with pytest.raises(miolo.ArchiveError, match=r"not a WARC|unpack"):
            open_archive(tmp_path / name)


def test_a_zip_of_something_else_or_whose_files_overlap_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(miolo.ArchiveError, match="neither"):
        open_archive(tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.wacz", "w") as archive:
        for name in ("archive/1.warc.gz", "archive/2.warc.gz"):
            archive.writestr(name, warc_records([PAGE]))
        first, second = archive.infolist()
        second.header_offset = first.header_offset
    with pytest.raises(miolo.ArchiveError, match="overlap"):
        open_archive(tmp_path / "a.wacz")


def test_a_written_wacz_has_what_the_format_requires(tmp_path):
    path = tmp_path / "a.wacz"
    held = [PAGE, STYLE, answer("https://b.test/\u00e9", b"<p>b")]
    miolo.save_archive(path, held)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        description = json.loads(archive.read("datapackage.json"))
        for resource in description["resources"]:
            data = archive.read(resource["path"])
            digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
            assert (resource["bytes"], resource["hash"]) == (len(data), digest)
        records = archive.read("archive/data.warc.gz")
        lines = archive.read("indexes/index.cdx").decode().splitlines()
    assert description["wacz_version"] == "1.1.1"
    assert lines == sorted(lines)
    assert lines[0].startswith("org,example)/ 20240514100000 ") or "test,b)" in lines[0]
    for line in lines:
        fields = json.loads(line.split(" ", 2)[2])
        start = int(fields["offset"])
        member = gzip.decompress(records[start : start + int(fields["length"])])
        assert f"WARC-Target-URI: {fields['url']}".encode() in member
        assert b"WARC-Type: response" in member
    with open_archive(path) as archive:
        assert next(iter(archive.pages())) == PAGE.url
        assert [archive.find(each.url) is not None for each in held] == [True] * 3


def test_attached_bodies_are_read_only_from_the_folder_of_their_har(tmp_path):
    miolo.save_archive(tmp_path / "a.har", [PAGE])
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


def har_of(folder: Path, *entries: dict, pages: list | None = None) -> Path:
    log = {"version": "1.2", "entries": list(entries), **({"pages": pages} if pages else {})}
    return save(folder, "b.har", json.dumps({"log": log}).encode())


def har_entry(url: str, text: str | None = "<p>page", dest: str = "", page: str = "p") -> dict:
    headers = [{"name": "Sec-Fetch-Dest", "value": dest}] if dest else []
    content = {"size": 7, "mimeType": "text/html"} | ({} if text is None else {"text": text})
    response = {"status": 200, "headers": [{"name": "Content-Type", "value": "text/html"}],
                "content": content}  # fmt: skip
    return {"pageref": page, "request": {"url": url, "headers": headers}, "response": response}


@pytest.mark.parametrize("name", ["a.har", "a.har.gz"])
def test_entries_need_no_method_and_the_file_may_be_compressed(tmp_path, name):
    content = har_of(tmp_path, har_entry(PAGE.url)).read_bytes()
    packed = compress(content) if name.endswith("gz") else content
    with open_archive_of(tmp_path, packed, name) as archive:
        assert body_of(archive, PAGE.url) == b"<p>page"
    if name.endswith("gz"):
        with pytest.raises(miolo.ArchiveError):
            open_archive_of(tmp_path, compress(packed), name)


def test_a_har_without_bodies_says_so(tmp_path):
    with pytest.raises(miolo.ArchiveError, match="has no bodies"):
        open_archive(har_of(tmp_path, har_entry(PAGE.url, None)))
    entries = har_entry(PAGE.url), har_entry("https://a.test/gone", None)
    with open_archive(har_of(tmp_path, *entries)) as archive:
        assert body_of(archive, PAGE.url) == b"<p>page"
        with pytest.raises(miolo.ArchiveError, match="not saved"):
            archive.find("https://a.test/gone")


def test_each_navigation_of_a_tab_is_a_page(tmp_path):
    urls = [f"https://a.test/{number}" for number in range(4)]
    entries = [har_entry(urls[0], dest="document"), har_entry(urls[1], dest="iframe"),
               har_entry(urls[2], dest="document"), har_entry(urls[3], page="q")]  # fmt: skip
    pages = [{"id": "p"}, {"id": "q"}]
    with open_archive(har_of(tmp_path, *entries, pages=pages)) as archive:
        assert list(archive.pages()) == [urls[0], urls[2], urls[3]]


def test_a_damaged_entry_costs_that_entry_alone(tmp_path):
    damaged = har_entry("https://a.test/x") | {"response": {"status": "none"}}
    with open_archive(har_of(tmp_path, damaged, har_entry(PAGE.url))) as archive:
        assert body_of(archive, PAGE.url) == b"<p>page"
        assert [warning.code for warning in archive.warnings] == ["damaged-archive"]


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
