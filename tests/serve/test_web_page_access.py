"""The web page at every size, in both colour schemes, by touch, and by axe-core's rules."""

import re

import pytest
from accessibility import violations
from playwright.sync_api import expect
from web_page import inspect

LOOKS = {(390, 844): "light", (834, 1112): "dark", (900, 600): "dark", (1440, 900): "light"}

RESULT_TOP = "document.querySelector('.panes').getBoundingClientRect().top"
FORM_LINES = "labels => new Set(labels.map(label => label.offsetTop)).size"


@pytest.mark.parametrize(("size", "scheme"), LOOKS.items(), ids=str)
def test_the_page_breaks_no_accessibility_rule(browse, scheme, size):
    width, height = size
    page = browse(color_scheme=scheme, viewport={"width": width, "height": height})
    page.locator("#options summary").click()
    assert violations(page) == []
    page.locator("#options summary").click()
    inspect(page, other="nce")
    assert violations(page) == []
    if min(size) <= 700:
        assert page.evaluate(f"{RESULT_TOP} <= innerHeight / 3")
    assert page.locator(".bar .forms label").evaluate_all(FORM_LINES) == 1
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


@pytest.mark.parametrize("height", [500, 900])
def test_a_box_reached_by_keyboard_is_scrolled_into_view(browse, height):
    page = inspect(browse(viewport={"width": 1000, "height": height}))
    for _ in range(6):
        page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("listbox").focus()
    page.keyboard.press("End")
    expect(page.locator(".boxes > .active")).to_be_in_viewport()
    expect(page.get_by_role("tooltip")).to_be_visible()


def test_the_tip_of_a_box_chosen_by_keyboard_leaves_its_reason_free(browse):
    page = inspect(browse(viewport={"width": 390, "height": 844}))
    page.get_by_role("listbox").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("tooltip")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Why")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tooltip")).to_be_hidden()
