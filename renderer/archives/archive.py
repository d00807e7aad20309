"""`Archive`: exchanges looked up by their request, whatever the format of their file.

The index is a private SQLite database, which spills to disk as it grows and is deleted with the
archive. Bodies stay in their file until they are read.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from ...errors import NavigationError, PageWarning
from ..network.exchange import (
    Entry,
    Exchange,
    RequestEntry,
    bare_url,
    digest,
    plain_text,
    requested_url,
)
from ..network.fetch import GetRequest, follow_redirects
from ..page.container import typed_damage

__all__ = ["NOT_ARCHIVED", "Archive", "Source", "fetch_archived"]

NOT_ARCHIVED = "NOT_IN_ARCHIVE"
"""The cause given in errors when an archive lacks the requested resource."""

TABLES = """
create table answers (
    place integer, time text, method text, url text, bare text, posted text, dest text,
    is_page integer, payload text, is_revisit integer, id text, request text
);
create table requests (id text, answer text, method text, posted text, dest text);
"""
INDEXES = """
create index of_answers on requests (answer);
create index of_requests on requests (id);
update answers set (method, posted, dest) = (
    select method, posted, dest from requests
    where requests.answer = answers.id or requests.id = answers.request limit 1
) where exists (
    select 1 from requests where requests.answer = answers.id or requests.id = answers.request
);
create index by_url on answers (url, method, posted, time, place);
create index by_bare on answers (bare, method, posted);
create index by_payload on answers (payload);
create index by_page on answers (place) where is_page;
"""


class Source(Protocol):
    """A file of exchanges.

    A source may also have the attributes `damage`, descriptions of the entries that it skipped
    because they are damaged, and `is_inert`; see `Archive`.
    """

    def entries(self) -> Iterable[Entry | RequestEntry]:
        """All entries, in order."""
        ...

    def read(self, place: int) -> Exchange:
        """The exchange at a place, with its body."""
        ...

    def pages(self) -> Iterable[str]:
        """URLs of pages if the file itself lists them, else none."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class Archive:
    """The exchanges of a source, indexed by request.

    An archive is safe to use from several threads.

    Attributes
    ----------
    warnings
        A warning about the entries that are damaged and were skipped, if there are any.
    is_inert
        Whether its pages were saved after their scripts had run, so that these must not run again.

    Raises
    ------
    ArchiveError
        No entry of the source can be read.
    """

    def __init__(self, source: Source) -> None:
        self.warnings: tuple[PageWarning, ...] = ()
        self.is_inert = bool(getattr(source, "is_inert", False))
        self._source = source
        self._lock = threading.Lock()
        # With an empty name, SQLite keeps the database in temporary files of its own.
        self._index = sqlite3.connect("", check_same_thread=False)
        # The database does not outlive this process, so it needs no rollback journal.
        self._index.executescript(f"pragma journal_mode = off; {TABLES}")
        try:
            with typed_damage("damaged"), self._index:
                for entry in source.entries():
                    self._add(entry)
            self._index.executescript(INDEXES)
        except BaseException:
            self.close()
            raise
        if damage := getattr(source, "damage", ()):
            lost = "an entry" if len(damage) == 1 else f"{len(damage):,} entries"
            where = f"the archive lacks {lost} that cannot be read: {damage[0]}"
            where += " and others" if len(damage) > 1 else ""
            self.warnings = (PageWarning("damaged-archive", where),)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _add(self, entry: Entry | RequestEntry) -> None:
        if isinstance(entry, RequestEntry):
            # A missing ID is stored as NULL, which equals no other ID.
            names = (entry.id or None, entry.answer or None)
            row = (*names, entry.method, digest(entry.posted), entry.dest)
            self._index.execute("insert into requests values (?, ?, ?, ?, ?)", row)
            return
        exchange = entry.exchange
        url = requested_url(exchange.url)
        row = (
            entry.place, exchange.time, exchange.method, url, bare_url(url),
            digest(exchange.posted), exchange.dest, exchange.is_page, entry.payload,
            entry.is_revisit, entry.id or None, entry.request or None,
        )  # fmt: skip
        self._index.execute(f"insert into answers values ({', '.join('?' * len(row))})", row)

    def find(
        self, url: str, method: str = "GET", *, posted: bytes = b"", since: str = "", nth: int = 0
    ) -> Exchange | None:
        """The exchange of a request; None if the archive has no response to it.

        Parameters
        ----------
        url, method, posted
            The request. If the archive lacks exactly this URL, another URL that differs only in
            cache-busting parameters matches, provided that it is the only one.
        since, nth
            Which of several responses to return: the `nth`, counted from 0, that is not older
            than `since`, or the newest of all if there is no such response.

        Raises
        ------
        ArchiveError
            There is a response, but it is damaged or too large.
        """
        url, method = plain_text(url), plain_text(method)
        with self._lock, typed_damage(f"what answers {url} is damaged"):
            address, how = requested_url(url), (method, digest(posted))
            row = self._row((address, *how), since, nth)
            if row is None:
                query = "select distinct url from answers where bare = ? and method = ? and posted"
                near = self._index.execute(f"{query} = ? limit 2", (bare_url(address), *how))
                others = near.fetchall()
                row = self._row((others[0][0], *how), since, nth) if len(others) == 1 else None
            if row is None:
                return None
            place, dest, payload, is_revisit = row
            exchange = replace(self._source.read(place), method=method, posted=posted, dest=dest)
            if not is_revisit:
                return exchange
            query = "select place from answers where payload = ? and not is_revisit limit 1"
            first = self._index.execute(query, (payload,)).fetchone() if payload else None
            return replace(exchange, body=self._source.read(first[0]).body) if first else None

    def _row(self, request_key: tuple[str, str, str], since: str, nth: int) -> tuple | None:
        query = "select place, dest, payload, is_revisit from answers"
        query += " where url = ? and method = ? and posted = ?"
        later = f"{query} and time >= ? order by time, place limit 1 offset ?"
        row = self._index.execute(later, (*request_key, since, nth)).fetchone()
        newest = f"{query} order by time desc, place desc limit 1"
        return row or self._index.execute(newest, request_key).fetchone()

    def pages(self) -> Iterator[str]:
        """URLs of the pages, each once, in the order of the file.

        If the file does not list its pages, they are all HTML documents that were not requested by
        a frame or a script.
        """
        with typed_damage("the list of pages is damaged"):
            urls = dict.fromkeys(map(requested_url, self._source.pages()))
        if urls:
            yield from urls
            return
        query = (
            "select url, min(place) from answers where is_page and method = 'GET'"
            " and dest in ('', 'document') group by url order by 2"
        )
        with self._lock:
            rows = self._index.execute(query).fetchall()
        yield from (url for url, _ in rows)

    def close(self) -> None:
        """Close the file and the index."""
        self._index.close()
        self._source.close()


async def fetch_archived(archive: Archive, get: GetRequest) -> list[Exchange]:
    """The responses of an archive: redirects, and the final response."""

    async def ask(url: str) -> Exchange:
        answer = await asyncio.to_thread(archive.find, url)
        if answer is None:
            raise NavigationError(f"{url} is not in the archive", url=get.url, cause=NOT_ARCHIVED)
        if len(answer.body) > get.max_bytes:
            raise get.too_large()
        return answer

    return await follow_redirects(get, ask)
