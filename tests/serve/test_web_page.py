"""The service's web page, used in Chromium by mouse and by keyboard."""

import json
import re
from urllib.parse import quote

import pytest
from miolo.models.article.explanation import EVIDENCE
from miolo.models.article.roles import ROLES
from playwright.sync_api import expect
from services import held_pages
from web_page import LINE, PAGE, body_texts, expect_answer, inspect

EVIL = "</script><script>window.owned=1</script><img src=x onerror=owned=1>\"'{{7*7}}\u2028"


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


HOSTILE = f"""<title>{escape(EVIL)}</title><meta name=author content="{escape(EVIL)}">
<link rel=canonical href="javascript:owned=1">
<h1 id="{escape(EVIL)}">{escape(EVIL)}</h1>
{f'<p class="{escape(EVIL)}">{escape(EVIL)} {5 * LINE}</p>' * 4}
<p><a href="javascript:owned=1">{"W" * 400}</a></p>"""


@pytest.fixture
def view(browse):
    return inspect(browse())


def test_roles_have_boxes_and_texts(view):
    for kind in ("paragraph", "subheading", "title", "byline", "boilerplate"):
        assert view.locator(f".stage .k-{kind}").count() > 0, kind
    expect(body_texts(view)).to_have_count(8)
    expect(view.get_by_role("heading", name="What it costs")).to_be_visible()
    expect(view.locator(".box.k-byline").first).to_have_class(re.compile(r"\bout\b"))
    expect(view.locator(".box.k-boilerplate:not(.faint)")).to_have_count(0)
    view.get_by_role("checkbox", name=re.compile("^paragraph")).uncheck()
    expect(view.locator(".stage .k-paragraph").first).to_be_hidden()
    legend = view.get_by_role("group", name="Boxes to show")
    expect(legend.get_by_role("checkbox", name=re.compile("^pull-quote"))).to_have_count(0)


def test_a_chosen_block_shows_its_reason_and_evidence(view):
    view.locator(".box.k-paragraph").nth(1).click()
    panel = view.get_by_role("tabpanel", name="Why")
    expect(panel).to_contain_text(
        re.compile(r"kept as paragraph \([01].[0-9]+, threshold 0.[0-9]+\)")
    )
    evidence = panel.get_by_role("table", name="Evidence that makes the block more likely")
    assert 4 < evidence.get_by_role("row").count() <= 4 + len(EVIDENCE)
    length = evidence.get_by_role("row").filter(
        has=view.get_by_role("rowheader", name="length of the text")
    )
    expect(length).to_contain_text("words")


def test_the_article_is_shown_in_every_format(view):
    source = view.locator("#source")
    for form, expected_text in (
        ("Text", "\n\nWhat it costs\n\n"),
        ("Markdown", "## What it costs"),
        ("HTML", "<h2>What it costs</h2>"),
    ):
        view.get_by_role("radio", name=form).last.check()
        assert expected_text in source.text_content()
    view.get_by_role("radio", name="JSON").check()
    assert json.loads(source.text_content())["method"] == "auto"


def test_the_threshold_changes_the_selection_as_it_moves(view):
    slider = view.get_by_role("slider", name="Minimum score")
    assert slider.get_attribute("aria-valuetext") == "as the method decided"
    slider.fill("0")
    blocks = view.locator(".stage .box").count()
    expect(body_texts(view)).to_have_count(blocks - 1)
    expect(view.locator(".box.faint, .box.out")).to_have_count(0)
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "score of at least 0.01"
    view.get_by_role("radio", name="JSON").check()
    slider.fill("0.99")
    blocks = json.loads(view.locator("#source").text_content())["blocks"]
    changeable = [block for block in blocks if block["role"] != "title"]
    assert all(block["kept"] == (block["score"] >= 0.99) for block in changeable)
    view.get_by_role("button", name="Reset").click()
    blocks = json.loads(view.locator("#source").text_content())["blocks"]
    assert sum(block["kept"] for block in blocks) == 8


