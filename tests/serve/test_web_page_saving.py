"""Work in the web page survives a reload, a change of browser and a change of the page."""

import re

import pytest
from playwright.sync_api import expect
from services import held_pages
from web_page import body_texts, expect_answer, inspect, new_page


def leave_out(page, place: int) -> None:
    body_texts(page).nth(place).focus()
    page.keyboard.press("k")


def expect_corrections(page, number: int) -> None:
    plural = "" if number == 1 else "s"
    name = f"Export {number} correction{plural}" if number else "Export labels"
    expect(page.get_by_role("button", name=name)).to_be_visible()


def expect_saved(page) -> None:
    expect(page.locator(".saved")).to_have_text("Saved")


def test_a_reload_restores_the_view_without_another_request(browse, service):
    page = inspect(browse(), other="nce")
    leave_out(page, 2)
    page.get_by_role("slider", name="Minimum score").fill("0.4")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.reload()
    expect_answer(page)
    expect_corrections(page, 1)
    expect(page.get_by_role("slider", name="Minimum score")).to_have_value("0.4")
    expect(page.get_by_label("Compare with")).to_have_value("nce")
    assert "foghorn" in page.get_by_label("HTML of a page").input_value()
    assert f"{service.url}/inspect" not in requests
    page.get_by_role("button", name="Clear").click()
    expect_corrections(page, 0)
    page.get_by_role("button", name="Undo").click()
    expect_corrections(page, 1)


def test_an_address_is_in_the_link_and_shown_again_after_a_reload(browse, service):
    page = browse()
    with held_pages() as (origin, requests, _):
        page.get_by_label("Address of a page").fill(f"{origin}/page/11")
        page.get_by_role("button", name="Inspect").click()
        expect_answer(page)
        expect(page).to_have_url(re.compile(r"/\?url=http.*11$"))
        assert requests.count("/page/11") == 1
        page.reload()
        expect_answer(page)
        expect(page.get_by_label("Address of a page")).to_have_value(f"{origin}/page/11")
        assert requests.count("/page/11") == 1


def test_another_browser_loads_drafts_from_the_service(browse):
    html = new_page()
    page = inspect(browse(), html)
    leave_out(page, 2)
    leave_out(page, 2)
    expect_saved(page)
    other = inspect(browse(), html)
    expect_corrections(other, 2)
    expect(other.get_by_role("status")).to_contain_text("Corrections restored: 2.")


def test_a_changed_page_keeps_corrections_of_remaining_blocks(browse):
    with held_pages() as (origin, _, _):
        page = browse()

        def show(text):
            page.route(
                "**/inspect",
                lambda route: route.continue_(
                    post_data={
                        **route.request.post_data_json,
                        "html": text,
                        "url": f"{origin}/changes",
                    }
                ),
            )
            page.get_by_label("Address of a page").fill(f"{origin}/changes")
            page.get_by_role("button", name="Inspect").click()
            expect_answer(page)
            page.unroute("**/inspect")

        before = new_page()
        show(before)
        leave_out(page, 0)
        leave_out(page, 0)
        first = before.index("<p>0.")
        after = before[:first] + "<p>New.</p>" + before[before.index("<p>1.") :]
        show(after)
        status = page.get_by_role("status")
        expect(status).to_contain_text("Corrections restored: 1.")
        expect(status).to_contain_text("corrections without a matching block: 1,")
        expect(page.locator(".unmatched")).to_contain_text("boilerplate: 0. The harbour")
        expect_corrections(page, 1)
        expect(page.locator(".corrected").first).to_have_attribute(
            "aria-label", re.compile("^boilerplate, p: 1. The harbour")
        )
        # It is kept until the block is there again.
        leave_out(page, 3)
        expect_saved(page)
        show(before)
        expect(status).to_contain_text("Corrections restored: 3.")
        expect(page.locator(".unmatched")).to_be_hidden()


@pytest.mark.parametrize("text", ["", "[]", '{"corrections":[{"role":"none such"}]}'])
def test_invalid_drafts_are_ignored(browse, text):
    page = browse()
    page.route("**/drafts?*", lambda route: route.fulfill(json={"text": text}))
    inspect(page)
    expect_corrections(page, 0)
