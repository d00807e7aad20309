"""What blocks are compared by: their texts, terms, tags and classes.

Source: the X-CEX thesis, sections 4.2.2, 4.3.2 and A.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ...features.block_sets import BlockSet
from ...features.hashes import subtree_hashes, text_hash
from ...features.terms import terms
from ...features.words import count_words
from ...renderer.snapshot import Snapshot

__all__ = ["Codes", "Profile", "Structure", "block_profiles", "name_codes"]

Codes = NDArray[np.uint64]

# Of a block with more elements (a page in one block) the first are compared.
MAX_TAGS = 2000

# The same for its text, in characters.
MAX_TEXT = 20_000


@dataclass(frozen=True, order=True)
class Structure:
    """How a block is built.

    Attributes
    ----------
    tags
        Tags of its elements in document order.
    levels
        Level of each, 0 for the block itself.
    classes
        Distinct class names in the block, sorted.
    """

    tags: tuple[str, ...]
    levels: tuple[int, ...]
    classes: tuple[str, ...]

    @cached_property
    def tag_codes(self) -> Codes:
        """Tags as numbers, for counting them over many blocks at once."""
        return name_codes(self.tags)

    @cached_property
    def class_codes(self) -> Codes:
        """Classes as numbers."""
        return name_codes(self.classes)


@dataclass(frozen=True)
class Profile:
    """A block, as others are compared with it.

    Attributes
    ----------
    text
        Its readable text, white space collapsed.
    terms
        Distinct terms of the text, sorted; see `miolo.features.terms`.
    words
        Number of terms, repeated ones included.
    language
        That of the page, which decides on stop words.
    structure
        Its elements.
    identity
        Hash of what makes two blocks identical: the markup of a block that is an element,
        or the text.
    """

    text: str
    terms: tuple[str, ...]
    words: int
    language: str
    structure: Structure
    identity: int

    @cached_property
    def term_codes(self) -> Codes:
        """Terms as numbers."""
        return name_codes(self.terms)

    @classmethod
    def of(
        cls, text: str, language: str, structure: Structure, identity: int, ascii_only: bool
    ) -> Profile:
        """Profile of a block with this text."""
        text = text[:MAX_TEXT]
        found_terms = terms(text, language, ascii_only=ascii_only)
        return cls(
            text, tuple(sorted(set(found_terms))), len(found_terms), language, structure, identity
        )


def block_profiles(
    snapshot: Snapshot, blocks: BlockSet, *, by_text: bool = False, ascii_only: bool = False
) -> dict[int, Profile]:
    """Profiles of the blocks with words, by the block's number.

    Parameters
    ----------
    snapshot
        The page.
    blocks
        Its blocks. Those without words are left out (thesis, section A.2.1).
    by_text
        Blocks of equal text are identical whatever their markup.
    ascii_only
        Terms as the thesis has them; see `miolo.features.terms.terms`.
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
            profiles[number] = Profile.of(text, language, structure, identity, ascii_only)
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


_code = lru_cache(maxsize=1 << 16)(text_hash)
