"""`Case`: a page with its ground truth; `Page`: a case loaded on demand."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from ..collect.labels.label_files import PageRoles, read_role_lines
from ..errors import RenderError
from ..models.article.roles import LETTERS, ROLES
from ..renderer.page.markup import outer_html
from ..renderer.page.snapshot import Snapshot

Reads = Literal["raw", "rendered"]
"""Input of a system: the HTML as served, or as rendered by the browser."""

ESCAPED_END = r"<\/"
"""Escape that is equivalent to ``</`` in a JSON string, but does not end an HTML element."""

EMPTIED = re.compile(r'<script(?: [^<>]*)? type="application/ld\+json"[^<>]*></script>')


@dataclass(frozen=True)
class Case:
    """A page and its ground truth, of which what is unknown is None."""

    id: str
    set: str
    """Identifier, unique in its set, and the name of the folder of pages or of the site."""
    group: str
    """Unit that is resampled and held out together: the registrable domain, or the site."""
    url: str
    """Address of the page; the empty string if unknown."""
    text: str
    source: Path
    saved: Path
    """Files of the HTML as served and of the snapshot, which may not exist yet."""
    title: str | None = None
    date: str | None = None
    kind: str = "article"
    labels: PageRoles | None = field(default=None, repr=False)
    """The role of every block."""
    collection: Path | None = None
    """Collection that the snapshot is taken from, if any."""
    site: Path | None = None
    path: str = ""
    """Folder of the site from which the page is served, and the page's path there."""

    def with_text_of(self, roles: Collection[str]) -> Case:
        """The case with the text of some roles as its truth; unchanged if it has no labels."""
        if self.labels is None:
            return self
        letters = {letter for letter, role in zip(LETTERS, ROLES, strict=True) if role in roles}
        text = "\n".join(text for letter, text in self.labels.blocks if letter in letters)
        return replace(self, text=text)


class Page:
    """A case whose contents are read at their first use, with its saved snapshot or another."""

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

        A snapshot omits the text of scripts and keeps JSON-LD separately. JSON-LD is inserted
        again, because extractors read dates and authors from it.
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
        """A copy of the snapshot without cached values from other systems.

        Otherwise the time to compute shared values would count only for the first system.
        """
        return replace(self._snapshot)


def read_labels(folder: Path, name: str) -> dict[str, PageRoles]:
    """Labels of a set's pages by page id; empty if the folder has no labels for the set.

    Each line of ``<set>.jsonl`` or ``<set>.jsonl.xz`` is a JSON object with ``id``, ``blocks``
    (pairs of letter and text) and optionally ``exam``.
    """
    for file in (folder / f"{name}.jsonl", folder / f"{name}.jsonl.xz"):
        if file.exists():
            return {page.id: page for page in read_role_lines(file)}
    return {}
