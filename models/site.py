"""`Site`: all that is learned from the pages of one site, and its file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import ArchiveError
from ..features.outline import outline
from ..features.page_tree import LABELS, Labels, PageTree, page_tree
from ..renderer.container import whole_file
from ..renderer.snapshot import Snapshot
from .templates.sitelevel import SiteLevel
from .wrappers.clusters import LINKAGES
from .wrappers.matching import Match
from .wrappers.patterns import Pattern
from .wrappers.wrappers import Wrapper, WrapperOptions, learn_wrappers, matching_wrapper

__all__ = ["Site", "learn_site"]

FORMAT, VERSION = "miolo-site", 2

# Pages that the share of accepted ones is told of.
RECENT = 50


@dataclass(frozen=True, eq=False)
class Site:
    """What was learned from pages of one site.

    Attributes
    ----------
    level
        What its pages repeat.
    wrappers
        A pattern for each of its templates.
    options
        How the wrappers were learned.
    alone
        Addresses of pages that were like no other.
    recent
        For the last 50 pages, whether a pattern took them before it had learned from them.
    """

    level: SiteLevel
    wrappers: tuple[Wrapper, ...] = ()
    options: WrapperOptions = field(default_factory=WrapperOptions)
    alone: tuple[str, ...] = ()
    recent: tuple[bool, ...] = ()

    @property
    def accepted_share(self) -> float | None:
        """Share of recent pages that a pattern took: it falls when a site is redesigned.

        None before there are any.
        """
        return sum(self.recent) / len(self.recent) if self.recent else None

    def match(self, snapshot: Snapshot) -> tuple[Wrapper, Match, PageTree] | None:
        """The wrapper that takes a page, how, and the page's tree; None where none does."""
        for labels in self.options.labels:
            tree = page_tree(snapshot, labels)
            wrappers = [wrapper for wrapper in self.wrappers if wrapper.labels == labels]
            found = matching_wrapper(wrappers, tree, literal=self.options.literal)
            if found is not None:
                return *found, tree
        return None

    def observe(self, snapshots: Iterable[Snapshot]) -> Site:
        """The site with further pages counted among the recent; nothing is learned of them."""
        return self.noting(self.match(snapshot) is not None for snapshot in snapshots)

    def noting(self, taken: Iterable[bool]) -> Site:
        """The site with further outcomes of `match` among the recent."""
        return replace(self, recent=(*self.recent, *taken)[-RECENT:])

    def save(self, path: str | Path) -> None:
        """Write the site as JSON, patterns to be read; the file appears whole or not at all."""
        told = {
            "format": FORMAT,
            "version": VERSION,
            "options": asdict(self.options),
            "recent": self.recent,
            "alone": self.alone,
            "wrappers": [
                {
                    "template": wrapper.template,
                    "labels": wrapper.labels,
                    "urls": wrapper.urls,
                    "body": wrapper.body,
                    "title": wrapper.title,
                    "pattern": wrapper.pattern.lines(),
                }
                for wrapper in self.wrappers
            ],
            "level": self.level.to_json(),
        }
        with whole_file(Path(path)) as file:
            file.write(json.dumps(told, indent=1).encode() + b"\n")

    @classmethod
    def load(cls, path: str | Path) -> Site:
        """Read a learned site.

        Raises
        ------
        ArchiveError
            The file is truncated, foreign, of an unknown version or inconsistent.
        """
        content = Path(path).read_bytes()
        try:
            return _from_json(json.loads(content))
        except ArchiveError as error:
            raise ArchiveError(f"{path}: {error}") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ArchiveError(f"{path} is no learned site ({error})") from error


def learn_site(
    snapshots: Iterable[Snapshot],
    options: WrapperOptions | None = None,
    *,
    level: SiteLevel | None = None,
    max_pages: int | None = 200,
) -> Site:
    """Learn what the pages of one site have in common.

    Parameters
    ----------
    snapshots
        Pages of one site; they are read once, one after the other.
    options
        How wrappers are learned.
    level
        Where to count what pages repeat; an empty `SiteLevel` without.
    max_pages
        Distinct pages learned from, at most; the template report's 200. None for no bound.
    """
    options, level = options or WrapperOptions(), level or SiteLevel()
    pages: dict[Labels, list[PageTree]] = {labels: [] for labels in options.labels}
    outlines, urls = [], []
    for snapshot in snapshots:
        if max_pages is not None and len(urls) >= max_pages:
            break
        if level.add(snapshot):
            for labels, trees in pages.items():
                trees.append(page_tree(snapshot, labels))
            outlines.append(outline(snapshot))
            urls.append(snapshot.page.url)
    learned = learn_wrappers(pages, outlines, urls, options)
    alone = tuple(urls[place] for place in learned.alone)
    return Site(level, learned.wrappers, options, alone, learned.accepted[-RECENT:])


def _from_json(told: dict[str, Any]) -> Site:
    if told.get("format") != FORMAT or told.get("version") != VERSION:
        raise ArchiveError(f"not a learned site of version {VERSION}")
    options = WrapperOptions(**{**told["options"], "labels": tuple(told["options"]["labels"])})
    if not set(options.labels) <= set(LABELS) or options.linkage not in LINKAGES:
        raise ArchiveError("unknown labels or linkage")
    return Site(
        level=SiteLevel.from_json(told["level"]),
        wrappers=tuple(_wrapper(each) for each in told["wrappers"]),
        options=options,
        alone=tuple(map(str, told["alone"])),
        recent=tuple(map(bool, told["recent"])),
    )


def _wrapper(told: dict[str, Any]) -> Wrapper:
    pattern = Pattern.from_lines(told["pattern"])
    for name in ("body", "title"):
        if told[name] is not None and int(told[name]) not in pattern.wildcards:
            raise ArchiveError(f"the {name} stands at no wildcard of its pattern")
    if told["labels"] not in LABELS:
        raise ArchiveError("unknown labels")
    return Wrapper(
        int(told["template"]),
        told["labels"],
        pattern,
        tuple(map(str, told["urls"])),
        told["body"],
        told["title"],
    )
