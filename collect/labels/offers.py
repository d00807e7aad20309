"""`offered_roles`: roles that a labeller's finished pages of a site give to another page of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from .store import LabelledPage

Key = tuple[str, ...]


def offered_roles(page: LabelledPage, finished: Sequence[LabelledPage]) -> dict[int, str]:
    """Roles of the blocks of a page that differ from what other pages of its template have there.

    Blocks of one text in one place of the template, or else all blocks of this place, must have the
    same role on all finished pages, and the labeller must have set one of them by hand: what was
    only accepted says no more than the suggestion.

    Parameters
    ----------
    page
        The page, with the labels of a labeller.
    finished
        Finished pages of the same site and labeller.

    Returns
    -------
    The role of each block that gets another one, by its number.
    """
    roles: dict[Key, Counter[str]] = defaultdict(Counter)
    corrected: set[Key] = set()
    for each in finished:
        for block, keys in enumerate(_keys(each)):
            for key in keys:
                roles[key][each.roles[block]] += 1
                if each.times[block] is not None:
                    corrected.add(key)
    known = {key: next(iter(count)) for key, count in roles.items() if len(count) == 1}
    return dict(_offers(page, {key: role for key, role in known.items() if key in corrected}))


def _offers(page: LabelledPage, known: Mapping[Key, str]) -> Iterator[tuple[int, str]]:
    for block, keys in enumerate(_keys(page)):
        role = next((known[key] for key in keys if key in known), page.roles[block])
        if page.times[block] is None and role != page.roles[block]:
            yield block, role


def _keys(page: LabelledPage) -> Iterator[tuple[Key, Key]]:
    """Keys of each block, from the most to the least exact."""
    for place, text in zip(page.places, page.texts, strict=True):
        yield (place, text), (place,)
