"""Selection of blocks against every threshold, and copies and stories that are left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.article.decision import (
    LEAST,
    LONG,
    MAIN_SHARE,
    PULLED,
    STORY_HEADING,
    best_threshold,
    expected_f1,
    following_stories,
    group_means,
    headings_alone,
    line_numbers,
    listings_between,
    other_stories,
    pulled_quotes,
    without_copies,
    without_doubtful_ends,
)

blocks = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60)), max_size=12)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1), st.integers(0, 50)), max_size=8))
def test_expected_f1_is_that_of_the_expected_counts(rows):
    right = sum(n * p for kept, p, n in rows if kept)
    chosen, expected = sum(n for kept, _, n in rows if kept), sum(n * p for _, p, n in rows)
    precision, recall = right / max(chosen, 1e-12), right / max(expected, 1e-12)
    f1 = 2 * precision * recall / max(precision + recall, 1e-12)
    kept, probability, words = (np.array([row[i] for row in rows]) for i in range(3))
    ours = expected_f1(probability.astype(float), words.astype(float), kept.astype(bool))
    assert ours == pytest.approx(f1, abs=1e-6)


@given(blocks)
def test_no_threshold_has_a_higher_expected_f1(page):
    probability = np.array([p for p, _ in page], float)
    words = np.array([w for _, w in page], float)
    chosen = probability >= best_threshold(probability, words)
    if not (words[probability >= LEAST] > 0).any():
        assert not words[chosen].any()
        return
    best = expected_f1(probability, words, chosen)
    for threshold in probability[(words > 0) & (probability >= LEAST)]:
        assert best >= expected_f1(probability, words, probability >= threshold) - 1e-9


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60), st.integers(0, 3)), max_size=12))
def test_a_group_has_the_mean_of_its_blocks(page):
    rows = np.array(page, float).reshape(-1, 3)
    numbers = np.unique(rows[:, 2], return_inverse=True)[1].reshape(-1)
    means = group_means(rows[:, 0], rows[:, 1], numbers)
    for mean, (_, _, group) in zip(means, page, strict=True):
        same = [(p, np.sqrt(words + 1)) for p, words, other in page if other == group]
        expected = sum(p * weight for p, weight in same) / sum(weight for _, weight in same)
        assert mean == pytest.approx(expected)


def test_a_certain_page_is_cut_at_one_half():
    probability = np.array([1.0, 0.51, 0.49, 0.0, 1.0])
    chosen = probability >= best_threshold(probability, np.array([500.0, 1, 1, 300, 500]))
    assert chosen.tolist() == [True, True, False, False, True]


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1), st.floats(0, 1)), max_size=8))
def test_only_the_ends_of_a_text_are_left_out_as_remarks(rows):
    columns = (np.array(column) for column in zip(*rows, strict=True)) if rows else np.zeros((3, 0))
    kept, probability, remark = columns
    chosen = without_doubtful_ends(kept.astype(bool), probability, remark)
    left_out = (kept.astype(bool) & ~chosen).nonzero()[0]
    places = kept.nonzero()[0]
    assert not (chosen & ~kept.astype(bool)).any()
    assert set(left_out) <= {*places[:1], *places[-1:]}
    assert (probability[left_out] < 0.6).all()


def kept_texts(texts, hidden=(), parent=None):
    words = np.array([LONG if len(text) > 1 else 1 for text in texts], float)
    chosen = np.ones(len(texts), bool)
    unseen = np.isin(np.arange(len(texts)), hidden)
    around = np.zeros(len(texts), np.int32) if parent is None else np.array(parent, np.int32)
    kept = without_copies(texts, words, chosen, unseen, around)
    return "".join(text[0] for text, each in zip(texts, kept, strict=True) if each)


@pytest.mark.parametrize(
    ("texts", "options", "kept"),
    [
        ("aa bb cc aa bb cc", {}, "abc"),
        # Lines that are repeated within a text, at once, or in turn, and short ones.
        ("why? aa why? bb why? cc", {}, "wawbwc"),
        ("aa bb bb bb cc", {}, "abbbc"),
        ("aa bb cc aa bb cc aa bb cc", {}, "abcabcabc"),
        ("a b a b", {}, "abab"),
        ("aa bb cc aa bb cc aa bb cc", {"hidden": range(3, 9)}, "abc"),
        ("aa bb aa bb aa bb", {"parent": [0, 0, 1, 1, 2, 2]}, "ab"),
    ],
)
def test_a_second_rendering_is_left_out_and_a_repeated_line_stays(texts, options, kept):
    assert kept_texts(texts.split(), **options) == kept


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.data())
def test_a_hidden_text_of_several_shown_blocks_is_a_copy(lengths, data):
    shown = [f"Block {number} says" + " word" * length for number, length in enumerate(lengths)]
    first = data.draw(st.integers(0, len(shown) - 1))
    end = data.draw(st.integers(first + 1, len(shown)))
    copied = " ".join(shown[first:end])
    for hidden, is_copy in ((copied, len(copied) > 60), (f"{copied} otherwise", False)):
        texts = [*shown, hidden]
        words, chosen = np.full(len(texts), float(LONG)), np.ones(len(texts), bool)
        unseen = np.arange(len(texts)) == len(shown)
        parent = np.arange(len(texts), dtype=np.int32)
        kept = without_copies(texts, words, chosen, unseen, parent)
        assert kept[:-1].all()
        if is_copy or hidden != copied:
            assert kept[-1] != is_copy


def test_the_shown_one_of_two_copies_stays():
    texts = ["aa", "bb", "aa", "bb"]
    words, chosen = np.full(4, float(LONG)), np.ones(4, bool)
    hidden = np.array([True, True, False, False])
    kept = without_copies(texts, words, chosen, hidden, np.zeros(4, np.int32))
    assert kept.tolist() == [False, False, True, True]


@given(st.lists(st.sampled_from("abcd"), max_size=14), st.data())
def test_every_text_that_is_chosen_remains_once(letters, data):
    texts = [letter * 2 for letter in letters]
    flags = st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))
    chosen, hidden = (np.array(data.draw(flags), bool) for _ in range(2))
    parents = st.lists(st.integers(0, 2), min_size=len(texts), max_size=len(texts))
    parent = np.array(data.draw(parents), np.int32)
    kept = without_copies(texts, np.full(len(texts), float(LONG)), chosen, hidden, parent)
    assert not (kept & ~chosen).any()
    remaining = {text for text, each in zip(texts, kept, strict=True) if each}
    assert remaining == {text for text, each in zip(texts, chosen, strict=True) if each}


def stories(articles, levels, sure=None, title=0):
    """Indices of the blocks of other stories, on a page with one ten-word block per number."""
    article, level = np.array(articles, np.int32), np.array(levels, np.float32)
    probability = np.ones(len(articles)) if sure is None else np.array(sure, float)
    other = other_stories(article, level, title, probability, np.full(len(articles), 10.0))
    return np.flatnonzero(other).tolist()


def slow_other_stories(articles, levels, sure, title):
    """`stories`, by a search of each article."""
    mass = [10.0 * (chance >= 0.5) for chance in sure]
    main = sum(m for m, article in zip(mass, articles, strict=True) if article == articles[title])
    if articles[title] < 0 or main < MAIN_SHARE * sum(mass):
        return []
    other = []
    for article in {each for each in articles if each > articles[title]}:
        inside = [k for k, each in enumerate(articles) if each == article]
        first = next((k for k in inside if sure[k] >= 0.5), -1)
        if any(levels[k] <= STORY_HEADING for k in inside if k <= first):
            other += inside
    return sorted(other)


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(1, 7), st.sampled_from((0.1, 1.0))),
                min_size=1, max_size=14), st.data())  # fmt: skip
def test_other_stories_match_a_search_of_each_article(page, data):
    articles, levels, sure = (list(values) for values in zip(*page, strict=True))
    title = data.draw(st.integers(0, len(page) - 1))
    expected = slow_other_stories(articles, levels, sure, title)
    assert stories(articles, levels, sure, title) == expected


@pytest.mark.parametrize(
    ("levels", "heads", "moved", "others"),
    [
        ([1, 7, 7, 1, 7, 7], [4], False, [3, 4, 5]),
        ([1, 7, 7, 1, 7, 7], [], False, []),
        ([1, 7, 7, 1, 7, 7], [], True, [3, 4, 5]),
        ([2, 7, 7, 2, 7, 7], [4], False, []),
        ([2, 7, 7, 2, 7, 7], [4], True, [3, 4, 5]),
        ([1, 7, 7, 2, 7, 7], [4], True, [3, 4, 5]),
        ([1, 7, 7, 2, 7, 7], [4], False, []),
        ([1, 7, 7, 2, 7, 7], [], True, []),
        ([1, 7, 7, 7, 7, 1], [], True, []),
        ([1, 7, 7, 1, 7, 7], [2], False, []),
        ([1, 7, 7, 1, *[7] * 20], [4], False, []),
    ],
)
def test_a_story_begins_at_a_heading_as_high_as_the_title(levels, heads, moved, others):
    count = len(levels)
    is_head = np.isin(np.arange(count), heads)
    values = np.array(levels, np.float32), is_head, 0, np.ones(count), np.full(count, 60.0)
    texts = [f"text {number}" for number in range(count)]
    found = following_stories(texts, *values, moved=moved)
    assert np.flatnonzero(found).tolist() == others
    # The title may be shown twice.
    assert not following_stories([*texts[:3], texts[0], *texts[4:]], *values, moved=moved).any()


@pytest.mark.parametrize("is_signed", [True, False])
def test_stories_that_are_signed_above_as_the_first_is_may_each_be_a_small_part(is_signed):
    """Without a byline above the title, these are the entries of a live blog."""
    level = np.array([7, 1, 7, 7, 7, 7] * 6, np.float32)
    is_head = np.arange(36) % 6 == 0
    is_head[0] = is_signed
    texts = [f"text {number}" for number in range(36)]
    found = following_stories(texts, level, is_head, 1, np.ones(36), np.full(36, 60.0))
    assert np.flatnonzero(found).tolist() == ([*range(6, 36)] if is_signed else [])


def test_an_element_with_only_the_title_belongs_to_the_next_element():
    assert stories([3, *[9] * 9], [1, 2, *[7] * 8], sure=[0, *[1] * 9]) == []


@pytest.mark.parametrize("articles", [[-1, -1, 9, 9], []])
def test_no_block_is_another_story_without_an_element_around_the_title(articles):
    assert stories(articles, [1, 7, 1, 7][: len(articles)], title=-1) == []
    if articles:
        assert stories(articles, [1, 7, 1, 7]) == []


listing_pages = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.floats(0, 1), st.sampled_from(["1 2.", "x = 1"])),
    max_size=10,
)


@given(listing_pages)
def test_listings_between_blocks_of_the_text_have_the_lower_probability_of_these(page):
    is_pre, kept = (np.array([row[i] for row in page], bool) for i in range(2))
    probability = np.array([row[2] for row in page], float)
    texts = [row[3] for row in page]
    listing, raised = listings_between(texts, is_pre, ~kept, kept, probability)
    for place, text in enumerate(texts):
        others = [other for other in range(len(page)) if not is_pre[other]]
        before = max((other for other in others if other < place), default=None)
        after = min((other for other in others if other > place), default=None)
        expected = probability[place]
        if is_pre[place] and not kept[place] and None not in (before, after) and text == "x = 1":
            assert listing[place] == (kept[before] and kept[after])
            if listing[place]:
                expected = min(probability[before], probability[after])
        else:
            assert not listing[place]
        assert raised[place] == expected


HEADED = st.lists(st.tuples(st.integers(1, 7), st.booleans(), st.booleans()), max_size=9)


@pytest.mark.parametrize(
    ("quote", "pulled"),
    [
        ("“The Box is still sealed”", True),
        ("Nobody — has opened it…", True),
        ("それから扉は三度塗り直された", True),
        ("The box is still open", False),
        ("sealed", False),
    ],
)
def test_a_quotation_of_the_text_itself_is_a_pull_quote(quote, pulled):
    texts = [
        "The keys are gone. The box is still sealed, and nobody has opened it.",
        quote,
        "それから扉は三度塗り直された。今は緑色である。",
    ]
    is_quote, kept = np.array([False, True, False]), np.ones(3, bool)
    assert pulled_quotes(texts, is_quote, kept).tolist() == [False, pulled, False]


@given(st.lists(st.tuples(st.text("ab ", max_size=30), st.booleans(), st.booleans()), max_size=6))
def test_pull_quotes_are_those_whose_runs_all_occur_in_the_text(blocks):
    texts = [text for text, _, _ in blocks]
    quote, kept = (np.array([block[i] for block in blocks], bool) for i in (1, 2))
    text = " ".join(t.replace(" ", "") for t, q, k in blocks if k and not q)
    for pulled, (own, is_quote, is_kept) in zip(
        pulled_quotes(texts, quote, kept), blocks, strict=True
    ):
        whole = own.replace(" ", "")
        # A quotation that occurs whole is one; one with a run that does not occur is none.
        runs = [whole[at : at + PULLED] for at in range(len(whole) - PULLED + 1)]
        if is_quote and is_kept and runs and whole in text:
            assert pulled
        if not (is_quote and is_kept and runs) or whole[-PULLED:] not in text:
            assert not pulled


@given(HEADED)
def test_a_heading_is_alone_if_nothing_of_its_section_is_kept(rows):
    level, kept, shows = (np.array([row[i] for row in rows]) for i in range(3))
    none = np.full(len(rows), -1)
    alone = headings_alone(level.astype(float), none, kept.astype(bool), shows.astype(bool))
    has_text = any(each and rank > 6 for rank, each, _ in rows)
    for place, (rank, is_kept, _) in enumerate(rows):
        ends = [at for at in range(place + 1, len(rows)) if level[at] <= rank]
        section = rows[place : ends[0] if ends else len(rows)]
        empty = not any(each and (of > 6 or shown) for of, each, shown in section)
        assert alone[place] == (has_text and is_kept and rank <= 6 and empty)


@given(HEADED, st.data())
def test_a_heading_of_several_blocks_is_alone_if_it_would_be_as_one_block(rows, data):
    parts = [data.draw(st.integers(1, 3)) if rank <= 6 else 1 for rank, _, _ in rows]
    level, kept, shows = (np.array([row[i] for row in rows], float) for i in range(3))
    of = np.repeat(np.arange(len(rows)), parts)
    whole, divided = (
        headings_alone(level[rows], rows, kept[rows].astype(bool), shows[rows].astype(bool))
        for rows in (np.arange(len(rows)), of)
    )
    assert (divided == whole[of]).all()


@given(st.integers(0, 99), st.integers(2, 6), st.integers(-3, 3), st.booleans())
def test_numbers_of_lines_are_as_many_as_the_lines_after_them(first, count, more, is_pre):
    numbers = "\n".join(map(str, range(first, first + count)))
    listing = "\n".join(["total += 1"] * max(1, count + more))
    of = line_numbers([numbers, listing], np.array([True, is_pre]))
    assert of.tolist() == [is_pre and abs(max(1, count + more) - count) <= 1, False]


@pytest.mark.parametrize("text", ["1\n3", "7", "1\n2\nx", "", "9" * 5000 + "\n1"])
def test_other_text_before_a_listing_is_no_number_of_its_lines(text):
    assert not line_numbers([text, "one\ntwo"], np.array([True, True])).any()
