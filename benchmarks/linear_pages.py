"""Families of adversarial pages, each with about a given number of nodes, of one construct."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from miolo.renderer.page.snapshot import Snapshot
from miolo.renderer.page.tree import tree_shape

__all__ = ["CHAINED", "FAMILIES", "INSIDE", "read_page"]

Family = Callable[[int], str]

# Chromium's parser nests no deeper than 512.
LEVELS = 100


def _page(body: str, head: str = "") -> str:
    """An article with the adversarial part in its middle, so that methods keep it."""
    words = "The bakery on the corner has sold the same loaf for sixty years, says its owner. "
    prose = f"<p>{words * 4}</p>" * 3
    return (
        f"<!doctype html><html lang=en><head><title>The loaf of the corner</title>{head}</head>"
        f"<body><article><h1>The loaf of the corner</h1>{prose}{body}{prose}</article></body>"
        "</html>"
    )


def _many(unit: str, nodes: int, times: float = 1.0) -> str:
    """A page with `times * nodes` copies of a unit, in which ``@`` is replaced by a counter."""
    count = max(int(times * nodes), 1)
    return _page("".join(unit.replace("@", str(k)) for k in range(count)))


def _within(before: str, unit: str, after: str, times: float = 1.0) -> Family:
    def make(nodes: int) -> str:
        count = max(int(times * nodes), 1)
        inner = "".join(unit.replace("@", str(k)) for k in range(count))
        return _page(before + inner + after)

    return make


def _repeat(unit: str, times: float = 1.0) -> Family:
    return lambda nodes: _many(unit, nodes, times)


def _in_head(unit: str, times: float = 1.0) -> Family:
    def make(nodes: int) -> str:
        count = max(int(times * nodes), 1)
        return _page("", "".join(unit.replace("@", str(k)) for k in range(count)))

    return make


def _json_ld(text: Callable[[int], str]) -> Family:
    return lambda nodes: _page(
        "", f"<script type='application/ld+json'>{text(nodes)}</script>" + "<meta name=a>" * nodes
    )


def _articles(nodes: int) -> str:
    parts = [{"@type": "Article", "@id": f"#{k}", "headline": "The loaf", "author": {"@id": "#0"},
               "url": "/" * 80 + str(k)} for k in range(nodes // 4)]  # fmt: skip
    return json.dumps(parts)


def _addresses(nodes: int) -> str:
    fields = {
        "@type": "Article",
        "headline": "The loaf",
        "url": "https://a.org/amp" + "/" * nodes + "x",
    }
    return json.dumps([fields | {"@id": "/" * nodes + "y", "mainEntityOfPage": "/amp" * nodes}])


def _title_parts(nodes: int) -> str:
    """Texts that the title element repeats, the shortest first."""
    words = [chr(0x4E00 + k) for k in range(300)]
    parts = [
        " ".join(words[first : first + count])
        for count in range(100, len(words))
        for first in range(len(words) - count)
    ]
    shown = "".join(f"<p>{part}</p>" for part in parts[: nodes // 2])
    return f"<title>{' '.join(words)}</title><body>{shown}{_page('')}"


def _nest(start: str, end: str, nodes_of_level: int) -> Family:
    """Towers of nested elements, `LEVELS` high, side by side."""

    def make(nodes: int) -> str:
        towers = max(nodes // (LEVELS * nodes_of_level), 1)
        return _page((start * LEVELS + "x" + end * LEVELS) * towers)

    return make


def _table(nodes: int) -> str:
    rows = "".join(
        f"<tr><td rowspan={2 + k % 7}>{k}<td colspan={2 + k % 5}>a b" for k in range(nodes // 5)
    )
    return _page(f"<table>{rows}</table>")


CONSTRUCTS = {
    "heading": ("<h2>", "</h2>"),
    "item": ("<ul><li>", "</ul>"),
    "term": ("<dl><dt>", "<dd>d</dl>"),
    "definition": ("<dl><dt>t<dd>", "</dl>"),
    "quote": ("<blockquote>", "</blockquote>"),
    "cell": ("<table><tr><th>a<th>b<tr><td>", "<td>c</table>"),
    "header-cell": ("<table><tr><th>", "<th>b<tr><td>a<td>b</table>"),
    "caption": ("<table><caption>", "</caption><tr><th>a<th>b<tr><td>a<td>b</table>"),
    "figcaption": ("<figure><img src=/a.png><figcaption>", "</figcaption></figure>"),
    "note": ("<p>x<a href='#n1'>1</a></p><ol><li id=n1>", "</li></ol>"),
    "code": ("<pre><code>", "</code></pre>"),
    "link": ("<a href=/story>", "</a>"),
    "emphasis": ("<em>", "</em>"),
    "details": ("<details open><summary>s</summary>", "</details>"),
}
"""Elements with a meaning of their own: the HTML before and after their content."""

CONTENTS = {
    "blocks": "<div>word @</div>",
    "words": "word @ ",
    "rows": "<table><tr><th>a<th>b<tr><td>word @<td>b</table>",
}
"""Content of which a construct may hold any amount."""

INSIDE = {
    f"{content}-in-{name}": _within(before, unit, after, 0.3)
    for name, (before, after) in CONSTRUCTS.items()
    for content, unit in CONTENTS.items()
}

FAMILIES: dict[str, Family] = {
    **INSIDE,
    "paragraphs": _repeat("<p>Word and word @, a sentence that ends.</p>", 0.5),
    "deep-div": _nest("<div>", "</div>", 1),
    "deep-div-text": _nest("<div>text ", "</div>", 2),
    "deep-inline": _nest("<b>x", "</b>", 2),
    "deep-list": _nest("<ul><li>x ", "</li></ul>", 3),
    "deep-quote": _nest("<blockquote><p>Said and said.</p>", "</blockquote>", 3),
    "deep-table": _nest("<table><tr><td>x", "</td></tr></table>", 4),
    "wide-div": _repeat("<div></div>"),
    "wide-text": _repeat("<div>word @</div>", 0.5),
    "wide-inline": _within("<p>", "<i>a</i> ", "</p>", 0.33),
    "br": _within("<p>", "x<br>", "</p>", 0.5),
    "br-alone": _within("<p>", "<br>", "</p>"),
    "attributes": lambda nodes: _page(
        f"<p {' '.join(f'a{k}=x' for k in range(nodes))}>end</p>" + "<i></i>" * nodes
    ),
    "attribute-huge": lambda nodes: _page(
        f"<p title='{'x ' * nodes * 8}' class='{'y ' * nodes * 8}' style='{'z:' * nodes * 8}'>e</p>"
        + "<i></i>" * nodes
    ),
    "classes": _repeat("<p class='a@ b@ story-@ byline'>word</p>", 0.5),
    "class-list": lambda nodes: _page(
        f"<p class='{' '.join(f'c{k}' for k in range(nodes))}'>x</p>" + "<i></i>" * nodes
    ),
    "identifiers": _repeat("<div id='n@'><p>word</p></div>", 0.33),
    "table-spans": _table,
    "table-rows": _within("<table>", "<tr><td>a @<td>b", "</table>", 0.2),
    "table-cells": _within("<table><tr>", "<td>a", "</table>", 0.5),
    "tables": _repeat("<table><tr><td>a</table>", 0.2),
    "list": _within("<ul>", "<li>item @", "</ul>", 0.5),
    "lists": _repeat("<ol><li>a</ol>", 0.33),
    "definitions": _within("<dl>", "<dt>t@<dd>d", "</dl>", 0.25),
    "anchors": _repeat("<a href='/story/@/page/2'>Story @</a> ", 0.33),
    "anchors-nested-text": _repeat("<p><a href='#@'><b>next</b> page @</a></p>", 0.2),
    "anchors-slashes": lambda nodes: _page(
        f"<a href='{'/' * nodes}'>x</a><a href='{'/amp' * nodes}'>y</a>" + "<i></i>" * nodes
    ),
    "images": _repeat("<img src='/a@.png' alt='a b c' width=90 height=90>"),
    "figures": _repeat("<figure><img src='/@.png'><figcaption>c @</figcaption></figure>", 0.25),
    "lazy-images": _repeat("<img data-src='/@.jpg' srcset='/a@.jpg 1x, /b@.jpg 2x'>"),
    "headings": _repeat("<h2>Heading @</h2>", 0.5),
    "headlines": _repeat("<h1>The loaf of the corner @</h1>", 0.5),
    "forms": _repeat("<form action='/@'><input name=a@><button>go</button></form>", 0.25),
    "select": _within("<select>", "<option value=@>o@", "</select>", 0.5),
    "dates": _repeat("<time datetime='2021-05-@'>3 May 2021</time>", 0.5),
    "written-dates": _repeat("<p>Published on Monday, 3 May 2021, 12:30</p>", 0.5),
    "authors": _repeat("<p class=byline>By Jane Doe and John Roe</p>", 0.5),
    "author-line": _within("<p class=byline>By ", "Jane Doe, <i></i>", "</p>", 0.5),
    "author-towers": _nest("<div rel=author class=byline>", "</div>", 1),
    "article-body": lambda nodes: _page(
        "".join(f"<p>Word {k} and {k * 7} said.</p>" for k in range(nodes // 2)),
        f"<meta name=description content='{'word and ' * nodes}'>"
        "<script type='application/ld+json'>"
        + json.dumps({"@type": "Article", "articleBody": "word and word said. " * nodes})
        + "</script>",
    ),
    "long-word": lambda nodes: _page(f"<p>{'x' * nodes * 8}</p>" + "<i></i>" * nodes),
    "long-text": lambda nodes: _page(f"<p>{'word, and ' * nodes}</p>" + "<i></i>" * nodes),
    "spaces": lambda nodes: _page(
        f"<pre>{' ' * nodes * 8}</pre><p>x{' &nbsp;' * nodes}y</p>" + "<i> </i>" * (nodes // 2)
    ),
    "right-to-left": _repeat("<p dir=rtl>قال الخباز إن الرغيف @ ‏</p>", 0.5),
    "combining": lambda nodes: _page(
        f"<p>a{chr(0x301) * nodes * 4}</p>" + f"<p>e{chr(0x301)}</p>" * (nodes // 2)
    ),
    "ideographs": lambda nodes: _page(
        f"<p>{'面包店老板说' * nodes}</p>" + "<p>面包</p>" * (nodes // 2)
    ),
    "emphasis": _within("<p>", "<b>a</b><i>b</i>", "</p>", 0.25),
    "markdown-special": _within("<p>", "*_`[<i>\\#</i>", "</p>", 0.33),
    "code-lines": lambda nodes: _page(
        f"<pre><code>{'let a = 1; // b' + chr(10)}".rstrip() + "<span>x = 1</span>\n" * (nodes // 3)
    ),
    "codes": _repeat("<code>a`b``@</code> ", 0.33),
    "rules": _repeat("<hr><p>x", 0.33),
    "frames": _repeat("<iframe src='/ad@.html'></iframe>"),
    "svg": _within("<svg>", "<g id=g@><path d='M0 0L@ 9'/></g>", "</svg>", 0.5),
    "math": _within("<math>", "<mi>x</mi><mo>+</mo>", "</math>", 0.25),
    "data-addresses": lambda nodes: _page(
        f"<img src='data:image/png;base64,{'A' * nodes * 16}'>" + "<img src='data:,x'>" * nodes
    ),
    "comments": _repeat("<!-- c @ --><b></b>"),
    "entities": _within("<p>", "&amp;&lt;&#x41;<b></b>", "</p>", 0.5),
    "microdata": _repeat(
        "<p itemprop=author itemscope itemtype='http://schema.org/Person'>"
        "<b itemprop=name>Jane @</b></p>",
        0.33,
    ),
    "microdata-deep": _nest(
        "<div itemscope itemtype='http://schema.org/Article' itemprop=name>x", "</div>", 2
    ),
    "rdfa": _repeat("<p typeof='schema:Person' property='schema:author'>Jane @</p>", 0.5),
    "metas": _in_head("<meta property='article:tag' content='tag @'>"),
    "meta-authors": _in_head("<meta name=author content='Jane Doe @'>"),
    "meta-titles": _in_head("<meta property='og:title' content='The loaf @ | The Paper'>"),
    "links": _in_head("<link rel=alternate hreflang=de href='/de/@'>"),
    "scripts": _in_head("<script>var a@ = '@';</script>"),
    "json-ld-spaces": _json_ld(lambda nodes: " " * nodes * 4 + "x"),
    "json-ld-commas": _json_ld(lambda nodes: '{"a":1' + ", " * nodes * 2),
    "json-ld-deep": _json_ld(lambda nodes: '{"author":[' * nodes),
    "json-ld-articles": _json_ld(_articles),
    "json-ld-addresses": _json_ld(_addresses),
    "json-ld-scripts": _in_head(
        '<script type=\'application/ld+json\'>{"@type":"Article","headline":"a @"}</script>'
    ),
    "title": lambda nodes: _page(
        "<i></i>" * nodes,
        f"<title>{'| a - ' * nodes * 4}</title>"
        f"<meta property='og:title' content='{'a | ' * nodes}'>"
        f"<meta property='og:site_name' content='{'a ' * nodes}'>",
    ),
    "title-parts": _title_parts,
    "hidden": _repeat("<p hidden>word @</p>", 0.5),
    "custom-elements": _repeat("<x-@>word</x-@>", 0.5),
    "records": _repeat(
        "<div class=item><h3><a href='/@'>Story @</a></h3><p>Text of it.</p>"
        "<time>3 May 2021</time></div>",
        0.12,
    ),
    "unclosed": lambda nodes: _page(
        "<section><p><b><a href=x>word " * min(nodes // 5, 400)
        + "</section><p><i>word " * (nodes // 3)
    ),
    "misnested": lambda nodes: _page("<a><b><i><u><p>x" * (nodes // 40) + "<i></i>" * nodes),
}
"""Functions from a number of nodes to HTML, by the construct that the page is made of."""

CHAINED = {
    "levels": "wide-div",
    "levels-text": "wide-text",
    "levels-emphasis": "wide-inline",
    "levels-images": "images",
}
"""Families with a single tower about as high as the page has nodes, as scripts can build it, and
the family of siblings that each is made from."""


def read_page(family: str, nodes: int) -> Snapshot:
    """The page of a family as a snapshot, without a browser."""
    html = FAMILIES[CHAINED.get(family, family)](nodes)
    page = Snapshot.from_html(html, url="https://example.org/story")
    return _chain(page) if family in CHAINED else page


def _chain(page: Snapshot) -> Snapshot:
    """The page with each of the most numerous siblings nested in the one before it."""
    parent = page.parent.copy()
    elements = np.flatnonzero(~page.with_tag("#text"))
    (crowded,) = np.argwhere(np.bincount(parent[elements[1:]]) > len(page) // 4)[0]
    siblings = elements[parent[elements] == crowded]
    siblings = siblings[page.tag[siblings] == np.bincount(page.tag[siblings]).argmax()]
    first = siblings[0]
    inside = (parent == crowded) & (np.arange(len(page)) > first)
    # Texts between siblings, and what follows the last, move into the sibling before them.
    parent[inside] = siblings[np.searchsorted(siblings, np.flatnonzero(inside)) - 1]
    end, depth = (np.asarray(values, np.int32) for values in tree_shape(parent.tolist()))
    return replace(page, parent=parent, end=end, depth=depth)
