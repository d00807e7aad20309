"""The texts of a page that may be its title, and titles without the name of the site."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from ...features.words import words
from ...patterns import lazy_re
from .finding import MAX_H1, MAX_HEADLINE, Finding, Scene, subtree_text, tidy
from .names import name_key

# Each run of white space is tried only from its first character, since a title may be nothing but
# white space.
SEPARATOR = lazy_re(
    r"(?<!\s)\s++[|–—»«·•-]++\s+|(?:(?<!\s)\s+)?(?:[|｜：]|::|»)\s*|(?<!\s)\s++[/:]\s+|"
    # Chinese and Japanese titles have no spaces around it.
    r"(?<=[\u3040-\uffef])[_-]|[_-](?=[\u3040-\uffef])"
)

# What remains of a pattern such as "{title} - {section} - {site}" if a part is empty.
SEPARATOR_AT_END = lazy_re(r"^[|–—»«·•-]+\s+|(?<!\s)\s+[|–—»«·•-]+$")

SEPARATING = frozenset("|–—»«·•-｜：:/_")
"""Characters of which each separator has one. Most titles have none, and need no search."""

# Headings in documentation contain a link to themselves with a paragraph sign or an icon.
SIGNS = " ¶\uf0c1"

# Features of the forms of titles.
WHOLE = {"whole": 1.0}
WITHOUT_SITE = {"part first": 1.0, "without site": 1.0, "parts left out": 1.0, "share": 1.0}

MAX_CUTS = 6
MAX_FINDINGS = 40


# Shorter titles may be those of home pages, which are names of sites.
MIN_TITLE_WORDS = 4


# Minimum similarity of a part of the title to a name of the site: "NY Times" and "NYTimes.com".
ALIKE = 0.8

# Titles at least this similar are the same; they differ in a quote, a dash or a letter.
SAME = 0.9


def title_key(title: str) -> tuple[str, ...]:
    """Words of a title in lower case, for comparison."""
    return tuple(word.casefold() for word in words(title))


def without_site(title: str, sites: Iterable[str], others: Iterable[str] = ()) -> str:
    """Remove the name of the site before or after a title.

    Parameters
    ----------
    title
        A title, such as ``"Headline | Site"``.
    sites
        Known names of the site.
    others
        Titles from other sources: a part that equals one of them is the headline.

    >>> without_site("Bread rises - again - The Daily Loaf", ["Daily Loaf"])
    'Bread rises - again'
    >>> without_site("Bread rises | Baking", [], ["Bread rises"])
    'Bread rises'
    """
    return _cut_site_name(title, _keys(sites), {title_key(other) for other in others} - {()})


def _keys(sites: Iterable[str]) -> frozenset[str]:
    return frozenset(map(name_key, sites)) - {""}


def _cut_site_name(title: str, sites: frozenset[str], whole: set[tuple[str, ...]]) -> str:
    for _ in range(MAX_CUTS):
        cuts = _cuts(title)
        if not cuts:
            break
        last, first = cuts[-1], cuts[0]
        if _is_site_name(title[last.end() :], sites):
            title = title[: last.start()]
        elif _is_site_name(title[: first.start()], sites):
            title = title[first.end() :]
        else:
            break
    for cut in _cuts(title)[:MAX_CUTS]:
        for part in (title[: cut.start()], title[cut.end() :]):
            # A shorter part is a section or a kicker that a source declares by mistake.
            if 2 * len(part) > len(title) and title_key(part) in whole:
                return part.strip()
    return title.strip(SIGNS)


def _cuts(title: str) -> list[re.Match[str]]:
    """The separators in a title, of which the end of a quotation in guillemets is none."""
    quoted = title.find("«")
    return [
        cut
        for cut in SEPARATOR.finditer(title)
        if not (0 <= quoted < cut.start() and "»" in cut.group())
    ]


def _is_site_name(part: str, sites: frozenset[str]) -> bool:
    key = name_key(part)
    if not key:
        return True
    return any(
        key == site
        or (len(site) > 3 and _similarity(key, site, ALIKE) >= ALIKE)
        or (len(key) > 3 and len(site) > 3 and key.startswith(site) and len(key) < 2.5 * len(site))
        for site in sites
    )


def are_same_words(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the words of two titles are the same, but for a few letters."""
    if one == other:
        return True
    texts = " ".join(one)[:500], " ".join(other)[:500]
    return _similarity(*texts, SAME, SAME) >= SAME


def _similarity(one: str, other: str, least: float, cutoff: float | None = None) -> float:
    """Similarity of two texts, or 0 if it is certainly less than `least`.

    It is at most the ratio of their lengths, so most pairs need no comparison.
    """
    sizes = len(one), len(other)
    if one == other or min(sizes) < (least - 0.01) * max(sizes):
        return float(one == other)
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(one, other, score_cutoff=cutoff)


# Before a subject or a headline: "Re:", "AW:", "LIVE:".
LABEL = lazy_re(r"(?:[^\W\d_]{2,4}(?:\[\d+\])?|[^\W\d_]{2,12}(?<=[A-Z]{2})):\s+(?=\S)")


