"""Scores of roles, and the picture of their confusions."""

import json

import numpy as np
from miolo.evaluate.role_scores import RoleScores, role_table
from miolo.models.article.roles import ROLES


def confusion_of(*pairs: tuple[str, str]) -> RoleScores:
    confusion = np.zeros((len(ROLES), len(ROLES)), np.int64)
    for true, predicted in pairs:
        confusion[ROLES.index(true), ROLES.index(predicted)] += 1
    return RoleScores(confusion, 0)


def test_figures_without_a_value_are_a_dash_in_the_table_and_null_in_json():
    figures = confusion_of(("title", "title"), ("byline", "kicker")).figures()
    rows = {line.split()[0]: line.split()[2:] for line in role_table(figures).splitlines()[1:]}
    assert rows["title"] == ["1.000", "1.000", "1.000", "1"]
    assert rows["byline"] == ["–", "0.000", "0.000", "1"]
    assert rows["kicker"] == ["0.000", "–", "–", "0"]
    assert rows["caption"] == ["–", "–", "–", "0"]
    assert len({len(line) for line in role_table(figures).splitlines()}) == 1
    assert json.loads(json.dumps(figures))["scores"]["kicker"]["recall"] is None
