"""`LabelStore`: the labels of a collection's pages, in ``labels.sqlite``.

Every key that a labeller presses is an action, which is stored before it is acknowledged. Nothing
is overwritten: the current labels result from replaying the actions that were not undone.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from pathlib import Path
from typing import Any, Literal, Self
from uuid import uuid4

import numpy as np

from ...errors import ArchiveError, EmptyInputError, MioloError, StorageError
from ...features.anchors import Anchor, match_anchors
from ...models.article.custom_roles import CustomRole, custom_roles, to_table
from ...models.article.roles import BOILERPLATE, ROLES
from ...output.schema import valid_text
from ...renderer.network.origins import site_of
from ...renderer.page.snapshot import Snapshot
from ..batch.state_file import DAMAGED, open_database, open_read_only
from .sheet import LabelSheet

FILE = "labels.sqlite"
VERSION = 6

BROKEN = "broken"  # kind of a page that shows an error or a wall and is of no use for training

Field = Literal["role", "kind", "note", "comment", "done"]

Key = tuple[str, ...]

PageState = Literal["open", "begun", "done", "done by another"]
Filter = PageState | Literal["reviewed", "changed", "commented"]

BUSY_SECONDS = 5.0  # time to wait for another program that writes labels
MAX_LABELLERS = 50  # maximum number of labellers of a collection: all pairs of them are compared
OVERLAP = 0.2  # default share of the pages that every labeller gets

SHARES = 1000

# Start of the keys of actions taken over from an earlier rendering; no client may choose it.
TAKEN_OVER = "taken over: "

# Start of the keys of actions with what a reviewer starts from; no client may choose it.
REVIEWED = "reviewed: "

# Start of the keys of actions that apply what was set on other pages of the site. They are undone
# as one; no client may choose it.
APPLIED = "applied: "

SITE_PAGES = 20
"""Maximum number of finished pages of a site, the latest ones, that labels are taken from."""

RECENT_VISITS = 500  # number of finished pages among which those of a site are looked for
RESERVED_SECONDS = 1800.0  # time without an action after which a page may go to another labeller

# Longer pauses between two pages do not count as working time.
PAUSE_SECONDS = 600.0
RECENT_PAGES = 50

SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY,
    file TEXT NOT NULL,
    url TEXT NOT NULL,
    content TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL DEFAULT '',
    doubt REAL,  -- the uncertainty
    shared INTEGER NOT NULL DEFAULT 0,
    gone INTEGER NOT NULL DEFAULT 0,
    holder TEXT,  -- the labeller for whom a page that is not shared is reserved
    held REAL,
    UNIQUE (file, content)
);
CREATE TABLE IF NOT EXISTS blocks (
    page INTEGER NOT NULL REFERENCES pages,
    number INTEGER NOT NULL,
    node INTEGER NOT NULL,
    suggested TEXT NOT NULL,
    custom TEXT NOT NULL,  -- suggested custom role, which the collection may not have
    probability REAL NOT NULL,
    text TEXT NOT NULL,
    xpath TEXT NOT NULL,
    css TEXT NOT NULL,
    offset INTEGER NOT NULL,
    place TEXT NOT NULL,  -- in the template
    PRIMARY KEY (page, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unmatched (  -- labels set by hand of blocks that the page has no more
    page INTEGER NOT NULL REFERENCES pages,
    labeller TEXT NOT NULL,
    text TEXT NOT NULL,
    role TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS visits (
    page INTEGER NOT NULL REFERENCES pages,
    labeller TEXT NOT NULL,
    begun REAL NOT NULL,
    blind INTEGER NOT NULL,
    done REAL,
    reviews TEXT,  -- the labeller whose labels this visit reviews
    changed INTEGER,  -- number of labels that the finished review changed
    PRIMARY KEY (page, labeller)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS actions (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    page INTEGER NOT NULL REFERENCES pages,
    labeller TEXT NOT NULL,
    time REAL NOT NULL,
    field TEXT NOT NULL CHECK (field IN ('role', 'kind', 'note', 'comment', 'done')),
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    value TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS actions_of_page ON actions (page, labeller, id);
CREATE INDEX IF NOT EXISTS actions_of_labeller ON actions (labeller, id);
"""

# Pages for a labeller, ?1, with the visit `own`: those to label, and those to review, which another
# labeller has finished.
LABELLING = """own.reviews IS NULL AND (shared OR own.done NOTNULL OR NOT EXISTS (
    SELECT 1 FROM visits WHERE page = id AND labeller != ?1 AND done NOTNULL))"""
REVIEWING = """(own.page IS NULL OR own.reviews NOTNULL) AND EXISTS (
        SELECT 1 FROM visits
        WHERE page = id AND labeller != ?1 AND done NOTNULL AND reviews IS NULL)
    AND (own.done NOTNULL OR NOT EXISTS (
        SELECT 1 FROM visits
        WHERE page = id AND labeller != ?1 AND done NOTNULL AND reviews NOTNULL))"""