def title_texts(
    scene: Scene,
    findings: Sequence[Finding],
    sites: Sequence[str],
    authors: Container[str] = (),
    signs: Iterable[str] = (),
) -> Iterator[tuple[str, Finding, dict[str, float]]]:
    """Texts that may be the title: what the sources give, and the parts of these.

    A part is what is before or after a separator, or an element of a heading. `signs` are elements
    that headings of the site repeat, such as buttons.
    """
    sign_keys = set(map(name_key, signs)) - {""}
    site_keys = _keys(sites)
    findings = [*findings[:MAX_FINDINGS], *_headings(scene)]
    whole = {finding.values[0].strip(SIGNS) for finding in findings if finding.node < 0}
    # Most sources give the same text.
    parts_of = cache(lambda text: list(_parts(text, site_keys)))
    declared = {title_key(part) for text in whole for part, _ in parts_of(text)}
    declared |= set(map(title_key, whole))
    elements = {
        id(finding): [
            each
            for each in _elements(scene, finding, authors, declared)
            if name_key(each[0]) not in sign_keys
        ]
        for finding in findings
        if finding.node >= 0
    }
    # Where the page declares a heading without some of its elements, these are a kicker before it
    # or a sign after it. What is twice as long as the rest is no sign.
    torn = {
        name_key(finding.values[0])
        for finding in findings
        for part, *_ in elements.get(id(finding), ())
        if title_key(part) in declared
        and (3 * len(part) > len(finding.values[0]) or finding.values[0].endswith(part))
    }
    for finding in findings:
        text = finding.values[0].strip(SIGNS)
        if finding.node < 0:
            text = SEPARATOR_AT_END.sub("", text)
        yield from elements.get(id(finding), ())
        own = [
            part
            for part, *_ in elements.get(id(finding), ())
            if _is_rest(name_key(text), name_key(part), sign_keys)
        ]
        text = own[0] if own else text
        # A block may have spaces where its heading has none.
        if finding.node >= 0 and name_key(text) in torn and title_key(text) not in declared:
            continue
        yield text, finding, WHOLE if finding.whole else WITHOUT_SITE
        for part, form in parts_of(text):
            yield part, replace(finding, group=f"{finding.groups[0]} part"), form


def _is_rest(whole: str, part: str, signs: Container[str]) -> bool:
    """Whether a heading consists of a part and a sign."""
    return whole.removeprefix(part) in signs or whole.removesuffix(part) in signs


def _parts(title: str, sites: frozenset[str]) -> Iterator[tuple[str, dict[str, float]]]:
    """The parts of a title between separators, with the features of their form."""
    may_be_cut = not SEPARATING.isdisjoint(title)
    cuts = [cut.span() for cut in _cuts(title)] if may_be_cut else []
    cuts = cuts[:2] + cuts[max(len(cuts) - 2, 2) :]
    label = LABEL.match(title)
    if label:
        yield title[label.end() :], {"after label": 1.0}
    starts, stops = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(title)]
    for first, start in enumerate(starts):
        for last, stop in enumerate(stops[first:], first):
            part, rest = title[start:stop].strip(SIGNS), (title[:start], title[stop:])
            if part and (start or stop < len(title)):
                is_site = [bool(each) and _is_site_name(each, sites) for each in rest]
                yield (
                    part,
                    {
                        "part first": float(start == 0),
                        "part last": float(stop == len(title)),
                        "part middle": float(start > 0 and stop < len(title)),
                        "without site": float(any(is_site)),
                        "without other": float(any(map(bool, rest)) and not any(is_site)),
                        "parts left out": float(len(cuts) - last + first),
                        "share": len(part) / len(title),
                    },
                )


def _elements(
    scene: Scene,
    finding: Finding,
    authors: Container[str],
    declared: Container[tuple[str, ...]],
) -> Iterator[tuple[str, Finding, dict[str, float]]]:
    """The texts of the elements in a heading, without one or, if declared, the first ones."""
    page, node = scene.snapshot, finding.node
    child, children = node + 1, []
    while child < int(page.end[node]) and len(children) <= MAX_CUTS:
        children.append(child)
        child = int(page.end[child])
    texts = [(n, subtree_text(scene, n)) for n in children]
    texts = [(n, text) for n, text in texts if any(map(str.isalnum, text))]
    if not 1 < len(texts) <= MAX_CUTS:
        return
    for part, rest, name in (
        (texts[1:], texts[:1], "without first element"),
        (texts[:-1], texts[-1:], "without last element"),
    ):
        form = {name: 1.0, "without author": float(name_key(rest[0][1]) in authors)}
        group = f"{finding.groups[0]} element"
        yield tidy(" ".join(text for _, text in part)), replace(finding, group=group), form
    for first in range(2, len(texts)):
        part = tidy(" ".join(text for _, text in texts[first:]))
        if title_key(part) in declared:
            group = f"{finding.groups[0]} element"
            yield part, replace(finding, group=group), {"without first element": 1.0}


def _headings(scene: Scene) -> Iterator[Finding]:
    """The headline of the method, headings above the body, and blocks with the role of a title."""
    page = scene.snapshot
    if scene.title is not None and scene.headline:
        tag, group = page.tag_name(scene.title), "headline of the method"
        yield Finding("title", (scene.headline,), f"{tag} element", scene.title, group)
    if scene.largest_h1 is not None:
        node, text = scene.largest_h1
        yield Finding("title", (text,), "h1 element", node)
    for tag in ("h1", "h2", "h3"):
        nodes = page.with_tag(tag).nonzero()[0].tolist()
        near = nodes if tag == "h1" else [n for n in nodes if n <= scene.start][-3:]
        for node in near[:MAX_H1]:
            text = subtree_text(scene, node)
            if 0 < len(text) <= MAX_HEADLINE:
                yield Finding("title", (text,), f"{tag} heading", node)
    for block in [b for b in scene.blocks if b.role == "title"][:5]:
        text = tidy(" ".join(page.text[n] for n in block.nodes))
        yield Finding("title", (text,), "title block", block.nodes[0])
