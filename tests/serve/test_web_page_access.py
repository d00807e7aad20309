"""The web page at every size, in both colour schemes, by touch, and by axe-core's rules."""

import re

import pytest
from accessibility import violations
from playwright.sync_api import expect
from web_page import inspect

LOOKS = {(390, 844): "light", (834, 1112): "dark", (1440, 900): "light"}

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize(("size", "scheme"), LOOKS.items(), ids=str)
def test_the_page_breaks_no_accessibility_rule(browse, scheme, size):
    width, height = size
    page = browse(color_scheme=scheme, viewport={"width": width, "height": height})
    page.locator("#options summary").click()
    assert violations(page) == []
    inspect(page, other="nce")
    assert violations(page) == []
    page.get_by_label("Colour by").select_option("score")
    page.locator(".box.k-paragraph").first.click()
    assert violations(page) == []
    page.get_by_role("tab", name="Page").click()
    assert violations(page) == []
    page.get_by_role("tab", name="Article").click()
    page.get_by_role("radio", name="Markdown").check()
    assert violations(page) == []
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", paper))) > 3 * 128) == (scheme == "light")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_error_is_accessible(browse):
    page = browse()
    page.get_by_label("Address of a page").fill("http://127.0.0.2:8001/")
    page.get_by_role("button", name="Inspect").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert violations(page) == []


def test_a_click_close_to_a_small_box_selects_it(browse):
    page = inspect(browse(viewport={"width": 1440, "height": 900}))
    row = page.locator(".box.k-byline")
    box = row.bounding_box()
    assert box["height"] < 24
    page.mouse.click(box["x"] + box["width"] + 60, box["y"] + box["height"] / 2)
    expect(row).to_have_attribute("aria-selected", "false")
    page.mouse.click(box["x"] + box["width"] + 6, box["y"] + box["height"] / 2)
    expect(row).to_have_attribute("aria-selected", "true")


class Fingers:
    """Touch input on a page."""

    def __init__(self, page) -> None:
        self._session = page.context.new_cdp_session(page)

    def move(self, *paths: list[tuple[float, float]]) -> None:
        """Put down one finger for each path, move all fingers in step, and lift them."""
        for step, points in enumerate(zip(*paths, strict=True)):
            touches = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(points)]
            self._send("touchMove" if step else "touchStart", touches)
        self._send("touchEnd", [])

    def _send(self, kind: str, touches: list) -> None:
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


def test_two_fingers_zoom_around_their_centre_and_one_pans(browse):
    page = inspect(browse(**PHONE))
    page.locator("#desk").scroll_into_view_if_needed()
    desk = page.locator("#desk").bounding_box()
    x, y = desk["x"] + 150, desk["y"] + 150
    before = page.locator("#stage").bounding_box()
    steps = [20 + 5 * step for step in range(9)]
    Fingers(page).move([(x - step, y) for step in steps], [(x + step, y) for step in steps])
    after = page.locator("#stage").bounding_box()
    assert after["width"] == pytest.approx(3 * before["width"], rel=0.02)
    for side, at in (("x", x), ("y", y)):
        place = (at - before[side]) / before["width"]
        assert after[side] + place * after["width"] == pytest.approx(at, abs=3)
    assert page.evaluate("visualViewport.scale") == 1
    Fingers(page).move([(x - 10 * step, y) for step in range(10)])
    page.wait_for_function(
        "before => document.getElementById('stage').getBoundingClientRect().x < before - 50",
        arg=after["x"],
    )


def test_buttons_keys_and_the_wheel_zoom(browse):
    page = inspect(browse())
    stage, fit = page.locator("#stage"), page.get_by_role("button", name="Fit to width")
    width = stage.bounding_box()["width"]
    page.get_by_role("button", name="Zoom in").click()
    assert stage.bounding_box()["width"] == pytest.approx(1.25 * width, rel=0.01)
    expect(fit).to_have_text(f"{100 * 1.25 * width / 1280:.0f} %")
    page.get_by_role("listbox").focus()
    page.keyboard.press("-")
    assert stage.bounding_box()["width"] == pytest.approx(width, rel=0.01)
    page.locator(".box.k-title").hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function(
        "before => document.getElementById('stage').offsetWidth > 2 * before", arg=width
    )
    for _ in range(20):
        page.get_by_role("button", name="Zoom in").dispatch_event("click")
    expect(page.get_by_role("button", name="Zoom in")).to_be_disabled()
    fit.click()
    page.wait_for_function(
        "width => Math.abs(document.getElementById('stage').offsetWidth - width) < 0.01 * width",
        arg=width,
    )


@pytest.mark.parametrize("height", [500, 900])
def test_a_box_reached_by_keyboard_is_scrolled_into_view(browse, height):
    page = inspect(browse(viewport={"width": 1000, "height": height}))
    for _ in range(6):
        page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("listbox").focus()
    page.keyboard.press("End")
    expect(page.locator(".boxes > .active")).to_be_in_viewport()
    expect(page.get_by_role("tooltip")).to_be_visible()
