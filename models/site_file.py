"""The file of a learned site: JSON, its patterns to be read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ArchiveError
from ..features.page_tree import LABELS
from ..renderer.container import whole_file
from .json_file import read_json
from .site_parts import read_parts
from .templates.sitelevel import SiteLevel
from .wrappers.clusters import LINKAGES
from .wrappers.patterns import Pattern
from .wrappers.wrappers import Wrapper, WrapperOptions

if TYPE_CHECKING:
    from .site import Site

__all__ = ["load_site", "save_site"]

FORMAT, VERSION = "miolo-site", 3


def save_site(site: Site, path: Path) -> None:
    """Write a site; the file appears whole or not at all."""
    told = {
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
    # Patterns are there to be read; what is counted is a line a part.
    lines = [f'  "{name}": {_line(part.to_json())}' for name, part in site.parts.items()]
    parts = "{\n" + ",\n".join(lines) + "\n }" if lines else "{}"
    text = json.dumps(told, indent=1).removesuffix("\n}")
    text += f',\n "level": {_line(site.level.to_json())},\n "parts": {parts}\n}}\n'
    with whole_file(path) as file:
        file.write(text.encode())


def load_site(path: Path) -> Site:
    """Read a learned site.

    Raises
    ------
    ArchiveError
        The file is truncated, foreign, of an unknown version or inconsistent.
    """
    return read_json(path, _from_json, "learned site")


def _line(told: dict[str, Any]) -> str:
    return json.dumps(told, separators=(",", ":"))


def _from_json(told: dict[str, Any]) -> Site:
    from .site import Site

    if told.get("format") != FORMAT or told.get("version") != VERSION:
        raise ArchiveError(f"not a learned site of version {VERSION}")
    options = WrapperOptions(**{**told["options"], "labels": tuple(told["options"]["labels"])})
    if not set(options.labels) <= set(LABELS) or options.linkage not in LINKAGES:
        raise ArchiveError("unknown labels or linkage")
    return Site(
        level=SiteLevel.from_json(told["level"]),
        parts=read_parts(told["parts"]),
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
