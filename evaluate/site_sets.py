"""Folders of whole saved sites, described by ``sites.json``."""

from __future__ import annotations

import errno
import json
import re
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag

from ..errors import ArchiveError, EmptyInputError
from ..renderer.page.elements import DISPLAYS
from .case import Case

ORIGIN = "https://page.invalid"
"""Placeholder in the addresses of posts for the server from which they are rendered."""

# Elements around which a line breaks.
PARTING = ("br", *DISPLAYS)


@dataclass(frozen=True)
class SiteCases:
    """Posts of one site: those whose truth is read, and others from which it may be learned."""

    judged: tuple[Case, ...]
    others: tuple[Case, ...]


def site_table(folder: Path) -> dict[str, dict[str, Any]]:
    """Description of each site from ``sites.json`` in a folder or in its parent folder."""
    files = (folder / "sites.json", folder.parent / "sites.json")
    file = next((each for each in files if each.exists()), None)
    if file is None:
        missing = "there is no sites.json in this folder or in its parent folder"
        raise FileNotFoundError(errno.ENOENT, missing, str(folder))
    try:
        table = json.loads(file.read_text("utf-8"))
        for facts in table.values():
            if not all(isinstance(path, str) for path in facts["posts"]):
                raise ValueError("posts must be paths")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ArchiveError(f"{file} is damaged: {error}") from error
    return table


def site_cases(
    folder: Path,
    cache: Path,
    *,
    only: Sequence[str] | None = None,
    posts: int | None = None,
    suffix: str = "",
    log: Callable[[str], None],
) -> list[SiteCases]:
    """Posts of some sites, all by default, of which the first `posts` of each are judged.

    The snapshot of a post is ``<site><suffix>-snapshots/<number of the post>.miolo`` in the cache,
    which may not exist yet. Archive pages, which hold several articles, are not judged.
    """
    table = site_table(folder)
    sites = []
    for name in table if only is None else only:
        if name not in table or not (folder / name).is_dir():
            log(f"{name} is skipped: no such site in {folder}")
            continue
        site_posts = _posts(name, folder / name, table[name], cache / f"{name}{suffix}-snapshots")
        selector = table[name].get("body_selector")
        rest = iter(site_posts)
        cases = (_add_truth(post, selector, log) for post in rest)
        judged = tuple(islice(filter(None, cases), posts))
        sites.append(SiteCases(judged, others=tuple(rest)))
    if not any(site.judged for site in sites):
        raise EmptyInputError(f"there are no posts of these sites in {folder}")
    return sites


def _posts(name: str, folder: Path, facts: Mapping[str, Any], snapshots: Path) -> list[Case]:
    return [
        Case(
            id=f"{number:03}",
            set=name,
            group=name,
            url=post_url(ORIGIN, path),
            text="",
            source=post_file(folder, path),
            saved=snapshots / f"{number:03}.miolo",
            site=folder,
            path=path,
        )
        for number, path in enumerate(facts["posts"])
    ]


def _add_truth(post: Case, selector: str | None, log: Callable[[str], None]) -> Case | None:
    assert post.site is not None
    aside = f"{post.set}/{post.path} is skipped: "
    try:
        bodies = post_bodies(post.site, post.path, selector)
    except OSError as error:
        log(f"{aside}{error.strerror}")
        return None
    if len(bodies) > 1:
        log(f"{aside}it contains {len(bodies)} articles")
        return None
    return replace(post, text="".join(bodies))


def post_url(origin: str, path: str) -> str:
    """Address of a post; a Markdown file is a page of a docsify site, named by the fragment."""
    if path.endswith(".md"):
        return f"{origin}/#/{urllib.parse.quote(path.removesuffix('.md'))}"
    return f"{origin}/{urllib.parse.quote(path)}"


def post_file(folder: Path, path: str) -> Path:
    """File that the server returns for a post, before any script has run."""
    return folder / ("index.html" if path.endswith(".md") else path)


def post_bodies(folder: Path, path: str, selector: str | None) -> list[str]:
    """Texts of the bodies of a page; a post has one, an archive has several.

    Inline elements, such as a superscript or a token of highlighted code, do not separate words.
    """
    if not selector or path.endswith(".md"):
        source = (folder / path).read_text("utf-8", "replace")
        return [" ".join(markdown_text(source).split())]
    texts = []
    for body in body_elements(folder / path, selector):
        for element in body.find_all(PARTING):
            element.insert_before("\n")
            element.insert_after("\n")
        texts.append(" ".join(body.get_text().split()))
    return list(filter(None, texts))


def body_elements(file: Path, selector: str) -> list[Tag]:
    """The outermost elements that match the selector."""
    soup = BeautifulSoup(file.read_bytes(), "lxml")
    for element in soup(["script", "style", "noscript"]):
        element.decompose()
    bodies = soup.select(selector)
    inner = {id(match) for body in bodies for match in body.select(selector)}
    return [body for body in bodies if id(body) not in inner]


def markdown_text(source: str) -> str:
    """The text of a post in Markdown, without fences, pictures, addresses and tags."""
    text = re.sub(r"^```.*$", "", source, flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[a-zA-Z/][^>]*>", "", text)
    return re.sub(r"^[ \t|:-]+$", "", text, flags=re.MULTILINE)
