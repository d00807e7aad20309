"""The seven columns of template features, recounted node by node."""

import miolo
import numpy as np
import pytest
from miolo.features.counts import count_nodes
from miolo.features.template import MIN_AREA, TEMPLATE_FEATURES, node_areas, template_features
from miolo.renderer.page.markup import outer_html


def recount(snapshot, node):
    """A row of features, computed from the counts of the node."""
    counts = count_nodes(snapshot)
    x, y = snapshot.box[node, :2]
    width, height = snapshot.page.page_size
    words, links = counts.text.words[node], counts.links[node]
    return [
        x / width,
        y / height,
        links / words if words else links,
        counts.text.link_words[node] / words if words else 0,
        counts.text.link_words[node] / links if links else 0,
        counts.intra_links[node] / links if links else 0,
        min(1, counts.text.chars[node] / len(outer_html(snapshot, node))),
    ]


@pytest.mark.parametrize("kind", ["related-rails", "nested-tables", "chinese"])
def test_every_column_matches_its_name(stage, kind):
    snapshot = stage.render(kind)
    features = template_features(snapshot)
    assert features.shape == (len(snapshot), len(TEMPLATE_FEATURES))
    whole = [n for n in range(len(snapshot)) if not holds_programs(snapshot, n)]
    for node in whole[:: max(1, len(whole) // 25)]:
        assert features[node] == pytest.approx(recount(snapshot, node), rel=1e-6)


def holds_programs(snapshot, node):
    """Whether the subtree's markup has parts that `outer_html` leaves out."""
    inside = slice(node, int(snapshot.end[node]))
    unread = snapshot.with_tag("script", "style", "noscript", "template")
    return bool(unread[inside].any()) or len(outer_html(snapshot, node)) != int(
        snapshot.html_chars[inside].sum()
    )


def test_only_painted_elements_of_some_size_are_in_the_model(stage):
    snapshot = stage.render("hidden-text")
    areas = node_areas(snapshot)
    inside = areas > 0
    assert inside.any()
    assert areas[inside].min() >= MIN_AREA
    assert not (inside & snapshot.is_text).any()
    assert not (inside & ~snapshot.visible).any()


def test_lengths_of_texts_replace_positions_without_geometry():
    snapshot = miolo.Snapshot.from_html("<p>" + "a " * 20 + "<p>" + "b " * 60)
    first, second = np.flatnonzero(snapshot.with_tag("p"))
    features = template_features(snapshot)
    assert features[first, 1] == 0
    assert features[second, 1] == pytest.approx(0.25, abs=0.01)
    assert node_areas(snapshot)[second] > node_areas(snapshot)[first] > 0
