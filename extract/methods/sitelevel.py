"""The `sitelevel` method: the article is the text that other pages of its site do not repeat."""

from __future__ import annotations

import numpy as np

from ...errors import MissingSiteError
from ...models.site import Site
from ...models.templates.sitelevel import SiteLabels, SiteLevel
from ...renderer.page.snapshot import Snapshot
from .method import Method
from .reading import read, select
from .selection import Reasons, Selection


def sitelevel(snapshot: Snapshot, site: Site | None) -> Selection:
    """Keep the readable nodes that the page's site does not mark as template."""
    if site is None or len(site.level) < 2:
        raise MissingSiteError("the method sitelevel needs a site learned from two or more pages")
    labels = site.level.label(snapshot)
    return select(
        read(snapshot),
        ~labels.template,
        np.where(labels.template, 0, 1 - labels.covered),
        _reasons(snapshot, site.level, labels),
    )


def _reasons(snapshot: Snapshot, site: SiteLevel, labels: SiteLabels) -> Reasons:
    reasons = Reasons(len(snapshot), "no readable text")
    for pages in np.unique(labels.pages).tolist():
        sign = "≥" if pages >= site.min_pages else "<"
        reason = f"on {pages} of {len(site)} pages of the site {sign} {site.min_pages}"
        reasons.give(labels.pages == pages, reason if pages else "nothing to compare")
    by_cover = labels.template & ~labels.repeated
    reasons.give(by_cover, f"at least {site.cover:.0%} of its markup is template")
    return reasons


METHOD = Method(
    lambda page, learned, _: sitelevel(page, learned.site),
    "text that other pages of the site do not repeat",
    "from the sources",
    needs_site=True,
)
