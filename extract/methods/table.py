"""The table of methods: the one place where they are named."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

from ...errors import UnknownMethodError
from ...models.blocks.block_index import BlockIndex
from ...models.blocks.feature_extractor import FeatureOptions
from ...models.blocks.redundancy import RedundancyOptions
from ...models.blocks.semantic import SemanticOptions
from ...models.templates.entropy_pages import TermPages
from ...models.templates.pagelets import PageletPages
from ...models.templates.style_importance import StylePages
from ...renderer.snapshot import Snapshot
from .auto import auto
from .baselines.adeater import adeater
from .baselines.bte import BTEOptions, bte
from .baselines.feature_extractor import feature_extractor
from .baselines.gupta import GuptaOptions, gupta
from .baselines.infodiscoverer import infodiscoverer
from .baselines.pagelets import pagelets
from .baselines.style_tree import style_tree
from .baselines.vide import vide
from .baselines.vips import vips
from .density import density
from .learned import Learned
from .nce import nce
from .nce_options import NCEOptions
from .records import records
from .rtdm import rtdm
from .selection import Selection
from .semantic import semantic
from .sitelevel import sitelevel
from .template import template
from .xcex import by_redundancy

__all__ = ["ALIASES", "METHODS", "Method", "method_named", "resolve_alias"]


@dataclass(frozen=True)
class Method:
    """One extraction method.

    Attributes
    ----------
    select
        Takes a snapshot and what was learned before, returns the selection.
    about
        One line for the command line's help.
    needs_site
        It judges a page by others of its site, and is an error without.
    uses_site
        It judges a page by itself, and better where its site is known.
    """

    select: Callable[[Snapshot, Learned], Selection]
    about: str
    needs_site: bool = False
    uses_site: bool = False


METHODS: dict[str, Method] = {
    "auto": Method(
        auto, "a learned reader over rendered features: a role for every block", uses_site=True
    ),
    "nce": Method(lambda page, _: nce(page), "separator node, comment removal, title"),
    "nce-literal": Method(
        lambda page, _: nce(page, NCEOptions(literal=True)), "the same, as printed"
    ),
    "template": Method(
        lambda page, learned: template(page, learned.template_model),
        "page-level template detection by a learned model",
    ),
    "vips": Method(
        lambda page, _: vips(page), "the visual block that is worth the most as an article"
    ),
    "vide": Method(
        lambda page, _: vide(page), "the large region in the middle, without noise at its ends"
    ),
    "semantic": Method(
        lambda page, _: semantic(page),
        "blocks that say what the main block says, cut by link density",
    ),
    "semantic-literal": Method(
        lambda page, _: semantic(page, SemanticOptions(literal=True)), "the same, as printed"
    ),
    "bte": Method(lambda page, _: bte(page), "the stretch with the most words and the fewest tags"),
    "bte-literal": Method(lambda page, _: bte(page, BTEOptions.literal()), "the same, as printed"),
    "gupta": Method(
        lambda page, _: gupta(page), "what filters of links, forms and advertisements leave"
    ),
    "gupta-literal": Method(
        lambda page, _: gupta(page, GuptaOptions.literal()),
        "the same, on table cells and lists",
    ),
    "density": Method(
        lambda page, _: density(page),
        "blocks by words and link density, theirs and their neighbours'",
    ),
    "feature-extractor": Method(
        lambda page, _: feature_extractor(page), "the block that is mostly text"
    ),
    "k-feature-extractor": Method(
        lambda page, _: feature_extractor(page, FeatureOptions(clusters=2)),
        "that block and those like it",
    ),
    "adeater": Method(
        lambda page, _: adeater(page), "the page without linked images that are advertisements"
    ),
    "records": Method(
        lambda page, _: records(page),
        "the entries of a section front or an archive, as rows",
    ),
    "rtdm": Method(
        lambda page, learned: rtdm(page, learned.site),
        "what varies over the pages of the page's template",
        needs_site=True,
    ),
    "content-extractor": Method(
        lambda page, learned: by_redundancy(
            page,
            learned.part("content-extractor", BlockIndex),
            RedundancyOptions.content_extractor(),
        ),
        "blocks that few pages of the site have a similar one to (2005)",
        needs_site=True,
    ),
    "x-cex": Method(
        lambda page, learned: by_redundancy(page, learned.part("x-cex", BlockIndex)),
        "the same, content weighed against structure",
        needs_site=True,
    ),
    "x-cex-rendered": Method(
        lambda page, learned: by_redundancy(page, learned.part("x-cex-rendered", BlockIndex)),
        "the same on the blocks that a reader sees, whatever their tags",
        needs_site=True,
    ),
    "infodiscoverer": Method(
        lambda page, learned: infodiscoverer(page, learned.part("infodiscoverer", TermPages)),
        "blocks whose words are not spread over the site",
        needs_site=True,
    ),
    "style-tree": Method(
        lambda page, learned: style_tree(page, learned.part("style-tree", StylePages)),
        "what the site's pages do not all present alike",
        needs_site=True,
    ),
    "pagelets": Method(
        lambda page, learned: pagelets(page, learned.part("pagelets", PageletPages)),
        "regions that no other page of the site has",
        needs_site=True,
    ),
    "sitelevel": Method(
        lambda page, learned: sitelevel(page, learned.site),
        "what the site's other pages do not repeat",
        needs_site=True,
    ),
}
"""All methods by name."""


ALIASES: dict[str, tuple[str, str]] = {
    "auto-news": ("auto", "body"),
    "auto-full": ("auto", "everything"),
    "auto-page": ("auto", "article"),
}
"""Names of version 0.1 that are presets now: method and preset. They leave with the next one."""


def resolve_alias(name: str, preset: str) -> tuple[str, str]:
    """Method and preset of a name, which may be one of version 0.1; these warn."""
    if name not in ALIASES:
        return name, preset
    method, chosen = ALIASES[name]
    warnings.warn(
        f"the method {name!r} is now {method!r} with the preset {chosen!r}",
        DeprecationWarning,
        stacklevel=3,
    )
    return method, chosen


def method_named(name: str) -> Method:
    """Look a method up.

    Raises
    ------
    UnknownMethodError
        There is none of this name; the message lists them.
    """
    try:
        return METHODS[ALIASES.get(name, (name, ""))[0]]
    except KeyError:
        known = ", ".join(METHODS)
        raise UnknownMethodError(f"there is no method {name!r}; there is {known}") from None
