"""Lists of hosts: hosts files, names, and rules of the form ``||host^``.

Rules for parts of a URL or of a page need more than a proxy sees. They are counted and left out.
"""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from .origins import plain_host

__all__ = ["HostList", "read_hosts"]

# A list of a million hosts has some 25 MB.
MAX_FILE = 100 << 20

# Longer lines are no rules for hosts.
MAX_LINE = 4096

# Options of a rule that do not restrict it to a part of a host's responses. Since an entry that
# contains a page's own host is not applied to it, every rule is one for third parties.
WHOLE = frozenset(("third-party", "3p", "important", "all"))

NAME = re.compile(r"[\w-]+(?:\.[\w-]+)+")
# One set of characters, since a colon in its middle would be tried at every place.
ADDRESS = re.compile(r"[0-9.]+|(?=[0-9a-f.]*:)[0-9a-f:.]+(?:%\w+)?", re.IGNORECASE)
COMMENT = re.compile(r"(?:^|\s)#.*")


@dataclass(frozen=True, repr=False)
class HostList:
    """A list of hosts.

    Attributes
    ----------
    source
        Path of its file.
    hosts
        Names of hosts in plain form; each stands for its subdomains too.
    unused
        Number of lines that are no comments, and no rules for whole hosts.
    digest
        Hash of the file's content, by which lists are compared.
    """

    source: str = field(compare=False)
    hosts: frozenset[str] = field(compare=False)
    unused: int = field(compare=False)
    digest: str

    def __repr__(self) -> str:
        # Identifies the options of a collection, so a moved file is the same list.
        return f"HostList({len(self.hosts):,} hosts, {self.digest[:16]})"


def read_hosts(path: Path) -> HostList:
    """Read a list of hosts; a list that has not changed is read once.

    Raises
    ------
    ValueError
        The file cannot be read, is too large, or lists no host.
    """
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
