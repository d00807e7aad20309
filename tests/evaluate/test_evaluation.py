"""Measures, intervals and folds, each against a slow and obvious reference."""

from collections import Counter

import miolo
import numpy as np
import pytest
from cases import case_of
from hypothesis import given
from hypothesis import strategies as st
from miolo.evaluate.held_out import MAX_LEARNED, learned_from, out_of_fold
from miolo.evaluate.page_sets import page_cases
from miolo.evaluate.site_sets import SiteCases, site_cases
from miolo.evaluate.summary import (
    draws,
    f1_of_draws,
    measure,
    same_day,
    same_title,
)
from miolo.evaluate.systems import Answer
from miolo.extract.scoring import PageScore, score_set
from miolo.models.article.training import group_folds

shares = st.floats(0, 1)


def test_titles_are_compared_by_their_words():
    assert same_title("“Brexit”: what’s next?", "BREXIT – what's next")
    assert same_title("Brexit", "Brexit | The Paper") is False
    assert same_title("Brexit", None) is False
    assert same_title(None, "Brexit") is None
    assert same_title(" – ", "Brexit") is None


def test_dates_are_compared_by_their_day():
    assert same_day("2024-05-03 15:47:42+00:00", "2024-05-03")
    assert same_day("2024-05-03", "2024-05-04T00:10:00+02:00") is False
    assert same_day("2024-05-03", None) is False
    for unknown in (None, "NaT", "2003-11", "3 May 2024", "2024-05-031"):
        assert same_day(unknown, "2024-05-03") is None


def test_an_empty_answer_is_right_where_there_is_no_article():
    assert measure(case_of(text=""), Answer()).score.exact
    assert measure(case_of(text="a b c d e"), Answer()).score.f1 == 0


pages_of_groups = st.lists(st.tuples(st.integers(0, 3), shares, shares), min_size=1, max_size=8)


@given(pages_of_groups)
def test_f1_of_draws_matches_the_drawn_pages(pages):
    names, group = np.unique([name for name, *_ in pages], return_inverse=True)
    drawn = draws(len(names), 20)
    of_page = [PageScore(p, r, False) for _, p, r in pages]
    for row, f1 in zip(drawn, f1_of_draws(drawn, group, of_page), strict=True):
        assert row.sum() == len(names)
        scores = [s for place, s in enumerate(of_page) for _ in range(row[group[place]])]
        assert f1 == pytest.approx(score_set(scores).f1)


named = st.lists(st.sampled_from("abcdefghij"), max_size=40)


@given(named, st.integers(0, 6))
def test_folds_keep_groups_together_and_are_balanced(groups, k):
    number = group_folds(groups, k)
    assert number.shape == (len(groups),)
    sizes, filled = Counter(groups), Counter(number.tolist())
    of_group = dict(zip(groups, number.tolist(), strict=True))
    assert [of_group[group] for group in groups] == number.tolist()
    expected = min(k, len(sizes)) or len(sizes)
    assert set(filled) == set(range(expected))
    if filled:
        assert max(filled.values()) - min(filled.values()) <= max(sizes.values())
    assert group_folds(groups[::-1], k)[::-1].tolist() == number.tolist()


def test_models_do_not_judge_pages_that_they_have_seen():
    cases = [case_of(str(n), f"text {n}", group="abcd"[n % 4]) for n in range(12)]
    trained = []
    inputs = out_of_fold(
        cases, group_folds([c.group for c in cases], 2), lambda seen: trained.append(seen) or seen
    )
    assert not trained
    for case in cases:
        seen = inputs(case)
        assert case.group not in {other.group for other in seen}
        assert len(seen) == 6
    assert len(trained) == 2


@given(st.integers(1, 70), st.integers(0, 70))
def test_a_site_is_not_learned_from_the_page_it_judges(judged, others):
    posts = [case_of(str(n)) for n in range(judged + others)]
    site = SiteCases(tuple(posts[:judged]), tuple(posts[judged:]))
    for post in site.judged:
        learned = learned_from(site, post)
        assert post not in learned
        assert len(learned) <= MAX_LEARNED
        if judged + others > 10:
            assert len(learned) >= min(10, judged - judged // 5 - 1 + others)


def test_pages_without_a_truth_are_skipped_and_reported(tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    truths = {
        "a": '{"text": "A", "url": "https://a.b.example.co.uk/", "date": 3, "type": "forum"}',
        "b": "{", "c": '{"text": null}', "d": "[]", "e": "[" * 9999, "g": '{"text": "\\ud800"}',
    }  # fmt: skip
    for name, truth in truths.items():
        (folder / f"{name}.json").write_text(truth)
    for name in "abcdefg":
        (folder / f"{name}.html").write_text("<p>")
    messages = []
    cases = page_cases([folder], tmp_path, log=messages.append)
    assert [case.id for case in cases] == ["a", "g"]
    assert len(messages) == 5
    assert (cases[0].group, cases[0].date) == ("example.co.uk", None)
    assert cases[1].group == "set/g"
    assert cases[0].saved == tmp_path / "set-snapshots" / "a.miolo"
    # A page without a declared kind counts as an article.
    chosen = page_cases(
        [folder], tmp_path, kinds=("article", "manual"), limit=1, log=messages.append
    )
    assert [case.id for case in chosen] == ["g"]


def test_an_evaluation_without_pages_is_an_error(tmp_path):
    with pytest.raises(miolo.EmptyInputError, match="no page"):
        page_cases([tmp_path], tmp_path, log=print)
    with pytest.raises(miolo.EmptyInputError, match="same name"):
        page_cases([tmp_path, tmp_path], tmp_path, log=print)


@pytest.mark.parametrize("table", ["{", "[]", '{"a": 1}', '{"a": {"posts": [1]}}', "{}"])
def test_a_damaged_table_of_sites_is_an_error(tmp_path, table):
    folder = tmp_path / "sites"
    folder.mkdir()
    (folder / "sites.json").write_text(table)
    with pytest.raises((miolo.ArchiveError, miolo.EmptyInputError)):
        site_cases(folder, tmp_path, log=print)
