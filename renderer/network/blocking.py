"""What pages do not load: kinds of resources, and hosts by name or from lists.

Lists are hosts files, names, and rules of the form ``||host^``. A host is blocked if one of its
suffixes is listed, so a lookup per label of its name suffices.

Rules for parts of a URL or of a page need more than a proxy sees. They are counted and left out.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...names import unknown_name
from ...patterns import lazy_re
from .origins import host_of, is_host_name, plain_host

DEFAULT_LISTS = ("ads", "trackers")
"""Names of the lists in the folder ``hosts``, which batches and crawls use by default."""

KINDS = {"images": "Image", "fonts": "Font", "media": "Media"}
"""Kinds of resources that can be blocked, with Chromium's names for their types."""

NOTHING = "none"  # the entry that blocks nothing, where something is blocked by default

FOLDER = Path(__file__).parent / "hosts"

# A name with one of these endings is a missing list; none of them is a top-level domain.
FILES = (".conf", ".csv", ".hosts", ".list", ".txt")

MAX_COUNTED = 1000  # maximum number of hosts that are counted by name


@dataclass(frozen=True, repr=False)
class HostList:
    """A list of hosts in plain form, each of which stands for its subdomains too."""

    source: str = field(compare=False)
    hosts: frozenset[str] = field(compare=False)
    unused: int = field(compare=False)  # lines that are no comments and no rules for whole hosts
    digest: str  # of the file's content, by which lists are compared

    def __repr__(self) -> str:
        # Identifies the options of a collection, so a moved file is the same list.
        return f"HostList({len(self.hosts):,} hosts, {self.digest[:16]})"


BlockEntry = str | HostList
"""A kind of resource, the name of a list, the name of a host, or a list that was read."""

MAX_FILE = 100 << 20  # a list of a million hosts has some 25 MB
MAX_LINE = 4096  # longer lines are no rules for hosts

# Options of a rule that do not restrict it to a part of a host's responses. Since an entry that
# contains a page's own host is not applied to it, every rule is one for third parties.
WHOLE = frozenset(("third-party", "3p", "important", "all"))

NAME = lazy_re(r"[\w-]+(?:\.[\w-]+)+")

# One set of characters, since a colon in its middle would be tried at every place.
ADDRESS = lazy_re(r"[0-9.]+|(?=[0-9a-f.]*:)[0-9a-f:.]+(?:%\w+)?", re.IGNORECASE)
COMMENT = lazy_re(r"(?:^|\s)#.*")


class Entries(tuple[BlockEntry, ...]):
    """Entries that were read: their lists are read, and they are not read again."""


def read_block(value: Any, folder: Path = Path(), *, files: bool = True) -> Entries:
    """Read what is to be blocked, as `RenderOptions` describes it.

    Paths are relative to `folder`; `files` is whether an entry may be the path of a list.

    >>> tuple(read_block("trackers,images,CDN.example.org"))
    ('cdn.example.org', 'images', 'trackers')
    """
    if isinstance(value, Entries):
        return value
    if isinstance(value, (str, Path, HostList)):
        value = value.split(",") if isinstance(value, str) else [value]
    if not isinstance(value, Iterable):
        raise ValueError("must be a list, such as ('ads', 'trackers')")
    entries = [_read_entry(entry, folder, files=files) for entry in value]
    if NOTHING in entries:
        if len(entries) > 1:
            raise ValueError("none cannot be combined with anything else that is to be blocked")
        return Entries()
    return Entries(sorted(set(entries), key=repr))


def _read_entry(entry: Any, folder: Path, *, files: bool) -> BlockEntry:
    if isinstance(entry, HostList):
        return entry
    name = entry.strip() if isinstance(entry, str) else entry
    names = (*DEFAULT_LISTS, *KINDS, NOTHING)
    if isinstance(name, str):
        if name in names:
            return name
        # A path may look like the name of a host otherwise.
        if "/" not in name and os.sep not in name:
            return _read_host(name, folder if files else None, names)
    elif not isinstance(name, Path):
        raise ValueError(f"{name!r} is not a name of what is to be blocked")
    if not files:
        raise ValueError(f"{name} is not {', '.join(names)} or the name of a host")
    return read_hosts(folder / name)


def _read_host(name: str, folder: Path | None, names: tuple[str, ...]) -> str:
    # Unlike that of a path, this function raises no error for a name that no file can have.
    if folder is not None and os.path.isfile(folder / name):
        raise ValueError(f"{name} is a file: write ./{name} to block the hosts that it lists")
    if name.lower().endswith(FILES):
        raise ValueError(f"there is no file {name}")
    if not is_host_name(name):
        raise ValueError(f"{name!r} is not {', '.join(names)}, a path or the name of a host")
    host = plain_host(name.lstrip("."))
    if "." not in host and ":" not in host and host != "localhost":
        # More likely a misspelt kind than a host without a domain.
        raise ValueError(unknown_name("choice", name, names))
    return host


