"""One article delivered in the ways that real sites use, with and without scripts.

Every way is a pair of documents: what the server sends, and what a browser runs. They differ if a
script is a separate file, which a browser without a network needs inside the document.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

from lxml import html
from lxml.html import HtmlElement

__all__ = ["DELIVERIES", "Delivered", "deliveries"]

DELIVERIES = (
    "as is",
    "static",
    "hydrated",
    "client-rendered",
    "client-rendered page",
    "partly client-rendered",
    "consent wall",
    "paywall",
)

# Minimum length in characters of a block that locates the article, and minimum share of the
# article's text that its element contains.
MIN_BLOCK, MIN_SHARE = 40, 0.9

MIN_PARTS = 4
"""Minimum number of children of the article's element for delivering the article in parts."""

DATA, SLOT = "page-data", "data-slot"

FILL = f"""<script>
addEventListener("load", () => setTimeout(() => {{
  const data = JSON.parse(document.getElementById("{DATA}").textContent);
  const slot = document.querySelector("[{SLOT}]");
  if (data.replace) slot.innerHTML = data.html;
  else slot.insertAdjacentHTML("beforeend", data.html);
}}, 50));
</script>"""
BUNDLE = '<script src="/static/js/main.js" defer></script>'
CONSENT = """<div class="consent" role="dialog" style="position: fixed; inset: 0; background: #fff">
<h2>We value your privacy</h2><p>We and our partners store and access information on your device,
such as cookies, and process personal data for advertising, measurement and research.</p>
<button>Accept all</button><button>Reject all</button></div>"""
PAYWALL = """<div class="paywall"><h3>Subscribe to continue reading</h3><p>This article is for
subscribers. Log in, or start a trial.</p><button>Subscribe</button></div>"""
PLACEHOLDERS = ("", "<p>Loading…</p>", '<div class="skeleton"></div><div class="skeleton"></div>')


@dataclass(frozen=True)
class Delivered:
    """A way of delivery: what the server sends, and what the browser runs."""

    name: str
    served: str
    run: str


def deliveries(source: str, article: list[str], seed: int) -> Iterator[Delivered]:
    """Deliver a page in all ways; only as it is if no element contains just the article.

    Parameters
    ----------
    source
        The page as HTML.
    article
        Texts of the blocks of its article.
    seed
        Seed for the random choice of placeholders and of the point where an article is cut.
    """
    yield Delivered("as is", source, source)
    page = html.document_fromstring(source)
    slot = _article_element(page, {" ".join(text.split()) for text in article})
    if slot is None:
        return
    rng = random.Random(seed)
    slot.set(SLOT, "")
    whole, inner = _written(page), _inner(slot)
    yield _alike("static", _written(_without_scripts(page)))
    yield _alike("hydrated", whole + _data(inner, replace=True) + FILL)
    placeholder = rng.choice(PLACEHOLDERS)
    yield _filled("client-rendered", _with_content(page, placeholder), inner, rng)
    yield _filled("client-rendered page", *_shell(page, placeholder), rng)
    yield _alike("consent wall", whole.replace("</body>", CONSENT + "</body>"))
    if len(slot) >= MIN_PARTS:
        cut = rng.randint(1, len(slot) // 2)
        first, rest = _parts(slot, cut)
        yield _filled("partly client-rendered", _with_content(page, first), rest, rng, False)
        yield _alike("paywall", _with_content(page, first + PAYWALL) + BUNDLE)


def _alike(name: str, source: str) -> Delivered:
    return Delivered(name, source, source)


def _filled(
    name: str, source: str, content: str, rng: random.Random, replace: bool = True
) -> Delivered:
    """A page that a script fills, with its data in the document or behind another request."""
    run = source + _data(content, replace) + FILL
    return Delivered(name, run if rng.random() < 0.5 else source + BUNDLE, run)


def _data(content: str, replace: bool) -> str:
    data = json.dumps({"html": content, "replace": replace}).replace("</", "<\\/")
    return f'<script id="{DATA}" type="application/json">{data}</script>'


def _article_element(page: HtmlElement, article: set[str]) -> HtmlElement | None:
    """The lowest element with most of the article."""
    long = {text for text in article if len(text) >= MIN_BLOCK}
    chars: dict[HtmlElement, int] = {}
    total = 0
    for element in page.iter("p", "li", "div", "h2", "h3", "blockquote"):
        text = " ".join(element.text_content().split())
        if text in long:
            long.remove(text)
            total += len(text)
            for above in (element, *element.iterancestors()):
                chars[above] = chars.get(above, 0) + len(text)
    inside = [each for each, count in chars.items() if count >= MIN_SHARE * total]
    lowest = max(inside, key=lambda each: sum(1 for _ in each.iterancestors()), default=None)
    return None if lowest is None or lowest.tag in ("html", "body") else lowest


def _without_scripts(page: HtmlElement) -> HtmlElement:
    plain = deepcopy(page)
    for script in list(plain.iter("script")):
        if script.get("type") != "application/ld+json":
            script.drop_tree()
    return plain


def _shell(page: HtmlElement, placeholder: str) -> tuple[str, str]:
    """A page whose body is one empty element, and the body that a script fills it with."""
    shell = deepcopy(page)
    body, inner = _body(shell), _inner(_body(_without_scripts(page)))
    body.clear()
    root = html.fromstring(f'<div id="root" {SLOT}="">{placeholder}</div>')
    body.append(root)
    for data in list(shell.iter("script")):
        if data.get("type") == "application/ld+json":
            data.drop_tree()
    return _written(shell), inner


def _with_content(page: HtmlElement, content: str) -> str:
    filled = deepcopy(page)
    slot = filled.xpath(f"//*[@{SLOT}]")[0]
    tail, attributes = slot.tail, dict(slot.attrib)
    slot.clear()
    slot.attrib.update(attributes)
    slot.tail = tail
    for part in html.fragments_fromstring(content) if content else []:
        if isinstance(part, str):
            slot.text = part
        else:
            slot.append(part)
    return _written(filled)


def _parts(slot: HtmlElement, cut: int) -> tuple[str, str]:
    children = [_markup(child) for child in slot]
    return (slot.text or "") + "".join(children[:cut]), "".join(children[cut:])


def _body(page: HtmlElement) -> HtmlElement:
    return page.xpath("//body")[0]


def _inner(element: HtmlElement) -> str:
    return (element.text or "") + "".join(map(_markup, element))


def _written(page: HtmlElement) -> str:
    return f"<!DOCTYPE html>{_markup(page)}"


def _markup(element: HtmlElement) -> str:
    return str(html.tostring(element, encoding="unicode"))
