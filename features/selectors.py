"""Selectors of elements by tag, class and id, and by those of the parent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.snapshot import Snapshot

# A name without digits; one with digits is generated anew for every page.
NAME = lazy_re(r"[^\W\d][^\W\d-]*(?:-+[^\W\d-]+)*")
LONGEST = 60
MAX_CLASSES = 6

CHILD = " > "


class Selectors:
    """Index of a page's elements by simple selectors, such as ``main > div.story``.

    The selectors of an element are ``tag.class`` for each of its classes and ``tag#id``, or the
    tag if it has neither. Each may also be combined with a selector of the element's parent.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        names = (snapshot.attributes.column(name) for name in ("class", "id"))
        alike = np.stack([snapshot.tag.astype(np.int32), *names], axis=1)
        kinds, self._kind = np.unique(alike, axis=0, return_inverse=True)
        self._kind = self._kind.reshape(-1)
        strings = (*snapshot.attributes.strings, "")
        self._stable_names = [
            _stable_names(snapshot.tags[tag], strings[of_class], strings[of_id])
            for tag, of_class, of_id in kinds.tolist()
        ]
        self._kinds: dict[str, list[int]] = {}
        for kind, stable_names in enumerate(self._stable_names):
            for name in stable_names:
                self._kinds.setdefault(name, []).append(kind)

    def of(self, node: int) -> list[str]:
        """All selectors of an element."""
        own = self._stable_names[self._kind[node]]
        parent = int(self.snapshot.parent[node])
        around = self._stable_names[self._kind[parent]] if parent >= 0 else ()
        return [*own, *(f"{outer}{CHILD}{inner}" for outer in around for inner in own)]

    def kind_of(self, node: int) -> str:
        """The tag, classes and id of an element, as far as they do not vary between pages."""
        return ",".join(self._stable_names[self._kind[node]])

    def nodes(self, selector: str) -> NDArray[np.intp]:
        """Elements that match a selector, in document order."""
        outer, child, inner = selector.rpartition(CHILD)
        nodes = self._has_name(inner)[self._kind].nonzero()[0]
        if child:
            parent = self.snapshot.parent[nodes]
            nodes = nodes[(parent >= 0) & self._has_name(outer)[self._kind[parent]]]
        return nodes

    def _has_name(self, name: str) -> NDArray[np.bool_]:
        named = np.zeros(len(self._stable_names), bool)
        named[self._kinds.get(name, [])] = True
        return named


def _stable_names(tag: str, classes: str, name: str) -> tuple[str, ...]:
    names = [f"{tag}#{name}"] if is_stable(name) else []
    names += [f"{tag}.{each}" for each in classes.split()[:MAX_CLASSES] if is_stable(each)]
    return tuple(dict.fromkeys(names)) or (tag,)


def is_stable(name: str) -> bool:
    """Whether a class or an id is not generated anew for every page."""
    return len(name) <= LONGEST and NAME.fullmatch(name) is not None
