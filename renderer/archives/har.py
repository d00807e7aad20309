"""Writes exchanges as a HAR (HTTP Archive 1.2), for the tools of browsers and other programs."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ..network.exchange import Exchange
from ..page.container import whole_file

__all__ = ["har_text", "write_har"]

UNKNOWN = {"headersSize": -1, "bodySize": -1}
NO_TIME = "1970-01-01T00:00:00.000Z"


def write_har(path: str | Path, exchanges: Iterable[Exchange]) -> None:
    """Write exchanges as a HAR; the file appears complete or not at all.

    Bodies are decoded and stored in Base64. Each main document starts a page of the HAR.
    """
    text = har_text(exchanges)
    with whole_file(Path(path)) as file:
        file.write(text)


def har_text(exchanges: Iterable[Exchange]) -> bytes:
    """The JSON of a HAR; see `write_har`."""
    pages: list[dict[str, Any]] = []
    entries: list[dict[str, Any]] = []
    for exchange in exchanges:
        if exchange.is_page and exchange.dest == "document":
            pages.append(_page(exchange, f"page_{len(pages) + 1}"))
        # Exchanges before the first page, such as redirects, led to it.
        entries.append({"pageref": f"page_{max(1, len(pages))}", **_entry(exchange)})
    creator = {"name": "miolo", "version": "1"}
    log = {"version": "1.2", "creator": creator, "pages": pages, "entries": entries}
    return json.dumps({"log": log}, indent=1).encode()


def _page(exchange: Exchange, name: str) -> dict[str, Any]:
    return {
        "id": name,
        "title": exchange.url,
        "startedDateTime": exchange.time or NO_TIME,
        "pageTimings": {},
    }


def _entry(exchange: Exchange) -> dict[str, Any]:
    return {
        "startedDateTime": exchange.time or NO_TIME,
        "time": 0,
        "request": _request(exchange),
        "response": _response(exchange),
        "cache": {},
        "timings": {"send": 0, "wait": 0, "receive": 0},
    }


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
    return request | ({"postData": _post(exchange.posted)} if exchange.posted else {})


def _post(posted: bytes) -> dict[str, Any]:
    kind = "application/octet-stream"
    try:
        return {"mimeType": kind, "text": posted.decode()}
    except UnicodeDecodeError:
        # The format has no field for this; the name is the one that Chromium's own tools use.
        return {"mimeType": kind, "text": _base64(posted), "_encoding": "base64"}


def _response(exchange: Exchange) -> dict[str, Any]:
    reasons = {status.value: status.phrase for status in HTTPStatus}
    content = {
        "size": len(exchange.body),
        "mimeType": exchange.header("content-type"),
        "text": _base64(exchange.body),
        "encoding": "base64",
    }
    return {
        "status": exchange.status,
        "statusText": reasons.get(exchange.status, ""),
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
