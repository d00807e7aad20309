"""The sets of names that sources give as authors, and how the chosen names are spelled."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from .finding import Finding
from .names import author_names, credits_others

Names = tuple[str, ...]


def name_sets(
    findings: Sequence[Finding], publication: Sequence[str]
) -> list[tuple[Names, Finding]]:
    """The names that each finding gives.

    Those of the publication are left out, unless a finding gives no others.

    Parameters
    ----------
    findings
        Findings of authors.
    publication
        Names of the site and its publisher.
    """
    # Most sources give the same names.
    names_of = functools.cache(lambda values, barred: author_names(values, barred))
    barred = tuple(publication)
    credited = [v for finding in findings for v in finding.values if credits_others(v)]
    sets: list[tuple[Names, Finding]] = []
    for finding in findings:
        names = names_of(finding.values, barred) or names_of(finding.values, ())
        if not names:
            continue
        sets.append((names, finding))
        authors = tuple(name for name in names if not any(name in value for value in credited))
        if authors and authors != names:
            sets.append((authors, finding))
    return sets


def spelled(names: Names, findings: Sequence[Finding]) -> Names:
    """Names, those in capitals as another source spells them, or else with capitalized words."""
    if not any(map(str.isupper, names)):
        return names
    others = (name for finding in findings for name in author_names(finding.values))
    known = {name.upper(): name for name in others if not name.isupper()}
    # Beside other names, one in capitals is an agency.
    recase = _capitalized if all(map(str.isupper, names)) or known else str
    return tuple(known.get(name) or recase(name) for name in names)


def _capitalized(name: str) -> str:
    """The words of a name in capitals, other than initials, with small letters."""
    parts = name.split()
    if len(parts) < 2 or not name.isupper():
        return name
    return " ".join(part.capitalize() if len(part) > 2 else part for part in parts)
