"""What speaks for and against each value of a field: the features that `FieldRanker` weighs.

The findings of a page are grouped by the value that they give. A value's features are the sources
that give it, those that give another one, and where on the page and in which form it is written.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.links import intra_site_mask
from ...features.words import count_words
from ...models.kinds.model import ARTICLE
from ...renderer.page.tree import nearest_marked
from .dates import url_date
from .finding import Finding, Scene
from .names import is_written_as_name, name_key
from .titles import SEPARATOR, are_same_words, title_key

Row = dict[str, float]

APART = ("aside", "nav", "footer", "blockquote", "figure", "li", "table", "header")
"""Elements around a place that tell whether it is about the article."""

DECLARED = ("title element", "meta", "JSON-LD")
"""Sources of titles that the page does not show."""

MAX_VALUES = 40
"""Maximum number of values of a field; later ones are not considered."""

MAX_INSIDE = 50
"""Nodes of an element that are searched for a text with a role, or for the words of a link."""

MAX_ABOVE = 12
"""Levels above a place that are searched for elements that are apart."""

MAX_AROUND = 4
"""Levels above a place that are searched for the link of another story."""

STORY_WORDS = 3
"""Minimum number of words of a link that is the headline of a story."""

MAX_TITLE = 400
"""Characters of a title element that are read for the name after the title."""

FAR = 200
"""Text nodes between a place and the headline beyond which the distance does not matter."""


@dataclass(frozen=True)
class Value:
    """A distinct value of a field."""

    value: Any
    """A day, a tuple of names or a title."""
    findings: list[Finding] = field(default_factory=list, repr=False)
    """The findings that give it, the most specific first."""
    row: Row = field(default_factory=dict, repr=False)
    """Its features by name; those that are missing are 0."""


@dataclass(frozen=True, eq=False)
class Places:
    """Where the nodes of a page are, in relation to its article."""

    scene: Scene
    _known: dict[int, Row] = field(default_factory=dict, repr=False)

    @cached_property
    def role(self) -> dict[int, str]:
        """Role of the block of each text node."""
        return {node: block.role for block in self.scene.blocks for node in block.nodes}

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """int, shape (n,): number of text nodes before each node."""
        return np.cumsum(self.scene.snapshot.is_text, dtype=np.int64)

    @cached_property
    def articles(self) -> NDArray[np.int64]:
        """int, shape (n,): innermost ``article`` around each node, or -1."""
        page = self.scene.snapshot
        return nearest_marked(page.parent, page.with_tag("article"))

    @cached_property
    def stories(self) -> NDArray[np.int64]:
        """int, shape (n + 1,): number of links to other stories of the site before each node."""
        page = self.scene.snapshot
        is_story = np.zeros(len(page), bool)
        for node in intra_site_mask(page).nonzero()[0].tolist():
            if not str(page.attributes.get(node, "href")).startswith("#"):
                stop = min(int(page.end[node]), node + MAX_INSIDE)
                text = " ".join(page.text[node:stop])
                is_story[node] = count_words(text) >= STORY_WORDS
        return np.concatenate([[0], np.cumsum(is_story)])

    def _is_beside_story(self, node: int) -> bool:
        """Whether the smallest elements around a node hold the link of another story.

        The elements around the headline, or around the start of the body, hold the page's own.
        """
        page, own = self.scene.snapshot, (self.scene.top, self.scene.start)
        inside = node
        for _ in range(MAX_AROUND):
            node, inside = int(page.parent[node]), node
            end = int(page.end[node]) if node >= 0 else 0
            if node < 0 or any(node <= place < end for place in own):
                return False
            others = self.stories[end] - self.stories[node]
            # The link of an author may have three words, too.
            others -= self.stories[int(page.end[inside])] - self.stories[inside]
            if others > 0:
                return True
        return False

    def features(self, findings: Sequence[Finding]) -> Row:
        """Features of the places where a value stands, each the largest of all places."""
        row: Row = {}
        for finding in findings:
            node = finding.node
            if node >= 0:
                if node not in self._known:
                    self._known[node] = dict(self._place(node))
                _put(row, self._known[node])
                if self.scene.start <= node < self.scene.stop:
                    row[f"{finding.groups[-1]} in body"] = 1.0
        return row

    def _place(self, node: int) -> Iterable[tuple[str, float]]:
        scene, page = self.scene, self.scene.snapshot
        last = len(page) - 1
        title, start = min(scene.top, last), min(scene.start, last)
        where = (
            "body" if scene.start <= node < scene.stop
            else "after" if node >= scene.stop
            else "head" if node >= min(scene.top, scene.start)
            else "before"
        )  # fmt: skip
        yield f"place {where}", 1.0
        for name, place in (("near headline", title), ("near body", start)):
            apart = abs(int(self.rank[node]) - int(self.rank[place]))
            yield name, 1 - math.log1p(min(apart, FAR)) / math.log1p(FAR)
        own, of_body = int(self.articles[node]), int(self.articles[start])
        if own != of_body and own >= 0 and not own <= title < page.end[own]:
            yield "other article", 1.0
        if not page.visible[node]:
            yield "hidden", 1.0
        if self._is_beside_story(node):
            yield "beside story", 1.0
        inside = range(node, min(int(page.end[node]), node + MAX_INSIDE))
        first = next((each for each in inside if each in self.role), -1)
        if first >= 0:
            yield f"role {self.role[first]}", 1.0
        for _ in range(MAX_ABOVE):
            node = int(page.parent[node])
            tag = page.tag_name(node) if node >= 0 else "article"
            if tag == "article":
                break
            if tag in APART:
                yield f"in {tag}", 1.0


def _put(row: Row, more: Row) -> None:
    """Add features to a row, each the larger of both."""
    for name, value in more.items():
        row[name] = max(row.get(name, 0.0), value)


def _relate(
    places: Places,
    values: Iterable[Value],
    relation: Callable[[Any, Any], str],
    form: Callable[[Value], Row],
) -> list[Value]:
    """The values with the relations of all findings to them, their places and their forms."""
    # Each value is compared with each other.
    values = list(values)[:MAX_VALUES]
    shown = {id(each): [f.node for f in each.findings if f.node >= 0] for each in values}
    top, kind = places.scene.top, places.scene.kind or ARTICLE
    order = sorted(
        (each for each in values if shown[id(each)]),
        key=lambda each: min(abs(node - top) for node in shown[id(each)]),
    )
    where = [places.features(each.findings) for each in values]
    # The names of several testimonials, and the days of several stories, have the same source.
    by_source = Counter(group for each in values for group in {f.groups[0] for f in each.findings})
    for each, place in zip(values, where, strict=True):
        row = each.row
        for other, elsewhere in zip(values, where, strict=True):
            apart = "other article" in elsewhere
            stands = (
                "" if other is each else "apart" if apart else relation(each.value, other.value)
            )
            for group in {group for finding in other.findings for group in finding.groups}:
                row[f"{stands} {group}"] = 1.0
        support = {finding.groups[0] for finding in each.findings}
        row |= {f"{group} if {kind}": 1.0 for group in support}
        row[f"page {kind}"] = 1.0
        row["sources"] = math.log1p(len(support))
        row["rivals"] = math.log1p(min((by_source[group] for group in support), default=1) - 1)
        row["nearest"] = float(order[:1] == [each])
        row["farther"] = float(each in order[1:])
        row["values"] = math.log1p(len(values))
        row |= place | form(each)
    return values


def date_values(
    places: Places, dates: Sequence[tuple[str, Finding]], modified: Sequence[str]
) -> list[Value]:
    """The days on which a page may have been published; `modified` are dates of its changes."""
    values: dict[str, Value] = {}
    for text, finding in dates:
        values.setdefault(text[:10], Value(text[:10])).findings.append(finding)
    timed = {text[:10] for text, _ in dates if "T" in text}
    changed = {text[:10] for text in modified}
    url = places.scene.snapshot.page.url
    in_url = url_date(url) or ""

    def relation(one: str, other: str) -> str:
        apart = (date.fromisoformat(other) - date.fromisoformat(one)).days
        return "beside" if abs(apart) == 1 else "later" if apart > 0 else "earlier"

    def form(value: Value) -> Row:
        day = value.value
        return {
            "timed": float(day in timed),
            "earliest": float(day == min(values)),
            "latest": float(day == max(values)),
            "also changed": float(day in changed),
            "before change": float(bool(changed) and day <= min(changed)),
            "after change": float(bool(changed) and day > max(changed)),
            "year in address": float(day[:4] in url),
            "month in address": float(f"/{day[:4]}/{day[5:7]}/" in url),
            "other in address": float(in_url not in ("", day)),
            "january first": float(day.endswith("-01-01")),
        }

    return _relate(places, values.values(), relation, form)


def author_values(
    places: Places,
    sets: Sequence[tuple[tuple[str, ...], Finding]],
    publication: Iterable[str],
) -> list[Value]:
    """The sets of names that may be the authors; `publication` names the site and its publisher."""
    values: dict[frozenset[str], Value] = {}
    for names, finding in sets:
        key = frozenset(map(name_key, names))
        values.setdefault(key, Value(names)).findings.append(finding)
    keys = {value.value: key for key, value in values.items()}
    parts = {names: {w for n in names for w in n.casefold().split()} for names in keys}
    own_names = {name_key(name) for name in publication} - {""}
    people = any(_shape(n) == "full" and not key & own_names for k, key in keys.items() for n in k)

    def relation(one: tuple[str, ...], other: tuple[str, ...]) -> str:
        if keys[one] < keys[other]:
            return "more"
        if keys[one] > keys[other]:
            return "fewer"
        return "overlap" if parts[one] & parts[other] else "else"

    def form(value: Value) -> Row:
        names, key = value.value, keys[value.value]
        shapes = [_shape(name) for name in names]
        row = {f"form {shape}": 1.0 for shape in shapes}
        row |= {f"all {shape}": 1.0 for shape in set(shapes) if len(set(shapes)) == 1}
        like = (o in name or name in o for name in key for o in own_names if len(o) > 3)
        return row | {
            "names": math.log1p(len(names)),
            "mixed": float(len(set(shapes)) > 1),
            "publication": float(not own_names.isdisjoint(key)),
            "publication beside people": float(people and not own_names.isdisjoint(key)),
            "like publication": float(any(like)),
        }

    return _relate(places, values.values(), relation, form)


def _shape(name: str) -> str:
    parts = name.split()
    if any(map(str.isdecimal, name)):
        return "digits"
    if not name.isascii() and not any(c.lower() != c.upper() for c in name):
        return "no capitals long" if len(name) > 5 else "no capitals"
    if len(parts) == 1:
        return "lower" if name.islower() else "capitals" if name.isupper() else "word"
    if not is_written_as_name(name):
        return "sentence"
    return "full" if len(parts) <= 4 else "long"


def title_values(
    places: Places, texts: Iterable[tuple[str, Finding, Row]], publication: Iterable[str]
) -> list[Value]:
    """The texts that may be the title, given with the features of their form.

    `publication` are names of the site.
    """
    values: dict[tuple[str, ...], Value] = {}
    for text, finding, form_ in texts:
        if not (key := title_key(text)):
            continue
        value = values.setdefault(key, Value(text))
        # Capitals are those of the heading, unless it has no others.
        is_written = finding.node >= 0 and not text.isupper()
        is_spelled = text.casefold() == value.value.casefold()
        if is_written and is_spelled and not any(each.node >= 0 for each in value.findings):
            value = values[key] = replace(value, value=text)
        value.findings.append(finding)
        _put(value.row, form_)
    keys = {value.value: key for key, value in values.items()}
    joined = {text: f" {' '.join(key)} " for text, key in keys.items()}
    own_names = {name_key(name) for name in publication} - {""}
    _, *parts = SEPARATOR.split(places.scene.snapshot.page.title[:MAX_TITLE])
    end = name_key(parts[-1]) if parts else ""
    declared = {
        value.value
        for value in values.values()
        if any(each.source.startswith(DECLARED) for each in value.findings)
    }

    def relation(one: str, other: str) -> str:
        if are_same_words(keys[one], keys[other]):
            return "alike"
        if joined[other].startswith(joined[one]):
            return "begins"
        if joined[one] in joined[other]:
            return "within"
        return "holds" if joined[other] in joined[one] else "else"

    def form(value: Value) -> Row:
        text, size, key = value.value, len(keys[value.value]), name_key(value.value)
        parts = (o for o in declared if 2 * len(o) > len(text) and joined[o] in joined[text])
        # What is at the end of a title element may be the name of the site.
        held = (name_key(part) != end for part in parts)
        return {
            "declared": float(text in declared),
            "part declared": float(text not in declared and any(held)),
            "words": math.log1p(size),
            "one word": float(size == 1),
            "short": float(size <= 3),
            "long": float(size > 25),
            "publication": float(key in own_names),
            "like publication": float(any(len(o) > 3 and key.startswith(o) for o in own_names)),
            "like end": float(len(end) > 3 and key != end and (end in key or key in end)),
            "capitals": float(text.isupper()),
            "cut off": float(text.endswith(("...", "…"))),
        }

    return _relate(places, values.values(), relation, form)
