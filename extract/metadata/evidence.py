"""What speaks for and against each value of a field: the features that `FieldRanker` weighs.

The findings of a page are grouped by the value that they give. A value's features are the sources
that give it, those that give another one, and where on the page and in which form it is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.words import words
from ...models.kinds.model import ARTICLE
from ...renderer.page.tree import nearest_marked
from .dates import url_date
from .finding import Finding, RoleText, Scene
from .names import is_written_as_name, name_key
from .titles import are_same_words, title_key

Row = dict[str, float]

APART = ("aside", "nav", "footer", "blockquote", "figure", "li", "table", "header")
"""Elements around a place that tell whether it is about the article."""

DECLARED = ("title element", "meta", "JSON-LD")
"""Sources of titles that the page does not show."""

MAX_VALUES = 40
"""Maximum number of values of a field; later ones are not considered."""

MAX_INSIDE = 50
"""Nodes of an element that are searched for a text with a role."""

FAR = 200
"""Text nodes between a place and the headline beyond which the distance does not matter."""


@dataclass(frozen=True)
class Value:
    """A distinct value of a field.

    Attributes
    ----------
    value
        A day, a tuple of names or a title.
    findings
        The findings that give it, the most specific first.
    row
        Its features by name; those that are missing are 0.
    """

    value: Any
    findings: Sequence[Finding] = field(repr=False)
    row: Row = field(repr=False)


@dataclass(frozen=True, eq=False)
class Places:
    """Where the nodes of a page are, in relation to its article.

    Attributes
    ----------
    scene
        The page with its headline and body.
    blocks
        Its blocks with their roles, if the method has roles.
    kind
        Its kind, such as ``"article"``; an article if empty.
    """

    scene: Scene
    blocks: Sequence[RoleText] = ()
    kind: str = ""
    _known: dict[int, list[tuple[str, float]]] = field(default_factory=dict, repr=False)

    @cached_property
    def role(self) -> dict[int, str]:
        """Role of the block of each text node."""
        return {node: block.role for block in self.blocks for node in block.nodes}

    @cached_property
    def heading_lines(self) -> list[str]:
        """The texts in the headline, if there are several."""
        scene, node = self.scene, self.scene.title
        if node is None:
            return []
        texts = scene.snapshot.text[node : min(int(scene.snapshot.end[node]), node + FAR)]
        lines = [text for text in texts if text and not text.isspace()]
        return lines if len(lines) > 1 else []

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """int, shape (n,): number of text nodes before each node."""
        return np.cumsum(self.scene.snapshot.is_text, dtype=np.int64)

    @cached_property
    def articles(self) -> NDArray[np.int64]:
        """int, shape (n,): innermost ``article`` around each node, or -1."""
        page = self.scene.snapshot
        return nearest_marked(page.parent, page.with_tag("article"))

    def features(self, nodes: Iterable[int]) -> Row:
        """Features of the places where a value stands, each the largest of all places."""
        row: Row = {}
        for node in nodes:
            if node not in self._known:
                self._known[node] = list(self._place(node))
            for name, value in self._known[node]:
                row[name] = max(row.get(name, 0.0), value)
        return row

    def _place(self, node: int) -> Iterable[tuple[str, float]]:
        scene, page = self.scene, self.scene.snapshot
        start = scene.start
        title = start if scene.title is None else scene.title
        where = (
            "body" if start <= node < scene.stop
            else "after" if node >= scene.stop
            else "head" if node >= min(title, start)
            else "before"
        )  # fmt: skip
        yield f"place {where}", 1.0
        last = len(page) - 1
        apart = abs(int(self.rank[node]) - int(self.rank[min(title, last)]))
        yield "near headline", 1 - math.log1p(min(apart, FAR)) / math.log1p(FAR)
        apart = abs(int(self.rank[node]) - int(self.rank[min(start, last)]))
        yield "near body", 1 - math.log1p(min(apart, FAR)) / math.log1p(FAR)
        own, of_body = int(self.articles[node]), int(self.articles[min(start, last)])
        if own != of_body and own >= 0 and not (own <= min(title, last) < page.end[own]):
            yield "other article", 1.0
        if not page.visible[node]:
            yield "hidden", 1.0
        first = next(
            (n for n in range(node, min(int(page.end[node]), node + MAX_INSIDE)) if n in self.role),
            -1,
        )
        if first >= 0:
            yield f"role {self.role[first]}", 1.0
        above = node
        for _ in range(12):
            above = int(page.parent[above])
            if above < 0:
                break
            tag = page.tag_name(above)
            if tag in APART:
                yield f"in {tag}", 1.0
            elif tag == "article":
                break


def _rows(
    places: Places,
    by_value: Mapping[Any, list[Finding]],
    relation: Callable[[Any, Any], str],
    form: Callable[[Any, Sequence[Finding]], Row],
) -> list[Value]:
    """The values with the relations of all findings to them, their places and their forms."""
    values = []
    # Each value is compared with each other.
    by_value = dict(islice(by_value.items(), MAX_VALUES))
    order = _by_distance(places, by_value)
    kind = places.kind or ARTICLE
    for value, own in by_value.items():
        row: Row = {}
        support: set[str] = set()
        for other, findings in by_value.items():
            stands = "" if other == value else relation(value, other)
            for finding in findings:
                for group in finding.groups:
                    row[f"{stands} {group}"] = 1.0
                if not stands:
                    support.add(finding.groups[0])
                    row[f"{finding.groups[0]} if {kind}"] = 1.0
        row["sources"] = math.log1p(len(support))
        row["nearest"] = float(value == next(iter(order), None))
        row["farther"] = float(value in order[1:])
        row |= places.features({f.node for f in own if f.node >= 0})
        values.append(Value(value, own, row | form(value, own)))
    return values


def _by_distance(places: Places, by_value: Mapping[Any, list[Finding]]) -> list[Any]:
    """Values that the page shows, those nearest to the headline first."""
    title = places.scene.start if places.scene.title is None else places.scene.title
    nodes = {
        value: [abs(each.node - title) for each in own if each.node >= 0]
        for value, own in by_value.items()
    }
    return sorted((value for value in nodes if nodes[value]), key=lambda value: min(nodes[value]))


def date_values(
    places: Places, dates: Sequence[tuple[str, Finding]], modified: Sequence[str]
) -> list[Value]:
    """The days on which a page may have been published.

    Parameters
    ----------
    places
        The page.
    dates
        Dates in ISO 8601 with their findings.
    modified
        Dates of changes in ISO 8601.
    """
    by_day: dict[str, list[Finding]] = {}
    timed: set[str] = set()
    for text, finding in dates:
        by_day.setdefault(text[:10], []).append(finding)
        if "T" in text:
            timed.add(text[:10])
    changed = {text[:10] for text in modified}
    url = places.scene.snapshot.page.url
    days = sorted(by_day)
    in_url = url_date(url) or ""

    def relation(one: str, other: str) -> str:
        apart = (date.fromisoformat(other) - date.fromisoformat(one)).days
        return "beside" if abs(apart) == 1 else "later" if apart > 0 else "earlier"

    def form(day: str, own: Sequence[Finding]) -> Row:
        return {
            "timed": float(day in timed),
            "values": math.log1p(len(days)),
            "earliest": float(day == days[0]),
            "latest": float(day == days[-1]),
            "also changed": float(day in changed),
            "before change": float(bool(changed) and day <= min(changed)),
            "after change": float(bool(changed) and day > max(changed)),
            "year in address": float(day[:4] in url),
            "month in address": float(f"/{day[:4]}/{day[5:7]}/" in url),
            "other in address": float(in_url not in ("", day)),
            "january first": float(day.endswith("-01-01")),
        }

    return _rows(places, by_day, relation, form)


def author_values(
    places: Places,
    sets: Sequence[tuple[tuple[str, ...], Finding]],
    publication: Iterable[str],
) -> list[Value]:
    """The sets of names that may be the authors.

    Parameters
    ----------
    places
        The page.
    sets
        Names with their findings.
    publication
        Names of the site and its publisher.
    """
    by_set: dict[tuple[str, ...], list[Finding]] = {}
    keys: dict[tuple[str, ...], frozenset[str]] = {}
    first: dict[frozenset[str], tuple[str, ...]] = {}
    for names, finding in sets:
        key = frozenset(map(name_key, names))
        names = first.setdefault(key, names)
        keys[names] = key
        by_set.setdefault(names, []).append(finding)
    parts = {names: {w for n in names for w in n.casefold().split()} for names in by_set}
    own_names = {name_key(name) for name in publication} - {""}
    title = set(words(places.scene.headline.casefold()))
    lines = {name_key(line) for line in places.heading_lines} - {""}

    def relation(one: tuple[str, ...], other: tuple[str, ...]) -> str:
        if keys[one] < keys[other]:
            return "more"
        if keys[one] > keys[other]:
            return "fewer"
        return "overlap" if parts[one] & parts[other] else "else"

    def form(names: tuple[str, ...], own: Sequence[Finding]) -> Row:
        shapes = [_shape(name) for name in names]
        row = {f"form {shape}": 1.0 for shape in shapes}
        row |= {f"all {shape}": 1.0 for shape in set(shapes) if len(set(shapes)) == 1}
        return row | {
            "names": math.log1p(len(names)),
            "many": float(len(names) > 4),
            "values": math.log1p(len(by_set)),
            "publication": float(any(name_key(n) in own_names for n in names)),
            "like publication": float(
                any(len(o) > 3 and (o in name_key(n) or name_key(n) in o)
                    for n in names for o in own_names)
            ),
            "line of heading": float(all(name_key(n) in lines for n in names)),
            "in title": float(bool(parts[names]) and parts[names] <= title),
            "longest": max(len(n.split()) for n in names) / 7,
        }  # fmt: skip

    return _rows(places, by_set, relation, form)


def _shape(name: str) -> str:
    parts = name.split()
    if not name.isascii() and not any(c.lower() != c.upper() for c in name):
        return "no capitals long" if len(name) > 5 else "no capitals"
    if any(map(str.isdecimal, name)):
        return "digits"
    if len(parts) == 1:
        return "lower" if name.islower() else "capitals" if name.isupper() else "word"
    if not is_written_as_name(name):
        return "sentence"
    return "full" if len(parts) <= 4 else "long"


def title_values(
    places: Places, texts: Sequence[tuple[str, Finding, Row]], publication: Iterable[str]
) -> list[Value]:
    """The texts that may be the title.

    Parameters
    ----------
    places
        The page.
    texts
        Texts with their findings and the features of their form.
    publication
        Names of the site.
    """
    by_text: dict[str, list[Finding]] = {}
    forms: dict[str, Row] = {}
    keys: dict[str, tuple[str, ...]] = {}
    first: dict[tuple[str, ...], str] = {}
    for text, finding, form_ in texts:
        key = title_key(text)
        if not key:
            continue
        text = first.setdefault(key, text)
        keys[text] = key
        by_text.setdefault(text, []).append(finding)
        row = forms.setdefault(text, {})
        for name, value in form_.items():
            row[name] = max(row.get(name, 0.0), value)
    own_names = {name_key(name) for name in publication} - {""}
    joined = {text: f" {' '.join(key)} " for text, key in keys.items()}
    declared = {t for t, own in by_text.items() if any(f.source.startswith(DECLARED) for f in own)}

    def relation(one: str, other: str) -> str:
        if are_same_words(keys[one], keys[other]):
            return "alike"
        if joined[other].startswith(joined[one]):
            return "begins"
        if joined[one] in joined[other]:
            return "within"
        return "holds" if joined[other] in joined[one] else "else"

    def _holds_any(text: str) -> bool:
        return any(
            2 * len(other) > len(text) and joined[other] in joined[text] for other in declared
        )

    def form(text: str, own: Sequence[Finding]) -> Row:
        key = name_key(text)
        return forms[text] | {
            "declared": float(text in declared),
            "part declared": float(text not in declared and _holds_any(text)),
            "words": math.log1p(len(keys[text])),
            "one word": float(len(keys[text]) == 1),
            "short": float(len(keys[text]) <= 3),
            "long": float(len(keys[text]) > 25),
            "values": math.log1p(len(by_text)),
            "publication": float(key in own_names),
            "like publication": float(any(len(o) > 3 and key.startswith(o) for o in own_names)),
            "capitals": float(text.isupper()),
            "cut off": float(text.endswith(("...", "…"))),
        }

    return _rows(places, by_text, relation, form)