# Pages that nobody but ?1 holds, with the times between which a reservation is valid.
FREE = """(holder IS NULL OR holder = ?1 OR held NOT BETWEEN ?2 AND ?3 OR EXISTS (
    SELECT 1 FROM visits WHERE page = id AND labeller = holder AND done NOTNULL))"""

# Number of labels that the latest finished review of a page changed, if it has one, and number of
# notes and comments.
CHANGED = """(SELECT changed FROM visits AS review WHERE review.page = pages.id
    AND review.reviews NOTNULL AND review.done NOTNULL ORDER BY review.done DESC LIMIT 1)"""
COMMENTS = f"""(SELECT COUNT(*) FROM actions AS last WHERE last.page = pages.id
    AND last.field IN ('note', 'comment') AND last.value != '' AND NOT last.undone
    AND last.key NOT GLOB '{REVIEWED}*' AND NOT EXISTS (SELECT 1 FROM actions AS later
        WHERE later.page = last.page AND later.labeller = last.labeller AND NOT later.undone
        AND later.field = last.field AND later.first = last.first AND later.id > last.id))"""


@dataclass(frozen=True)
class Action:
    """One action of a labeller."""

    key: str  # unique, chosen by the client, so that an action that is sent twice counts once
    page: int
    labeller: str
    # What the action sets: the ``"role"`` of blocks, the ``"kind"`` of the page, a ``"note"`` about
    # it, a ``"comment"`` on a block, or whether the page is ``"done"``.
    field: Field
    # Role, custom role, kind or text of the note or comment; ``"1"`` or ``""`` for a page that is
    # done or not.
    value: str
    first: int = 0
    last: int = 0  # numbers of the first and the last block to which a role or a comment applies
    undone: bool = False  # whether the labeller has already undone the action


@dataclass(frozen=True)
class Progress:
    """Progress of a labeller."""

    pages: int  # that are shared, that the labeller has finished or that nobody else has
    done: int  # number of these that the labeller has finished
    seconds: float | None  # mean per page over the last pages, without pauses, if there are two


@dataclass(frozen=True)
class ListedPage:
    """A page in the list of all pages."""

    page: int  # number in the store
    url: str  # address, or the file if it has none
    state: PageState
    kind: str  # that the labeller chose, or else the suggested one; empty if unknown
    confidence: float | None  # mean probability that a suggestion is right, if it is computed
    changed: int | None  # number of labels that a review changed; None if it is not reviewed
    comments: int  # number of notes and comments


@dataclass(frozen=True)
class LabelCounts:
    """Numbers of pages: finished, reviewed, changed by a review, and with a note or a comment."""

    labelled: int
    reviewed: int
    changed: int
    commented: int


