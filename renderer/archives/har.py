"""Writes exchanges as a HAR (HTTP Archive 1.2), and reads those of browsers and Playwright.

Playwright attaches bodies in other files of the same ZIP or folder.
"""

from __future__ import annotations

import base64
import binascii
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from http.client import responses
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ...errors import ArchiveError
from ...untrusted_json import parse_json
from ..network.decoding import MAX_BODY_BYTES, decode_body
from ..network.exchange import Entry, Exchange, moment, plain_headers, plain_text, whole_url
from ..network.source_kinds import GZIP

MAX_HAR_BYTES = 512 << 20  # a HAR is held in memory while it is open

# Errors caused by JSON with an unexpected structure or unexpected values.
DAMAGE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)

Attached = Callable[[str], bytes]

UNKNOWN = {"headersSize": -1, "bodySize": -1}
NO_TIME = "1970-01-01T00:00:00.000Z"


class HarSource:
    """Exchanges of a HAR."""

    def __init__(
        self, text: bytes, attached: Attached, name: str, close: Callable[[], None] | None = None
    ) -> None:
        self._name, self._attached, self._close = name, attached, close
        self.damage: list[str] = []
        try:
            log = parse_json(text)["log"]
            entries = list(log["entries"])
            pages = log.get("pages") or ()
            self._page_ids = {str(page.get("id")) for page in pages if isinstance(page, dict)}
        except DAMAGE as error:
            raise ArchiveError(f"{name} is not a HAR file, or damaged ({error!r})") from None
        # Each entry with its exchange, without the body.
        self._entries: list[tuple[Any, Exchange]] = []
        for number, entry in enumerate(entries):
            try:
                # Entries of requests that failed have no status.
                if _status(entry["response"]) > 0:
                    self._entries.append((entry, _exchange(entry)))
            except DAMAGE as error:
                self.damage.append(f"entry {number} of {name} is damaged ({error!r})")
        if entries and len(self.damage) == len(entries):
            raise ArchiveError(self.damage[0])
        documents = [entry["response"].get("content") or {}
                     for entry, exchange in self._entries if exchange.is_page]  # fmt: skip
        if documents and not any(each.get("text") or each.get("_file") for each in documents):
            raise ArchiveError(
                f"{name} has no bodies, so its pages cannot be rendered: save the HAR with "
                'content, in Chromium\'s developer tools by "Export HAR (with sensitive data)"'
            )

    def entries(self) -> Iterator[Entry]:
        """All entries, in order."""
        for place, (_, exchange) in enumerate(self._entries):
            yield Entry(place, exchange)

    def read(self, place: int) -> Exchange:
        """The exchange at a place, with its body."""
        entry, exchange = self._entries[place]
        try:
            return replace(exchange, body=self._body(entry["response"]))
        except DAMAGE as error:
            message = f"what {self._name} has of {exchange.url} is damaged ({error})"
            raise ArchiveError(message) from None

    def pages(self) -> Iterator[str]:
        """URLs of the documents of tabs, if the file lists pages.

        A page of the file is a tab in some programs, which may have navigated several times. If
        requests do not tell documents of tabs from those of frames, only the first document of
        each page counts.
        """
        left = set(self._page_ids)
        for entry, exchange in self._entries if left else ():
            page = str(entry.get("pageref"))
            if exchange.is_page and (page in left or exchange.dest == "document"):
                left.discard(page)
                yield exchange.url

    def close(self) -> None:
        """Close the file."""
        self._entries = []
        if self._close:
            self._close()

    def _body(self, response: Mapping[str, Any]) -> bytes:
        content = response.get("content") or {}
        name = content.get("_file")
        has_lost = content.get("size") != 0 and response["status"] == 200
        if name is None and "text" not in content and has_lost:
            raise ValueError("its body was not saved")
        if name is not None:
            # Only a bare name is accepted: an untrusted file must not refer to other folders.
            if PurePosixPath(_text(name)).name != name:
                raise ValueError(f"{name!r} is not a name of a file beside")
            return self._attached(name)
        return _bytes(_text(content.get("text") or ""), content.get("encoding"))


def har_source(path: Path) -> HarSource:
    """Open a ``.har`` or ``.har.gz`` file, with the bodies in other files of its folder."""
    text = _small_file(path, MAX_HAR_BYTES)
    if text.startswith(GZIP):
        text = decode_body(text, "gzip", MAX_HAR_BYTES)

    def attached(name: str) -> bytes:
        try:
            return _small_file(path.parent / name, MAX_BODY_BYTES)
        except OSError as error:
            cause = f"{name}, which {path.name} names, cannot be read ({error})"
            raise ArchiveError(cause) from None

    return HarSource(text, attached, path.name)


