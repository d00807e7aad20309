"""Choose the title: remove the name of the site, and weigh sources by agreement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rapidfuzz.distance import Levenshtein

from ...features.words import words
from ...patterns import lazy_re
from .finding import Finding
from .names import name_key

__all__ = [
    "MIN_TITLE_WORDS",
    "SEPARATOR",
    "are_same_words",
    "choose_title",
    "title_key",
    "without_site",
]

# Each run of white space is tried only from its first character, since a title may be nothing but
# white space.
SEPARATOR = lazy_re(
    r"(?<!\s)\s++[|–—»«·•-]++\s+|(?:(?<!\s)\s+)?(?:[|｜]|::|»)\s*|(?<!\s)\s++[/:]\s+|"
    # Chinese and Japanese titles have no spaces around it.
    r"(?<=[\u3040-\uffef])[_-]|[_-](?=[\u3040-\uffef])"
)

# Headings in documentation contain a link to themselves with a paragraph sign or an icon.
SIGNS = " ¶\uf0c1"

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


def choose_title(findings: Sequence[Finding], sites: Sequence[str]) -> Finding | None:
    """The title with the highest total weight of agreeing findings, in its most reliable form.

    Parameters
    ----------
    findings
        The findings, in descending order of weight.
    sites
        Names of the site, which are not titles.
    """
    sources: dict[str, Finding] = {}
    weight: dict[str, float] = {}
    for finding in findings[:MAX_FINDINGS]:
        text = finding.values[0]
        sources.setdefault(text, finding)
        weight[text] = weight.get(text, 0) + finding.weight
    site_keys = _keys(sites)
    whole = {title_key(text) for text in sources} - {()}
    cut = {text: _cut_site_name(text, site_keys, whole) for text in sources}
    keys = {text: title_key(cut[text]) for text in sources}
    able = [text for text in sources if keys[text]]
    # Only the home page has the name of the site as its title.
    able = [text for text in able if name_key(cut[text]) not in site_keys] or able
    if not able:
        return None

    def support(text: str) -> tuple[float, float]:
        agreeing = sum(weight[other] for other in able if are_same_words(keys[text], keys[other]))
        return agreeing, sources[text].weight

    best = max(able, key=support)
    return Finding("title", (cut[best],), sources[best].source, support(best)[0])


def _keys(sites: Iterable[str]) -> frozenset[str]:
    return frozenset(map(name_key, sites)) - {""}


def _cut_site_name(title: str, sites: frozenset[str], whole: set[tuple[str, ...]]) -> str:
    for _ in range(MAX_CUTS):
        cuts = list(SEPARATOR.finditer(title))
        if not cuts:
            break
        last, first = cuts[-1], cuts[0]
        if _is_site_name(title[last.end() :], sites):
            title = title[: last.start()]
        elif _is_site_name(title[: first.start()], sites):
            title = title[first.end() :]
        else:
            break
    for cut in list(SEPARATOR.finditer(title))[:MAX_CUTS]:
        for part in (title[: cut.start()], title[cut.end() :]):
            # A shorter part is a section or a kicker that a source declares by mistake.
            if 2 * len(part) > len(title) and title_key(part) in whole:
                return part.strip()
    return title.strip(SIGNS)


def _is_site_name(part: str, sites: frozenset[str]) -> bool:
    key = name_key(part)
    if not key:
        return True
    return any(
        key == site
        or (len(site) > 3 and Levenshtein.normalized_similarity(key, site) >= ALIKE)
        or (len(key) > 3 and len(site) > 3 and key.startswith(site) and len(key) < 2.5 * len(site))
        for site in sites
    )


def are_same_words(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the words of two titles are the same, but for a few letters."""
    if one == other:
        return True
    texts = " ".join(one)[:500], " ".join(other)[:500]
    return Levenshtein.normalized_similarity(*texts, score_cutoff=SAME) >= SAME
