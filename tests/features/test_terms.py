from __future__ import annotations

import pytest
from miolo.features.terms import stop_words, terms


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The cat sat on the Mat", "en-GB", ["cat", "sat", "mat"]),
        ("O gato está na casa", "pt-BR", ["gato", "casa"]),
        ("Это кот и дом", "ru", ["кот", "дом"]),
        ("The cat", "", ["the", "cat"]),
        ("The cat", "tlh", ["the", "cat"]),
    ],
)
def test_stop_words_of_the_language_are_left_out(text, language, expected):
    assert terms(text, language) == expected


def test_ascii_words_lose_accented_ones_as_in_the_thesis():
    assert terms("água do mar", ascii_only=True) == ["do", "mar"]


def test_an_unknown_language_has_no_stop_words():
    assert stop_words("xx") == frozenset()
