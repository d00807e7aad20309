"""The `adeater` method: a page without its advertisements.

Source: Kushmerick, *Learning to remove Internet advertisements* (Agents 1999), reviewed in
the X-CEX thesis, section 3.4.1: a browser proxy that removes linked images if learned rules
classify them as advertisements. The method only removes; it does not look for the article.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from miolo.errors import PageWarning
from miolo.extract.methods.method import Method
from miolo.extract.methods.reading import read, select
from miolo.extract.methods.selection import Reasons, Selection
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import subtree_mask, subtree_sums
from numpy.typing import NDArray

from .images import PageImages, page_images
from .model import AdModel, AdVerdict, shipped_ad_model

__all__ = ["METHOD", "AdOptions", "adeater"]


@dataclass(frozen=True)
class AdOptions:
    """Which images to remove.

    Attributes
    ----------
    linked_only
        Whether only images that are links can be advertisements, as in the paper.
    threshold
        Share of advertisements among the training images of a rule, in [0, 1], above which the
        rule's images are removed. The paper's rules use the majority.
    """

    linked_only: bool = True
    threshold: float = 0.5


def adeater(
    snapshot: Snapshot, options: AdOptions | None = None, model: AdModel | None = None
) -> Selection:
    """Keep all readable text and images, except advertisements with their links and captions.

    Parameters
    ----------
    options
        By default those of the paper.
    model
        By default the one shipped with the package.
    """
    options, model = options or AdOptions(), model or shipped_ad_model()
    images = page_images(snapshot)
    verdict = model.judge(images)
    candidate = (images.links >= 0) | (not options.linked_only)
    ad = candidate & (verdict.share > options.threshold)
    removed = _remove(snapshot, images, ad)
    reading = read(snapshot)
    reasons = _reasons(snapshot, images, verdict, candidate, removed, model)
    chosen = select(
        reading, ~removed, (~removed).astype(np.float32), reasons, warnings=_warnings(images)
    )
    # The rules decide whether pictures are kept, not the text around them.
    shown = np.zeros(len(snapshot), bool)
    shown[images.nodes] = True
    shown &= ~removed & ~reading.overlays
    scores = chosen.scores
    scores[images.nodes] = np.where(shown[images.nodes], 1 - candidate * verdict.share, 0)
    return replace(chosen, kept=(chosen.kept & ~removed) | shown, scores=scores)


def _remove(snapshot: Snapshot, images: PageImages, ad: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool, shape (n,): advertisements, with their links and figures without other images."""
    held, ads, roots = (np.zeros(len(snapshot), bool) for _ in range(3))
    held[images.nodes], ads[images.nodes], roots[images.nodes] = True, ad, ad
    around = np.concatenate([images.links[ad], images.figures[ad]])
    around = around[around >= 0]
    others = subtree_sums(held & ~ads, snapshot.end)
    roots[around[others[around] == 0]] = True
    return subtree_mask(roots, snapshot.end)


def _reasons(
    snapshot: Snapshot,
    images: PageImages,
    verdict: AdVerdict,
    candidate: NDArray[np.bool_],
    removed: NDArray[np.bool_],
    model: AdModel,
) -> Reasons:
    """Reason why each image is kept or removed: the rule that decided."""
    reasons = Reasons(len(snapshot), "not an image: only images are judged")
    reasons.give(removed, "link or caption of an advertisement")
    rules = {leaf: model.rule(leaf) for leaf in np.unique(verdict.leaf).tolist()}
    for node, leaf, leaf_verdict in zip(
        images.nodes.tolist(), verdict.leaf.tolist(), candidate.tolist(), strict=True
    ):
        reasons.give(
            node, rules[leaf] if leaf_verdict else "an image that is not linked is not judged"
        )
    return reasons


def _warnings(images: PageImages) -> tuple[PageWarning, ...]:
    if len(images):
        return ()
    return (PageWarning("no-images", "the page has no images, so nothing was judged"),)


METHOD = Method(
    lambda page, _, options: adeater(page, options),
    "the page without linked images that are advertisements",
    "research baselines",
    AdOptions(),
    article_only=False,
)
