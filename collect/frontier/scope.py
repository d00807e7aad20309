"""Which addresses belong to a crawl: its reach, and file names that are not those of pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal
from urllib.parse import unquote, urlsplit

from ...renderer.network.origins import site_of

Reach = Literal["site", "host", "path"]

# File name extensions of what a browser downloads, shows by itself or loads as part of a page.
NO_PAGES = frozenset(
    # documents and feeds
    "pdf eps djvu epub mobi azw3 doc docx docm dotx odt rtf xls xlsx xlsm ods csv tsv ppt pptx pps "
    "ppsx odp bib ics vcf xml rss atom rdf json jsonld geojson kml kmz gpx md5 sha1 sha256 asc txt "
    # images, audio, video
    "jpg jpeg jpe jfif png gif webp avif heic heif bmp tif tiff svg svgz ico psd mp3 m4a aac ogg "
    "oga opus wav flac wma mid midi m3u m3u8 pls mp4 m4v webm ogv avi mov wmv mpg mpeg flv swf mkv "
    "3gp vtt srt "
    # archives, programs, parts of pages
    "zip gz tgz bz2 xz zst lz4 7z rar tar cab iso dmg img exe msi apk ipa deb rpm jar war dll "
    "torrent css js mjs wasm woff woff2 ttf otf eot warc wacz swp bak sql sqlite parquet "
    "ipynb".split()
)


@dataclass(frozen=True)
class Scope:
    """The part of the web that a crawl covers.

    The start is in normal form and after redirects; otherwise a site that has moved would have no
    pages. The reach is ``site``: all hosts of the same registrable domain; ``host``: the same host,
    with or without ``www``; ``path``: the same host, below the folder of the start address, whose
    last segment is a folder if it has no dot. None is the whole web.
    """

    start: str
    reach: Reach | None = "site"

    def holds(self, url: str) -> bool:
        """Whether an address in normal form belongs to the scope.

        >>> Scope("https://example.org/blog/", "path").holds("https://www.example.org/blog/one")
        True
        >>> Scope("https://example.org/blog/", "path").holds("https://example.org/blogs")
        False
        """
        if self.reach is None:
            return True
        if self.reach == "site":
            return self._site is not None and site_of(url) == self._site
        host, path = _place_of(url)
        if not host or host != self._place[0]:
            return False
        return self.reach == "host" or f"{path}/".startswith(self._folder)

    @cached_property
    def _site(self) -> str | None:
        return site_of(self.start)

    @cached_property
    def _place(self) -> tuple[str, str]:
        return _place_of(self.start)

    @cached_property
    def _folder(self) -> str:
        folder, _, last = self._place[1].rpartition("/")
        return f"{folder}/" if "." in last or not last else f"{folder}/{last}/"


def may_be_page(url: str) -> bool:
    """Whether an address may be that of a page, judged by its file name extension.

    Names with a colon are pages, such as a wiki's pages about files (``/wiki/File:Map.png``).

    >>> may_be_page("https://example.org/map.PNG"), may_be_page("https://example.org/map.php")
    (False, True)
    >>> may_be_page("https://example.org/wiki/File:Map.png")
    True
    """
    try:
        name = unquote(urlsplit(url).path, errors="replace").rpartition("/")[2]
    except ValueError:
        return False
    stem, dot, ending = name.rpartition(".")
    return not (dot and stem and ":" not in stem and ending.lower() in NO_PAGES)


def _place_of(url: str) -> tuple[str, str]:
    """Host with port but without ``www``, and path."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.netloc.removeprefix("www."), parts.path or "/"
