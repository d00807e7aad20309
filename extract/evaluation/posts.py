"""Posts of saved sites: their addresses, what the server answers, and the text of their bodies."""

from __future__ import annotations

import re
import urllib.parse
from pathlib import Path

from bs4 import BeautifulSoup

__all__ = ["post_file", "post_lines", "post_truth", "post_url"]


def post_url(origin: str, path: str) -> str:
    """Address of a post; Markdown is what a docsify site shows behind its hash."""
    if path.endswith(".md"):
        return f"{origin}/#/{urllib.parse.quote(path.removesuffix('.md'))}"
    return f"{origin}/{urllib.parse.quote(path)}"


def post_file(folder: Path, path: str) -> Path:
    """File of what the server answers before any script has run."""
    return folder / ("index.html" if path.endswith(".md") else path)


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
