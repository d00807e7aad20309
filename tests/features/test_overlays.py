"""Layers over a page: which are the page's own story, and which stand over it."""

import pytest
from miolo.features.overlays import overlay_roots

TITLE = "Ferries return to the old harbour"
STORY = f"<h1>{TITLE}</h1>" + "".join(
    f"<p>Boat number {n} left the harbour before dawn, with {n} people and a crate of lamps.</p>"
    for n in range(9)
)
CARDS = "".join(
    f"<div><h2><a href=/{n}>The goat, the gate and grudge {n}</a></h2><p>The goat was returned on "
    f"Monday to the farm from which it had walked, and gate {n} has a second latch.</p></div>"
    for n in range(9)
)
PARTNERS = "<h2>Your privacy</h2>" + "".join(
    f"<li>Partner {n} stores an identifier to choose and to measure advertisements.</li>"
    for n in range(60)
)


@pytest.fixture
def layers(stage):
    """Number of layers of a page of some parts."""

    def count(*parts: str) -> int:
        page = stage.html(f"<title>{TITLE} | The Ledger</title>{''.join(parts)}")
        return len(overlay_roots(page))

    return count


@pytest.mark.parametrize("attributes", ["role=dialog aria-modal=true", "style='position:fixed'"])
def test_the_story_of_the_page_in_a_layer_over_a_list_is_none(layers, attributes):
    assert layers(CARDS, f"<div {attributes}>{STORY}</div>") == 0
    teaser = f"<div {attributes}><h2>Our letter</h2><p>Five stories before breakfast.</p></div>"
    assert layers(CARDS, teaser) == 1


def test_a_dialog_that_is_longer_than_the_story_is_a_layer(layers):
    dialog = f"<div role=dialog aria-modal=true>{PARTNERS}</div>"
    assert layers(STORY, dialog) == 1
    # Whole sites scroll inside a layer.
    assert layers("<nav>News</nav>", f"<div style='position:fixed'>{STORY}{PARTNERS}</div>") == 0


def test_a_bar_that_repeats_the_title_is_a_layer(layers):
    assert layers(f"<div style='position:fixed'><h2>{TITLE}</h2></div>", STORY) == 1
