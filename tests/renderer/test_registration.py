"""The screenshot and the boxes of a snapshot show the same moment, even if the page moves."""

from itertools import count

import miolo
import numpy as np
import pytest
from miolo.renderer.browser.stabilizer import PageStabilizer
from stage import picture

BLOCK = "<div id=block style='width:300px;height:80px;background:rgb(255,0,0)'>text</div>"
REST = "<div style='height:4000px'></div>"

MOVING = {
    "a transition that begins when the window is resized": (
        "<style>#block {transition: margin 2s}</style>"
        f"{BLOCK}{REST}<script>addEventListener('resize', () => "
        "{document.getElementById('block').style.marginTop = '400px'})</script>"
    ),
    "a script that never rests": (
        f"{BLOCK}{REST}<script>let y = 0; setInterval(() => "
        "{document.getElementById('block').style.marginTop = `${(y += 7) % 900}px`}, 10)</script>"
    ),
    "an endless animation": (
        "<style>@keyframes slide {to {margin-top: 700px}}"
        "#block {animation: slide 1.3s infinite alternate linear}</style>"
        f"{BLOCK}{REST}"
    ),
    "an animation that takes longer than the page": (
        "<style>@keyframes slide {to {margin-top: 700px}}"
        "#block {animation: slide 60s both linear}</style>"
        f"{BLOCK}{REST}"
    ),
}


def painted_box(snapshot: miolo.Snapshot) -> list[int]:
    """Box of the red area in the screenshot."""
    pixels = picture(snapshot)
    rows, columns = np.nonzero((pixels[..., 0] > 250) & (pixels[..., 1:].max(axis=2) < 5))
    left, top = int(columns.min()), int(rows.min())
    return [left, top, int(columns.max()) + 1 - left, int(rows.max()) + 1 - top]


def block_box(snapshot: miolo.Snapshot) -> list[float]:
    (node,) = [n for n, value in snapshot.attributes.with_attribute("id") if value == "block"]
    return snapshot.box[node].tolist()


@pytest.mark.parametrize("name", MOVING)
def test_boxes_match_the_screenshot(name, stage):
    snapshot = stage.html(f"<body>{MOVING[name]}</body>", screenshot=True)
    assert block_box(snapshot) == pytest.approx(painted_box(snapshot), abs=2)
    assert "moved" not in [warning.code for warning in snapshot.page.warnings]


def test_a_finite_animation_is_captured_at_its_end(stage):
    name = "an animation that takes longer than the page"
    snapshot = stage.html(f"<body style='margin:0'>{MOVING[name]}</body>", screenshot=True)
    assert block_box(snapshot)[1] == 700


def test_a_page_that_cannot_be_frozen_is_captured_with_a_warning(stage, monkeypatch):
    numbers = count()

    async def layout(_):
        return next(numbers)

    monkeypatch.setattr(PageStabilizer, "layout", layout)
    snapshot = stage.html(f"<body>{BLOCK}{REST}</body>", screenshot=True)
    assert snapshot.screenshot
    assert [warning.code for warning in snapshot.page.warnings] == ["moved"]
