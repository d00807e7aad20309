"""Addresses as people type them: without a scheme."""

from __future__ import annotations

import re
from pathlib import Path

import typer

__all__ = ["typed_address", "typed_source", "typed_sources"]

# A host of several labels, of this machine, or a number, then a port and whatever a path is.
BARE = re.compile(
    r"(?P<host>localhost|[\w-]+(?:\.[\w-]+)+\.?)(?::\d{1,5})?(?P<rest>[/?#].*)?", re.S
)

# By themselves these are files that are not there, though some are also top-level domains.
FILES = (".csv", ".gz", ".har", ".htm", ".html", ".json", ".md", ".miolo", ".py", ".sh", ".zip")


def typed_source(text: str) -> str:
    """A source with its scheme, if it is an address without one and no file.

    Examples
    --------
    >>> typed_source("example.org/story")
    'https://example.org/story'
    >>> typed_source("localhost:8000")
    'http://localhost:8000'
    >>> typed_source("page.html")
    'page.html'
    """
    bare = None if "://" in text or len(text) > 8192 else BARE.fullmatch(text)
    if bare is None or Path(text).exists():
        return text
    host, rest = bare["host"].lower().rstrip("."), bare["rest"]
    if host == "localhost" or re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}", host):
        return f"http://{text}"
    if not rest and host.endswith(FILES):
        return text
    return f"https://{text}" if _has_suffix(host) else text


def typed_sources(texts: list[str] | None) -> list[str] | None:
    """Several sources, each with its scheme."""
    return texts and [typed_source(text) for text in texts]


def typed_address(text: str) -> str:
    """An address with its scheme.

    Raises
    ------
    typer.BadParameter
        It is not an address.
    """
    address = typed_source(text)
    if not address.lower().startswith(("http://", "https://")):
        raise typer.BadParameter(f"{text!r} is not an address of a site")
    return address


def _has_suffix(host: str) -> bool:
    """Whether the end of a host's name is a suffix that names are registered under."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False).privatesuffix(host) is not None
