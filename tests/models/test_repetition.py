"""Repetitions against a quadratic longest common subsequence and a plain graph search."""

from hypothesis import given
from hypothesis import strategies as st
from miolo.models.repetition import RepetitionRule, first_repetition

TEXTS = st.lists(st.text("ab ", min_size=1, max_size=8), max_size=12)


def common(a: str, b: str) -> int:
    rows = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            rows[i + 1][j + 1] = rows[i][j] + 1 if x == y else max(rows[i][j + 1], rows[i + 1][j])
    return rows[-1][-1]


def alike(a: str, b: str, rule: RepetitionRule) -> bool:
    short, long = sorted((len(a), len(b)))
    return short >= rule.min_length_ratio * long and common(a, b) >= rule.min_common * short


def components(texts, rule):
    """Components of the graph over a prefix of the list."""
    groups = []
    for q, text in enumerate(texts):
        joined = {q}
        for p in range(max(0, q - rule.max_distance), q):
            if alike(texts[p], text, rule):
                joined |= next(c for c in groups if p in c)
        groups = [c for c in groups if not c & joined] + [joined]
    return groups


def reference(texts, rule):
    for stop in range(1, len(texts) + 1):
        large = [c for c in components(texts[:stop], rule) if len(c) >= 3]
        if large and rule.literal:
            return tuple(sorted(large[0]))
        if large:
            whole = components(texts, rule)
            return tuple(sorted(next(c for c in whole if large[0] <= c)))
    return None


@given(
    TEXTS,
    st.integers(1, 6),
    st.sampled_from([0.5, 0.8, 1.0]),
    st.sampled_from([0.0, 0.5]),
    st.booleans(),
)
def test_the_first_component_matches_the_reference(texts, distance, share, ratio, literal):
    rule = RepetitionRule(distance, share, ratio, literal)
    assert first_repetition(texts, rule) == reference(texts, rule)


def test_bylines_are_found_between_other_texts():
    bylines = [f"Written by reader {name} on 1 May" for name in ("Ana", "Bob", "Cleo")]
    others = ["Quite another thing altogether", "Nobody agrees with this", "Zzz"]
    texts = [text for pair in zip(bylines, others, strict=True) for text in pair]
    assert first_repetition(texts, RepetitionRule()) == (0, 2, 4)
