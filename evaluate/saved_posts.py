"""Posts of saved sites: their addresses, their files, and the text of their bodies."""

from __future__ import annotations

import re
import urllib.parse
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from ..renderer.page.elements import DISPLAYS

# Elements around which a line breaks.
PARTING = ("br", *DISPLAYS)


def post_url(origin: str, path: str) -> str:
    """Address of a post; a Markdown file is a page of a docsify site, named by the fragment."""
    if path.endswith(".md"):
        return f"{origin}/#/{urllib.parse.quote(path.removesuffix('.md'))}"
    return f"{origin}/{urllib.parse.quote(path)}"


def post_file(folder: Path, path: str) -> Path:
    """File that the server returns for a post, before any script has run."""
    return folder / ("index.html" if path.endswith(".md") else path)


def post_truth(folder: Path, path: str, selector: str | None) -> str:
    """Text of a post's body: the longest match of the selector, or the text of the Markdown."""
    return max(post_bodies(folder, path, selector), key=len, default="")


def post_bodies(folder: Path, path: str, selector: str | None) -> list[str]:
    """Texts of the bodies of a page; a post has one, an archive has several.

    Inline elements, such as a superscript or a token of highlighted code, do not separate words.
    """
    if not selector or path.endswith(".md"):
        return [" ".join(post_lines(folder, path, selector))]
    return [text for body in _bodies(folder / path, selector) if (text := _split(body))]


def post_lines(folder: Path, path: str, selector: str | None) -> list[str]:
    """Texts of a post's body, one per text node of its markup or per line of its Markdown."""
    if not selector or path.endswith(".md"):
        lines = _markdown_text((folder / path).read_text("utf-8", "replace")).splitlines()
    else:
        bodies = [list(body.strings) for body in _bodies(folder / path, selector)]
        lines = max(bodies, key=lambda body: len(" ".join(body)), default=[])
    return [text for text in (" ".join(line.split()) for line in lines) if text]


def _bodies(file: Path, selector: str) -> list[Tag]:
    """The outermost elements that match the selector."""
    soup = BeautifulSoup(file.read_bytes(), "lxml")
    for element in soup(["script", "style", "noscript"]):
        element.decompose()
    bodies = soup.select(selector)
    inner = {id(match) for body in bodies for match in body.select(selector)}
    return [body for body in bodies if id(body) not in inner]


def _split(body: Tag) -> str:
    for element in body.find_all(PARTING):
        element.insert_before("\n")
        element.insert_after("\n")
    return " ".join(body.get_text().split())


def _markdown_text(source: str) -> str:
    text = re.sub(r"^```.*$", "", source, flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[a-zA-Z/][^>]*>", "", text)
    return re.sub(r"^[ \t|:-]+$", "", text, flags=re.MULTILINE)
