"""Counts of characters in a batch of texts against the kind of each single character."""

import re
import unicodedata
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from miolo.features.article import characters as module
from miolo.features.article.characters import KINDS, CharacterCounts
from miolo.features.words import SPACELESS, count_words

LETTERS = {"Lu": "capital", "Lt": "capital", "Ll": "small", "Lm": "small", "Lo": "small"}

# Adjacent characters of all kinds, marks without a letter, and characters outside the BMP.
MIXED = st.text(
    st.one_of(
        st.sampled_from(
            "aBǅ1½Ⅷ_ \t\n\xa0\u0301\u3099\u200c北かｶ한，。：「」（）|•→–"
            "\ud800\U0001f600\U00020000\U0001d400"
        ),
        st.characters(codec=None),
    ),
    max_size=12,
)


def kind_of(character: str) -> str:
    for kind, signs in module._SIGNS.items():
        if character in signs:
            return kind
    if re.match(f"[{SPACELESS}]", character):
        return "ideograph"
    if character.isspace():
        return "space"
    if ord(character) > 0xFFFF:
        return "other"
    category = unicodedata.category(character)
    return LETTERS.get(category, {"M": "mark", "N": "digit"}.get(category[0], "other"))


@given(st.lists(MIXED, max_size=8))
def test_batch_counts_match_those_of_single_characters(texts):
    counts = CharacterCounts(texts)
    kinds = [list(map(kind_of, text)) for text in texts]
    assert counts.kinds.shape == (len(texts), len(KINDS))
    for kind in KINDS:
        assert counts.of(kind).tolist() == [Counter(text_kinds)[kind] for text_kinds in kinds]
        assert counts.begins(kind).tolist() == [
            (text_kinds or ["space"])[0] == kind for text_kinds in kinds
        ]
        assert counts.ends(kind).tolist() == [
            (text_kinds or ["space"])[-1] == kind for text_kinds in kinds
        ]
    assert counts.words.tolist() == [count_words(text) for text in texts]