def test_two_methods_are_shown_side_by_side(browse):
    page = inspect(browse(), other="semantic")
    legend = page.get_by_role("group", name="Boxes to show")
    expect(legend.get_by_role("checkbox", name=re.compile("^both"))).to_be_checked()
    for side, name in (("left", "only auto"), ("right", "only semantic")):
        texts = page.locator(f"#texts > .of-{side}")
        expect(page.locator(f".stage .k-{side}")).to_have_count(texts.count())
        assert all(text.startswith(name) for text in texts.all_inner_texts())
    assert page.locator("#texts > .of-left, #texts > .of-right").count() > 0
    kept, blocks = map(int, re.findall(r"\d+", page.get_by_role("status").inner_text())[:2])
    chips = legend.locator("label").all_text_contents()
    counts = {name: int(number) for name, number in (chip.rsplit(" ", 1) for chip in chips)}
    assert counts["both"] + counts.get("only auto", 0) == kept
    assert counts["title"] == 1  # neither method keeps it, and it is in the article
    assert sum(counts.values()) == blocks
    expect(page.locator("#texts > .column-both")).to_have_text(f"{counts['both']} kept by both")
    expect(page.locator("#texts > .of-title")).to_have_count(1)
    page.get_by_label("Colour by").select_option("score")
    expect(page.get_by_role("checkbox", name=re.compile("^both"))).to_have_count(0)
    page.locator(".box").first.click()
    assert {"auto", "semantic"} <= set(page.locator("#why h2").all_inner_texts())


def test_labels_are_corrected_by_mouse_and_undone(view):
    view.get_by_role("button", name="Click to correct").click()
    box = view.locator(".box.k-paragraph").nth(1)
    row = box.get_attribute("data-row")
    box.click()
    changed = view.locator(f".box[data-row='{row}']")
    expect(changed).to_have_class(re.compile("k-boilerplate.*corrected"))
    expect(body_texts(view)).to_have_count(7)
    expect(view.get_by_role("status")).to_contain_text("is now boilerplate. 1 correction.")
    view.get_by_role("button", name="Undo").click()
    expect(body_texts(view)).to_have_count(8)
    expect(view.get_by_role("button", name="Undo")).to_be_disabled()
    view.get_by_role("button", name="Click to correct").click()
    changed.click()
    options = view.get_by_label("What it is").locator("option")
    values = options.evaluate_all("options => options.map((option) => option.value)")
    assert sorted(values) == sorted(ROLES)
    view.get_by_label("What it is").select_option("comment")
    expect(changed).to_have_class(re.compile("k-comment"))
    expect(view.locator("#why .verdict")).to_have_text("left out, by hand")


