"""Attacks on files and inputs that others may have made.

Each attack holds if it ends with a value or a typed error within limits of processor time and
memory.

    python tests/shared/surface_attacks.py NAME FOLDER    # runs one attack within the limits
"""

import asyncio
import gzip
import json
import lzma
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import miolo
from miolo.cli.page_sources import listed_source
from miolo.collect.batch.lists import read_list
from miolo.collect.frontier.robots import Robots
from miolo.collect.frontier.sitemaps import sitemap_entries
from miolo.collect.labels.label_files import read_role_lines
from miolo.collect.labels.label_studio import read_label_studio
from miolo.models.article.model import Reader
from miolo.renderer.archives.open_archive import open_archive
from miolo.renderer.network.cookies import read_cookies, read_storage_state
from miolo.renderer.settings import load_settings

__all__ = ["LARGE", "SURFACE", "run_attack"]

CPU_SECONDS, ADDRESS_SPACE = 15, 3 << 30

MB = 1 << 20

Attack = Callable[[Path], object]


def run_attack(name: str, folder: Path) -> str:
    """Run an attack; returns its outcome, and raises errors that are not typed."""
    try:
        SURFACE[name](folder)
    except miolo.MioloError as error:
        return type(error).__name__
    return "read"


def of_file(use: Callable[[Path], object], suffix: str, data: Callable[[], bytes]) -> Attack:
    """An attack by the content of a file."""

    def attack(folder: Path) -> object:
        path = folder / f"attack{suffix}"
        path.write_bytes(data())
        return use(path)

    return attack


