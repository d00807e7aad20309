"""Archives and snapshots, ways to tamper with them, and everything that reads them."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import miolo
from hypothesis import strategies as st
from miolo.output.formats import FORMATS
from miolo.renderer.archives.open_archive import open_archive, save_archive
from miolo.renderer.archives.warc import warc_records
from miolo.renderer.network.exchange import Exchange

__all__ = ["ARCHIVES", "Form", "tampered_file", "whole_archives"]

ARCHIVES = ("har", "har.zip", "warc", "warc.gz", "wacz", "mhtml", "miolo")
"""Suffixes of the files."""

HTML = (("Content-Type", "text/html; charset=utf-8"),)
EXCHANGES = [
    Exchange("https://a.test/", 200, HTML, b"<p>page", dest="document", time="2024-05-14T10:00Z"),
    Exchange("https://a.test/a.css?_=1", 404, (("Content-Type", "text/css"),), b"p {}"),
    Exchange("https://a.test/form", 302, (("Location", "/"),), method="POST", posted=b"a=1"),
]
PAGE = miolo.Snapshot.from_html(
    "<html lang=en><title>T</title><meta name=author content=A>"
    '<script type="application/ld+json">{"@type": "Article"}</script>'
    "<article><h1>T</h1>" + "<p class=a>Some words of an article go here.</p>" * 9,
    url="https://a.test/story",
)

# Values that may replace any value of a JSON document.
VALUES = (
    None, True, -1, 0, 2**31, 2**63, 10**400, 1e999, float("nan"), 1.5, "", "x", "\ud800",
    "a\udfffb", "\0", "9" * 400, "../x", "http://[", "https://a.test:99999/", "https://\ud800/",
    [], [[]], ["\ud800"], [1], {}, {"name": "\ud800", "value": "\udfff"},
)  # fmt: skip
PIECES = (b"-1", b"1e999", b"null", b"[", b"\xff", b"\r\n", b"999999999999999999999", b"\0")


@dataclass
class Form:
    """A kind of file: its parts, how they are packed, and how it is read."""

    parts: dict[str, bytes]
    pack: Callable[[dict[str, bytes]], bytes]
    use: Callable[[Any], None]


def compress(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return file.getvalue()


def join_members(parts: dict[str, bytes]) -> bytes:
    return b"".join(parts.values())


def members(parts: dict[str, bytes]) -> bytes:
    return b"".join(gzip.compress(part, 1) for part in parts.values())


def use_archive(path) -> None:
    """Read everything that an archive contains, and write it again."""
    with open_archive(path) as archive:
        urls = {*archive.pages(), *(each.url for each in EXCHANGES), "https://a.test/a.css?_=2"}
        queries = [(url, method) for url in urls for method in ("GET", "POST")]
        exchanges = [archive.find(url, method, posted=b"a=1" * (method == "POST"))
                 for url, method in queries]  # fmt: skip
    for name in ("again.har", "again.warc.gz"):
        save_archive(path.parent / name, [each for each in exchanges if each is not None])


def use_snapshot(path) -> None:
    """Extract from a snapshot, in every format, and save it again."""
    snapshot = miolo.Snapshot.load(path)
    extraction = miolo.extract_snapshot(snapshot, "nce")
    for form in FORMATS:
        miolo.format_extraction(extraction, form).encode()
    snapshot.save(path.parent / "again.miolo")


def whole_archives(folder: Path) -> dict[str, Form]:
    """A file of each kind, by its suffix; the folder is for intermediate files."""
    save_archive(folder / "a.har", EXCHANGES)
    har = (folder / "a.har").read_bytes()
    log = json.loads(har)
    log["log"]["entries"][0]["response"]["content"] = {"_file": "body.html"}
    attached = {"a.har": json.dumps(log).encode(), "body.html": b"<p>page"}
    warc = gzip.decompress(warc_records(EXCHANGES))
    heads = [b"WARC/1.1" + part for part in warc.split(b"WARC/1.1")[1:]]
    records = {str(number): head for number, head in enumerate(heads)}
    pages = b'{"format": "json-pages-1.0"}\n{"url": "https://a.test/"}\n'
    wacz = {"archive/a.warc.gz": members(records), "pages/pages.jsonl": pages}
    boundary = b"\r\n--frontier"
    mhtml = {
        "head": b"MIME-Version: 1.0\r\nSnapshot-Content-Location: https://a.test/\r\n"
        b'Content-Type: multipart/related; boundary="frontier"\r\n',
        "page": boundary + b"\r\nContent-Type: text/html\r\nContent-Location: https://a.test/\r\n"
        b"Content-Transfer-Encoding: quoted-printable\r\n\r\n<p>page <img src=3Dcid:a>",
        "picture": boundary + b"\r\nContent-ID: <a>\r\nContent-Type: image/gif\r\n"
        b"Content-Transfer-Encoding: base64\r\n\r\nR0lGODlh",
        "end": boundary + b"--\r\n",
    }
    PAGE.save(folder / "a.miolo")
    with zipfile.ZipFile(folder / "a.miolo") as archive:
        snapshot = {name: archive.read(name) for name in archive.namelist()}
    return {
        "har": Form({"a.har": har}, join_members, use_archive),
        "har.zip": Form(attached, compress, use_archive),
        "warc": Form(records, join_members, use_archive),
        "warc.gz": Form(records, members, use_archive),
        "wacz": Form(wacz, compress, use_archive),
        "mhtml": Form(mhtml, join_members, use_archive),
        "miolo": Form(snapshot, compress, use_snapshot),
    }


def places(value: Any, path: tuple = ()) -> list[tuple]:
    """Paths of the values in a JSON document."""
    if not isinstance(value, dict | list):
        return [path]
    rows = value.items() if isinstance(value, dict) else enumerate(value)
    return [path] * bool(path) + [p for key, each in rows for p in places(each, (*path, key))]


def with_value(document: Any, path: tuple, value: Any) -> Any:
    """The JSON document with another value at a path."""
    if not path:
        return value
    copy = document.copy()
    copy[path[0]] = with_value(document[path[0]], path[1:], value)
    return copy


def tampered_json(draw, part: bytes) -> bytes:
    document = json.loads(part)
    for _ in range(draw(st.integers(1, 2))):
        if paths := places(document):
            place = draw(st.sampled_from(paths))
            document = with_value(document, place, draw(st.sampled_from(VALUES)))
    return json.dumps(document).encode()


def tampered_bytes(draw, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, max(len(changed) - 1, 0)))
        how = draw(st.sampled_from(("flip", "cut", "grow", "end")))
        if how == "flip" and changed:
            changed[place] ^= draw(st.integers(1, 255))
        elif how == "cut":
            del changed[place : place + draw(st.integers(1, 100))]
        elif how == "end":
            del changed[place:]
        else:
            changed[place:place] = draw(st.sampled_from(PIECES) | st.binary(max_size=20))
    return bytes(changed)


def tampered_file(draw, form: Form) -> bytes:
    """The file with changed bytes, in the file or in a member, or with a changed JSON value."""
    if draw(st.booleans()):
        return tampered_bytes(draw, form.pack(form.parts))
    name = draw(st.sampled_from(sorted(form.parts)))
    part = form.parts[name]
    is_json = name.endswith((".har", ".json")) and draw(st.integers(0, 3))
    part = tampered_json(draw, part) if is_json else tampered_bytes(draw, part)
    return form.pack({**form.parts, name: part})
