"""Addresses that users type without a scheme."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import typer

__all__ = ["listed_source", "typed_address", "typed_source", "typed_sources"]

# A host (localhost, several labels, or an IPv4 address), then an optional port and path.
BARE = re.compile(
    r"(?P<host>localhost|[\w-]+(?:\.[\w-]+)+\.?)(?::\d{1,5})?(?P<rest>[/?#].*)?", re.S | re.I
)

SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*://|data:|about:)", re.I)

# A bare name with one of these endings is a missing file, though some are top-level domains too.
FILES = (".csv", ".gz", ".har", ".htm", ".html", ".json", ".md", ".miolo", ".py", ".sh", ".zip")


def typed_source(text: str, *, prefer_files: bool = True) -> str:
    """Add the scheme to a source that is an address without one and not an existing file.

    Parameters
    ----------
    text
        The source.
    prefer_files
        Whether the name of an existing file is never an address.

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
    if bare is None or (prefer_files and Path(text).exists()):
        return text
    host, rest = bare["host"].lower().rstrip("."), bare["rest"]
    if host == "localhost" or re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}", host):
        return f"http://{text}"
    if not rest and host.endswith(FILES):
        return text
    return f"https://{text}" if _has_suffix(host) else text


def listed_source(text: str, *, files: bool) -> str:
    """The address or file that a line of a list names.

    Whoever writes a list is not always the one who uses it, so a line names a file only if the list
    is trusted or the line can be nothing else.

    Parameters
    ----------
    text
        The line.
    files
        Whether the list is trusted, so that any line may name a file.

    Raises
    ------
    ValueError
        The line names neither; the message is the reason.
    """
    if text[:5].lower() == "file:":
        return _path_of(text)
    if SCHEME.match(text) or text.startswith(("./", "/")):
        return text
    source = typed_source(text, prefer_files=files)
    if not files and not SCHEME.match(source):
        raise ValueError(
            "no address that starts with http:// or https://; paths of files start with ./ or /, "
            "or need --files"
        )
    return source


def _path_of(url: str) -> str:
    """The path of a file's URL, which has no host."""
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost") or not parts.path:
        raise ValueError("a file: address without a path on this machine")
    return unquote(parts.path, errors="surrogateescape")


def typed_sources(texts: list[str] | None) -> list[str] | None:
    """Add the scheme to each source that needs one."""
    return texts and [typed_source(text) for text in texts]


def typed_address(text: str) -> str:
    """Add the scheme to an address without one.

    Raises
    ------
    typer.BadParameter
        The text is not an address.
    """
    address = typed_source(text)
    if not address.lower().startswith(("http://", "https://")):
        raise typer.BadParameter(f"{text!r} is not an http or https URL")
    return address


def _has_suffix(host: str) -> bool:
    """Whether a host's name lies below a public suffix, under which names are registered."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False).privatesuffix(host) is not None