def test_everything_works_by_keyboard(browse):
    page = browse()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name="Address")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_label("HTML of a page")).to_be_focused()
    page.keyboard.insert_text(PAGE)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".box").first).to_be_visible()
    page.get_by_role("button", name="Export labels").focus()
    page.keyboard.press("Tab")
    boxes = page.get_by_role("listbox", name="Boxes of the page")
    expect(boxes).to_be_focused()
    active = page.locator(".boxes > .active")
    expect(active).to_have_accessible_name(re.compile(r"^\w+, nav: Home"))
    expect(boxes).to_have_attribute("aria-activedescendant", active.get_attribute("id"))
    for _ in range(page.get_by_role("option").count()):
        if "k-title" in active.get_attribute("class"):
            break
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("9")
    expect(active).to_have_accessible_name(re.compile("^comment, p: By Ada"))
    page.keyboard.press("1")
    expect(active).to_have_accessible_name(re.compile("^paragraph, kept, p: By Ada"))
    page.keyboard.press("u")
    expect(active).to_have_accessible_name(re.compile("^comment, p: By Ada"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Why")).to_have_attribute("aria-selected", "true")
    expect(active).to_have_attribute("aria-selected", "true")
    page.keyboard.press("End")
    expect(active).to_have_accessible_name(re.compile("All rights reserved"))
    page.keyboard.press("ArrowDown")
    expect(active).to_have_accessible_name(re.compile("nav: Home"))


def test_content_of_a_hostile_page_is_shown_as_text(browse):
    page = inspect(browse(), HOSTILE, "nce")
    for box in page.locator(".box").all():
        box.dispatch_event("pointermove")
    page.locator(".box").first.click()
    for form in ("Text", "Markdown", "HTML", "JSON"):
        page.get_by_role("tab", name="Article").click()
        page.get_by_role("radio", name=form).last.check()
    page.get_by_role("tab", name="Page").click()
    assert page.evaluate("window.owned === undefined")
    assert page.locator("script").count() == 1
    assert page.locator("img:not(#picture), [href^='javascript']").count() == 0
    assert "onerror=owned=1" in page.get_by_role("heading", level=1).inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_address_needs_no_scheme_and_an_error_shows_no_older_result(browse):
    page = browse()
    with held_pages() as (origin, _, _):
        page.get_by_label("Address of a page").fill(f' "{origin.removeprefix("http://")}/page/7"')
        page.get_by_role("button", name="Inspect").click()
        expect_answer(page)
        expect(page).to_have_title("Page /page/7 – Miolo")
    page.get_by_label("Address of a page").fill("127.0.0.2:8001")
    page.get_by_role("button", name="Inspect").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The service may not visit this address")
    expect(alert).to_contain_text("EgressRefusedError")
    expect(page.locator("#title")).to_have_count(0)
    expect(page.locator(".box")).to_have_count(0)
    expect(page).to_have_title("Miolo")


def test_what_the_user_knows_of_a_page_is_said_in_its_options(browse):
    page = browse()
    page.locator("#options summary").click()
    page.get_by_label("Text within").fill("h2 + p")
    page.get_by_label("Device", exact=True).fill("Pixel 7")
    inspect(page)
    expect(body_texts(page)).to_have_text([(5 * LINE).strip()])
    page.reload()
    expect_answer(page)
    expect(page.get_by_label("Text within")).to_have_value("h2 + p")
    page.locator("#options summary").click()
    page.get_by_label("Text within").fill("")
    page.get_by_label("Text not within").fill("//h2")
    inspect(page)
    expect(body_texts(page)).to_have_count(7)
    page.get_by_label("Text not within").fill("h7")
    page.get_by_role("button", name="Inspect").click()
    expect(page.get_by_role("alert")).to_contain_text("no element of the HTML matches 'h7'")


def test_an_address_in_a_link_from_another_site_waits_for_confirmation(chromium, service):
    page = chromium.new_page()
    link = f"{service.url}/?url={quote('https://example.org/a?b=c&d', safe='')}"
    page.route("https://evil.test/", lambda route: route.fulfill(body=f"<a href='{link}'>go"))
    page.goto("https://evil.test/")
    with page.expect_response("**/methods"):
        page.get_by_text("go").click()
    expect(page.get_by_label("Method")).to_have_value("auto")
    expect(page.get_by_label("Address of a page")).to_have_value("https://example.org/a?b=c&d")
    expect(page.get_by_role("status")).to_have_text("")
    page.close()


def test_a_request_to_a_busy_service_is_repeated(browse):
    page = browse()
    page.clock.install()
    turns = iter((429,))

    def answer(route):
        if (status := next(turns, None)) is None:
            return route.continue_()
        return route.fulfill(status=status, headers={"Retry-After": "7"}, json={"error": {}})

    page.route("**/inspect", answer)
    page.get_by_role("radio", name="HTML").check()
    page.get_by_label("HTML of a page").fill(PAGE)
    page.get_by_role("button", name="Inspect").click()
    expect(page.get_by_role("status")).to_contain_text("busy; trying again in 7 s")
    page.clock.run_for(7000)
    expect(page.get_by_role("status")).to_have_text(re.compile("kept by auto"))


def test_a_missing_token_is_requested(browse):
    page = browse()
    page.route("**/inspect", lambda route: route.fulfill(status=401, json={"error": {}}))
    page.get_by_label("Address of a page").fill("https://example.org/")
    page.get_by_role("button", name="Inspect").click()
    expect(page.get_by_role("alert")).to_contain_text("requires a token")
    expect(page.get_by_label("Service token")).to_be_focused()
    page.keyboard.insert_text("secret")
    with page.expect_request("**/inspect") as request:
        page.keyboard.press("Enter")
    assert request.value.headers["authorization"] == "Bearer secret"
