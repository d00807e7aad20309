"""Features that indicate the kind of a page: article, list, product, thread or manual.

They form one vector of numbers per page: the shape of its address, what it declares itself to be,
the distribution of its text over paragraphs, links and headings, its repeated parts, and traces of
shops, forums and manuals. Geometry is not used, so that a page has the same values whether it was
rendered or parsed. Missing values are NaN.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.elements import HEADINGS
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import subtree_mask, subtree_sums
from .blocks import TextBlocks, text_blocks
from .links import link_mask
from .page_address import ADDRESS_FEATURES, address_features
from .words import WIDE

# Traces of the kind of a page: its declarations, names of parts, and labels of buttons. The words
# are those of site software and of trades, in the most common languages; none is the name of a
# site.

# Types of schema.org and of OpenGraph, by the kind of page that they indicate.
TYPES = {
    "article": "Article|NewsArticle|BlogPosting|ReportageNewsArticle|AnalysisNewsArticle"
    "|OpinionNewsArticle|article|Recipe|ScholarlyArticle|LiveBlogPosting|ReviewNewsArticle",
    "product": "Product|ProductGroup|Offer|AggregateOffer|IndividualProduct|product"
    "|product\\.item|og:product",
    "list": "ItemList|CollectionPage|OfferCatalog|SearchResultsPage|Blog|ListItem|product\\.group",
    "forum": "DiscussionForumPosting|QAPage|Question|Answer|Comment|ProfilePage",
    "service": "Service|LocalBusiness|ProfessionalService|Course|CourseInstance|Event"
    "|EducationalOccupationalProgram|FAQPage|AggregateRating",
    "manual": "TechArticle|APIReference|DefinedTerm|DefinedTermSet|SoftwareSourceCode|HowTo",
    "site": "WebSite|website|Organization|WebPage|SearchAction",
}
LD_TYPE = lazy_re(r'"@type"\s*:\s*(?:\[\s*)?"(?:https?://schema\.org/)?([\w.:]{1,40})"')
TYPE = lazy_re("|".join(f"(?P<{kind}>{names})" for kind, names in TYPES.items()))

# Words in the names by which style sheets and scripts refer to the parts of each kind of page.
NAMES = {
    "product": "product products price prices cart basket checkout sku swatch swatches variant "
    "variants buy",
    "forum": "reply replies thread topic topics forum vote votes upvote username user avatar "
    "signature message messages",
    "card": "card cards tile tiles teaser grid listing preview summary excerpt",
    "manual": "toc doc docs documentation highlight code sphinx headerlink prism hljs wiki",
    "pages": "pagination paginate pager pages loadmore",
    "service": "testimonial testimonials pricing hero cta faq faqs accordion booking quote",
    "article": "byline author dateline entry article articlebody published story",
    "filter": "filter filters facet facets sort sortby refine",
}
# Parts of names such as ``post-title``, ``post_title`` and ``postTitle``.
PART = lazy_re("[A-Z]?[a-z]+")


def _bits() -> dict[bytes, int]:
    bits: dict[bytes, int] = {}
    for place, words in enumerate(NAMES.values()):
        for word in words.split():
            for written in (word.encode(), word.capitalize().encode()):
                bits[written] = bits.get(written, 0) | 1 << place
    return bits


# Translation table that replaces all bytes but letters with spaces.
LETTERS = bytes(code if chr(code).isalpha() else 32 for code in range(128)) + b" " * 128
# Bit mask of the kinds that each part of a name indicates.
BITS = _bits()

# Words of short blocks, such as buttons, counters and labels. Words on a page are separated by
# lines or spaces, so a space before or after keeps a short one from matching inside others.
WORDS = {
    "basket": "add to cart|add to basket|add to bag|buy now|out of stock|in stock|sold out"
    "|free shipping|in den warenkorb|ajouter au panier|añadir al carrito|adicionar ao carrinho"
    "|aggiungi al carrello|в корзин|加入购物车|加入購物車|カートに入れる|quantity| sku ",
    "reply": " reply | replies | quote | posts| joined | views| upvote| answers | likes "
    "| solution| accepted| moderator| member |antwort|répondre|responder| ответ|回复|返信",
    "more": "read more|learn more|continue reading|view all|see all|load more|show more"
    "|weiterlesen|lire la suite|leer más|leia mais|閱讀全文|阅读全文|続きを読む|подробнее|читать",
    "filter": "sort by| filter| results|showing | items |per page",
    "contact": "free quote|get started|contact us|book now|book a |call us|request a |request info"
    "|apply now|sign up| enroll| register| schedule ",
    "manual": "edit this|edit on|table of contents|on this page| syntax| parameters| version "
    "| previous | next |installation",
    "byline": " by |written by| updated| published|min read|minute read| share ",
}
# As bytes, which are searched faster than text with a single dash in it.
PHRASES = {kind: tuple(words.encode().split(b"|")) for kind, words in WORDS.items()}
# A currency sign and a number, or a number and a sign. Beginning with a single character set makes
# the search fast.
CURRENCIES = ("$", "€", "£", "¥", "₹", "₽", "zł", "kr")
PRICE = lazy_re(r"[$€£¥₹₽\d](?:(?<=[$€£¥₹₽])\s?\d|(?<=\d)[.,]\d\d\s?(?:€|zł|kr\b))")

# Traces of the kind are at the beginning of a page, and pages of many megabytes exist.
MAX_TEXT, MAX_JSON, MAX_NAME = 200_000, 200_000, 200
SHORT_LABEL = 80

OPEN_GRAPH = ("article", "product", "site")
MARKED_UP = ("article", "product", "list", "forum", "service", "manual", "site")

TRACE_FEATURES = (
    *(f"og:type {kind}" for kind in OPEN_GRAPH),
    *(f"schema.org type of {kind}" for kind in MARKED_UP),
    "publication date",
    *(f"parts named for {kind}" for kind in NAMES),
    *(f"words of {kind}" for kind in WORDS),
    "prices",
)
"""Columns of `trace_features`."""


def trace_features(snapshot: Snapshot, texts: Sequence[str]) -> NDArray[np.float32]:
    """Features of the traces of a page's kind.

    float32, shape (f,), in the order of `TRACE_FEATURES`: for each kind, whether the OpenGraph type
    indicates it; log(1 + count) of schema.org types in JSON-LD and microdata; whether a publication
    date is declared; log(1 + count) of elements whose class or id contains a name of `NAMES`; log(1
    + count) of `WORDS` in short blocks; the same for prices.
    """
    page = snapshot.page
    declared = _kinds([page.meta_value("og:type") or ""])
    types = _kinds(_types(snapshot))
    has_date = page.meta_value("article:published_time", "datepublished", "date") is not None
    has_date |= any("datePublished" in text[:MAX_JSON] for text in page.json_ld)
    named = _count_named_parts(snapshot)
    short = " \n ".join([text for text in texts if len(text) <= SHORT_LABEL])[:MAX_TEXT].lower()
    padded = f" {short} ".encode("utf-8", "surrogatepass")
    counts = [types[kind] for kind in MARKED_UP]
    counts += [has_date, *(named[kind] for kind in NAMES)]
    counts += [sum(map(padded.count, phrases)) for phrases in PHRASES.values()]
    may_have_prices = any(map(short.__contains__, CURRENCIES))
    counts.append(sum(1 for _ in PRICE.finditer(short)) if may_have_prices else 0)
    flags = [min(declared[kind], 1) for kind in OPEN_GRAPH]
    return np.concatenate([flags, np.log1p(np.array(counts, float))]).astype(np.float32)


def _kinds(types: Iterable[str]) -> Counter[str]:
    """Number of types of each kind."""
    matches = (TYPE.fullmatch(name) for name in types)
    return Counter(match.lastgroup or "" for match in matches if match)


def _types(snapshot: Snapshot) -> list[str]:
    """Types in JSON-LD, even if it is malformed, and in microdata."""
    types = [name for text in snapshot.page.json_ld for name in LD_TYPE.findall(text[:MAX_JSON])]
    marked = (value[-MAX_NAME:] for _, value in snapshot.attributes.with_attribute("itemtype"))
    return types + [value.strip().rstrip("/").rpartition("/")[2] for value in marked]


def _count_named_parts(snapshot: Snapshot) -> dict[str, int]:
    """Number of elements whose class or id indicates each kind; one may count for several."""
    attributes = snapshot.attributes
    codes = np.concatenate([attributes.nodes_with(name)[1] for name in ("class", "id")])
    counts = np.bincount(codes)
    values = counts.nonzero()[0]
    names = [attributes.strings[value][:MAX_NAME] for value in values.tolist()]
    bits = np.fromiter(map(_kinds_of_name, names), np.int64, len(names))
    has_name = bits[:, None] >> np.arange(len(NAMES)) & 1
    return dict(zip(NAMES, (counts[values] @ has_name).tolist(), strict=True))


@lru_cache(maxsize=1 << 16)
def _kinds_of_name(name: str) -> int:
    """Bit mask of the kinds that a class or an id indicates; pages of a site share names."""
    # Most names are in lower case and are split faster without a pattern.
    parts = name if name.islower() else " ".join(PART.findall(name))
    kinds = 0
    for part in parts.encode("ascii", "replace").translate(LETTERS).split():
        kinds |= BITS.get(part, 0)
    return kinds


LONG = 160
"""Minimum width of a long paragraph; see `miolo.features.words`."""

SHORT = 40
MIN_GROUP = 4
ENDED = tuple(".!?:;…。！？”\"'»）)")

TAGS = (
    "p", "h1", "h2", "h3", "li", "article", "main", "time", "img", "pre", "code", "table",
    "blockquote", "form", "input", "button", "select", "video", "iframe", "figure", "section",
)  # fmt: skip
"""Tags whose elements are counted."""

TEXT_FEATURES = (
    "text", "blocks", "block length", "long paragraphs", "long share", "longest run",
    "run share", "run places", "link density", "short share", "sentence share", "wide share",
    "fullest parent", "parents",
)  # fmt: skip
PART_FEATURES = tuple(
    f"{part} text" for part in ("heading", "list", "table", "code", "quote", "article", "main")
)
REPEAT_FEATURES = (
    "repeated groups", "largest group", "linked group", "pictured group", "group text",
    "group item length", "text before run", "page numbers", "next link",
)  # fmt: skip

PAGE_KIND_FEATURES = (
    *ADDRESS_FEATURES,
    *TRACE_FEATURES,
    *TEXT_FEATURES,
    *PART_FEATURES,
    *(f"<{tag}>" for tag in TAGS),
    *REPEAT_FEATURES,
)
"""Columns of `page_kind_features`."""


@dataclass(frozen=True, eq=False)
class _Texts:
    """Blocks of a page: their elements, widths, linked shares and texts."""

    owner: NDArray[np.int32]
    width: NDArray[np.float64]
    linked: NDArray[np.float64]
    text: list[str]


def page_kind_features(snapshot: Snapshot, blocks: TextBlocks | None = None) -> NDArray[np.float32]:
    """Features of a page that indicate its kind.

    float32, shape (f,), in the order of `PAGE_KIND_FEATURES`; NaN for unknown values.

    Notes
    -----
    Time is linear in nodes and text, except for sorting siblings. The features are our own.
    """
    blocks = text_blocks(snapshot) if blocks is None else blocks
    links = link_mask(snapshot)
    texts = _texts(blocks, subtree_mask(links, snapshot.end))
    long = (texts.width >= LONG) & (texts.linked < 0.4)
    run = _longest_run(texts.width, long)
    counts = np.bincount(snapshot.tag, minlength=len(snapshot.tags))
    by_tag = dict(zip(snapshot.tags, counts.tolist(), strict=True))
    return np.concatenate(
        [
            address_features(snapshot.page.url),
            trace_features(snapshot, texts.text),
            _text_features(snapshot, texts, long, run),
            _part_features(snapshot, texts),
            np.log1p([by_tag.get(tag, 0) for tag in TAGS]),
            _repeat_features(snapshot, texts, links, run),
        ]
    ).astype(np.float32)


def _texts(blocks: TextBlocks, linked: NDArray[np.bool_]) -> _Texts:
    width = np.array(list(map(_width, blocks.texts)), float)
    nodes = blocks.nodes
    chars = np.array([len(blocks.snapshot.text[node]) for node in nodes.tolist()], np.int64)
    linked_chars = np.bincount(blocks.of[nodes], linked[nodes] * chars, len(blocks))
    lengths = np.array(list(map(len, blocks.texts)), float)
    shares = np.minimum(linked_chars / np.maximum(lengths, 1), 1.0)
    return _Texts(blocks.owner, width, shares, blocks.texts)


def _width(text: str) -> int:
    return len(text) if text.isascii() else len(text) + len(WIDE.findall(text))


def _text_features(
    snapshot: Snapshot, texts: _Texts, long: NDArray[np.bool_], run: tuple[int, int]
) -> list[float]:
    width, total = texts.width, max(float(texts.width.sum()), 1.0)
    first, last = run
    run_width = float(width[first:last][long[first:last]].sum())
    parent = snapshot.parent[texts.owner[long]]
    by_parent = np.bincount(np.maximum(parent, 0), width[long])
    ended = np.fromiter((t.endswith(ENDED) for t in texts.text), bool, len(width))
    chars = sum(map(len, texts.text))
    return [
        math.log1p(total),
        math.log1p(len(width)),
        math.log1p(total / max(len(width), 1)),
        math.log1p(long.sum()),
        float(width[long].sum()) / total,
        math.log1p(run_width),
        run_width / total,
        math.log1p(last - first),
        float((width * texts.linked).sum()) / total,
        float(width[width <= SHORT].sum()) / total,
        float(width[ended].sum()) / total,
        total / max(chars, 1) - 1,
        float(by_parent.max()) / float(width[long].sum()) if long.any() else math.nan,
        math.log1p(np.count_nonzero(by_parent)),
    ]


def _longest_run(width: NDArray[np.float64], long: NDArray[np.bool_]) -> tuple[int, int]:
    """First and last block (exclusive) of the run of long paragraphs with the most text.

    Up to three short blocks, such as a heading, a caption and a date, do not break a run.
    """
    places = long.nonzero()[0]
    if not len(places):
        return 0, 0
    starts = (np.diff(places, prepend=-9) > 4).nonzero()[0]
    run_widths = np.add.reduceat(width[places], starts)
    best = int(run_widths.argmax())
    stop = starts[best + 1] if best + 1 < len(starts) else len(places)
    return int(places[starts[best]]), int(places[stop - 1]) + 1


def _part_features(snapshot: Snapshot, texts: _Texts) -> list[float]:
    """Share of the text inside headings, lists and so on."""
    total = max(float(texts.width.sum()), 1.0)
    parts = (
        HEADINGS, ("li", "dd", "dt"), ("table",), ("pre", "code"),
        ("blockquote", "q"), ("article",), ("main",),
    )  # fmt: skip
    inside = (snapshot.in_tag(*names) for names in parts)
    return [float(texts.width[mask[texts.owner]].sum()) / total for mask in inside]


def _repeat_features(
    snapshot: Snapshot, texts: _Texts, links: NDArray[np.bool_], run: tuple[int, int]
) -> list[float]:
    """Features of repeated siblings: of one tag and class, each with a text and a link in it."""
    first, last = run
    width = np.bincount(texts.owner, texts.width, len(snapshot))
    widths = subtree_sums(width, snapshot.end)
    linked = subtree_sums(links.astype(np.int64), snapshot.end) > 0
    has_picture = (
        subtree_sums(snapshot.with_tag("img", "picture").astype(np.int64), snapshot.end) > 0
    )
    nodes = ((widths > 0) & linked & ~links & (snapshot.parent >= 0)).nonzero()[0]
    key = snapshot.parent[nodes].astype(np.int64) * (1 << 32)
    key += snapshot.tag[nodes].astype(np.int64) * (1 << 20)
    key += (snapshot.attributes.column("class")[nodes] + 1) % (1 << 20)
    _, group, size = np.unique(key, return_inverse=True, return_counts=True)
    text = np.bincount(group, widths[nodes], len(size))
    shown = np.bincount(group, has_picture[nodes], len(size))
    large = size >= MIN_GROUP
    total = max(float(texts.width.sum()), 1.0)
    fullest = int(np.where(large, text, -1).argmax()) if large.any() else -1
    return [
        math.log1p(large.sum()),
        math.log1p(size[large].max(initial=0)),
        math.log1p(size[fullest]) if fullest >= 0 else 0.0,
        math.log1p(shown[large].max(initial=0)),
        float(text[fullest]) / total if fullest >= 0 else 0.0,
        math.log1p(text[fullest] / size[fullest]) if fullest >= 0 else math.nan,
        float(texts.width[:first].sum()) / total if last > first else math.nan,
        math.log1p(sum([text.isdecimal() for text in texts.text if len(text) <= 3])),
        float(_has_next(snapshot)),
    ]


def _has_next(snapshot: Snapshot) -> bool:
    _, values = snapshot.attributes.nodes_with("rel")
    relations = (snapshot.attributes.strings[value] for value in set(values.tolist()))
    return any("next" in value.lower().split() for value in relations)
