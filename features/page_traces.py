"""Traces of the kind of a page: its declarations, names of parts, and labels of buttons.

The words are those of site software and of trades, in the most common languages. None is the name
of a site.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.snapshot import Snapshot

__all__ = ["TRACE_FEATURES", "trace_features"]

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
SHORT = 80

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

    Returns
    -------
    float32, shape (f,), in the order of `TRACE_FEATURES`: for each kind, whether the OpenGraph
    type indicates it; log(1 + count) of schema.org types in JSON-LD and microdata; whether a
    publication date is declared; log(1 + count) of elements whose class or id contains a name
    of `NAMES`; log(1 + count) of `WORDS` in short blocks; the same for prices.
    """
    page = snapshot.page
    declared = _kinds([page.meta_value("og:type") or ""])
    types = _kinds(_types(snapshot))
    has_date = page.meta_value("article:published_time", "datepublished", "date") is not None
    has_date |= any("datePublished" in text[:MAX_JSON] for text in page.json_ld)
    named = _count_named_parts(snapshot)
    short = " \n ".join([text for text in texts if len(text) <= SHORT])[:MAX_TEXT].lower()
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
