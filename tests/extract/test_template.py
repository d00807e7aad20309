"""The template method."""

import miolo
import pytest
from newsroom import PAGES


@pytest.mark.parametrize("kind", list(PAGES)[:24:4])
def test_scores_are_probabilities_and_no_parent_exceeds_its_children(stage, kind):
    judged = miolo.extract_snapshot(stage.render(kind), method="template").template
    assert judged is not None
    for scores in (judged.raw, judged.smoothed):
        assert ((scores >= 0) & (scores <= 1)).all()
    below = judged.tree.parent >= 0
    above = judged.tree.parent[below]
    assert (judged.smoothed[above] <= judged.smoothed[below]).all()
    assert not (judged.content & judged.template).any()
    # Every descendant of a content node is content.
    assert judged.content[below][judged.content[above]].all()


def test_a_page_without_layout_has_a_warning():
    html = "<nav><a href=/>Home</a></nav><main>" + "<p>A long story. " * 40
    article = miolo.extract_snapshot(miolo.Snapshot.from_html(html), method="template")
    assert "no-geometry" in [warning.code for warning in article.warnings]
    empty = miolo.extract_snapshot(miolo.Snapshot.from_html(""), method="template")
    assert empty.text == ""
    assert "no-content" in [warning.code for warning in empty.warnings]
