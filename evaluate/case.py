"""`Case`: a page with its ground truth; `Page`: the same with its contents loaded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from ..errors import ArchiveError, RenderError
from ..models.article.roles import LETTERS, ROLES
from ..renderer.markup import outer_html
from ..renderer.snapshot import Snapshot
from .labels import PageLabels

__all__ = ["Case", "Page", "Reads"]

Reads = Literal["raw", "rendered"]
"""What a system is given: the bytes as served, or what the browser made of them."""

ESCAPED_END = r"<\/"
"""In a JSON string the same as ``</``, and the end of no element."""

EMPTIED = re.compile(r'<script(?: [^<>]*)? type="application/ld\+json"[^<>]*></script>')


@dataclass(frozen=True)
class Case:
    """A page and its truth.

    Attributes
    ----------
    id
        Unique in its set.
    set
        Name of the folder of pages, or of the site.
    group
        What is resampled and held out together: the registrable domain, or the site.
    url
        The page's address; the empty string where it is unknown.
    text, title, date
        The truth; None where there is none.
    source
        File of the HTML as served.
    saved
        File of the snapshot, whether it is there or not.
    kind
        Of page.
    labels
        Role of every block, where they are known.
    site, path
        Folder of the site that the page is served from, and its path there.
    """

    id: str
    set: str
    group: str
    url: str
    text: str
    source: Path
    saved: Path
    title: str | None = None
    date: str | None = None
    kind: str = "article"
    labels: PageLabels | None = field(default=None, repr=False)
    site: Path | None = None
    path: str = ""

    def with_text_of(self, roles: Collection[str]) -> Case:
        """The same whose truth is the text of some roles, where the roles of its blocks are known.

        Parameters
        ----------
        roles
            Names of roles; see `models.article.roles.ROLES`.
        """
        if self.labels is None:
            return self
        letters = {letter for letter, role in zip(LETTERS, ROLES, strict=True) if role in roles}
        text = "\n".join(text for letter, text in self.labels.blocks if letter in letters)
        return replace(self, text=text)


class Page:
    """A case whose contents are read at their first use.

    Parameters
    ----------
    case
        The page.
    snapshot
        Its snapshot, where it is not the saved one.
    """

    def __init__(self, case: Case, snapshot: Snapshot | None = None) -> None:
        self.case = case
        self._given = snapshot

    @cached_property
    def raw(self) -> bytes:
        """The HTML as served."""
        return self.case.source.read_bytes()

    @cached_property
    def markup(self) -> str:
        """The HTML as rendered.

        A snapshot leaves the text of scripts out and keeps JSON-LD apart; it is put back, as
        extractors take dates and authors from it.
        """
        data = "".join(
            f'<script type="application/ld+json">{text.replace("</", ESCAPED_END)}</script>'
            for text in self._snapshot.page.json_ld
        )
        markup = EMPTIED.sub("", outer_html(self._snapshot, 0))
        before, head, after = markup.partition("</head>")
        return f"{before}{data}{head}{after}"

    @cached_property
    def _snapshot(self) -> Snapshot:
        if self._given is not None:
            return self._given
        if not self.case.saved.exists():
            raise RenderError(f"{self.case.id} was not rendered", url=self.case.url)
        return Snapshot.load(self.case.saved)

    def snapshot(self) -> Snapshot:
        """A snapshot that no other system has derived anything from.

        Otherwise the first of several methods would pay for what all of them need.

        Raises
        ------
        RenderError
            The page could not be rendered.
        ArchiveError
            Its snapshot is damaged.
        """
        return replace(self._snapshot)

    def content(self, reads: Reads) -> str:
        """Hash of what a system is given; the empty string where there is nothing.

        Raises
        ------
        ArchiveError
            The file of the page cannot be read.
        """
        return self._raw_hash if reads == "raw" else self._saved_hash

    @cached_property
    def _raw_hash(self) -> str:
        return _digest(self.case.source)

    @cached_property
    def _saved_hash(self) -> str:
        return _digest(self.case.saved) if self.case.saved.exists() else ""


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:24]
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror}") from error
