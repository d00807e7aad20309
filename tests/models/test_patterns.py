"""Patterns: joins of nodes, composition, promotion and lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo import ArchiveError
from miolo.models.wrappers.matching import match_pattern
from miolo.models.wrappers.patterns import Kind, Pattern, compose, join, promote
from random_pages import RULES, learn, page_of, pages

rules = pytest.mark.parametrize("rules", RULES)
groups = st.lists(pages(), min_size=1, max_size=4)

# Definition 4.5 as published, except for nodes with different labels.
TABLE = {
    "**": "*", "*+": "*", "*?": "*", "*.": "*", "*n": "*",
    "++": "+", "+.": "+", "+?": "*", "+n": "+",
    "..": ".", ".?": "?", ".n": ".", "??": "?", "?n": "?", "nn": "n",
}  # fmt: skip
KIND = dict(zip("n.+?*", Kind, strict=True))


@pytest.mark.parametrize(("pair", "expected"), TABLE.items())
def test_the_join_matches_the_published_table(pair, expected):
    one, two = (KIND[sign] for sign in pair)
    assert join(one, two) == join(two, one) == KIND[expected]


@rules
@given(group=groups, chance=st.randoms())
def test_a_pattern_accepts_its_pages_in_any_order(group, rules, chance):
    for _ in range(2):
        pattern = learn(group, rules)
        assert all(match_pattern(pattern, page) for page in group)
        chance.shuffle(group)


@rules
@given(group=groups, more=groups, other=pages())
def test_a_composition_accepts_what_either_pattern_accepts(group, more, other, rules):
    operands = learn(group, rules), learn(more, rules)
    both = compose(*operands)
    promoted = promote(both, literal=rules == "literal") if rules else both
    if any(match_pattern(pattern, other) for pattern in operands):
        assert match_pattern(both, other)
    if match_pattern(both, other):
        assert match_pattern(promoted, other)


@rules
@given(group=groups)
def test_lines_describe_a_pattern_completely(group, rules):
    pattern = learn(group, rules)
    again = Pattern.from_lines(pattern.lines())
    assert again == pattern
    assert (again.parent == pattern.parent).all()
    assert (again.kind == pattern.kind).all()
    assert again.labels == pattern.labels
    # A wildcard is a leaf.
    assert not set(pattern.parent.tolist()) & set(pattern.wildcards.tolist())


def row(*children: str) -> Pattern:
    """A pattern of one level, with wildcards given by their signs."""
    return Pattern.from_lines(["html", *(" " + child for child in children)])


@pytest.mark.parametrize(
    ("before", "after"),
    [(".???", "+"), ("+???", "+"), ("????", "*"), ("*???", "*"), (".?", "+"), ("??", "*")],
)
def test_runs_are_promoted_as_published(before, after):
    assert promote(row(*before), literal=True) == row(after)


def test_a_body_is_one_wildcard_from_its_first_paragraph_on():
    def page(*paragraphs):
        count = len(paragraphs)
        texts = [label for text in paragraphs for label in ("p", f'"{text}')]
        parent = [-1, 0, 1, 0, *[node for i in range(count) for node in (3, 4 + 2 * i)]]
        return page_of(parent, ["html", "nav", '"Menu', "div", *texts])

    group = [page("a", "b", "c", "d", "e"), page("f", "g"), page("h", "i", "j")]
    assert learn(group, "promoted").lines() == ["html", " nav", '  "Menu', " div", "  +"]
    # In the literal form, paragraphs that all pages have stay apart.
    assert learn(group, "literal").lines()[-4:] == ["   .", "  p", "   .", "  *"]


@pytest.mark.parametrize(
    "lines", [[], [""], [" html"], ["html", "body"], ["html", "  body"], [".", " p"]]
)
def test_invalid_patterns_are_errors(lines):
    with pytest.raises(ArchiveError, match="pattern"):
        Pattern.from_lines(lines)
