"""The `sitelevel` method: an article is what the pages of its site do not share."""

from __future__ import annotations

import numpy as np

from ...errors import SiteNeeded
from ...features.counts import count_texts
from ...features.overlays import overlay_mask
from ...features.readable import readable_texts
from ...models.headline import HeadlineRule
from ...models.site import Site
from ...models.templates.sitelevel import SiteLabels, SiteLevel
from ...renderer.snapshot import Snapshot
from .selection import Reasons, Selection
from .title import find_title

__all__ = ["sitelevel"]


def sitelevel(snapshot: Snapshot, site: Site | None) -> Selection:
    """Keep the readable nodes that the page's site does not mark as template.

    Raises
    ------
    SiteNeeded
        No site is given, or one of fewer than two pages.
    """
    if site is None or len(site.level) < 2:
        raise SiteNeeded("the method sitelevel needs a site learned from two pages or more")
    labels = site.level.label(snapshot)
    overlays = overlay_mask(snapshot)
    readable = readable_texts(snapshot) & ~overlays
    counts = count_texts(snapshot, readable)
    kept = ~labels.template & ~overlays & (counts.chars > 0)
    reasons = _reasons(snapshot, site.level, labels)
    reasons.give(snapshot.is_text & ~readable, "not painted")
    reasons.give(overlays, "part of a layer over the page")
    title = find_title(snapshot, readable, counts, kept, HeadlineRule())
    if title is not None:
        reasons.give(*title)
    return Selection(
        kept=kept,
        scores=np.where(kept, 1 - labels.covered, 0).astype(np.float32),
        reason=reasons.codes,
        reasons=reasons.table,
        comments=np.zeros(len(snapshot), bool),
        title=None if title is None else title[0],
    )


def _reasons(snapshot: Snapshot, site: SiteLevel, labels: SiteLabels) -> Reasons:
    reasons = Reasons(len(snapshot), "nothing to read")
    for pages in np.unique(labels.pages).tolist():
        sign = "≥" if pages >= site.needed else "<"
        found = f"on {pages} of {len(site)} pages of the site {sign} {site.needed}"
        reasons.give(labels.pages == pages, found if pages else "nothing to compare")
    by_cover = labels.template & ~labels.repeated
    reasons.give(by_cover, f"{site.cover:.0%} or more of its markup is template")
    return reasons
