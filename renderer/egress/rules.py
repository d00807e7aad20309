"""Chromium's ``--host-resolver-rules``, for names that Miolo resolves in its place.

A filtered page's names are resolved beside Chromium, and Chromium resolves none. Whoever gives
the switch means his rules to hold there too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from .resolver import NotResolvedError, Resolve

__all__ = ["RULES_SWITCH", "with_rules"]

RULES_SWITCH = "--host-resolver-rules="

NOT_FOUND = "~notfound"


@dataclass(frozen=True)
class _Rules:
    mapped: tuple[tuple[str, str], ...]
    excluded: tuple[str, ...]

    def target(self, host: str) -> str:
        """What is resolved in place of a host: as in Chromium the first rule that fits."""
        if any(fnmatchcase(host, pattern) for pattern in self.excluded):
            return host
        return next((to for pattern, to in self.mapped if fnmatchcase(host, pattern)), host)


def with_rules(resolve: Resolve, switches: Iterable[str]) -> Resolve:
    """A resolver that heeds the rules among a browser's switches, the last where there are more.

    Raises
    ------
    ValueError
        A rule is none that can be heeded here: a replacement with a port.
    """
    given = [s.removeprefix(RULES_SWITCH) for s in switches if s.startswith(RULES_SWITCH)]
    if not given:
        return resolve
    rules = _parse(given[-1])

    async def resolved(host: str) -> Sequence[str]:
        target = rules.target(host)
        if target == NOT_FOUND:
            raise NotResolvedError(f"a rule of {RULES_SWITCH} keeps {host} from being found")
        return await resolve(target)

    return resolved


def _parse(text: str) -> _Rules:
    mapped, excluded = [], []
    for rule in text.lower().split(","):
        match rule.split():
            case ["map", pattern, to] if ":" not in to:
                mapped.append((pattern, to))
            case ["exclude", pattern]:
                excluded.append(pattern)
            case _:
                raise ValueError(f"{rule.strip()!r}: a filtered page heeds only MAP and EXCLUDE")
    return _Rules(tuple(mapped), tuple(excluded))
