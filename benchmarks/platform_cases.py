"""Styled pages of many platforms with their truth by selectors, as cases of an evaluation."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from corpus import unpack
from miolo.evaluate.case import Case
from miolo.evaluate.site_sets import ORIGIN, post_url

__all__ = ["SET", "platform_cases"]

SET = "platforms"
"""Name of the set of these pages."""


def platform_cases(data: Path, cache: Path, per_site: int | None = None) -> list[Case]:
    """Pages of all sites whose truth has a text; sites of one source are one group.

    Parameters
    ----------
    data, cache
        Folder of the data, and folder to unpack to.
    per_site
        Maximum number of pages of each site, the first ones; None for all.
    """
    table = json.loads((data / "platforms.json").read_text("utf-8"))
    folder = cache / SET
    truths = _truths(data, folder, table)
    cases = []
    for site, entry in sorted(table.items()):
        for number, path in enumerate(entry["pages"][:per_site]):
            text = truths.get(f"{site}/{path}", "")
            if not text.strip():
                continue
            name = f"{site.replace('/', '-')}-{number:02}"
            cases.append(
                Case(
                    id=name,
                    set=SET,
                    group=entry["source"] or site,
                    url=post_url(ORIGIN, path),
                    text=text,
                    source=folder / site / path,
                    saved=cache / f"{SET}-snapshots" / f"{name}.miolo",
                    kind=entry["kind"],
                    site=folder / site,
                    path=path,
                )
            )
    return cases


def _truths(data: Path, folder: Path, table: dict[str, Any]) -> dict[str, str]:
    """Truth of each page; the marks by which some truths are found are removed from the pages."""
    file = folder / "truths.json"
    if file.exists():
        return json.loads(file.read_text("utf-8"))
    for archive in sorted((data / SET).glob("*.tar.xz")):
        unpack(archive, folder)
    scores = _module(data / SET / "score_sites.py")
    truth: Callable[[bytes, dict[str, Any]], str] = scores.truth
    truths = {}
    for site, entry in table.items():
        for path in entry["pages"]:
            page = folder / site / path
            raw = page.read_bytes()
            truths[f"{site}/{path}"] = truth(raw, entry)
            page.write_bytes(scores.MARK.sub(b"", raw))
    file.write_text(json.dumps(truths, ensure_ascii=False), "utf-8")
    return truths


def _module(file: Path) -> ModuleType:
    """The data's own program, which defines the truth by the selectors."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
