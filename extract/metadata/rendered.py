"""Rendered evidence: headings above the body, ``time`` elements, bylines, written dates."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...patterns import lazy_re
from .dates import DIGIT, PUBLISHED, UPDATED, divided_at_dates, labelled_days, names_a_change
from .finding import Finding, Scene, subtree_text
from .names import is_written_as_name

# Range in which bylines and datelines are sought, in text nodes: before the headline and after the
# start of the body. It begins at most `FAR` text nodes before the body.
BEFORE = 12
AFTER = 25
FAR = 80

MAX_H1 = 20
MAX_TIMES = 20
MAX_MARKED = 50
MAX_BESIDE = 16
MAX_ABOVE = 3

MAX_HEADLINE = 400
MAX_BYLINE = 160
MAX_DATELINE = 90
MAX_LABEL = 40

# Links that mkdocs resolves have the class "autorefs".
AUTHOR = lazy_re("author|byline|by-line|creator|autor(?!ef)|auteur|writer|vcard")
NOT_AUTHOR = lazy_re(r"bio\b|avatar|image|img|photo|pic|about|social|comment|related|follow|"
                        r"date|time|title|desc|role|job|brand|icon|authori[sz]")  # fmt: skip
BY = lazy_re(r"(?i:(?:written|posted|words|story) )?[Bb][Yy]:?(?:$| (?=[^\W\d_a-zß-ÿ]))")


def find_rendered(scene: Scene) -> Iterator[Finding]:
    """Findings about title, authors and dates in the rendered page.

    Parameters
    ----------
    scene
        The page.
    """
    if scene.title is not None and scene.headline:
        tag = scene.snapshot.tag_name(scene.title)
        source, group = f"{tag} element", "headline of the method"
        yield Finding("title", (scene.headline,), source, scene.title, group)
    heading = _largest_h1(scene)
    if heading is not None:
        node, text = heading
        yield Finding("title", (text,), "h1 element", node)
    low = _first_node(scene, scene.start if heading is None else heading[0])
    ahead = _node_into_body(scene)
    yield from _times(scene, low, max(ahead, scene.stop))
    yield from _marked_bylines(scene, low, ahead)
    yield from _lines(scene, low, ahead)


def _largest_h1(scene: Scene) -> tuple[int, str] | None:
    """The ``h1`` in the largest font; of several, the one closest to the start of the body.

    Without a body, it is the first one.
    """
    page = scene.snapshot
    start = scene.start if len(scene.body) else 0
    nodes = page.with_tag("h1").nonzero()[0].tolist()[:MAX_H1]
    headings = [(node, subtree_text(scene, node)) for node in nodes]
    headings = [(node, text) for node, text in headings if 0 < len(text) <= MAX_HEADLINE]

    def order(item: tuple[int, str]) -> tuple[bool, float, int]:
        node = item[0]
        largest = float(page.font_size[node : page.end[node]].max())
        return bool(page.visible[node]), largest, -abs(node - start)

    return max(headings, key=order, default=None)


def _first_node(scene: Scene, heading: int) -> int:
    """First node whose findings count: a text node shortly before the headline and the body."""
    title = scene.start if scene.title is None else scene.title
    start = int(np.searchsorted(scene.texts, scene.start))
    place = int(np.searchsorted(scene.texts, min(title, heading, scene.start))) - BEFORE
    # A heading far above the body belongs to the site.
    place = max(place, start - FAR)
    return int(scene.texts[place]) if place >= 0 else 0


def _times(scene: Scene, low: int, high: int) -> Iterator[Finding]:
    page = scene.snapshot
    is_time = page.with_tag("time")
    times = [pair for pair in scene.with_attribute("datetime", low, high) if is_time[pair[0]]]
    for node, value in times[:MAX_TIMES]:
        around = _surrounding_words(scene, node)
        field, group = "date", "time element"
        if UPDATED.search(around):
            field, group = "modified", "time element updated"
        elif PUBLISHED.search(around) or page.attributes.get(node, "pubdate") is not None:
            group = "time element published"
        yield Finding(field, (value,), "time element", node, group)


def _surrounding_words(scene: Scene, node: int) -> str:
    """Class, id and itemprop of an element and its parent, and the text before it."""
    page = scene.snapshot
    parts: list[str] = []
    above = int(page.parent[node])
    for place in (node, above):
        if place >= 0:
            own = page.attributes.of(place)
            parts += [own.get(name, "")[:100] for name in ("class", "id", "itemprop")]
    if above >= 0:
        parts += [text[-40:] for text in page.text[max(above, node - 4) : node]]
        parts += [text[:40] for text in page.text[node : min(int(page.end[node]), node + 6)]]
    return " ".join(parts)


def _marked_bylines(scene: Scene, low: int, high: int) -> Iterator[Finding]:
    marked = scene.with_attribute("rel", low, high, lambda rel: "author" in rel.lower().split())
    # Links that are close together name the authors of one article.
    texts: list[str] = []
    first = last = -1
    for node, _ in [*marked[:MAX_MARKED], (len(scene.snapshot) + MAX_BESIDE, "")]:
        if texts and node - last > MAX_BESIDE:
            yield Finding("authors", tuple(texts), "rel=author", first)
            texts = []
        text = subtree_text(scene, node) if node < len(scene.snapshot) else ""
        if 0 < len(text) <= MAX_BYLINE:
            first, last = first if texts else node, node
            texts.append(text)
    yield from _named_bylines(scene, low, high)


def _named_bylines(scene: Scene, low: int, high: int) -> Iterator[Finding]:
    """Findings in the innermost elements whose class or id refers to authors.

    Innermost elements within the same outermost element contain the names of several authors.
    """
    end = scene.snapshot.end
    marks = {
        node: f"{name} {value[:60]!r}"
        for name in ("id", "class")
        for node, value in scene.with_attribute(name, low, high, _names_author)
    }
    nodes = sorted(marks)
    groups: list[tuple[int, list[str]]] = []
    for node, following in zip(nodes, [*nodes, len(end)][1:], strict=True):
        if not groups or node >= end[groups[-1][0]]:
            groups.append((node, []))
        text = subtree_text(scene, node) if following >= end[node] else ""
        if 0 < len(text) <= MAX_BYLINE and is_written_as_name(
            "".join(divided_at_dates(text)).strip()
        ):
            groups[-1][1].append(text)
    for node, texts in groups:
        if texts:
            yield Finding("authors", tuple(texts), marks[node], node)


def _names_author(value: str) -> bool:
    low = value.lower()
    return AUTHOR.search(low) is not None and not NOT_AUTHOR.search(low)


def _node_into_body(scene: Scene) -> int:
    """A text node shortly after the start of the body."""
    place = int(np.searchsorted(scene.texts, scene.start)) + AFTER
    return int(scene.texts[place]) if place < len(scene.texts) else len(scene.snapshot)


def _lines(scene: Scene, low: int, high: int) -> Iterator[Finding]:
    """Findings in lines around headline and start of the body: "By Jane Doe", "3 May 2021"."""
    first, last = np.searchsorted(scene.texts, (low, high)).tolist()
    nodes = scene.texts[first:last].tolist()
    before = ""
    for node in nodes:
        text = scene.snapshot.text[node].strip()[:300]
        if not text:
            continue
        by = BY.match(text)
        if by and len(text) <= MAX_BYLINE:
            if text[by.end() :].strip():
                yield Finding("authors", (text[by.end() :],), "byline", node)
            else:
                yield from _line_after_by(scene, node)
        if len(text) <= MAX_DATELINE and DIGIT.search(text):
            line = f"{before} {text}" if names_a_change(before) else text
            for field, day in labelled_days(line, scene.month_first):
                yield Finding(field, (day,), "written date", node)
        before = text if len(text) <= MAX_LABEL else ""


def _line_after_by(scene: Scene, node: int) -> Iterator[Finding]:
    """Names in the longest line that begins with a text node that is only "by"."""
    page, above, line = scene.snapshot, node, ""
    for _ in range(MAX_ABOVE):
        above = int(page.parent[above])
        # What holds the body is no line.
        if above < 0 or above <= scene.start < int(page.end[above]):
            break
        text = subtree_text(scene, above)
        by = BY.match(text)
        if len(text) > MAX_BYLINE or by is None:
            break
        line = text[by.end() :]
    if not line.strip():
        # "by" is within a line.
        place = int(np.searchsorted(scene.texts, node)) + 1
        line = page.text[int(scene.texts[place])].strip() if place < len(scene.texts) else ""
    if 0 < len(line.strip()) <= MAX_BYLINE:
        yield Finding("authors", (line,), "byline", node)
