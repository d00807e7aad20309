"""The registry of methods: the one place where they are named, and what each needs.

The module of a method is imported when the method is first used. Other packages add methods by an
entry point of the group ``miolo.methods``, whose name is the method's and whose object is a
`Method`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Literal

from ...errors import UnknownMethodError

if TYPE_CHECKING:
    from ...models.article.model import Reader
    from ...models.templates.model import TemplateModel
    from ...renderer.snapshot import Snapshot
    from .learned import Learned
    from .selection import Selection

__all__ = [
    "ALIASES",
    "GROUPS",
    "METHODS",
    "Group",
    "Method",
    "Select",
    "known_methods",
    "method_named",
    "method_names",
    "resolve_alias",
]

Select = Callable[["Snapshot", "Learned"], "Selection"]
"""Takes a snapshot and what was learned before, returns the selection."""

Group = Literal["recommended", "from the sources", "research baselines", "other packages"]
GROUPS: tuple[Group, ...] = (
    "recommended", "from the sources", "research baselines", "other packages",
)  # fmt: skip

PLUGINS = "miolo.methods"


@dataclass(frozen=True)
class Method:
    """One extraction method.

    Attributes
    ----------
    about
        One line for the command line's help.
    select
        Extracts a page.
    group
        Under which heading it is listed.
    needs_site
        It judges a page by others of its site, and is an error without.
    uses_site
        It judges a page by itself, and better where its site is known.
    article_only
        It looks for an article, so that it warns of pages that are none.
    model_type
        Module and name of the class of models that it can be given, with a colon between them.
    variants
        Other readings by name: the method ``nce`` has the variant ``nce:literal``.
    """

    about: str
    select: Select
    group: Group = "other packages"
    needs_site: bool = False
    uses_site: bool = False
    article_only: bool = True
    model_type: str | None = None
    variants: Mapping[str, Select] = field(default_factory=dict)

    def load_model_type(self) -> type[Reader] | type[TemplateModel] | None:
        """The class of models that it can be given; None where it uses none."""
        if self.model_type is None:
            return None
        module, _, name = self.model_type.partition(":")
        return getattr(import_module(module), name)


def _lazy(module: str, call: Callable[[Any, Snapshot, Learned], Selection]) -> Select:
    """A method whose module is imported at the first use."""

    def select(page: Snapshot, learned: Learned) -> Selection:
        return call(import_module(f".{module}", __package__), page, learned)

    return select


def _redundancy(name: str, *, options: str = "") -> Select:
    def call(module: Any, page: Snapshot, learned: Learned) -> Selection:
        part = learned.part(name, module.BlockIndex)
        chosen = [getattr(module.RedundancyOptions, options)()] if options else []
        return module.by_redundancy(page, part, *chosen)

    return _lazy("xcex", call)


METHODS: dict[str, Method] = {
    "auto": Method(
        "a learned reader over rendered features: a role for every block",
        _lazy("auto", lambda m, page, learned: m.auto(page, learned)),
        "recommended",
        uses_site=True,
        model_type="miolo.models.article.model:Reader",
    ),
    "nce": Method(
        "separator node, comment removal, title",
        _lazy("nce", lambda m, page, _: m.nce(page)),
        "from the sources",
        variants={
            "literal": _lazy("nce", lambda m, page, _: m.nce(page, m.NCEOptions(literal=True)))
        },
    ),
    "template": Method(
        "page-level template detection by a learned model",
        _lazy("template", lambda m, page, learned: m.template(page, learned.template_model)),
        "from the sources",
        model_type="miolo.models.templates.model:TemplateModel",
    ),
    "semantic": Method(
        "blocks that say what the main block says, cut by link density",
        _lazy("semantic", lambda m, page, _: m.semantic(page)),
        "from the sources",
        variants={
            "literal": _lazy(
                "semantic", lambda m, page, _: m.semantic(page, m.SemanticOptions(literal=True))
            )
        },
    ),
    "records": Method(
        "the entries of a section front or an archive, as rows",
        _lazy("records", lambda m, page, _: m.records(page)),
        "from the sources",
        article_only=False,
    ),
    "rtdm": Method(
        "what varies over the pages of the page's template",
        _lazy("rtdm", lambda m, page, learned: m.rtdm(page, learned.site)),
        "from the sources",
        needs_site=True,
    ),
    "sitelevel": Method(
        "what the site's other pages do not repeat",
        _lazy("sitelevel", lambda m, page, learned: m.sitelevel(page, learned.site)),
        "from the sources",
        needs_site=True,
    ),
    "content-extractor": Method(
        "blocks that few pages of the site have a similar one to (2005)",
        _redundancy("content-extractor", options="content_extractor"),
        "from the sources",
        needs_site=True,
    ),
    "x-cex": Method(
        "the same, content weighed against structure",
        _redundancy("x-cex"),
        "from the sources",
        needs_site=True,
        # Blocks as a reader sees them, whatever their tags.
        variants={"rendered": _redundancy("x-cex:rendered")},
    ),
    "vips": Method(
        "the visual block that is worth the most as an article",
        _lazy("baselines.vips", lambda m, page, _: m.vips(page)),
        "research baselines",
    ),
    "vide": Method(
        "the large region in the middle, without noise at its ends",
        _lazy("baselines.vide", lambda m, page, _: m.vide(page)),
        "research baselines",
    ),
    "bte": Method(
        "the stretch with the most words and the fewest tags",
        _lazy("baselines.bte", lambda m, page, _: m.bte(page)),
        "research baselines",
        variants={
            "literal": _lazy(
                "baselines.bte", lambda m, page, _: m.bte(page, m.BTEOptions.literal())
            )
        },
    ),
    "gupta": Method(
        "what filters of links, forms and advertisements leave",
        _lazy("baselines.gupta", lambda m, page, _: m.gupta(page)),
        "research baselines",
        # On table cells and lists alone.
        variants={
            "literal": _lazy(
                "baselines.gupta", lambda m, page, _: m.gupta(page, m.GuptaOptions.literal())
            )
        },
    ),
    "density": Method(
        "blocks by words and link density, theirs and their neighbours'",
        _lazy("density", lambda m, page, _: m.density(page)),
        "research baselines",
    ),
    "feature-extractor": Method(
        "the block that is mostly text",
        _lazy("baselines.feature_extractor", lambda m, page, _: m.feature_extractor(page)),
        "research baselines",
        # That block and those like it.
        variants={
            "k": _lazy(
                "baselines.feature_extractor",
                lambda m, page, _: m.feature_extractor(page, m.FeatureOptions(clusters=2)),
            )
        },
    ),
    "adeater": Method(
        "the page without linked images that are advertisements",
        _lazy("baselines.adeater", lambda m, page, _: m.adeater(page)),
        "research baselines",
        article_only=False,
    ),
    "infodiscoverer": Method(
        "blocks whose words are not spread over the site",
        _lazy(
            "baselines.infodiscoverer",
            lambda m, page, learned: m.infodiscoverer(
                page, learned.part("infodiscoverer", m.TermPages)
            ),
        ),
        "research baselines",
        needs_site=True,
    ),
    "style-tree": Method(
        "what the site's pages do not all present alike",
        _lazy(
            "baselines.style_tree",
            lambda m, page, learned: m.style_tree(page, learned.part("style-tree", m.StylePages)),
        ),
        "research baselines",
        needs_site=True,
    ),
    "pagelets": Method(
        "regions that no other page of the site has",
        _lazy(
            "baselines.pagelets",
            lambda m, page, learned: m.pagelets(page, learned.part("pagelets", m.PageletPages)),
        ),
        "research baselines",
        needs_site=True,
    ),
}
"""The methods of this package by name; `known_methods` has those of other packages too."""


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


@cache
def known_methods() -> Mapping[str, Method]:
    """All methods by name, those of other packages last.

    Raises
    ------
    UnknownMethodError
        The entry point of another package is no `Method`.
    """
    found = dict(METHODS)
    for point in entry_points(group=PLUGINS):
        method = point.load()
        if not isinstance(method, Method):
            raise UnknownMethodError(f"the entry point {point.value} is no miolo.Method")
        found.setdefault(point.name, method)
    return found


def method_named(name: str) -> Method:
    """Look a method up.

    Parameters
    ----------
    name
        Of the method; of one of its variants with a colon before it, such as ``nce:literal``.

    Raises
    ------
    UnknownMethodError
        There is none of this name; the message names those that are spelled alike, or lists all.
    """
    base, colon, variant = ALIASES.get(name, (name, ""))[0].partition(":")
    method = METHODS.get(base) or known_methods().get(base)
    if method is None:
        raise UnknownMethodError(f"there is no method {name!r}; {_suggestion(base)}")
    if not colon:
        return method
    if variant not in method.variants:
        named = ", ".join(f"{base}:{each}" for each in method.variants) or "none"
        raise UnknownMethodError(f"there is no variant {name!r}; {base} has {named}")
    return Method(**{**vars(method), "select": method.variants[variant], "variants": {}})


def method_names() -> list[str]:
    """Names of all methods, each followed by those of its variants."""
    return [
        name
        for base, method in known_methods().items()
        for name in (base, *(f"{base}:{variant}" for variant in method.variants))
    ]


def _suggestion(name: str) -> str:
    close = get_close_matches(name, known_methods())
    return f"did you mean {' or '.join(close)}?" if close else f"there is {', '.join(METHODS)}"
