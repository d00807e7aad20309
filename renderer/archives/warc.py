"""Exchanges as WARC 1.1 records, each a gzip member that can be appended to any ``.warc.gz``."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from ...errors import MissingDependencyError
from ..network.exchange import Exchange

if TYPE_CHECKING:
    from warcio.warcwriter import WARCWriter

__all__ = ["need_warcio", "warc_records"]


PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))


def need_warcio() -> None:
    """Check that warcio is installed.

    Raises
    ------
    MissingDependencyError
        warcio is not installed.
    """
    try:
        import warcio  # noqa: F401
    except ImportError:
        raise MissingDependencyError.of_extra("a WARC file", "collect") from None


def warc_records(exchanges: Iterable[Exchange]) -> bytes:
    """WARC records of exchanges: a response and a request for each.

    Headers that describe the transfer of a body are not written, since bodies are decoded. Header
    values beyond ASCII are percent-encoded. Complete gzip members stay readable even if the data
    after them is lost.

    Raises
    ------
    MissingDependencyError
        warcio is not installed.
    """
    need_warcio()
    from warcio.warcwriter import WARCWriter

    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True, warc_version="WARC/1.1")
    for exchange in exchanges:
        _write(writer, exchange)
    return buffer.getvalue()


def _write(writer: WARCWriter, exchange: Exchange) -> None:
    date_header = {"WARC-Date": exchange.time} if exchange.time else {}
    answer = _record(
        writer, "response", exchange, exchange.body, _answer_head(exchange), date_header
    )
    question = _record(writer, "request", exchange, exchange.posted, _request_head(exchange), {})
    writer.write_request_response_pair(question, answer)


def _record(
    writer: WARCWriter,
    kind: str,
    exchange: Exchange,
    body: bytes,
    head: Any,
    headers: Mapping[str, str],
) -> Any:
    return writer.create_warc_record(
        exchange.url,
        kind,
        io.BytesIO(body),
        length=len(body),  # without a length, warcio uses a temporary file
        http_headers=head,
        warc_headers_dict=dict(headers),
    )


def _answer_head(exchange: Exchange) -> Any:
    from warcio.statusandheaders import StatusAndHeaders

    reasons = {status.value: status.phrase for status in HTTPStatus}
    line = f"{exchange.status} {reasons.get(exchange.status, '')}".strip()
    length = ("Content-Length", str(len(exchange.body)))
    headers = [(_ascii(name), value) for name, value in exchange.headers]
    return StatusAndHeaders(line, [*headers, length], protocol="HTTP/1.1")


def _request_head(exchange: Exchange) -> Any:
    from warcio.statusandheaders import StatusAndHeaders

    parts = urlsplit(exchange.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = [("Host", parts.netloc.rpartition("@")[2])]
    if exchange.dest:
        headers.append(("Sec-Fetch-Dest", exchange.dest))
    if exchange.posted:
        headers.append(("Content-Length", str(len(exchange.posted))))
    line = f"{_ascii(target)} HTTP/1.1"
    return StatusAndHeaders(line, headers, protocol=_ascii(exchange.method))


def _ascii(text: str) -> str:
    """A text with its characters beyond ASCII percent-encoded, as those of header values are."""
    return text if text.isascii() else quote(text, safe=PRINTABLE, errors="replace")