def gzipped(part: bytes, times: int) -> bytes:
    """A part, repeated and compressed without holding all of it in memory."""
    member = gzip.compress(part * max(MB // len(part), 1))
    return member * max(times * len(part) // MB, 1)


def use_list(path: Path) -> int:
    entries = read_list(path, resolve=partial(listed_source, files=False))
    return sum(1 for _ in entries)


LISTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a page": (".txt", lambda: b"<!doctype html><p>http://a.test/"),
    "an archive": (".txt", lambda: b"PK\x03\x04" + bytes(MB)),
    "random bytes": (".txt", lambda: bytes(range(256)) * 4096),
    "null characters": (".csv", lambda: bytes(MB)),
    "a log": (".txt", lambda: b"Nov 27 10:00:00 host program: text\n" * MB),
    "blank lines, compressed": (".txt.gz", lambda: gzipped(b"\n", 1000 * MB)),
    "comments, compressed": (".txt.gz", lambda: gzipped(b"# a\n", 250 * MB)),
    "a line without end, compressed": (".txt.gz", lambda: gzipped(b"a", 1000 * MB)),
    "a JSON line without end": (".jsonl.gz", lambda: gzipped(b'{"a":', 200 * MB)),
    "blank rows": (".csv", lambda: b"url\n" + b"\n" * 20 * MB),
    "one row of fields": (".csv", lambda: b"url," * 10 * MB),
    "quotes": (".csv", lambda: b"url\n" + b'"' * 20 * MB),
    "nested JSON": (".jsonl", lambda: b"[" * 40 * MB),
    "empty lists": (".jsonl", lambda: b'{"url":[' + b"[]," * 10 * MB + b"[]]}\n"),
    "no Parquet": (".parquet", lambda: b"PAR1" + bytes(MB) + b"PAR1"),
}

SETTINGS: dict[str, Callable[[], bytes]] = {
    "nested arrays": lambda: b"[render]\nhide = " + b"[" * 200_000,
    "nested tables": lambda: b"[render]\nheaders = " + b"{a=" * 60_000,
    "a key of many parts": lambda: b"[render]\n" + b"a." * 100_000 + b"a=1",
    "a section of many parts": lambda: b"[" + b"a." * 100_000 + b"a]",
    "many sections": lambda: b"".join(b'[host."h%d"]\n' % n for n in range(15_000)),
    "many sections of many parts": lambda: (b"[" + b"a." * 199 + b"a]\n") * 600,
    "many digits": lambda: b"[render]\ndeadline=" + b"1" * 200_000,
    "no number": lambda: b"[render]\ndeadline=nan",
    "a script without end": lambda: b'[render]\nscript="/dev/zero"',
    "cookies without end": lambda: b'[render]\ncookies="/dev/zero"',
    "a null character in a name": lambda: b'[render]\nscript="a\\u0000b"',
    "a name of 5000 letters": lambda: b'[render]\nstorage-state="' + b"a" * 5000 + b'"',
    "a header in a header": lambda: b'[render.headers]\n"a"="b\\r\\nc: d"',
    "a header in the agent": lambda: b'[render]\nuser-agent="a\\r\\nb: c"',
    "a path as time zone": lambda: b'[render]\ntimezone="../../etc/passwd"',
}

COOKIE = b'{"name":"a","value":"b","domain":"a.test",%s}'
COOKIES: dict[str, Callable[[], bytes]] = {
    "empty lists": lambda: b"[" + b"[]," * 10 * MB + b"[]]",
    "nested": lambda: b"[" * 31 * MB,
    "digits": lambda: b"[" + COOKIE % (b'"expires":' + b"9" * 400_000) + b"]",
    "infinity": lambda: b"[" + COOKIE % b'"expires":1e999' + b"]",
    "a path that is none": lambda: b"[" + COOKIE % b'"path":{"a":[1]}' + b"]",
    "half a pair": lambda: b'[{"name":"\\ud800","value":"\\u0000","domain":"a\\r\\n"}]',
    "a file": lambda: b'[{"name":"a","value":"b","url":"file:///etc/passwd"}]',
    "tabs": lambda: b"\t" * 31 * MB,
    "lines": lambda: b"a\n" * 15 * MB,
    "too large": lambda: b"\n" * 33 * MB,
}


def tasks(blocks: int, regions: int, start: str, end: str) -> bytes:
    value = {"start": f"/p[{start}]/text()[1]", "end": f"/p[{end}]/text()[1]"}
    value |= {"startOffset": 0, "endOffset": 9, "hypertextlabels": ["note"]}
    region = {"type": "hypertextlabels", "value": value}
    data = {"id": "a", "url": "u", "html": "<p>x" * blocks}
    return json.dumps([{"data": data, "annotations": [{"result": [region] * regions}]}]).encode()


ROLE_LINES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "nested": (".jsonl", lambda: b"[" * 40 * MB),
    "empty lists": (".jsonl", lambda: b'{"id":1,"blocks":[' + b"[]," * 10 * MB + b"[]]}"),
    "a compressed line without end": (".jsonl.xz", lambda: lzma.compress(b"a" * 500 * MB)),
    "other types": (".jsonl", lambda: b'{"id":[],"blocks":{"ab":1}}'),
    "null": (".jsonl", lambda: b"null"),
    "random bytes": (".jsonl", lambda: bytes(range(256))),
}

TASKS: dict[str, Callable[[], bytes]] = {
    "nested": lambda: b"[" * 40 * MB,
    "regions that cover all": lambda: tasks(20_000, 20_000, "1", "20000"),
    "a region without end": lambda: tasks(5, 1, "1", "9999999999999"),
    "a region before the start": lambda: tasks(5, 1, "-5", "-1"),
    "digits": lambda: tasks(5, 1, "0" * 3 * MB, "1"),
    "a region that is none": lambda: b'[{"data":{"html":""},"annotations":[{"result":[1]}]}]',
}

ENTITIES = b'<!DOCTYPE a [<!ENTITY b "%s"><!ENTITY c "%s">]>' % (b"a" * 1000, b"&b;" * 1000)
FILE_ENTITY = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
LISTED = b"<urlset>%s<url><loc>http://a.test/&c;</loc></url></urlset>"
SITEMAPS: dict[str, Callable[[], bytes]] = {
    "nested": lambda: b"<urlset>" + b"<a>" * 3 * MB,
    "gzip in gzip": lambda: gzip.compress(gzip.compress(gzipped(b" ", 500 * MB))),
    "compressed": lambda: gzipped(b"<url><loc>http://a.test/</loc></url>", 300 * MB),
    "entities": lambda: b"<?xml version='1.0'?>" + ENTITIES + LISTED % b"",
    "an entity of a file": lambda: f"{FILE_ENTITY}<url><loc>http://a.test/&b;</loc></url>".encode(),
    "an entity in UTF-16": lambda: f"{FILE_ENTITY}<url><loc>http://a.test/&b;".encode("utf-16"),
    "attributes": lambda: b"<a " + b"".join(b"a%d='1' " % n for n in range(2 * MB)) + b">",
    "namespaces": lambda: b"".join(b"<a xmlns:n%d='u'>" % n for n in range(300_000)),
    "comments": lambda: b"<urlset>" + b"<!--" * 10 * MB,
    "sections": lambda: b"<urlset>" + b"<![CDATA[" * 4 * MB,
    "a long address": lambda: b"http://a.test/" + b"a" * 40 * MB,
    "addresses": lambda: b"http://a.test/a\n" * 3 * MB,
    "dates": lambda: (
        (b"<url><loc>http://a.test/</loc><lastmod>" + b"1" * 5000 + b"</lastmod>") * 5000
    ),
}

ROBOTS: dict[str, Callable[[], bytes]] = {
    "wildcards": lambda: b"User-agent: *\n" + b"Disallow: /*a*a*a*a*a*a*a$\n" * 20_000,
    "agents": lambda: b"User-agent: *\n" * 30_000 + b"Disallow: /a\n" * 30_000,
    "sitemaps": lambda: b"".join(b"Sitemap: /%d.xml\n" % n for n in range(30_000)),
    "a delay": lambda: b"User-agent: *\nCrawl-delay: 1e999\nRequest-rate: 0/0",
    "one line": lambda: b"Disallow: /" + b"*" * 500_000,
    "null characters": lambda: b"User-agent: *\n" + bytes(400_000),
}


def use_sitemap(path: Path) -> None:
    found = sitemap_entries(path.read_bytes(), "https://a.test/s.xml")
    assert not any("root:" in url for url, _ in found.pages)


def use_robots(path: Path) -> None:
    rules = Robots.read("https://a.test/robots.txt", 200, path.read_bytes())
    for number in range(20):
        rules.allows("https://a.test/" + "a" * 2000 + str(number))


async def call_tool(name: str, values: dict[str, Any]) -> None:
    """Call a tool of the MCP server, which has to answer with an error."""
    import mcp
    from miolo.integrations.mcp import build_server

    async with mcp.Client(build_server()) as client:
        answer = await client.call_tool(name, values)
        assert answer.is_error, answer
        assert "root:" not in str(answer)


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "a file": ("extract", {"url": "file:///etc/passwd"}),
    "a path": ("extract", {"url": "/etc/passwd"}),
    "a script": ("extract", {"url": "javascript:alert(1)"}),
    "data": ("extract", {"url": "data:text/html,<p>a"}),
    "settings of the browser": ("screenshot", {"url": "chrome://settings"}),
    "this machine": ("extract", {"url": "http://127.0.0.1:1/"}),
    "metadata": ("links", {"url": "http://169.254.169.254/latest/"}),
    "another port's name": ("extract", {"url": "http://a.test@127.0.0.1:1/"}),
    "half a pair": ("extract", {"url": "http://\ud800.test/"}),
    "a null character": ("extract", {"url": "http://a.test/\0"}),
    "a long address": ("extract", {"url": "http://127.0.0.1:1/" + "a" * 3 * MB}),
    "a list": ("extract", {"url": ["http://127.0.0.1:1/"]}),
    "a number": ("compare", {"before": 1, "after": 1e999}),
    "nothing": ("links", {}),
    "a negative start": ("extract", {"url": "http://127.0.0.1:1/", "start": -1}),
}