@dataclass(frozen=True)
class LabelledPage:
    """A page with the labels of one labeller."""

    id: int  # number in the store
    file: str  # path of its snapshot in the collection
    url: str
    content: str  # hash of the content that was labelled
    labeller: str
    done: float | None  # when it was finished, seconds since the epoch; None if it is unfinished
    kind: str  # empty if none was given, like the note
    note: str
    nodes: tuple[int, ...]  # first text node of each block
    texts: tuple[str, ...]
    suggested: tuple[str, ...]  # the reader's roles, or boilerplate if the page was labelled blind
    roles: tuple[str, ...]  # a custom role counts as its base
    times: tuple[float | None, ...]  # when the labeller set each role; None for one left as is
    anchors: tuple[Anchor, ...] = ()  # what identifies each block in another capture
    places: tuple[str, ...] = ()  # what identifies the place of each block in the template
    applied: tuple[bool, ...] = ()  # whether each role was taken from other pages of the site
    blind: bool = False  # whether the page was labelled without suggestions
    # Text and role of the blocks of an earlier rendering that the labeller set by hand and that
    # this one has no more.
    unmatched: tuple[tuple[str, str], ...] = ()
    custom: tuple[str, ...] = ()  # custom role of each block, empty for none; or none at all
    comments: tuple[str, ...] = ()  # comment on each block, empty for none; or none at all
    reviews: str = ""  # the labeller whose labels are reviewed; empty if this is no review
    # Roles or custom roles of the blocks, and kind of the page, before the review.
    reviewed: tuple[str, ...] = ()
    reviewed_kind: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The custom role of each block, or else its role."""
        return tuple(
            custom or role for role, custom in zip_longest(self.roles, self.custom, fillvalue="")
        )

    @property
    def changed(self) -> tuple[int, ...]:
        """The blocks whose role the review changed."""
        pairs = enumerate(zip(self.names, self.reviewed, strict=False))
        return tuple(block for block, (now, before) in pairs if now != before)


def _taken(
    page: int, labeller: str, field: Field, value: str, block: int = 0, start: str = TAKEN_OVER
) -> Action:
    """An action that is taken over from an earlier rendering, or from the labels to review."""
    key = f"{start}{page} {field} {block} {labeller}"
    return Action(key, page, labeller, field, value, block, block)


class LabelStore:
    """Pages, their blocks, and the labellers' actions, in an SQLite file beside the snapshots.

    Any thread may use it, but only one at a time. With `create`, the file is opened for writing and
    created if missing; otherwise it is only read. A damaged file, and one of another version, is an
    `ArchiveError`; a missing one is an `EmptyInputError`.
    """

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self._path = folder / FILE
        if not create and not self._path.exists():
            raise EmptyInputError(f"{folder} has no labels yet", lacks="labels")
        with self._damage_errors():
            if create:
                options = {"timeout": BUSY_SECONDS, "check_same_thread": False}
                self._db = open_database(self._path, SCHEMA, VERSION, **options)
            else:
                self._db = open_read_only(self._path, VERSION)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def add_pages(self, pages: Iterable[tuple[str, str, bool]]) -> None:
        """Add pages: path of the snapshot, address, and whether every labeller gets the page."""
        with self._transaction():
            self._db.executemany(
                "INSERT INTO pages (file, url, shared) SELECT ?1, ?2, ?3 "
                "WHERE NOT EXISTS (SELECT 1 FROM pages WHERE file = ?1)",
                ((file, valid_text(url), shared) for file, url, shared in pages),
            )

    def use_reader(self, name: str) -> None:
        """Delete the uncertainty of pages unless it comes from the named reader."""
        with self._transaction():
            row = self._db.execute("SELECT value FROM facts WHERE name = 'reader'").fetchone()
            if row != (name,):
                self._db.execute("INSERT OR REPLACE INTO facts VALUES ('reader', ?)", (name,))
                self._db.execute("UPDATE pages SET doubt = NULL")

    def custom_roles(self) -> tuple[CustomRole, ...]:
        """The custom roles of the collection."""
        rows = self._fetch("SELECT value FROM facts WHERE name = 'roles'")
        try:
            return custom_roles(json.loads(rows[0][0])) if rows else ()
        except (ValueError, RecursionError) as error:
            raise ArchiveError(f"{self._path} has damaged custom roles: {error}") from error

    def use_custom_roles(self, roles: Sequence[CustomRole]) -> None:
        """Replace the custom roles; those that labels have must be among the new ones."""
        names = {*ROLES, *(role.name for role in roles)}
        used = self._fetch("SELECT DISTINCT value FROM actions WHERE field = 'role'")
        if lost := sorted(name for (name,) in used if name not in names):
            raise MioloError(
                f"labels in {self._path} have the custom role {lost[0]}: keep it in the file"
            )
        with self._transaction():
            row = (json.dumps(to_table(roles)),)
            self._db.execute("INSERT OR REPLACE INTO facts VALUES ('roles', ?)", row)

    def file_of(self, page: int) -> tuple[str, str] | None:
        """Path of a page's snapshot and its address; None if there is no such page."""
        rows = self._fetch("SELECT file, url FROM pages WHERE id = ?", page)
        return rows[0] if rows else None

    def files(self) -> list[tuple[int, str, str]]:
        """Number, path of the snapshot and address of every page that is still offered."""
        return self._fetch("SELECT id, file, url FROM pages WHERE NOT gone ORDER BY id")

    def pages_without_uncertainty(self) -> list[int]:
        """Numbers of the pages whose uncertainty is unknown."""
        return [n for (n,) in self._fetch("SELECT id FROM pages WHERE doubt IS NULL AND NOT gone")]

    def recaptured(self) -> dict[int, str]:
        """Number and path of the finished pages whose snapshots have other content by now."""
        found: dict[int, str] = {}
        for page, file, content, done in self._fetch(
            "SELECT pages.id, file, content, MAX(done) FROM pages JOIN visits ON page = pages.id "
            "WHERE NOT gone AND content != '' GROUP BY pages.id HAVING MAX(done) NOTNULL"
        ):
            path = self._path.parent / file
            with suppress(OSError, ArchiveError):
                # Most snapshots are older than their labels, and need not be read.
                is_newer = path.stat().st_mtime > done
                if is_newer and Snapshot.load(path).page.content_hash != content:
                    found[page] = file
        return found

    def renew(self, page: int, sheet: LabelSheet) -> None:
        """Offer a page again that was captured again with other content; see `visit`."""
        with self._transaction():
            self._version(page, sheet)

    def set_uncertainty(self, page: int, uncertainty: float, kind: str = "") -> None:
        """Store the reader's uncertainty about a page, and the suggested kind of the page."""
        with self._transaction():
            row = (uncertainty, kind, page)
            self._db.execute("UPDATE pages SET doubt = ?, kind = ? WHERE id = ?", row)

    def drop(self, page: int) -> None:
        """Stop offering a page whose snapshot is missing or damaged."""
        with self._transaction():
            self._db.execute("UPDATE pages SET gone = 1 WHERE id = ?", (page,))

    def visit(
        self, page: int, labeller: str, sheet: LabelSheet, *, blind: bool, reviews: str = ""
    ) -> int:
        """Record that a labeller opens a page.

        The suggestions are stored when the first labeller opens the page, so that a later reader
        does not change any label. A page that was captured again with other content becomes a new
        page, to which the labels of its blocks are taken over; see `features.anchors`. The page's
        number in the store is returned. A labeller who is one too many is an error. A visit that
        `reviews` another labeller starts from the labels of that one, unless it had begun before.
        """
        with self._transaction():
            if not self.admits(labeller):
                raise MioloError(
                    f"{self._path} has labels of {MAX_LABELLERS} labellers, which is the maximum; "
                    "use one of their names, or another collection"
                )
            page = self._version(page, sheet)
            is_new = self._db.execute(
                "INSERT OR IGNORE INTO visits (page, labeller, begun, blind, reviews) "
                "VALUES (?, ?, ?, ?, ?)",
                (page, labeller, time.time(), blind, reviews or None),
            ).rowcount
            if is_new and reviews and self.blocks_of(page, reviews) is not None:
                self._begin_review(page, labeller, self.state(page, reviews))
            self._reserve(page, labeller)
        return page

    def _begin_review(self, page: int, reviewer: str, labels: LabelledPage) -> None:
        """Give a reviewer the labels of another labeller, and whether these were suggested."""
        self._db.execute(
            "UPDATE visits SET blind = ? WHERE page = ? AND labeller = ?",
            (labels.blind, page, reviewer),
        )
        rows: list[tuple[Field, str, int]] = [("kind", labels.kind, 0), ("note", labels.note, 0)]
        for block, text in enumerate(labels.comments):
            rows.append(("comment", text, block))
        for block, (name, suggested) in enumerate(zip(labels.names, labels.suggested, strict=True)):
            rows.append(("role", name if name != suggested else "", block))
        for field, value, block in rows:
            if value:
                self._write(_taken(page, reviewer, field, value, block, REVIEWED))

    def labeller_to_review(self, page: int, reviewer: str) -> str:
        """The labeller who finished a page last, other than the reviewer; empty if there is none,
        or if the reviewer has labelled the page.
        """
        rows = self._fetch(
            "SELECT labeller FROM visits WHERE page = ?1 AND labeller != ?2 AND done NOTNULL "
            "AND reviews IS NULL AND NOT EXISTS (SELECT 1 FROM visits WHERE page = ?1 "
            "AND labeller = ?2 AND reviews IS NULL) ORDER BY done DESC, labeller LIMIT 1",
            page,
            reviewer,
        )
        return rows[0][0] if rows else ""

    def admits(self, labeller: str) -> bool:
        """Whether the labeller has opened a page before, or may still begin."""
        known = self._fetch("SELECT DISTINCT labeller FROM visits")
        return len(known) < MAX_LABELLERS or (labeller,) in known

    def _reserve(self, page: int, labeller: str) -> None:
        """Reserve a page, or renew its reservation, unless another labeller holds it."""
        now = time.time()
        self._db.execute(
            f"UPDATE pages SET holder = ?1, held = ?4 WHERE id = ?5 AND NOT shared AND {FREE}",
            (labeller, now - RESERVED_SECONDS, now + RESERVED_SECONDS, now, page),
        )

    def _version(self, page: int, sheet: LabelSheet) -> int:
        """Number of the page that has the content of a sheet; its blocks are stored if missing."""
        file, url, content, shared = self._db.execute(
            "SELECT file, url, content, shared FROM pages WHERE id = ?", (page,)
        ).fetchone()
        if content == sheet.content and content:
            return page
        earlier = page if content else None
        if content:
            self._db.execute("UPDATE pages SET gone = 1 WHERE id = ?", (page,))
            row = (file, url, sheet.content, shared)
            self._db.execute(
                "INSERT INTO pages (file, url, content, shared) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (file, content) DO UPDATE SET gone = 0", row
            )  # fmt: skip
            (page,) = self._db.execute(
                "SELECT id FROM pages WHERE file = ? AND content = ?", (file, sheet.content)
            ).fetchone()
        self._db.execute(
            "UPDATE pages SET content = ?, kind = ?, doubt = ? WHERE id = ?",
            (sheet.content, sheet.kind, sheet.uncertainty, page),
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (page, number, each.node, each.role, each.custom, each.probability, each.text,
                 each.anchor.xpath, each.anchor.css, each.anchor.offset, each.place)
                for number, each in enumerate(sheet.blocks)
            ],
        )  # fmt: skip
        if earlier is not None:
            self._take_over(earlier, page)
        return page

    def _take_over(self, earlier: int, page: int) -> None:
        """Give the labels of an earlier rendering to the blocks of a page that match.

        Labellers who have opened this rendering keep their labels of it. The page is not finished
        by that: nobody has looked at what is new.
        """
        visitors = "SELECT labeller, begun, blind, reviews FROM visits WHERE page = ?1 "
        for labeller, *visit in self._fetch(
            f"{visitors} AND labeller NOT IN (SELECT labeller FROM visits WHERE page = ?2)",
            earlier,
            page,
        ):
            self._db.execute(
                "INSERT INTO visits (page, labeller, begun, blind, reviews) VALUES (?, ?, ?, ?, ?)",
                (page, labeller, *visit),
            )
            before, now = self.state(earlier, labeller), self.state(page, labeller)
            places = match_anchors(before.anchors, now.anchors)
            for block, place in enumerate(places):
                self._take_block(before, now, block, place)
            for text, role in before.unmatched:
                self._add_unmatched(page, labeller, text, role)
            if before.kind:
                self._write(_taken(page, labeller, "kind", before.kind))
            if before.note:
                self._write(_taken(page, labeller, "note", before.note))

    def _take_block(self, before: LabelledPage, now: LabelledPage, block: int, place: int) -> None:
        """Give the label of a block and the comment on it to the block at a place, -1 for none."""
        name, is_set = before.names[block], before.times[block] is not None
        if place < 0:
            if is_set:
                self._add_unmatched(now.id, now.labeller, before.texts[block], name)
            return
        if before.reviewed:
            name_before = before.reviewed[block]
            self._write(_taken(now.id, now.labeller, "role", name_before, place, REVIEWED))
        if is_set or (before.done and name != now.suggested[place]):
            self._write(_taken(now.id, now.labeller, "role", name, place))
        if before.comments[block]:
            self._write(_taken(now.id, now.labeller, "comment", before.comments[block], place))

    def _add_unmatched(self, page: int, labeller: str, text: str, name: str) -> None:
        self._db.execute("INSERT INTO unmatched VALUES (?, ?, ?, ?)", (page, labeller, text, name))

    def next_page(
        self, labeller: str, skip: Sequence[int] = (), *, review: bool = False
    ) -> int | None:
        """Reserve the page that a labeller is to label or review next; None if there is none.

        Pages that the labeller has begun come first, then those with the greatest uncertainty. A
        page that is not shared by all labellers is not offered if another labeller has finished it
        or has reserved it. A reservation without an action for `RESERVED_SECONDS` has expired, and
        its page comes last. So has one as far in the future: the clock was wrong.
        """
        now = time.time()
        marks = ", ".join("?" * len(skip))
        with self._transaction():
            row = self._db.execute(
                f"""
                SELECT id FROM pages
                LEFT JOIN visits AS own ON own.page = id AND own.labeller = ?1
                WHERE NOT gone AND own.done IS NULL AND {REVIEWING if review else LABELLING}
                    AND {FREE} AND id NOT IN ({marks})
                ORDER BY IFNULL(holder != ?1, 0),
                    own.page IS NULL, own.begun, holder IS NULL,
                    doubt IS NULL, doubt DESC, id
                LIMIT 1
                """,
                (labeller, now - RESERVED_SECONDS, now + RESERVED_SECONDS, *skip),
            ).fetchone()
            if row is None:
                return None
            self._reserve(row[0], labeller)
        return row[0]

    def previous_page(self, labeller: str, page: int | None) -> int | None:
        """The page that a labeller finished before a page, or last if that is not finished."""
        rows = self._fetch(
            "SELECT page FROM visits JOIN pages ON id = page WHERE labeller = ?1 AND NOT gone "
            "AND done IS NOT NULL AND page IS NOT ?2 AND done <= IFNULL("
            "(SELECT done FROM visits WHERE page = ?2 AND labeller = ?1), 9e99) "
            "ORDER BY done DESC LIMIT 1",
            labeller,
            page,
        )
        return rows[0][0] if rows else None

    def list_pages(
        self, labeller: str, state: Filter | None, kind: str, words: str, limit: int
    ) -> tuple[list[ListedPage], int]:
        """At most `limit` pages, the least confident first, and the number of all that match.

        Match means a state and a kind for the labeller, and an address or a file with all of these
        words; None and empty strings match all. A page without a label yet is open.
        """
        named = words.split()
        # The kind is the one that the labeller chose, or else the suggested one.
        query = (
            "SELECT id, url, file, IFNULL(NULLIF((SELECT value FROM actions WHERE page = id "
            "AND labeller = ?1 AND field = 'kind' AND NOT undone ORDER BY actions.id DESC LIMIT 1),"
            " ''), kind) AS chosen, doubt, CASE WHEN own.done IS NOT NULL THEN 'done' "
            "WHEN EXISTS (SELECT 1 FROM actions WHERE page = pages.id AND labeller = ?1 AND NOT "
            "undone) THEN 'begun' WHEN NOT shared AND EXISTS (SELECT 1 FROM "
            "visits AS theirs WHERE theirs.page = id AND theirs.done IS NOT NULL) "
            "THEN 'done by another' ELSE 'open' END AS state, "
            f"{CHANGED} AS changed, {COMMENTS} AS comments FROM pages "
            "LEFT JOIN visits AS own ON own.page = id AND own.labeller = ?1 "
            "WHERE NOT gone"
        )
        matching = (
            f"FROM ({query}) WHERE (?2 IS NULL OR state = ?2 OR (?2 = 'reviewed' AND changed "
            "NOTNULL) OR (?2 = 'changed' AND changed > 0) OR (?2 = 'commented' AND comments > 0)) "
            "AND (?3 = '' OR chosen = ?3)"
            + "".join(
                f" AND instr(lower(url || ' ' || file), lower(?{number}))"
                for number in range(4, 4 + len(named))
            )
        )
        values = (labeller, state, kind, *named)
        ((count,),) = self._fetch(f"SELECT COUNT(*) {matching}", *values)
        rows = self._fetch(
            f"SELECT * {matching} ORDER BY doubt IS NULL, doubt DESC, id LIMIT ?", *values, limit
        )
        return [
            ListedPage(page, url or file, state, kind, None if doubt is None else 1 - doubt, *more)
            for page, url, file, kind, doubt, state, *more in rows
        ], count

    def act(self, *actions: Action) -> None:
        """Store actions; one with a known key has no effect, unless it was undone since then."""
        with self._transaction():
            for action in actions:
                self._write(action)

    def _write(self, action: Action) -> None:
        row = (action.key, action.page, action.labeller, time.time(), action.field)
        self._db.execute(
            "INSERT INTO actions "
            "(key, page, labeller, time, field, first, last, value, undone) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
            # The action may have been stored before the labeller undid it.
            "ON CONFLICT (key) DO UPDATE SET undone = undone OR excluded.undone",
            # Lone surrogates cannot be stored, and the client would resend the action forever.
            (*row, action.first, action.last, valid_text(action.value), action.undone),
        )
        self._update_visit(action.page, action.labeller)

    def site_pages(self, page: int, labeller: str) -> list[LabelledPage]:
        """The latest pages of a page's site, at most `SITE_PAGES`, that a labeller has finished."""
        rows = self._fetch(
            "SELECT page, url FROM visits JOIN pages ON id = page WHERE labeller = ? AND NOT gone "
            "AND done IS NOT NULL ORDER BY done DESC LIMIT ?",
            labeller,
            RECENT_VISITS,
        )
        _, url = self.file_of(page) or ("", "")
        site = site_of(url)
        numbers = [n for n, other in rows if n != page and site and site_of(other) == site]
        return [self.state(number, labeller) for number in numbers[:SITE_PAGES]]

    def apply(self, page: int, labeller: str, roles: Mapping[int, str]) -> None:
        """Give blocks of a page roles that come from other pages, as one step to undo."""
        step = f"{APPLIED}{uuid4().hex}"
        with self._transaction():
            for block, role in roles.items():
                self._write(Action(f"{step} {block}", page, labeller, "role", role, block, block))

    def undo(self, labeller: str) -> Action | None:
        """Undo the labeller's last action and return it; None if there is none."""
        with self._transaction():
            row = self._db.execute(
                "SELECT id, key, page, labeller, field, value, first, last FROM actions "
                "WHERE labeller = ? AND NOT undone AND key NOT GLOB ? AND key NOT GLOB ? "
                "ORDER BY id DESC LIMIT 1",
                (labeller, f"{TAKEN_OVER}*", f"{REVIEWED}*"),
            ).fetchone()
            if row is None:
                return None
            action = Action(*row[1:], undone=True)
            step = f"{action.key.rpartition(' ')[0]} *" if action.key.startswith(APPLIED) else None
            self._db.execute(
                "UPDATE actions SET undone = 1 WHERE id = ?1 OR (key GLOB ?2 AND page = ?3 AND "
                "labeller = ?4)",
                (row[0], step, action.page, labeller),
            )
            self._update_visit(action.page, labeller)
        return action

    def _update_visit(self, page: int, labeller: str) -> None:
        """Renew the reservation, and take whether the visit is done from the last `done` action;
        count what a finished review changed.
        """
        last = self._db.execute(
            "SELECT time, value FROM actions WHERE page = ? AND labeller = ? AND field = 'done' "
            "AND NOT undone ORDER BY id DESC LIMIT 1",
            (page, labeller),
        ).fetchone()
        done = last[0] if last and last[1] else None
        changed = None
        if done is not None:
            state = self.state(page, labeller)
            if state.reviews:
                changed = len(state.changed) + (state.kind != state.reviewed_kind)
        self._db.execute(
            "UPDATE visits SET done = ?, changed = ? WHERE page = ? AND labeller = ?",
            (done, changed, page, labeller),
        )
        self._reserve(page, labeller)

    def progress(self, labeller: str, *, review: bool = False) -> Progress:
        """Progress of a labeller in labelling or in reviewing."""
        ((pages, done),) = self._fetch(
            "SELECT COUNT(*), COUNT(own.done) FROM pages LEFT JOIN visits AS own "
            "ON own.page = id AND own.labeller = ?1 "
            f"WHERE NOT gone AND {REVIEWING if review else LABELLING}",
            labeller,
        )
        times = self._fetch(
            "SELECT done FROM visits WHERE labeller = ? AND done IS NOT NULL "
            f"ORDER BY done DESC LIMIT {RECENT_PAGES}",
            labeller,
        )
        gaps = [late - early for (late,), (early,) in pairwise(times)]
        worked = [gap for gap in gaps if gap <= PAUSE_SECONDS]
        return Progress(pages, done, sum(worked) / len(worked) if worked else None)

    def counts(self) -> LabelCounts:
        """Numbers of pages by how far they are labelled."""
        ((labelled, reviewed, changed, commented),) = self._fetch(
            "SELECT COUNT(done), COUNT(changed), COUNT(NULLIF(changed, 0)), "
            "COUNT(NULLIF(comments, 0)) FROM (SELECT (SELECT MAX(done) FROM visits "
            f"WHERE page = pages.id AND reviews IS NULL) AS done, {CHANGED} AS changed, "
            f"{COMMENTS} AS comments FROM pages WHERE NOT gone)"
        )
        return LabelCounts(labelled, reviewed, changed, commented)

    def final_pages(self) -> Iterator[list[LabelledPage]]:
        """The finished labels of each page that count: those of its latest review, or of all
        labellers if it has none.
        """
        for _, group in groupby(self.labelled_pages(), lambda page: page.id):
            readings = list(group)
            reviews = [each for each in readings if each.reviews]
            yield [max(reviews, key=lambda each: each.done or 0.0)] if reviews else readings

    def labelled_pages(self) -> Iterator[LabelledPage]:
        """Finished pages by number and labeller, reviews last, the latest rendering of each."""
        visits = self._fetch(
            "SELECT page, labeller FROM visits JOIN pages ON id = page "
            "WHERE visits.done IS NOT NULL AND NOT (gone AND EXISTS ("
            "SELECT 1 FROM visits AS later JOIN pages AS version ON version.id = later.page "
            "WHERE version.file = pages.file AND NOT version.gone AND later.done IS NOT NULL "
            "AND later.labeller = visits.labeller)) ORDER BY page, reviews NOTNULL, labeller"
        )
        for page, labeller in visits:
            yield self.state(page, labeller)

    def state(self, page: int, labeller: str) -> LabelledPage:
        """A page that a labeller has opened, with the current labels of the labeller."""
        visits = self._fetch(
            "SELECT file, url, content, blind, done, reviews FROM pages JOIN visits ON page = id "
            "WHERE id = ? AND labeller = ?",
            page,
            labeller,
        )
        if not visits:
            raise ArchiveError(f"{labeller} has not opened page {page}")
        file, url, content, blind, done, reviews = visits[0]
        blocks = self._fetch(
            "SELECT node, suggested, custom, text, place, xpath, css, offset FROM blocks "
            "WHERE page = ? ORDER BY number",
            page,
        )
        actions = self._fetch(
            "SELECT field, first, last, value, time, key FROM actions "
            "WHERE page = ? AND labeller = ? AND NOT undone ORDER BY id",
            page,
            labeller,
        )
        bases = {role.name: role.base for role in self.custom_roles()}
        suggested = tuple(
            BOILERPLATE if blind else custom if custom in bases else role
            for _, role, custom, *_ in blocks
        )
        names, applied = list(suggested), [False] * len(blocks)
        times: list[float | None] = [None] * len(blocks)
        reviewed, comments = list(suggested), [""] * len(blocks)
        last_of = {"kind": "", "note": ""}
        reviewed_kind = ""
        # Number of the last action on each block; a loop over the blocks of each would take long.
        last_action = np.full(len(blocks), -1)
        for number, (field, first, last, value, _, key) in enumerate(actions):
            is_start = key.startswith(REVIEWED)
            last_of[field] = value
            if field == "role" and is_start:
                names[first] = reviewed[first] = value
            elif field == "role":
                last_action[first : last + 1] = number
            elif field == "comment":
                comments[first] = value
            elif field == "kind" and is_start:
                reviewed_kind = value
        for block in np.flatnonzero(last_action >= 0).tolist():
            names[block], times[block], key = actions[last_action[block]][3:]
            applied[block] = key.startswith(APPLIED)
        return LabelledPage(
            page, file, url, content, labeller, done, last_of["kind"], last_of["note"],
            tuple(node for node, *_ in blocks), tuple(text for _, _, _, text, *_ in blocks),
            suggested, tuple(bases.get(name, name) for name in names), tuple(times),
            tuple(
                Anchor(xpath, css, offset, text)
                for _, _, _, text, _, xpath, css, offset in blocks
            ),
            tuple(place for _, _, _, _, place, *_ in blocks), tuple(applied), bool(blind),
            tuple(self._fetch(
                "SELECT text, role FROM unmatched WHERE page = ? AND labeller = ?", page, labeller
            )),
            tuple(name if name in bases else "" for name in names), tuple(comments),
            reviews or "", tuple(reviewed) if reviews else (), reviewed_kind,
        )  # fmt: skip

    def suggested_kind(self, page: int) -> str:
        """Kind of a page as suggested by the model."""
        return self._fetch("SELECT kind FROM pages WHERE id = ?", page)[0][0]

    def blocks_of(self, page: int, labeller: str) -> int | None:
        """Number of blocks of a page; None if the labeller has not opened it."""
        if not self._fetch("SELECT 1 FROM visits WHERE page = ? AND labeller = ?", page, labeller):
            return None
        return self._fetch("SELECT COUNT(*) FROM blocks WHERE page = ?", page)[0][0]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._damage_errors():
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield
                self._db.execute("COMMIT")
            except sqlite3.OperationalError as error:
                # On a full disk SQLite may have ended the transaction itself.
                self._db.rollback()
                raise StorageError(f"labels cannot be written: {error}") from error
            except BaseException:
                self._db.rollback()
                raise

    def _fetch(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._damage_errors():
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _damage_errors(self) -> Iterator[None]:
        try:
            yield
        except DAMAGED as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                message = f"another program is writing {self._path}; try again when it is done"
                raise StorageError(message) from error
            raise ArchiveError(f"{self._path} cannot be read: {error}") from error


def open_labels(
    folder: Path, snapshots: Iterable[tuple[str, str]], overlap: float = OVERLAP
) -> LabelStore:
    """Open the labels of a collection, created if missing, and add its pages.

    `snapshots` has the path below the folder, and the address, of each page with a snapshot.
    `overlap` is the share of new pages that every labeller gets, in [0, 1]. A collection without
    snapshots is an `EmptyInputError`.
    """
    files = list(snapshots)
    if not files:
        raise EmptyInputError(f"no snapshot (*.miolo) in {folder}", lacks="snapshots")
    store = LabelStore(folder, create=True)
    try:
        # SQLite does not accept names that are not valid UTF-8.
        store.add_pages(
            (name, url, zlib.crc32(name.encode()) % SHARES < overlap * SHARES)
            for name, url in files
            if name == valid_text(name)
        )
    except BaseException:
        store.close()
        raise
    return store


def files_left_out(store: LabelStore, log: Callable[[str], None]) -> frozenset[str]:
    """The files whose labels are of an earlier capture with other content, which is logged."""
    files = frozenset(store.recaptured().values())
    if files:
        pages = "one page" if len(files) == 1 else f"{len(files):,} pages"
        names = ", ".join(sorted(files)[:3]) + (", …" if len(files) > 3 else "")
        log(
            f"the labels of {pages} are left out, since they are of an earlier capture ({names}): "
            "look at them in the label page, which offers them again"
        )
    return files


def label_counts(folder: Path) -> LabelCounts | None:
    """How far the pages of a collection are labelled; None without labels."""
    if not (folder / FILE).exists():
        return None
    with LabelStore(folder) as store:
        return store.counts()


def blind_files(names: Iterable[str], share: float) -> frozenset[str]:
    """The files of the share of the pages that is shown without suggestions."""
    ranked = sorted(names, key=lambda name: zlib.crc32(b"blind " + os.fsencode(name)))
    return frozenset(ranked[: round(share * len(ranked))])


def offered_roles(page: LabelledPage, finished: Sequence[LabelledPage]) -> dict[int, str]:
    """Roles of the blocks of a page that differ from what other pages of its template have there.

    Blocks of one text in one place of the template, or else all blocks of this place, must have the
    same role on all finished pages, and the labeller must have set one of them by hand: what was
    only accepted says no more than the suggestion. `finished` has pages of the same site and
    labeller. Roles are returned by the numbers of their blocks.
    """
    roles: dict[Key, Counter[str]] = defaultdict(Counter)
    corrected: set[Key] = set()
    for each in finished:
        for block, (name, keys) in enumerate(zip(each.names, _keys(each), strict=True)):
            for key in keys:
                roles[key][name] += 1
                if each.times[block] is not None:
                    corrected.add(key)
    known = {key: next(iter(roles[key])) for key in corrected if len(roles[key]) == 1}
    offered = {}
    for block, (name, keys) in enumerate(zip(page.names, _keys(page), strict=True)):
        role = next((known[key] for key in keys if key in known), name)
        if page.times[block] is None and role != name:
            offered[block] = role
    return offered


def _keys(page: LabelledPage) -> Iterator[tuple[Key, Key]]:
    """Keys of each block, from the most to the least exact."""
    for place, text in zip(page.places, page.texts, strict=True):
        yield (place, text), (place,)
