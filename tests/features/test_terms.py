import pytest
from miolo.features.terms import terms


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


def test_terms_of_segments_are_folded_and_without_particles():
    cut = {"の樹木は木である": ["の", "樹木", "は", "木", "である"]}
    assert terms("DOMの樹木は木である", "ja", segment=cut.__getitem__) == ["dom", "樹木"]


def test_each_ideograph_is_a_term_without_a_segmenter():
    assert terms("网页净化", "zh") == ["网", "页", "净", "化"]
