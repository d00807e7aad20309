"""Reads HAR files (HTTP Archive 1.2) as browsers, Playwright and Miolo write them.

Bodies are in the file, as text or Base64, or in other files that it names, as Playwright attaches
them: in the same ZIP or in the same folder.
"""

from __future__ import annotations

import base64
import binascii
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from ...errors import ArchiveError
from ..untrusted_json import parse_json
from .archive import Entry
from .decoding import MAX_BODY_BYTES
from .exchange import Exchange, moment, plain_headers, plain_text, whole_url

__all__ = ["HarSource", "har_source", "read_member", "zipped_har"]

# A HAR is held in memory while it is open.
MAX_HAR_BYTES = 512 << 20

# Errors caused by JSON with an unexpected structure or unexpected values.
DAMAGE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)

Attached = Callable[[str], bytes]


class HarSource:
    """Exchanges of a HAR.

    Parameters
    ----------
    text
        The JSON.
    attached
        Returns the body that the JSON refers to by a name.
    name
        Name of the file in messages.
    close
        Closes the source of the bodies.

    Raises
    ------
    ArchiveError
        The text is not the JSON of a HAR.
    """

    def __init__(
        self, text: bytes, attached: Attached, name: str, close: Callable[[], None] | None = None
    ) -> None:
        self._name, self._attached, self._close = name, attached, close
        try:
            log = parse_json(text)["log"]
            entries, self._pages = log["entries"], list(log.get("pages") or ())
            # Entries of requests that failed have no status.
            self._entries = [e for e in entries if _status(e["response"]) > 0]
        except DAMAGE as error:
            raise ArchiveError(f"{name} is not a HAR file, or damaged ({error!r})") from None

    def entries(self) -> Iterator[Entry]:
        """All entries, in order."""
        for place in range(len(self._entries)):
            yield Entry(place, self._exchange(place, with_body=False))

    def read(self, place: int) -> Exchange:
        """The exchange at a place, with its body."""
        return self._exchange(place, with_body=True)

    def pages(self) -> Iterator[str]:
        """URL of the first HTML document of each page that the file lists, if it lists any."""
        page_ids: set[str] = {str(page.get("id")) for page in self._pages if isinstance(page, dict)}
        for place, entry in enumerate(self._entries):
            page = str(entry.get("pageref"))
            if page in page_ids and (exchange := self._exchange(place, with_body=False)).is_page:
                page_ids.discard(page)
                yield exchange.url

    def close(self) -> None:
        """Close the file."""
        self._entries = []
        if self._close:
            self._close()

    def _exchange(self, place: int, *, with_body: bool) -> Exchange:
        entry = self._entries[place]
        try:
            request, response = entry["request"], entry["response"]
            headers = plain_headers(_headers(response["headers"]))
            request_headers = _headers(request.get("headers") or ())
            return Exchange(
                url=_address(request),
                status=_status(response),
                headers=headers,
                body=self._body(response.get("content") or {}) if with_body else b"",
                method=_text(request["method"]).upper(),
                posted=_post(request.get("postData") or {}),
                dest=next((v for n, v in request_headers if n.lower() == "sec-fetch-dest"), ""),
                time=moment(_text(entry.get("startedDateTime") or "")),
            )
        except DAMAGE as error:
            raise ArchiveError(f"entry {place} of {self._name} is damaged ({error!r})") from None

    def _body(self, content: Mapping[str, Any]) -> bytes:
        name = content.get("_file")
        if name is not None:
            # Only a bare name is accepted: an untrusted file must not refer to other folders.
            if PurePosixPath(_text(name)).name != name:
                raise ValueError(f"{name!r} is not a name of a file beside")
            return self._attached(name)
        return _bytes(_text(content.get("text") or ""), content.get("encoding"))


def har_source(path: Path) -> HarSource:
    """Open a ``.har`` file, with the bodies in other files of its folder.

    Raises
    ------
    ArchiveError
        The file is damaged, too large, or not a HAR.
    """
    return HarSource(_small_file(path, MAX_HAR_BYTES), lambda name: _beside(path, name), path.name)


def zipped_har(archive: zipfile.ZipFile, member: str, name: str) -> HarSource:
    """Open the HAR in a ZIP, with the bodies in the same ZIP.

    Raises
    ------
    ArchiveError
        The file is damaged, too large, or not a HAR.
    """
    text = read_member(archive, member, MAX_HAR_BYTES)
    return HarSource(text, partial(_attached_member, archive), name, archive.close)


def _attached_member(archive: zipfile.ZipFile, name: str) -> bytes:
    return read_member(archive, name, MAX_BODY_BYTES)


def read_member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """Read a member of a ZIP that is no longer than a limit.

    Raises
    ------
    ArchiveError
        The member is longer, damaged or missing.
    """
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


def _beside(path: Path, name: str) -> bytes:
    try:
        return _small_file(path.parent / name, MAX_BODY_BYTES)
    except OSError as error:
        raise ArchiveError(f"{name}, which {path.name} names, cannot be read ({error})") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return plain_text(value)


def _status(response: Mapping[str, Any]) -> int:
    status = int(response["status"])
    if status > 999:
        raise ValueError(f"{status} is not a status")
    return status


def _address(request: Mapping[str, Any]) -> str:
    url = whole_url(_text(request["url"]))
    if not url:
        raise ValueError("a request has no address")
    return url


def _headers(rows: Iterable[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    return tuple((_text(row["name"]), _text(row["value"])) for row in rows)


def _post(data: Mapping[str, Any]) -> bytes:
    return _bytes(_text(data.get("text") or ""), data.get("_encoding"))


def _bytes(text: str, encoding: object) -> bytes:
    if encoding == "base64":
        try:
            return base64.b64decode(text)
        except binascii.Error as error:
            raise ValueError(error) from None
    return text.encode("utf-8", "surrogatepass")
