"""Headlines: size, overlap and ties."""

from miolo.models.headline import HeadlineRule, best_headline

BODY = "the cat sat on the mat while the dog slept by the fire".split()


def candidate(node: int, text: str):
    return node, text.split(), len(text)


def test_the_longest_repeated_headline_is_taken():
    candidates = [
        candidate(1, "the cat sat"),  # too few words
        candidate(2, "The Dog slept by the fire"),
        candidate(3, "a wholly different line of words"),
        candidate(4, "the mat the cat"),
    ]
    assert best_headline(candidates, BODY, HeadlineRule()) == (2, 1.0)


def test_words_count_as_often_as_they_occur():
    five = [candidate(1, "cat cat cat cat cat")]
    assert best_headline(five, BODY, HeadlineRule()) is None
    assert best_headline(five, BODY, HeadlineRule(min_overlap=0.2)) == (1, 0.2)


def test_the_last_of_equally_long_headlines_is_taken():
    pair = [candidate(1, "the cat sat on"), candidate(2, "the dog sat by")]
    assert best_headline(pair, BODY, HeadlineRule()) == (2, 1.0)


def test_the_literal_bounds_exclude_longer_headlines():
    literal = HeadlineRule(1, 4)
    assert best_headline([candidate(2, "the dog slept by the fire")], BODY, literal) is None
    assert best_headline([candidate(2, "cat")], BODY, literal) == (2, 1.0)
