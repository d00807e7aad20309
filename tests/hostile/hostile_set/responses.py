"""Responses that never end, decompress to far more, have false headers, or are not pages."""

import gzip
import re
import zlib
from collections.abc import Iterator
from functools import cache

from .hostile import HEAD, MARK, Answer, Hostile, Wire, document, head_of

__all__ = ["PAGES", "SUPPORT"]

PAGE = document().encode()
TOO_BIG = ("TooLargeError", "PageTimeoutError", "BrowserCrashedError")
NO_PAGE = ("NavigationError",)
PARTS = 1 << 20


def raw(*pieces: bytes) -> Answer:
    """An answer of these bytes and nothing else."""

    def answer(wire: Wire) -> None:
        for piece in pieces:
            wire.send(piece)

    return answer


def with_type(kind: str, body: bytes, *lines: str) -> Answer:
    """An answer with a body of a media type."""
    head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: {kind}\r\n"
    return raw(head.encode() + "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + body)


def dripping(first: bytes, piece: bytes, pause: float) -> Answer:
    """An answer with a beginning, and then the same piece again and again."""

    def answer(wire: Wire) -> None:
        wire.send(first)
        while not wire.stop.wait(pause):
            wire.send(piece)

    return answer


def _silent(wire: Wire) -> None:
    wire.stop.wait()


def _redirecting(wire: Wire) -> None:
    number = int(re.search(r"\d*$", wire.target)[0] or 0) + 1
    wire.send(f"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ?{number}\r\n\r\n".encode())


def _zeros(packer: "zlib._Compress", megabytes: int) -> Iterator[bytes]:
    for _ in range(megabytes):
        yield packer.compress(bytes(PARTS))
    yield packer.flush()


@cache
def _bomb(megabytes: int) -> bytes:
    """The page followed by zeros, compressed."""
    packer = zlib.compressobj(9, wbits=31)
    return packer.compress(PAGE) + b"".join(_zeros(packer, megabytes))


def _compress(layers: int) -> Answer:
    def answer(wire: Wire) -> None:
        body = _bomb(400)
        for _ in range(layers - 1):
            body = gzip.compress(body)
        encodings = ", ".join(["gzip"] * layers)
        wire.send(head_of(f"Content-Encoding: {encodings}") + body)

    return answer


def _brotli(wire: Wire) -> None:
    import brotli

    packer = brotli.Compressor(quality=5)
    wire.send(head_of("Content-Encoding: br") + packer.process(PAGE))
    for _ in range(400):
        wire.send(packer.process(bytes(PARTS)))
    wire.send(packer.finish())


def _large(wire: Wire) -> None:
    wire.send(head_of() + PAGE)
    for _ in range(200):
        wire.send(b"<p>large " * (PARTS // 9))


def _bomb_picture(wire: Wire) -> None:
    """A PNG of 30,000 by 30,000 black pixels in 1 MB."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data).to_bytes(4, "big")
        return len(data).to_bytes(4, "big") + name + data + check

    side = 30_000
    packer = zlib.compressobj(9)
    rows = b"".join(_zeros(packer, side * (side + 1) // PARTS + 1))
    header = side.to_bytes(4, "big") * 2 + bytes((8, 0, 0, 0, 0))
    signature = b"\x89PNG\r\n\x1a\n"
    picture = signature + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    with_type("image/png", picture)(wire)


SUPPORT: dict[str, Answer] = {
    "ordinary": with_type("text/html", PAGE),
    "bomb.png": _bomb_picture,
    "download": with_type("application/x-msdownload", b"MZ", "Content-Disposition: attachment"),
    "worker.js": with_type(
        "text/javascript", b"onfetch = e => e.respondWith(new Response('taken'))"
    ),
    "endless-fast": dripping(head_of(), b"x" * PARTS, 0.001),
}
"""Resources that hostile pages load."""

ENDLESS = (
    Hostile("silent", _silent, errors=("PageTimeoutError",), seconds=3),
    Hostile("drip-headers", dripping(b"HTTP/1.1 200 OK\r\n", b"X-Drip: drop\r\n", 0.05),
            errors=("PageTimeoutError", "NavigationError"), seconds=3),
    Hostile("drip-body", dripping(head_of() + PAGE, b"<p>drop</p>", 0.05), warns="deadline"),
    Hostile("endless-body", dripping(head_of() + PAGE, b"<p>flood</p>" * 9999, 0.001),
            errors=TOO_BIG),
    Hostile("body-200-mb", _large, errors=TOO_BIG, seconds=8),
    Hostile("redirects", _redirecting, errors=NO_PAGE),
    Hostile("bomb-gzip", _compress(1), errors=TOO_BIG, seconds=8),
    Hostile("bomb-nested", _compress(3), errors=(*TOO_BIG, *NO_PAGE), seconds=8),
    Hostile("bomb-brotli", _brotli, errors=(*TOO_BIG, *NO_PAGE), seconds=8),
)  # fmt: skip

LYING = (
    Hostile("length-too-long", raw(head_of("Content-Length: 99999999") + PAGE),
            warns="broken-off"),
    Hostile("length-too-short", raw(head_of("Content-Length: 40") + PAGE), keeps=False),
    Hostile("length-negative", raw(head_of("Content-Length: -1") + PAGE), errors=NO_PAGE),
    Hostile("lengths-two", raw(head_of("Content-Length: 5", "Content-Length: 9") + PAGE),
            errors=NO_PAGE),
    Hostile("chunks-torn", raw(head_of("Transfer-Encoding: chunked") + b"ffffffffffffffffff\r\nx"),
            errors=NO_PAGE, keeps=False),
    Hostile("gzip-torn", raw(head_of("Content-Encoding: gzip") + gzip.compress(PAGE)[:200]),
            errors=NO_PAGE, keeps=False),
    Hostile("gzip-false", raw(head_of("Content-Encoding: gzip") + PAGE), errors=NO_PAGE,
            keeps=False),
    Hostile("headers-huge", raw(HEAD + b"X-A: " + b"x" * 900_000 + b"\r\n\r\n" + PAGE),
            errors=NO_PAGE),
    Hostile("headers-many", raw(HEAD + b"".join(b"Set-Cookie: k%d=%s\r\n" % (i, b"x" * 200)
            for i in range(900)) + b"\r\n" + PAGE), errors=NO_PAGE),
    Hostile("no-http", raw(b"\0\1\2 SSH-2.0\r\n\r\n"), errors=NO_PAGE, keeps=False),
    Hostile("http-09", raw(PAGE), errors=NO_PAGE, keeps=False),
    Hostile("status-odd", raw(b"HTTP/1.1 999 No\r\n\r\n" + PAGE), errors=NO_PAGE),
    Hostile("hang-up", raw(), errors=NO_PAGE),
    Hostile("retry-after-odd", raw(b"HTTP/1.1 503 No\r\nRetry-After: " + b"9" * 400
            + b"\r\n\r\nlater"), errors=NO_PAGE),
)  # fmt: skip

NOT_PAGES = {
    "application/pdf": b"%PDF-1.4\n%%EOF",
    "application/zip": b"PK\3\4",
    "video/mp4": b"\0\0\0\x18ftypmp42",
    "audio/mpeg": b"ID3",
    "application/json": b"{}",
    "application/octet-stream": PAGE,
    "image/svg+xml": b"<svg xmlns='http://www.w3.org/2000/svg'><script>for(;;){}</script></svg>",
    "multipart/x-mixed-replace; boundary=b": b"--b\r\nContent-Type: text/html\r\n\r\n" + PAGE,
    "application/wasm": b"\0asm",
    "text/css": b"p {}",
}
FOREIGN = tuple(
    Hostile(f"type-{kind.partition(';')[0].replace('/', '-')}", with_type(kind, body),
            errors=("NotHTMLError", "NavigationError"), seconds=3)
    for kind, body in NOT_PAGES.items()
)  # fmt: skip

XML_BOMB = b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'>" + b"".join(
    f"<!ENTITY {chr(98 + i)} '{f'&{chr(97 + i)};' * 10}'>".encode() for i in range(10)
) + b"]><a>&k;</a>"  # fmt: skip
STRANGE = (
    Hostile("xml-bomb", with_type("application/xml", XML_BOMB), keeps=False),
    Hostile("xml-broken", with_type("application/xhtml+xml", b"<p>" + PAGE), keeps=False),
    Hostile("body-empty", with_type("text/html", b""), keeps=False),
    Hostile("body-nul", with_type("text/html", bytes(100_000)), keeps=False),
    Hostile("type-missing", raw(b"HTTP/1.1 200 OK\r\n\r\n" + PAGE)),
    Hostile("type-nonsense", with_type("text/html; charset=\xe9\"';;=,", PAGE), keeps=False),
    Hostile("refresh-header", with_type("text/html", PAGE, "Refresh: 0")),
    Hostile("link-headers", with_type("text/html", PAGE, *(f"Link: </ordinary?{i}>; rel=preload;"
            " as=script" for i in range(300)))),
)  # fmt: skip


def _encode(declared: str, body: bytes) -> Answer:
    return with_type(f"text/html; charset={declared}" if declared else "text/html", body)


TEXT = f"<p>{MARK} Fährmänner — 港務局</p>"
ENCODINGS = {
    "latin1-as-utf8": ("utf-8", TEXT.encode("latin-1", "replace")),
    "utf8-as-latin1": ("iso-8859-1", TEXT.encode()),
    "utf16-unmarked": ("utf-16", TEXT.encode("utf-16-le")),
    "utf16-as-utf8": ("utf-8", TEXT.encode("utf-16")),
    "utf16-torn": ("utf-16le", TEXT.encode("utf-16-le") + b"\x00\xd8x"),
    "utf32": ("utf-32", TEXT.encode("utf-32")),
    "utf7": ("utf-7", b"<p>+ADw-script+AD4-alert(1)+ADw-/script+AD4-"),
    "overlong": ("utf-8", b"<p>\xc0\xbcscript\xc0\xbe \xe0\x80\xaf \xf8\x88\x80\x80\x80"),
    "surrogates": ("utf-8", b"<p>\xed\xa0\x80\xed\xbf\xbf</p><script>document.body.append("
                   b"'\\ud800', '\\udfff\\ud83d'); document.title = '\\udc00';"
                   b"document.body.setAttribute('x', '\\udead')</script>"),
    "iso-2022": ("iso-2022-jp", b"<p>\x1b$B\x1b(B\x1b$@!!\x1b"),
    "unknown": ("x-no-such", TEXT.encode()),
    "declared-late": ("", b" " * 5000 + b"<meta charset=utf-16>" + TEXT.encode()),
    "bytes": ("", bytes(range(256)) * 100),
}  # fmt: skip
MISREAD = tuple(
    Hostile(f"encoding-{name}", _encode(*arguments), keeps=False, seconds=4)
    for name, arguments in ENCODINGS.items()
)

PAGES = (*ENDLESS, *LYING, *FOREIGN, *STRANGE, *MISREAD)
