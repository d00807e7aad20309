"""Words and widths of all scripts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features import words as module
from miolo.features.words import (
    count_chars,
    count_texts_at_once,
    count_words,
    words,
)

# Adjacent characters of all kinds, voiced marks, and characters outside the table.
MIXED = st.text(
    st.one_of(
        st.sampled_from(
            "ab1_ \t\n\xa0\u3000\u0301\u3099\u200c\u200b北かｶ한\ud800\U0001f600\U00020000"
        ),
        st.characters(codec=None),
    ),
    max_size=12,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's 12.5 o'clock", ["It", "s", "12", "5", "o", "clock"]),
        ("naïve cafe\u0301", ["naïve", "cafe\u0301"]),
        ("北京大学 2024", ["北", "京", "大", "学", "2024"]),
        ("東京タワーへ", ["東", "京", "タ", "ワ", "ー", "へ"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("مَرحبا بكم", ["مَرحبا", "بكم"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("می\u200cروم", ["می\u200cروم"]),
        ("snake_case — !", ["snake", "case"]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected
    assert count_words(text) == len(expected)


def test_widths():
    assert count_chars("  two   words ") == 9
    assert count_chars("北京") == 4
    assert count_chars("北京", wide=False) == 2
    assert count_chars("e\u0301") == 1
    assert count_chars("a\u200bb") == 2


@given(st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])))
def test_letters_and_digits_are_all_in_some_word(text):
    inside = "".join(words(text))
    for character in text:
        if unicodedata.category(character)[0] == "L":
            assert character in inside


@given(st.lists(MIXED, max_size=8), st.booleans(), st.sampled_from([1, 5, 1 << 20]))
def test_batch_counts_match_those_of_single_texts(texts, wide, batch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH", batch)
        chars, word_counts = count_texts_at_once(texts, wide=wide)
    assert chars.tolist() == [count_chars(text, wide=wide) for text in texts]
    assert word_counts.tolist() == [count_words(text) for text in texts]


@pytest.mark.parametrize("around", ["x{}y {}", "é{}ß – {}"])
def test_short_patterns_find_the_same_words_as_the_full_pattern(around):
    full = module._patterns()[0]
    for code in range(0x10000):
        text = around.format(chr(code), chr(code))
        assert words(text) == full.findall(text)
