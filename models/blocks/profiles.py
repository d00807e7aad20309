"""Block profiles: the texts, terms, tags and classes by which blocks are compared.

Source: the X-CEX thesis, sections 4.2.2, 4.3.2 and A.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...features.block_sets import BlockSet
from ...features.hashes import subtree_hashes, text_hash
from ...features.short_texts import cached_if_short
from ...features.terms import terms
from ...features.words import count_words
from ...renderer.page.snapshot import Snapshot

Codes = NDArray[np.uint64]

# Maximum number of elements compared, the first ones of a block (a page may be one block).
MAX_TAGS = 2000

# Maximum number of characters compared of a block's text.
MAX_TEXT = 20_000


@dataclass(frozen=True, order=True)
class Structure:
    """The elements and classes of a block."""

    tags: tuple[str, ...]
    """Tags of its elements in document order."""
    levels: tuple[int, ...]
    """Level of each, 0 for the block itself."""
    classes: tuple[str, ...]
    """Distinct class names in the block, sorted."""

    @cached_property
    def tag_codes(self) -> Codes:
        """Hashes of the tags, for counting them over many blocks at once."""
        return name_codes(self.tags)

    @cached_property
    def class_codes(self) -> Codes:
        """Hashes of the classes."""
        return name_codes(self.classes)


@dataclass(frozen=True)
class Profile:
    """The properties of a block by which it is compared with others."""

    text: str
    """Its readable text, white space collapsed."""
    terms: tuple[str, ...]
    """Distinct terms of the text, sorted; see `miolo.features.terms`."""
    words: int
    """Number of terms, repeated ones included."""
    language: str
    """The page's language, which determines the stop words."""
    structure: Structure
    identity: int
    """Hash that is equal for identical blocks: of the markup for a block that is an element, else
    of the text."""

    @cached_property
    def term_codes(self) -> Codes:
        """Hashes of the terms."""
        return name_codes(self.terms)

    @classmethod
    def of(cls, text: str, language: str, structure: Structure, identity: int) -> Profile:
        """Profile of a block with this text."""
        text = text[:MAX_TEXT]
        found_terms = terms(text, language)
        return cls(
            text, tuple(sorted(set(found_terms))), len(found_terms), language, structure, identity
        )


def block_profiles(
    snapshot: Snapshot, blocks: BlockSet, *, by_text: bool = False
) -> dict[int, Profile]:
    """Profiles of the blocks that have words (thesis, section A.2.1), by block number.

    With `by_text`, blocks of equal text are identical regardless of their markup.
    """
    texts = blocks.texts(snapshot)
    if by_text:
        identities = list(map(text_hash, texts))
    else:
        identities = subtree_hashes(snapshot, "html")[blocks.roots].tolist()
    classes = dict(snapshot.attributes.with_attribute("class"))
    profiles = {}
    for number, (text, nodes) in enumerate(zip(texts, blocks.nodes(), strict=True)):
        if count_words(text):
            structure = _structure(snapshot, nodes, classes)
            language, identity = snapshot.page.language, identities[number]
            profiles[number] = Profile.of(text, language, structure, identity)
    return profiles


def _structure(snapshot: Snapshot, nodes: NDArray[np.intp], classes: dict[int, str]) -> Structure:
    elements = nodes[~snapshot.is_text[nodes]][:MAX_TAGS]
    levels = snapshot.depth[elements] - snapshot.depth[elements].min(initial=len(snapshot))
    names = {name for node in elements.tolist() for name in classes.get(node, "").split()}
    return Structure(
        tuple(snapshot.tag_name(node) for node in elements.tolist()),
        tuple(levels.tolist()),
        tuple(sorted(names)),
    )


def name_codes(names: Sequence[str]) -> Codes:
    """Hashes of names, uint64."""
    return np.fromiter(map(_code, names), np.uint64, len(names))


_code = cached_if_short(text_hash)