@dataclass(frozen=True)
class Blocking:
    """What pages with the same options do not load."""

    types: frozenset[str] = frozenset()  # of resources, by Chromium's names
    names: frozenset[str] = frozenset()  # hosts that were named one by one
    hosts: tuple[frozenset[str], ...] = ()  # sets of all hosts, which stand for subdomains too


@lru_cache(maxsize=64)
def blocking_of(block: tuple[BlockEntry, ...] | None) -> Blocking:
    """What entries stand for; the lists of the package are read with the first page."""
    block = block or ()
    words = {entry for entry in block if isinstance(entry, str)}
    types = frozenset(kind for name, kind in KINDS.items() if name in words)
    lists = [read_hosts(FOLDER / f"{name}.txt") for name in DEFAULT_LISTS if name in words]
    lists += [entry for entry in block if isinstance(entry, HostList)]
    names = frozenset(words.difference(KINDS, DEFAULT_LISTS))
    sets = (names, *(each.hosts for each in lists))
    return Blocking(types, names, tuple(hosts for hosts in sets if hosts))


class HostBlocker:
    """Decides which hosts one page may not connect to, and counts what was refused by host.

    An entry that contains the host of a document which the user asked for is not applied to the
    page: neither the document nor what its own site serves beside it is blocked.
    """

    def __init__(self, hosts: tuple[frozenset[str], ...], url: str) -> None:
        self._hosts = hosts
        self._own: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.admit(url)

    @property
    def is_active(self) -> bool:
        """Whether any host is blocked."""
        return bool(self._hosts)

    def admit(self, url: str) -> None:
        """Do not apply entries that contain the host of a document of the page."""
        if self._hosts:
            self._own.update(_suffixes(host_of(url)))

    def blocks(self, host: str) -> bool:
        """Whether a host is blocked."""
        if not self._hosts:
            return False
        names = [name for name in _suffixes(plain_host(host)) if name not in self._own]
        return any(not hosts.isdisjoint(names) for hosts in self._hosts)

    def refuses(self, host: str) -> bool:
        """Whether a host is blocked, which is counted."""
        is_blocked = self.blocks(host)
        if is_blocked and (host in self.counts or len(self.counts) < MAX_COUNTED):
            self.counts[host] += 1
        return is_blocked


def _suffixes(host: str) -> Iterator[str]:
    """A host and the domains that contain it."""
    while host:
        yield host
        host = host.partition(".")[2]


def read_hosts(path: Path) -> HostList:
    """Read a list of hosts; a list that has not changed is read once."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise ValueError(f"{path} cannot be read: it is not a file")
        if facts.st_size > MAX_FILE:
            raise ValueError(f"{path} is larger than {MAX_FILE:,} bytes")
        return _read_hosts(path.resolve(), facts.st_mtime_ns, facts.st_size)
    except OSError as error:
        cause = (error.strerror or "unknown error").lower()
        raise ValueError(f"{path} cannot be read: {cause}") from None


@lru_cache(maxsize=8)
def _read_hosts(path: Path, changed: int, size: int) -> HostList:
    digest, hosts, unused = hashlib.sha256(), set[str](), 0
    with path.open("rb") as file:
        for data in file:
            digest.update(data)
            names = _hosts_of(data.decode("utf-8", "replace"))
            if names is None:
                unused += 1
            else:
                hosts.update(names)
    if not hosts:
        raise ValueError(f"{path} lists no hosts, as a hosts file or rules such as ||host^ do")
    return HostList(str(path), frozenset(hosts), unused, digest.hexdigest())


def _hosts_of(line: str) -> Iterable[str] | None:
    """Hosts of a line of a list, none for a comment; None if it is not a rule for whole hosts."""
    line = line.strip()
    if not line or line[0] in "!#[":
        return ()
    if len(line) > MAX_LINE:
        return None
    if "#" in line:
        line = COMMENT.sub("", line)
    if line.startswith("||"):
        rule, _, options = line[2:].partition("$")
        is_whole = not options or WHOLE.issuperset(options.split(","))
        return _names([rule[:-1]]) if rule.endswith("^") and is_whole else None
    words = line.split()
    if len(words) == 1:
        return _names([words[0].removeprefix("*").removeprefix(".")])
    # A hosts file also gives this machine its names, which are addresses or have no domain.
    return _names(words[1:], own=True) if ADDRESS.fullmatch(words[0]) else None


def _names(words: list[str], *, own: bool = False) -> list[str] | None:
    names = [plain_host(word) for word in words]
    valid = [name for name in names if NAME.fullmatch(name) and not ADDRESS.fullmatch(name)]
    return valid if valid or own else None
