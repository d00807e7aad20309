"""Real pages and sites for the benchmarks: unpacked, served on loopback, with their truth."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tarfile
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import miolo
from miolo.evaluate.page_sets import page_case
from miolo.evaluate.rendering import CONCURRENT, OFFLINE, render_case, serve_folder
from miolo.evaluate.rendering import PAGE_OPTIONS as OPTIONS
from miolo.evaluate.site_sets import (
    body_elements,
    markdown_text,
    post_bodies,
    post_file,
    post_url,
    site_table,
)

__all__ = [
    "CONCURRENT",
    "OFFLINE",
    "OPTIONS",
    "ROOT",
    "further_pages",
    "log",
    "parser",
    "post_lines",
    "post_source",
    "post_truth",
    "post_url",
    "rendered_further",
    "rendered_posts",
    "saved_page",
    "serve_folder",
    "site_table",
    "unpack",
    "unpack_sites",
]

ROOT = Path(__file__).resolve().parents[1]


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
    """Folder of an archive, which is unpacked the first time."""
    name = archive.name.removesuffix(".tar.xz")
    done = cache / f".{name}.unpacked"
    if not done.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as tar:
            tar.extractall(cache, filter="data")
        done.touch()
    return cache / name


def unpack_sites(data: Path, cache: Path) -> Path:
    """Folder of all sites, as `miolo evaluate --sites` takes it."""
    for archive in sorted((data / "sites").glob("*.tar.xz")):
        unpack(archive, cache)
    (cache / "sites.json").write_bytes((data / "sites.json").read_bytes())
    return cache


async def rendered_posts(
    data: Path, cache: Path, name: str, posts: Sequence[str]
) -> list[Path | None]:
    """Saved snapshots of a site's posts, rendered the first time; None for one that fails."""
    saved = cache / f"{name}-snapshots"
    files = [saved / f"{number:03}.miolo" for number in range(len(posts))]
    return await _render_files(data, cache, name, list(zip(posts, files, strict=True)))


async def rendered_further(
    data: Path, cache: Path, name: str, paths: Sequence[str]
) -> list[Path | None]:
    """Like `rendered_posts`, for other pages of a site such as lists; see `further_pages`."""
    saved = cache / f"{name}-lists"
    saved.mkdir(parents=True, exist_ok=True)
    # The number of each page is recorded, since other calls may request other pages.
    register = saved / "paths.json"
    all_paths = json.loads(register.read_text("utf-8")) if register.exists() else []
    all_paths += [path for path in paths if path not in all_paths]
    register.write_text(json.dumps(all_paths, ensure_ascii=False), "utf-8")
    pages = [(path, saved / f"{all_paths.index(path):03}.miolo") for path in paths]
    return await _render_files(data, cache, name, pages)


def further_pages(
    data: Path, cache: Path, name: str, pattern: str, posts: Sequence[str]
) -> list[str]:
    """Paths of a site's HTML files that match a pattern and are not posts."""
    folder = unpack(data / "sites" / f"{name}.tar.xz", cache)
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    return [path for path in paths if re.match(pattern, path) and path not in posts]


async def _render_files(
    data: Path, cache: Path, name: str, pages: Sequence[tuple[str, Path]]
) -> list[Path | None]:
    """Saved snapshots of a site's pages, given as pairs of the path and the snapshot's file."""
    folder = unpack(data / "sites" / f"{name}.tar.xz", cache)
    gate = asyncio.Semaphore(CONCURRENT)

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
    async with miolo.Renderer(
        miolo.RenderOptions(egress=miolo.EgressPolicy("named")), switches=OFFLINE
    ) as renderer:
        with serve_folder(folder) as origin:
            return await asyncio.gather(*(one(*page) for page in pages))


def fresh_copy(snapshot: miolo.Snapshot) -> miolo.Snapshot:
    """The same page without its cached values, so that all work is timed."""
    return replace(snapshot, attributes=replace(snapshot.attributes))


def post_source(folder: Path, path: str) -> bytes:
    """The server's response, before any script has run."""
    return post_file(folder, path).read_bytes()


def post_truth(folder: Path, path: str, selector: str | None) -> str:
    """Text of a post's body: the longest match of the selector, or the text of the Markdown."""
    return max(post_bodies(folder, path, selector), key=len, default="")


def post_lines(folder: Path, path: str, selector: str | None) -> list[str]:
    """Texts of a post's body, one per text node of its markup or per line of its Markdown."""
    if not selector or path.endswith(".md"):
        lines = markdown_text((folder / path).read_text("utf-8", "replace")).splitlines()
    else:
        bodies = [list(body.strings) for body in body_elements(folder / path, selector)]
        lines = max(bodies, key=lambda body: len(" ".join(body)), default=[])
    return [text for text in (" ".join(line.split()) for line in lines) if text]


async def saved_page(renderer: miolo.Renderer, page: Path, cache: Path) -> Path | None:
    """The file of a single page's snapshot, rendered the first time; None if that fails."""
    case = page_case(page, cache, log)
    if case is None:
        return None
    try:
        if not case.saved.exists():
            (await render_case(renderer, case)).save(case.saved)
    except miolo.MioloError as error:
        log(f"{page.name}: {error}")
        return None
    return case.saved


def log(sentence: str) -> None:
    """Print a note on the standard error output."""
    print(f"  {sentence}", file=sys.stderr)
