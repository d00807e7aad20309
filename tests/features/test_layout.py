"""Layout features against their definitions, and on any page."""

import numpy as np
import pytest
from miolo.features.counts import count_nodes
from miolo.features.layout import LAYOUT_FEATURES, layout_features
from miolo.models.templates.model import scored_tree


def rows_of(snapshot):
    tree = scored_tree(snapshot)
    return tree, layout_features(snapshot, tree.nodes, tree.parent)


@pytest.mark.parametrize("kind", ["related-rails", "nested-tables", "right-to-left"])
def test_columns_match_their_names(stage, kind):
    snapshot = stage.render(kind)
    tree, rows = rows_of(snapshot)
    counts = count_nodes(snapshot)
    width, height = snapshot.page.page_size
    for place, node in enumerate(tree.nodes.tolist()):
        by_name = dict(zip(LAYOUT_FEATURES, rows[place].tolist(), strict=True))
        x, y, w, h = snapshot.box[node].tolist()
        words = int(counts.text.words[node])
        assert by_name["left"] == pytest.approx(x / width)
        assert by_name["bottom"] == pytest.approx((y + h) / height)
        assert by_name["center"] == pytest.approx(abs(x + w / 2 - width / 2) / width)
        assert by_name["log_area"] == pytest.approx(np.log1p(w * h))
        assert by_name["log_words"] == pytest.approx(np.log1p(words))
        assert by_name["word_share"] == pytest.approx(words / int(counts.text.words[0]))
        assert by_name["log_children"] == pytest.approx(np.log1p(len(snapshot.children(node))))
        flags = {name for name, value in by_name.items() if name.startswith("tag_") and value}
        assert flags == {f"tag_{snapshot.tag_name(node)}"} & set(LAYOUT_FEATURES)
        above = tree.nodes[max(0, tree.parent[place])]
        assert by_name["above_width"] == pytest.approx(snapshot.box[above, 2] / width)
        assert by_name["words_of_above"] == pytest.approx(
            words / max(1, int(counts.text.words[above]))
        )
