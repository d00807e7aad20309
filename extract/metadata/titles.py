"""The texts of a page that may be its title, and titles without the name of the site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from ...features.words import words
from ...patterns import lazy_re
from .finding import MAX_H1, MAX_HEADLINE, MAX_NODES, Finding, Scene, subtree_text, tidy
from .names import name_key

# Each run of white space is tried only from its first character, since a title may be nothing but
# white space.
SEPARATOR = lazy_re(
    r"(?<!\s)\s++[|–—»«·•-]++\s+|(?:(?<!\s)\s+)?(?:[|｜：]|::|»)\s*|(?<!\s)\s++[/:]\s+|"
    # Chinese and Japanese titles have no spaces around it.
    r"(?<=[\u3040-\uffef])[_-]|[_-](?=[\u3040-\uffef])"
)

SEPARATING = frozenset("|–—»«·•-｜：:/_")
"""Characters of which each separator has one. Most titles have none, and need no search."""

# Headings in documentation contain a link to themselves with a paragraph sign or an icon.
SIGNS = " ¶\uf0c1"
SIGN_AT_END = lazy_re(r"\s[#§∞⚓🔗]\uFE0F?$")

# What remains of a pattern such as "{title} - {section} - {site}" if a part is empty.
SEPARATOR_AT_END = lazy_re(r"^[|–—»«·•-]+\s+|(?<!\s)\s+[|–—»«·•-]+$")

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


def _is_name_of(part: str, sites: frozenset[str]) -> bool:
    """Whether a part of a title is similar to a name of the site, or is only signs."""
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
    scene: Scene, findings: Sequence[Finding], sites: Sequence[str], signs: Sequence[str] = ()
) -> Iterator[tuple[str, Finding, dict[str, float]]]:
    """Texts that may be the title: what the sources give, and its parts between separators.

    `signs` are texts that the headings of the site end with, such as buttons.
    """
    site_keys = frozenset(map(name_key, sites)) - {""}
    # Most sources give the same text.
    parts_of = cache(lambda text: list(_parts(text, site_keys)))
    declared = [
        each.values[0].strip(SIGNS) for each in findings if each.node < 0 and not _is_marked(each)
    ]
    known = {
        name_key(part): part
        for text in declared
        for part in (text, *(p for p, _ in parts_of(text)))
    }
    headings = list(_headings(scene))
    parts = ((each.values[0], _known_part(scene, each, known)) for each in headings)
    torn = {name_key(text): part for text, part in parts if part}
    for finding in [*findings[:MAX_FINDINGS], *headings]:
        text = finding.values[0].strip(SIGNS)
        key = name_key(text)
        if (finding.node >= 0 or _is_marked(finding)) and key not in known:
            text = torn.get(key) or text
        if finding.node >= 0:
            sign = next((each for each in signs if text.endswith(each)), "")
            text = SIGN_AT_END.sub("", text.removesuffix(sign)).strip(SIGNS) or text
        elif not ("«" in text and "»" in text):
            text = SEPARATOR_AT_END.sub("", text)
        yield text, finding, WHOLE if finding.whole else WITHOUT_SITE
        for part, form in parts_of(text):
            yield part, replace(finding, group=f"{finding.groups[0]} part"), form


def _is_marked(finding: Finding) -> bool:
    """Whether a page shows what it declares, as the text of an element with microdata."""
    return finding.source.startswith(("itemprop", "property"))


def _parts(title: str, sites: frozenset[str]) -> Iterator[tuple[str, dict[str, float]]]:
    """The parts of a title between separators, with the features of their form."""
    may_be_cut = not SEPARATING.isdisjoint(title)
    # The end of a quotation in guillemets is no separator.
    quoted = title.find("«") if "«" in title else len(title)
    found = SEPARATOR.finditer(title) if may_be_cut else ()
    cuts = [cut.span() for cut in found if cut.start() <= quoted or "»" not in cut.group()]
    cuts = cuts[:2] + cuts[max(len(cuts) - 2, 2) :]
    label = LABEL.match(title)
    if label:
        yield title[label.end() :], {"after label": 1.0}
    starts, stops = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(title)]
    for first, start in enumerate(starts):
        for last, stop in enumerate(stops[first:], first):
            part, rest = title[start:stop].strip(SIGNS), (title[:start], title[stop:])
            if part and (start or stop < len(title)):
                is_site = [bool(each) and _is_name_of(each, sites) for each in rest]
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


def _known_part(scene: Scene, heading: Finding, known: Mapping[str, str]) -> str:
    """The known title in a heading that has a kicker or a sign in an element of its own, if any."""
    stop = min(int(scene.snapshot.end[heading.node]), heading.node + MAX_NODES)
    texts = [key for key in map(name_key, scene.snapshot.text[heading.node : stop]) if key]
    parts = ["".join(texts[first:]) for first in range(1, min(len(texts), MAX_CUTS))]
    before = "".join(texts[:-1])
    # What is twice as long as the rest is no sign.
    if texts and 3 * len(before) > len(before) + len(texts[-1]):
        parts.append(before)
    return next((known[part] for part in parts if part in known), "")


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
        # Old pages have the headline and what follows it in one block, on lines of their own.
        breaks = page.with_tag("br")[block.nodes[0] : block.nodes[-1]].nonzero()[0][:1].tolist()
        stop = block.nodes[0] + breaks[0] if breaks else block.nodes[0]
        line = [page.text[n] for n in block.nodes if n < stop]
        whole, first = (
            tidy(" ".join(each)) for each in ([page.text[n] for n in block.nodes], line)
        )
        for text in (whole, first) if len(words(first)) >= MIN_TITLE_WORDS else (whole,):
            yield Finding("title", (text,), "title block", block.nodes[0])
