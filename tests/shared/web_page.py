"""The service's web page, opened in Chromium: fixtures, and a page to inspect."""

import re
from itertools import count

import pytest
from playwright.sync_api import expect
from services import serving_miolo

LINE = "The harbour board met on Thursday to hear what the town thinks of the old horn. "

PAGE = f"""<!doctype html><html lang=en><title>Should the foghorn sound again?</title>
<nav><a href=/a>Home</a> <a href=/b>Harbour</a> <a href=/c>Town</a></nav>
<main><article><header><h1>Should the foghorn sound again?</h1>
<p class=byline>By Ada Marsh</p></header><div class=story>
{"".join(f"<p>{number}. {4 * LINE}</p>" for number in range(6))}
<h2>What it costs</h2><p>{5 * LINE}</p></div></article></main>
<aside><h3>Read next</h3>
<ul><li><a href=/d>Oysters return to the mudflats, and stay</a></ul></aside>
<footer><p>All rights reserved by the harbour, its board and its horn.</p></footer>"""

numbers = count()


def new_page() -> str:
    """The page with a unique mark, so that there are no corrections of it yet."""
    return f"{PAGE}<i data-number={next(numbers)}></i>"


@pytest.fixture(scope="session")
def service():
    with serving_miolo("--workers", "1", "--allow", "127.0.0.1") as running:
        yield running


@pytest.fixture
def browse(chromium, service):
    """Opens the page; checks that the browser reported no error and requested no other host."""
    contexts, reports, requests = [], [], []

    def opened(**options):
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: reports.append(message.text))
        page.on("pageerror", lambda error: reports.append(str(error)))
        page.on("dialog", lambda dialog: reports.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(service.url)
        expect(page.get_by_label("Method")).to_have_value("auto")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [text for text in reports if "Failed to load resource" not in text] == []
    assert [u for u in requests if not u.startswith((service.url, "data:", "blob:"))] == []


def inspect(page, html=None, other=""):
    """Inspect some HTML with the page, and return the page."""
    page.get_by_role("radio", name="HTML").first.check()
    page.get_by_label("HTML of a page").fill(html or new_page())
    page.get_by_label("Compare with").select_option(other)
    page.get_by_role("button", name="Inspect").click()
    expect_answer(page)
    return page


def expect_answer(page):
    kept = re.compile("blocks kept by auto")
    expect(page.get_by_role("status")).to_have_text(kept)


def body_texts(page):
    """The blocks of the article's text, which are shown beside the page."""
    return page.locator("#texts > p.text:not(.k-title)")
