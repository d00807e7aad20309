"""Scores of roles, and the picture of their confusions."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from miolo.evaluate.role_scores import RoleScores, role_table
from miolo.models.article.roles import ROLES

confusions = arrays(np.int64, (len(ROLES), len(ROLES)), elements=st.integers(0, 2), fill=st.just(0))


def confusion_of(*pairs: tuple[str, str]) -> RoleScores:
    confusion = np.zeros((len(ROLES), len(ROLES)), np.int64)
    for true, predicted in pairs:
        confusion[ROLES.index(true), ROLES.index(predicted)] += 1
    return RoleScores(confusion, 0)


@given(confusions)
def test_only_defined_figures_are_numbers(confusion):
    scores = RoleScores(confusion, 0).figures()["scores"]
    for code, role in enumerate(ROLES):
        row, true, predictions = scores[role], confusion[code].sum(), confusion[:, code].sum()
        both = confusion[code, code]
        assert row["blocks"] == true
        assert (row["precision"] is None) == (predictions == 0)
        assert (row["recall"] is None) == (row["f1"] is None) == (true == 0)
        if predictions:
            assert row["precision"] == pytest.approx(both / predictions, abs=1e-4)
        if true:
            assert row["recall"] == pytest.approx(both / true, abs=1e-4)
            assert row["f1"] == pytest.approx(2 * both / (true + predictions), abs=1e-4)


def test_figures_without_a_value_are_a_dash_in_the_table_and_null_in_json():
    figures = confusion_of(("title", "title"), ("byline", "kicker")).figures()
    rows = {line.split()[0]: line.split()[2:] for line in role_table(figures).splitlines()[1:]}
    assert rows["title"] == ["1.000", "1.000", "1.000", "1"]
    assert rows["byline"] == ["–", "0.000", "0.000", "1"]
    assert rows["kicker"] == ["0.000", "–", "–", "0"]
    assert rows["caption"] == ["–", "–", "–", "0"]
    assert len({len(line) for line in role_table(figures).splitlines()}) == 1
    assert json.loads(json.dumps(figures))["scores"]["kicker"]["recall"] is None
