"""Choose the authors among the findings of a page."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence

from .finding import Finding
from .names import author_names, credits_others, is_written_as_name

__all__ = ["choose_authors"]

# Minimum weight of findings of authors that may replace an account name, such as "jdoe".
RELIABLE = 5

# Minimum weight of findings of authors that are not those of other articles.
DECLARED = 8

# Beginnings of sources: a block that names the authors, and all that do.
BYLINE = "byline block"
SIGNED = (BYLINE, "dateline block")

Authors = tuple[tuple[str, ...], str] | None
"""Names and their source."""


def choose_authors(findings: Sequence[Finding], publication: Sequence[str]) -> Authors:
    """Choose the names with the highest weight, where full names are preferred to account names.

    Parameters
    ----------
    findings
        Findings of authors, in descending order of weight.
    publication
        Names of the publication, which is no author if there is another one.
    """
    # Most sources give the same names.
    names_of = functools.cache(lambda values: author_names(values, publication))
    candidates = ((names_of(each.values), each) for each in findings)
    chosen = next((pair for pair in candidates if pair[0]), None)
    signed = _signed_publication(findings)
    if chosen is None or (signed and chosen[1].weight < RELIABLE):
        return signed
    further = itertools.takewhile(lambda pair: pair[1].weight >= RELIABLE, candidates)
    reliable = [pair for pair in further if pair[0] and all(map(_is_full_name, pair[0]))]
    if all(map(_is_account, chosen[0])):
        if signed and not reliable and _agree(signed[0], chosen[0], publication):
            return signed
        chosen = next(iter(reliable), chosen)
    names, finding = _other_byline(chosen, reliable) or chosen
    return _spelled(_without_other_credits(names, findings), findings), finding.source


def _without_other_credits(names: tuple[str, ...], findings: Sequence[Finding]) -> tuple[str, ...]:
    """Names without those of "Photography by Jane Doe", if a byline names some of the others."""
    values = [value for finding in findings for value in finding.values]
    credited = [value for value in values if credits_others(value)]
    kept = tuple(name for name in names if not any(name in value for value in credited))
    bylines = {n for each in findings if each.source.startswith(BYLINE) for n in each.values}
    return kept if bylines.intersection(kept) and not bylines.issuperset(names) else names


def _spelled(names: tuple[str, ...], findings: Sequence[Finding]) -> tuple[str, ...]:
    """Names, those in capitals as another source spells them."""
    if not any(map(str.isupper, names)):
        return names
    others = (name for finding in findings for name in author_names(finding.values))
    spelled = {name.upper(): name for name in others if not name.isupper()}
    return tuple(spelled.get(name, name) for name in names)


def _signed_publication(findings: Sequence[Finding]) -> Authors:
    """The publication, or a person with its name, if a byline names no one else."""
    reliable = itertools.takewhile(lambda finding: finding.weight >= RELIABLE, findings)
    bylines = (finding for finding in reliable if finding.source.startswith(SIGNED))
    signed = ((author_names(finding.values), finding.source) for finding in bylines)
    return next((pair for pair in signed if pair[0]), None)


def _agree(signed: tuple[str, ...], account: tuple[str, ...], publication: Sequence[str]) -> bool:
    """Whether a byline names the publication, or has a word in common with an account."""
    return not (author_names(signed, publication) and _words(signed).isdisjoint(_words(account)))


def _other_byline(
    chosen: tuple[tuple[str, ...], Finding], others: Iterable[tuple[tuple[str, ...], Finding]]
) -> tuple[tuple[str, ...], Finding] | None:
    """The names in the first byline block, if they are other ones or only some of the marked ones.

    Elements that are marked as authors may be places, or authors of comments and related articles.
    """
    names, finding = chosen
    byline = next((pair for pair in others if pair[1].source.startswith(BYLINE)), None)
    if byline is None:
        return None
    is_part = finding.weight < DECLARED and set(byline[0]) < set(names)
    return byline if is_part or _words(names).isdisjoint(_words(byline[0])) else None


def _words(names: Iterable[str]) -> set[str]:
    return {word for name in names for word in name.casefold().split()}


def _is_account(name: str) -> bool:
    return name.isascii() and " " not in name


def _is_full_name(name: str) -> bool:
    return " " in name and is_written_as_name(name)
