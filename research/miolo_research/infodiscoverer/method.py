"""The `infodiscoverer` method: blocks whose terms are not spread over the site.

Source: Lin and Ho, *Discovering informative content blocks from Web documents*, KDD 2002.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from miolo.errors import MissingSiteError
from miolo.extract.methods.method import Method
from miolo.extract.methods.reading import read, select
from miolo.extract.methods.selection import Reasons, Selection
from miolo.renderer.page.snapshot import Snapshot

from .entropy import BlockEntropies, TermPages

__all__ = ["METHOD", "InfoDiscovererOptions", "infodiscoverer"]


@dataclass(frozen=True)
class InfoDiscovererOptions:
    """Conditions for a block to be redundant.

    Attributes
    ----------
    threshold
        Entropy above which a block is redundant. None for the site's own boundary, which is raised
        until no further block becomes informative, as in the source.
    step, growth, start, highest
        How that boundary is found; see `miolo_research.infodiscoverer.entropy.boundary`. The values
        of the source, as recalled, are 0.1, 0, 0 and 1.
    own
        Whether the terms of a page that was not learned are counted as if it had been.
    """

    threshold: float | None = 0.8
    step: float = 0.1
    growth: float = 0.02
    start: float = 0.5
    highest: float = 0.9
    own: bool = True


def infodiscoverer(
    snapshot: Snapshot, pages: TermPages, options: InfoDiscovererOptions | None = None
) -> Selection:
    """Keep the blocks of low entropy.

    Raises
    ------
    MissingSiteError
        Fewer than two pages were learned.
    """
    if len(pages) < 2:
        raise MissingSiteError(
            "the method infodiscoverer needs a site learned from two or more pages"
        )
    options = options or InfoDiscovererOptions()
    limit = options.threshold
    if limit is None:
        limit = pages.boundary(options.step, options.growth, options.start, options.highest)
    entropies = pages.judge(snapshot, own=options.own)
    entropy = np.append(entropies.entropy, 1.0)[entropies.blocks.of]
    inside = entropies.blocks.of >= 0
    return select(
        read(snapshot),
        inside & (entropy <= limit),
        1 - entropy,
        _reasons(snapshot, entropies, limit, len(pages)),
    )


def _reasons(snapshot: Snapshot, entropies: BlockEntropies, limit: float, pages: int) -> Reasons:
    reasons = Reasons(len(snapshot), "not in a block")
    rows = zip(
        entropies.entropy.tolist(), entropies.terms.tolist(), entropies.blocks.nodes(), strict=True
    )
    for entropy, terms, nodes in rows:
        sign = "≤" if entropy <= limit else ">"
        spread = f"entropy of its {terms} terms over {pages} pages: {entropy:.2f}"
        reasons.give(nodes, f"{spread} {sign} {limit:g}" if terms else "in a block without terms")
    return reasons


METHOD = Method(
    lambda page, learned, options: infodiscoverer(
        page, learned.part("infodiscoverer", TermPages), options
    ),
    "blocks whose terms are not spread over the site",
    "research baselines",
    InfoDiscovererOptions(),
    needs_site=True,
    site_parts={"infodiscoverer": lambda _: TermPages()},
)