def zipped_har(archive: zipfile.ZipFile, member: str, name: str) -> HarSource:
    """Open the HAR in a ZIP, with the bodies in the same ZIP."""
    folder = "".join(member.rpartition("/")[:2])

    def attached(name: str) -> bytes:
        return read_member(archive, folder + name, MAX_BODY_BYTES)

    return HarSource(read_member(archive, member, MAX_HAR_BYTES), attached, name, archive.close)


def read_member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """Read a member of a ZIP that is no longer than a limit."""
    try:
        with archive.open(name) as member:
            data = member.read(limit + 1)
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise ArchiveError(f"{name} is missing or damaged ({error})") from None
    except (RuntimeError, OSError) as error:
        raise ArchiveError(f"{name} cannot be read ({error})") from None
    if len(data) > limit:
        raise ArchiveError(f"{name} unpacks to more than {limit:,} bytes")
    return data


def _small_file(path: Path, limit: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ArchiveError(f"{path.name} is larger than {limit:,} bytes; keep large ones as WARC")
    return data


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return plain_text(value)


def _status(response: Mapping[str, Any]) -> int:
    status = int(response["status"])
    if status > 999:
        raise ValueError(f"{status} is not a status")
    return status


def _exchange(entry: Mapping[str, Any]) -> Exchange:
    """The exchange of an entry, without its body."""
    request, response = entry["request"], entry["response"]
    request_headers = _headers(request.get("headers") or ())
    headers = plain_headers(_headers(response.get("headers") or ()))
    mime = (response.get("content") or {}).get("mimeType")
    if mime and not any(name.lower() == "content-type" for name, _ in headers):
        headers = (*headers, ("Content-Type", _text(mime)))
    url = whole_url(_text(request["url"]))
    if not url:
        raise ValueError("a request has no address")
    data = request.get("postData") or {}
    return Exchange(
        url=url,
        status=_status(response),
        headers=headers,
        # Some programs leave out what is usual.
        method=_text(request.get("method") or "GET").upper(),
        posted=_bytes(_text(data.get("text") or ""), data.get("_encoding")),
        dest=next((v for n, v in request_headers if n.lower() == "sec-fetch-dest"), ""),
        time=moment(_text(entry.get("startedDateTime") or "")),
    )


def _headers(rows: Iterable[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    return tuple((_text(row["name"]), _text(row["value"])) for row in rows)


def _bytes(text: str, encoding: object) -> bytes:
    if encoding == "base64":
        try:
            return base64.b64decode(text)
        except binascii.Error as error:
            raise ValueError(error) from None
    return text.encode("utf-8", "surrogatepass")


def har_text(exchanges: Iterable[Exchange]) -> bytes:
    """The JSON of a HAR, with bodies in Base64; each main document starts a page of it."""
    pages: list[dict[str, Any]] = []
    entries: list[dict[str, Any]] = []
    for exchange in exchanges:
        begin = {"startedDateTime": exchange.time or NO_TIME}
        if exchange.is_page and exchange.dest == "document":
            name = f"page_{len(pages) + 1}"
            pages.append({"id": name, "title": exchange.url, **begin, "pageTimings": {}})
        entries.append({
            # Exchanges before the first page, such as redirects, led to it.
            "pageref": f"page_{max(1, len(pages))}",
            **begin,
            "time": 0,
            "request": _request(exchange),
            "response": _response(exchange),
            "cache": {},
            "timings": {"send": 0, "wait": 0, "receive": 0},
        })  # fmt: skip
    creator = {"name": "miolo", "version": "1"}
    log = {"version": "1.2", "creator": creator, "pages": pages, "entries": entries}
    return json.dumps({"log": log}, indent=1).encode()


def _request(exchange: Exchange) -> dict[str, Any]:
    request_headers = [("Sec-Fetch-Dest", exchange.dest)] if exchange.dest else []
    query = parse_qsl(urlsplit(exchange.url).query, keep_blank_values=True)
    request: dict[str, Any] = {
        "method": exchange.method,
        "url": exchange.url,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _rows(request_headers),
        "queryString": _rows(query),
        **UNKNOWN,
    }
    if exchange.posted:
        try:
            data = {"text": exchange.posted.decode()}
        except UnicodeDecodeError:
            # The format has no field for this; the name is the one that Chromium's own tools use.
            data = {"text": _base64(exchange.posted), "_encoding": "base64"}
        request["postData"] = {"mimeType": "application/octet-stream", **data}
    return request


def _response(exchange: Exchange) -> dict[str, Any]:
    content = {
        "size": len(exchange.body),
        "mimeType": exchange.header("content-type"),
        "text": _base64(exchange.body),
        "encoding": "base64",
    }
    return {
        "status": exchange.status,
        "statusText": responses.get(exchange.status, ""),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _rows(exchange.headers),
        "content": content,
        "redirectURL": exchange.header("location"),
        **UNKNOWN,
    }


def _rows(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