def use_tool(name: str, values: dict[str, Any], folder: Path) -> None:
    asyncio.run(call_tool(name, values))


NAMES = {
    "a device": "/dev/zero",
    "another device": "/dev/full",
    "the memory": "/proc/self/mem",
    "a null character": "a\0b",
    "300 bytes": "a" * 300,
    "parents": "../" * 40 + "etc/passwd",
    "a reserved name": "CON",
    "half a pair": "\udcff",
    "two lines": "a\nb",
    "nothing": "",
}
READERS: dict[str, Callable[[Path], object]] = {
    "snapshot": miolo.Snapshot.load,
    "site": miolo.Site.load,
    "reader": Reader.load,
    "archive": open_archive,
}


def use_name(use: Callable[[Path], object], name: str, folder: Path) -> None:
    """A file that cannot be opened is an error of the system, as for every program."""
    with suppress(OSError):
        use(folder / name)


SURFACE: dict[str, Attack] = {
    **{
        f"name: {name} as {kind}": partial(use_name, use, value)
        for name, value in NAMES.items()
        for kind, use in READERS.items()
    },
    **{f"list: {name}": of_file(use_list, *each) for name, each in LISTS.items()},
    **{f"settings: {n}": of_file(load_settings, ".toml", data) for n, data in SETTINGS.items()},
    **{f"cookies: {n}": of_file(read_cookies, ".json", data) for n, data in COOKIES.items()},
    **{f"storage: {n}": of_file(read_storage_state, ".json", data) for n, data in COOKIES.items()},
    **{
        f"roles: {name}": of_file(lambda path: list(read_role_lines(path)), *each)
        for name, each in ROLE_LINES.items()
    },
    "roles: a device": lambda _: list(read_role_lines(Path("/dev/zero"))),
    **{
        f"tasks: {name}": of_file(lambda path: list(read_label_studio(path)), ".json", data)
        for name, data in TASKS.items()
    },
    "tasks: a device": lambda _: list(read_label_studio(Path("/dev/zero"))),
    **{f"sitemap: {n}": of_file(use_sitemap, ".xml", data) for n, data in SITEMAPS.items()},
    **{f"robots: {n}": of_file(use_robots, ".txt", data) for n, data in ROBOTS.items()},
    **{f"mcp: {name}": partial(use_tool, *call) for name, call in CALLS.items()},
}
"""Attacks by name."""

LARGE = frozenset(
    name
    for name in SURFACE
    if any(
        word in name
        for word in ("compressed", "without end", "lists", "nested", "device", "gzip", "blank",
                     "comments", "large", "lines", "tabs", "attributes", "quotes", "fields", "log")
    )
)  # fmt: skip
"""Those that make large files, which take some seconds."""


def main() -> None:
    """Run one attack within the limits and print its outcome."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    print(run_attack(sys.argv[1], Path(sys.argv[2])))


if __name__ == "__main__":
    main()
