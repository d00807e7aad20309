"""The `vide` method: the data region of the page without the noise at its ends.

Source: Liu and Meng 2006 in the X-CEX thesis, 3.3.2, on top of VIPS; see
`miolo_research.vide.data_region`. ViDE's own output is the region's records
(`page_data_records`); for an article, the region itself is the content.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from miolo.errors import PageWarning
from miolo.extract.methods.method import Method
from miolo.extract.methods.reading import read
from miolo.extract.methods.selection import Selection
from miolo.renderer.page.snapshot import Snapshot

from ..vips.block_tree import BlockTree
from ..vips.method import leaf_counts, make_selection
from ..vips.segmentation import VIPSOptions
from ..vips.segmentation import vips as segment
from .appearance import leaf_appearances
from .data_region import RegionOptions, data_records, data_region, find_noise

__all__ = ["METHOD", "ViDEOptions", "page_data_records", "vide"]


@dataclass(frozen=True)
class ViDEOptions:
    """Parameters of the method.

    Attributes
    ----------
    blocks
        Parameters of the segmentation for articles. For records, blocks are divided as far as
        possible.
    region
        Parameters of the data region and its records.
    """

    blocks: VIPSOptions = field(default_factory=VIPSOptions)
    region: RegionOptions = field(default_factory=RegionOptions)


def vide(snapshot: Snapshot, options: ViDEOptions | None = None) -> Selection:
    """Keep the data region without the noise at its top and bottom.

    Parameters
    ----------
    snapshot
        A rendered page. Without geometry, the length of text replaces the area, and the warning
        ``"no-geometry"`` is given.
    options
        The parameters.

    Returns
    -------
    The selection; the mark ``"region"`` is the region's first node. If no block is large and
    central, the page's main column is used, with the warning ``"no-data-region"``.
    """
    options = options or ViDEOptions()
    reading, tree = read(snapshot), segment(snapshot, options.blocks)
    region, is_data_region = data_region(tree, options.region)
    chars, links = leaf_counts(reading, tree)
    kept, noise = find_noise(tree, region, chars, links, options.region)
    name = f"the data region, block {tree.labels[region]}"
    why = {int(leaf): f"outside {name}" for leaf in tree.leaves}
    why |= dict.fromkeys(kept, f"in {name}")
    why |= {leaf: f"noise at an end of {name}: {cause}" for leaf, cause in noise.items()}
    chosen = make_selection(reading, tree, kept, why, {"region": region}, options.blocks.pdoc)
    if is_data_region:
        return chosen
    message = "no block is both large and central: the page's main column is used instead"
    return replace(chosen, warnings=(*chosen.warnings, PageWarning("no-data-region", message)))


def page_data_records(
    snapshot: Snapshot, options: ViDEOptions | None = None
) -> tuple[BlockTree, list[list[int]]]:
    """ViDE's own output: the records of the data region, each a list of blocks.

    Parameters
    ----------
    snapshot
        A rendered page, such as a list of search results.
    options
        The parameters.

    Returns
    -------
    The block tree, divided as far as it goes, and the records, in order; no records if
    fewer than two blocks look alike.
    """
    options = options or ViDEOptions()
    tree = segment(snapshot, replace(options.blocks, pdoc=11))
    region, _ = data_region(tree, options.region)
    chars, links = leaf_counts(read(snapshot), tree)
    # Most records begin with links, so only alignment identifies noise here.
    aligned = replace(options.region, max_link_density=1)
    leaves, _ = find_noise(tree, region, chars, links, aligned)
    looks = leaf_appearances(snapshot, tree, leaves)
    return tree, data_records(tree, leaves, looks, options.region)


METHOD = Method(
    lambda page, *_: vide(page),
    "the large central region, without noise at its ends",
    "research baselines",
)
