"""Each feature of scripts responds to what it is named after, and to nothing else."""

import math

import miolo
import pytest
from miolo.features.scripts import SCRIPT_FEATURES, script_features

PAGE = "<title>Snow</title><main><h1>Snow</h1><p>" + 40 * "It fell on the pass. " + "</p></main>"


def values(html: str) -> dict[str, float]:
    row = script_features(miolo.Snapshot.from_html(html))
    return dict(zip(SCRIPT_FEATURES, row.tolist(), strict=True))


def changed(html: str) -> set[str]:
    """Names of the features that differ from those of `PAGE`, except the share of text."""
    before, after = values(PAGE), values(html)
    return {name for name in before if before[name] != after[name]} - {"text share"}


@pytest.mark.parametrize(
    ("html", "names"),
    [
        (PAGE, set()),
        (PAGE + "<script>start()</script>", {"no scripts"}),
        (PAGE + "<script type=application/json>{}</script>", {"data characters"}),
        (PAGE + "<script src=/a.js></script>", {"no scripts"}),
        (PAGE + "<script type=application/ld+json>{}</script>", set()),
        (PAGE + "<p>More.</p>", {"text characters"}),
        (PAGE + "<div class=slot></div>", {"empty containers"}),
        (PAGE + "<div id=__next></div>", {"empty containers", "empty root"}),
        (PAGE + "<p>Loading…</p>", {"text characters", "loading"}),
        (
            "<title>Snow</title><main></main>",
            {"text characters", "empty article", "empty containers"},
        ),
    ],
)
def test_a_feature_responds_to_what_it_is_named_after(html: str, names: set[str]) -> None:
    assert changed(html) == names


def test_counts_are_logarithms_of_the_count_plus_one() -> None:
    page = values(PAGE + 2 * "<div class=slot></div>" + 4 * "<p>Loading…</p>")
    assert page["empty containers"] == pytest.approx(math.log(3))
    assert page["loading"] == pytest.approx(math.log(5))
