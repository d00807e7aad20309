"""The overview of tall pages in a report, and the heat map, which does not tint photographs."""

import miolo
import pytest

PROSE = "The harbour board met on Thursday to hear what the town thinks of the old horn. " * 5
PICTURE = (
    "<img alt='' style='display:block; width:400px; height:300px' "
    "src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><rect width='100%' "
    "height='100%' fill='rgb(200,10,10)'/></svg>\">"
)
PAGE = f"""<!doctype html><title>Should the foghorn sound again?</title>
<body style="margin:40px; background:#fff"><h1 id=headline>Should the foghorn sound again?</h1>
{PICTURE}<div id=story>{f"<p>{PROSE}</p>" * 60}<div id=talk><div>Posted by anna</div></div></div>
"""


@pytest.fixture
def view(open_report, snapshot, extraction):
    return open_report(
        miolo.html_report(snapshot, extraction), viewport={"width": 1400, "height": 700}
    )


def in_sight(view):
    """Top and bottom of the visible part of the page, as shares of its height."""
    return view.evaluate(
        """() => {
          const [desk, stage] = ['desk', 'stage'].map(
            (id) => document.getElementById(id).getBoundingClientRect());
          return [Math.max(0, desk.top - stage.top) / stage.height,
                  Math.min(stage.height, desk.bottom - stage.top) / stage.height];
        }"""
    )


def test_a_press_on_the_overview_centres_that_part(view):
    box = view.locator(".overview > div").bounding_box()
    view.mouse.click(box["x"] + box["width"] / 2, box["y"] + 0.6 * box["height"])
    top, bottom = in_sight(view)
    assert (top + bottom) / 2 == pytest.approx(0.6, abs=0.03)
    view.mouse.move(box["x"] + 10, box["y"] + 0.6 * box["height"])
    view.mouse.down()
    view.mouse.move(box["x"] + 10, box["y"] + 0.3 * box["height"])
    view.mouse.up()
    top, bottom = in_sight(view)
    assert (top + bottom) / 2 == pytest.approx(0.3, abs=0.03)
