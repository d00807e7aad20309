"""`Site`: everything learned from the pages of one site."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from ..errors import ArchiveError
from ..features.page_tree import LABELS, PageTree, page_tree
from ..renderer.page.container import whole_file
from ..renderer.page.snapshot import Snapshot
from .json_file import read_json
from .site_parts import SavedPart, SitePart
from .templates.sitelevel import SiteLevel
from .wrappers.clusters import LINKAGES
from .wrappers.matching import Match
from .wrappers.patterns import Pattern
from .wrappers.wrappers import Wrapper, WrapperOptions, matching_wrapper

Part = TypeVar("Part", bound=SitePart)

# Number of recent pages over which `Site.accepted_share` is computed.
RECENT = 50


@dataclass(frozen=True, eq=False)
class Site:
    """What was learned from the pages of one site."""

    level: SiteLevel
    """The content that its pages repeat."""
    parts: Mapping[str, SitePart | SavedPart] = field(default_factory=dict)
    """What the other site methods have learned; see `Site.part`."""
    wrappers: tuple[Wrapper, ...] = ()
    """A pattern for each of its templates."""
    options: WrapperOptions = field(default_factory=WrapperOptions)
    """How the wrappers were learned."""
    alone: tuple[str, ...] = ()
    """URLs of pages that were similar to no other page."""
    recent: tuple[bool, ...] = ()
    """For each of the last 50 pages, whether a pattern accepted it before learning from it."""

    @property
    def accepted_share(self) -> float | None:
        """Share of recent pages that a pattern accepted. It falls when a site is redesigned.

        None if there are no recent pages.
        """
        return sum(self.recent) / len(self.recent) if self.recent else None

    def part(self, name: str, kind: type[Part]) -> Part | None:
        """What a method has learned; None if the site was learned without that method.

        Raises
        ------
        ArchiveError
            The part was read from a file and is damaged.
        """
        part = self.parts.get(name)
        if isinstance(part, SavedPart):
            return part.build(kind)
        return part if isinstance(part, kind) else None

    def match(self, snapshot: Snapshot) -> tuple[Wrapper, Match, PageTree] | None:
        """The wrapper that accepts a page, the match and the page's tree; None if none does."""
        for labels in self.options.labels:
            tree = page_tree(snapshot, labels)
            wrappers = [wrapper for wrapper in self.wrappers if wrapper.labels == labels]
            wrapper_match = matching_wrapper(wrappers, tree, literal=self.options.literal)
            if wrapper_match is not None:
                return *wrapper_match, tree
        return None

    def observe(self, snapshots: Iterable[Snapshot]) -> Site:
        """A copy of the site that counts further pages as recent without learning from them."""
        return self.with_outcomes(self.match(snapshot) is not None for snapshot in snapshots)

    def with_outcomes(self, outcomes: Iterable[bool]) -> Site:
        """A copy of the site with further outcomes of `match` appended to `recent`."""
        return replace(self, recent=(*self.recent, *outcomes)[-RECENT:])

    def save(self, path: str | Path) -> None:
        """Write the site as JSON with readable patterns. The file is replaced atomically."""
        with whole_file(Path(path)) as file:
            file.write(_text(self).encode())

    @classmethod
    def load(cls, path: str | Path) -> Site:
        """Read a learned site.

        Raises
        ------
        ArchiveError
            The file is truncated, inconsistent, or of another format or version.
        """
        return read_json(Path(path), _from_json, "learned site")


# The file of a learned site: JSON with human-readable patterns.

FORMAT, VERSION = "miolo-site", 5


def _text(site: Site) -> str:
    data = {
        "format": FORMAT,
        "version": VERSION,
        "options": asdict(site.options),
        "recent": site.recent,
        "alone": site.alone,
        "wrappers": [
            {
                "template": wrapper.template,
                "labels": wrapper.labels,
                "urls": wrapper.urls,
                "body": wrapper.body,
                "title": wrapper.title,
                "pattern": wrapper.pattern.lines(),
            }
            for wrapper in site.wrappers
        ],
    }
    # Patterns are indented for human readers; counts take one line per part.
    lines = [f'  "{name}": {_line(part.to_json())}' for name, part in site.parts.items()]
    parts = "{\n" + ",\n".join(lines) + "\n }" if lines else "{}"
    text = json.dumps(data, indent=1).removesuffix("\n}")
    return text + f',\n "level": {_line(site.level.to_json())},\n "parts": {parts}\n}}\n'


def _line(data: dict[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"))


def _from_json(data: dict[str, Any]) -> Site:
    if data.get("format") != FORMAT or data.get("version") != VERSION:
        raise ArchiveError(f"not a learned site of version {VERSION}")
    options = WrapperOptions(**{**data["options"], "labels": tuple(data["options"]["labels"])})
    if not set(options.labels) <= set(LABELS) or options.linkage not in LINKAGES:
        raise ArchiveError("unknown labels or linkage")
    return Site(
        level=SiteLevel.from_json(data["level"]),
        parts={name: _saved_part(part) for name, part in data["parts"].items()},
        wrappers=tuple(_wrapper(each) for each in data["wrappers"]),
        options=options,
        alone=tuple(map(str, data["alone"])),
        recent=tuple(map(bool, data["recent"])),
    )


def _saved_part(data: Any) -> SavedPart:
    if not isinstance(data, dict):
        raise ArchiveError("a part is not an object")
    return SavedPart(data)


def _wrapper(data: dict[str, Any]) -> Wrapper:
    pattern = Pattern.from_lines(data["pattern"])
    for name in ("body", "title"):
        if data[name] is not None and int(data[name]) not in pattern.wildcards:
            raise ArchiveError(f"the {name} is not a wildcard of its pattern")
    if data["labels"] not in LABELS:
        raise ArchiveError("unknown labels")
    return Wrapper(
        int(data["template"]),
        data["labels"],
        pattern,
        tuple(map(str, data["urls"])),
        data["body"],
        data["title"],
    )
