"""Real pages and sites for the benchmarks: unpacked, served on loopback, with their truth."""

from __future__ import annotations

import asyncio
import functools
import http.server
import json
import os
import re
import sys
import tarfile
import threading
import urllib.parse
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import miolo
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[1]

# The saved sites refer to the open web, which no benchmark may depend on.
OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",)


def parser(about: str) -> ArgumentParser:
    """Options that all benchmarks on real data share."""
    options = ArgumentParser(description=about)
    default = os.environ.get("MIOLO_DATA", str(ROOT.parent / "shared" / "data"))
    options.add_argument("--data", type=Path, default=Path(default), help="folder of the data")
    options.add_argument(
        "--cache", type=Path, default=ROOT / "data", help="folder to unpack to (git-ignored)"
    )
    return options


def unpack(archive: Path, cache: Path) -> Path:
    """Folder of an unpacked archive, unpacking it the first time."""
    name = archive.name.removesuffix(".tar.xz")
    done = cache / f".{name}.unpacked"
    if not done.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as tar:
            tar.extractall(cache, filter="data")
        done.touch()
    return cache / name


def site_table(data: Path) -> dict[str, dict[str, Any]]:
    """What is known of each site."""
    return json.loads((data / "sites.json").read_text("utf-8"))


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def translate_path(self, path: str) -> str:
        # A question mark in a file's name comes as %3F, which is no query.
        plain = urllib.parse.unquote(path.partition("?")[0].partition("#")[0])
        parts = [part for part in plain.split("/") if part not in ("", ".", "..")]
        return str(Path(self.directory).joinpath(*parts)) + ("/" if plain.endswith("/") else "")

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        # Pages saved under names such as `spip.php?article1.html`.
        kind = super().guess_type(path)
        return (
            f"{kind}; charset=utf-8" if kind.startswith("text/") and kind != "text/html" else kind
        )

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a browser hangs up on what it no longer wants


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder from the root of a server of its own; gives the origin."""
    with _Server(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


async def rendered_posts(
    data: Path, cache: Path, name: str, posts: Sequence[str], concurrent: int = 2
) -> list[Path | None]:
    """Saved snapshots of a site's posts, rendered the first time; None for one that fails."""
    saved = cache / f"{name}-snapshots"
    files = [saved / f"{number:03}.miolo" for number in range(len(posts))]
    return await _rendered(data, cache, name, list(zip(posts, files, strict=True)), concurrent)


async def rendered_further(
    data: Path, cache: Path, name: str, paths: Sequence[str], concurrent: int = 2
) -> list[Path | None]:
    """The same for other pages of a site, such as lists; see `further_pages`."""
    saved = cache / f"{name}-lists"
    saved.mkdir(parents=True, exist_ok=True)
    # Which page has which number: other calls may ask for other pages.
    register = saved / "paths.json"
    known = json.loads(register.read_text("utf-8")) if register.exists() else []
    known += [path for path in paths if path not in known]
    register.write_text(json.dumps(known, ensure_ascii=False), "utf-8")
    pages = [(path, saved / f"{known.index(path):03}.miolo") for path in paths]
    return await _rendered(data, cache, name, pages, concurrent)


def further_pages(
    data: Path, cache: Path, name: str, pattern: str, posts: Sequence[str]
) -> list[str]:
    """Paths of a site's HTML files that match a pattern and are no posts."""
    folder = unpack(data / "sites" / f"{name}.tar.xz", cache)
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    return [path for path in paths if re.match(pattern, path) and path not in posts]


async def _rendered(
    data: Path, cache: Path, name: str, pages: Sequence[tuple[str, Path]], concurrent: int
) -> list[Path | None]:
    """The files of pages of a site, each by its path there and its snapshot's file."""
    folder = unpack(data / "sites" / f"{name}.tar.xz", cache)
    gate = asyncio.Semaphore(concurrent)

    async def one(path: str, kept: Path) -> Path | None:
        async with gate:
            try:
                if not kept.exists():
                    kept.parent.mkdir(exist_ok=True)
                    (await renderer.render(post_url(origin, path))).save(kept)
            except miolo.MioloError as error:
                print(f"  {path}: {error}", file=sys.stderr)
                return None
        return kept

    if all(kept.exists() for _, kept in pages):
        return [kept for _, kept in pages]
    async with miolo.Renderer(switches=OFFLINE) as renderer:
        with served(folder) as origin:
            return await asyncio.gather(*(one(*page) for page in pages))


def post_url(origin: str, path: str) -> str:
    """Address of a post; Markdown is what a docsify site shows behind its hash."""
    if path.endswith(".md"):
        return f"{origin}/#/{urllib.parse.quote(path.removesuffix('.md'))}"
    return f"{origin}/{urllib.parse.quote(path)}"


def post_source(folder: Path, path: str) -> bytes:
    """What the server answers before any script has run."""
    return (folder / ("index.html" if path.endswith(".md") else path)).read_bytes()


def post_truth(folder: Path, path: str, selector: str | None) -> str:
    """Text of a post's body: the longest match of the selector, or the Markdown's."""
    return " ".join(post_lines(folder, path, selector))


def post_lines(folder: Path, path: str, selector: str | None) -> list[str]:
    """Texts of a post's body, one for each text of its markup or line of its Markdown."""
    if path.endswith(".md") or not selector:
        lines = _markdown_text((folder / path).read_text("utf-8", "replace")).splitlines()
    else:
        soup = BeautifulSoup((folder / path).read_bytes(), "lxml")
        for element in soup(["script", "style", "noscript"]):
            element.decompose()
        bodies = soup.select(selector)
        longest = max(bodies, key=lambda body: len(body.get_text(" ")), default=None)
        lines = [] if longest is None else longest.strings
    return [text for text in (" ".join(line.split()) for line in lines) if text]


def _markdown_text(source: str) -> str:
    text = re.sub(r"^```.*$", "", source, flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[a-zA-Z/][^>]*>", "", text)
    return re.sub(r"^[ \t|:-]+$", "", text, flags=re.MULTILINE)
