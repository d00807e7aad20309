"""Dates that the page shows: in ``time`` elements, in datelines, and in lines near the headline."""

from __future__ import annotations

from collections.abc import Iterator

from .bylines import MAX_BYLINE, line_of
from .dates import DIGIT, PUBLISHED, UPDATED, labelled_days, names_a_change, relative_date
from .finding import MAX_DATELINE, Finding, Scene

MAX_TIMES = 20
MAX_LABEL = 40


def shown_dates(scene: Scene) -> Iterator[Finding]:
    """Findings of dates in blocks with roles, in ``time`` elements and in lines."""
    yield from _in_blocks(scene)
    yield from _in_times(scene)
    yield from _in_lines(scene)


def _in_blocks(scene: Scene) -> Iterator[Finding]:
    page = scene.snapshot.page
    # The age of HTML that was not fetched is unknown.
    captured = page.time if page.status is not None else ""
    before = ""
    for block in scene.blocks:
        line = line_of(scene, block) if block.role in ("dateline", "byline") else ""
        if line and len(line) <= MAX_BYLINE:
            named = "dateline block" if block.role == "dateline" else "date in a byline"
            days = labelled_days(f"{before} {line}", scene.month_first)
            day = None if days else relative_date(f"{before} {line}", captured)
            if day:
                named = "relative date"
                days = [("modified" if UPDATED.search(f"{before} {line}") else "date", day)]
            yield from (Finding(field, (day,), named, block.nodes[0]) for field, day in days)
        before = line if block.role == "dateline" and names_a_change(line) else ""


def _in_times(scene: Scene) -> Iterator[Finding]:
    page, (low, ahead) = scene.snapshot, scene.head
    is_time = page.with_tag("time")
    times = scene.with_attribute("datetime", low, max(ahead, scene.stop))
    for node, value in [pair for pair in times if is_time[pair[0]]][:MAX_TIMES]:
        around = _words_around(scene, node)
        field, group = "date", "time element"
        if UPDATED.search(around):
            field, group = "modified", "time element updated"
        elif PUBLISHED.search(around) or page.attributes.get(node, "pubdate") is not None:
            group = "time element published"
        yield Finding(field, (value,), "time element", node, group)


def _words_around(scene: Scene, node: int) -> str:
    """Class, id and itemprop of an element and its parent, and the text before it and in it."""
    page, above = scene.snapshot, int(scene.snapshot.parent[node])
    parts: list[str] = []
    for place in (node, above) if above >= 0 else (node,):
        own = page.attributes.of(place)
        parts += [own.get(name, "")[:100] for name in ("class", "id", "itemprop")]
    if above >= 0:
        parts += [text[-40:] for text in page.text[max(above, node - 4) : node]]
        parts += [text[:40] for text in page.text[node : min(int(page.end[node]), node + 6)]]
    return " ".join(parts)


def _in_lines(scene: Scene) -> Iterator[Finding]:
    """Days in lines around headline and start of the body."""
    before = ""
    for node, text in scene.head_lines:
        if len(text) <= MAX_DATELINE and DIGIT.search(text):
            line = f"{before} {text}" if names_a_change(before) else text
            for field, day in labelled_days(line, scene.month_first):
                yield Finding(field, (day,), "written date", node)
        before = text if len(text) <= MAX_LABEL else ""
