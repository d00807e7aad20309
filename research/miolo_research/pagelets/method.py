"""The `pagelets` method: the regions of a page that no other page of its site has.

Source: Bar-Yossef and Rajagopalan, *Template detection via data mining and its
applications*, WWW 2002.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from miolo.errors import MissingSiteError
from miolo.extract.methods.method import Method
from miolo.extract.methods.reading import read, select
from miolo.extract.methods.selection import Reasons, Selection
from miolo.renderer.page.snapshot import Snapshot

from .regions import PageletLabels, PageletPages

__all__ = ["METHOD", "Detection", "pagelets"]

Detection = Literal["local", "global"]


def pagelets(snapshot: Snapshot, pages: PageletPages, detection: Detection = "local") -> Selection:
    """Keep the readable texts that are in no template pagelet.

    Parameters
    ----------
    pages
        The learned pages of the site.
    detection
        When a pagelet is template. ``"local"``: another page has it. ``"global"``: another page
        has it, and one of the two pages links to the other.

    Raises
    ------
    MissingSiteError
        Fewer than two pages were learned.
    """
    if len(pages) < 2:
        raise MissingSiteError("the method pagelets needs a site learned from two or more pages")
    if detection not in ("local", "global"):
        raise ValueError(f"detection must be 'local' or 'global', not {detection!r}")
    labels = pages.judge(snapshot)
    page_counts = labels.pages if detection == "local" else labels.linked
    # Nodes outside of pagelets only contain pagelets, and are not kept themselves.
    template = np.append(page_counts > 0, True)[labels.of]
    return select(
        read(snapshot),
        ~template & np.append(labels.compared, False)[labels.of],
        np.append(1 - np.minimum(page_counts / len(pages), 1), 0.0)[labels.of],
        _reasons(snapshot, labels, len(pages)),
    )


def _reasons(snapshot: Snapshot, labels: PageletLabels, pages: int) -> Reasons:
    reasons = Reasons(len(snapshot), "contains pagelets: a part of it has enough links to be one")
    rows = zip(
        labels.roots.tolist(),
        labels.compared.tolist(),
        labels.pages.tolist(),
        labels.linked.tolist(),
        strict=True,
    )
    for root, compared, held, linked in rows:
        start = f"pagelet at node {root}: "
        if not compared:
            start += "no words to compare"
        elif not held:
            start += f"shares a shingle with none of {pages} pages"
        else:
            start += f"shares a shingle with {held} of {pages} pages, {linked} of them linked"
        reasons.give(slice(root, int(snapshot.end[root])), start)
    return reasons


METHOD = Method(
    lambda page, learned, _: pagelets(page, learned.part("pagelets", PageletPages)),
    "regions that occur on no other page of the site",
    "research baselines",
    needs_site=True,
    site_parts={"pagelets": lambda _: PageletPages()},
)
