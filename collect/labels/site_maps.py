"""Labels as site maps of Web Scraper (https://webscraper.io/documentation), one for each site.

A field of a site map is a role, or a custom role, with the selector that best picks the elements of
its blocks on all labelled pages of the site: by tags, classes and ids, and by those of the parent.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import ElementNotFoundError
from ...features.blocks import article_blocks
from ...features.scope import find_elements
from ...features.selectors import Selectors
from ...models.article.roles import BOILERPLATE
from ...patterns import lazy_re
from ...renderer.network.origins import site_of
from ...renderer.page.snapshot import Snapshot
from .label_files import blocks_of_labels, load_if_any, write_file
from .store import BROKEN, LabelledPage

LEAST_FIT = 0.5
"""Minimum F1 of a selector on the labelled elements; a role without such a one is no field."""

ODD = lazy_re(r"[^a-z0-9_-]+")


@dataclass
class _Field:
    """What is known of a role on a site."""

    elements: int = 0
    most: int = 0  # maximum number of its blocks on a page
    matches: Counter[str] = field(default_factory=Counter)  # its elements, by selector

    def candidates(self) -> list[str]:
        """Selectors that match enough of its elements for an F1 of `LEAST_FIT`."""
        least = LEAST_FIT / (2 - LEAST_FIT) * self.elements
        return [name for name, count in self.matches.items() if count >= least]


@dataclass(frozen=True)
class FieldFit:
    """F1 of the selector of a field on the labelled elements; without one if it is too low."""

    site: str
    name: str
    selector: str
    f1: float


def write_site_maps(
    pages: Iterable[LabelledPage], folder: Path, out: Path
) -> tuple[Path, list[FieldFit]]:
    """Write ``<site>.json`` for each site; return the folder and the fit of each field.

    `pages` has one reading of each page. Broken pages, and those that the collection has no more,
    are left out.
    """
    fits: list[FieldFit] = []
    by_site: defaultdict[str, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        if page.kind != BROKEN:
            by_site[site_of(page.url) or "files"].append(page)
    out.mkdir(parents=True, exist_ok=True)
    for site, of_site in by_site.items():
        fields, everywhere = _learn(of_site, folder)
        chosen = [_fit(site, name, each, everywhere) for name, each in fields.items()]
        fits += chosen
        selectors = [_selector(fit, fields[fit.name]) for fit in chosen if fit.selector]
        name = ODD.sub("-", site.lower()).strip("-")
        site_map = {"_id": f"miolo-{name}", "startUrl": [page.url for page in of_site]}
        text = json.dumps(site_map | {"selectors": selectors}, ensure_ascii=False, indent=1)
        write_file(out / f"{name}.json", f"{text}\n")
    return out, fits


def _learn(pages: Iterable[LabelledPage], folder: Path) -> tuple[dict[str, _Field], Counter[str]]:
    """The fields of a site, and how many elements each selector matches on all pages."""
    fields: dict[str, _Field] = {}
    snapshots = [(page, load_if_any(folder / page.file)) for page in pages]
    loaded = [(page, snapshot) for page, snapshot in snapshots if snapshot is not None]
    for page, snapshot in loaded:
        blocks, selectors = article_blocks(snapshot), Selectors(snapshot)
        owners: defaultdict[str, set[int]] = defaultdict(set)
        for name, block in zip(page.names, blocks_of_labels(blocks, page), strict=True):
            if block >= 0 and name != BOILERPLATE:
                owners[name].add(int(blocks.owner[block]))
        for name, nodes in owners.items():
            known = fields.setdefault(name, _Field())
            known.elements += len(nodes)
            known.most = max(known.most, len(nodes))
            known.matches.update(each for node in nodes for each in set(selectors.of(node)))
    candidates = {name for known in fields.values() for name in known.candidates()}
    matched: Counter[str] = Counter()
    for _, snapshot in loaded:
        matched.update({name: _count(snapshot, name) for name in candidates})
    return fields, matched


def _count(snapshot: Snapshot, selector: str) -> int:
    """Number of elements that a selector matches in a browser."""
    try:
        return len(find_elements(snapshot, selector))
    except ElementNotFoundError:
        return 0


def _fit(site: str, name: str, known: _Field, everywhere: Mapping[str, int]) -> FieldFit:
    """The selector of a field with the best F1, the shortest of several."""
    f1 = {"": 0.0}
    for each in known.candidates():
        f1[each] = 2 * known.matches[each] / (known.elements + everywhere[each])
    best = min(f1, key=lambda each: (-f1[each], len(each), each))
    return FieldFit(site, name, best if f1[best] >= LEAST_FIT else "", f1[best])


def _selector(fit: FieldFit, known: _Field) -> dict[str, Any]:
    """A field as Web Scraper stores it: one text, or all texts that a page has."""
    common = {"id": fit.name, "parentSelectors": ["_root"], "selector": fit.selector}
    if known.most > 1:
        return {**common, "type": "SelectorGroup", "extractAttribute": ""}
    return {**common, "type": "SelectorText", "multiple": False, "regex": ""}
