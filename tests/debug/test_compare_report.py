"""The report on two pages, opened in Chromium as a reader opens it."""

import re
from dataclasses import replace

import miolo
import numpy as np
import pytest
from miolo.debug.comparison.compare import compare_snapshots
from miolo.debug.reports.compare_report import html_report_of_pair
from playwright.sync_api import expect

EVIL = "</script><script>window.owned=1</script><!-- \" ' \u2028\u2029 &lt; @@DATA@@"
MOVED = "<p>The lighthouse keeper kept a diary of every ship that went by.</p>"
KEPT = "<p>Visitors came from all over the estuary to hear the old horn.</p>" * 3
GONE = "<p>A paragraph that nobody missed when it had gone.</p>"
NEW = f"<p>{EVIL.replace('&', '&amp;').replace('<', '&lt;')} is what it says now.</p>"
PAGE = """<!doctype html><html lang=en><title>{title}</title>
<h1>The horn sounded {often}</h1>{top}{kept}<div style="height:3000px"></div>{bottom}
<p><a href="{link}">Read on</a></p>"""
BEFORE = PAGE.format(
    title="Before", often="twice", top=MOVED + GONE, kept=KEPT, bottom="<div></div>", link="/a"
)
AFTER = PAGE.format(
    title=NEW, often="thrice", top="", kept=KEPT, bottom=f"<div>{MOVED}</div>{NEW}", link="/b"
)


@pytest.fixture(scope="module")
def pages(stage):
    return [stage.html(source, screenshot=True) for source in (BEFORE, AFTER)]


@pytest.fixture(scope="module")
def report(pages):
    return html_report_of_pair(*pages)


@pytest.fixture
def view(open_report, report):
    return open_report(report)


def test_every_kind_is_listed_and_drawn_on_its_sides(view):
    sides = {
        "text": (1, 1), "removed": (1, 0), "inserted": (0, 1), "moved": (1, 1), "attributes": (1, 1)
    }  # fmt: skip
    for kind, counts in sides.items():
        for side, count in enumerate(counts):
            expect(view.locator(f"#stage-{side} .box.{kind}")).to_have_count(count)
        expect(view.locator(f".change.{kind}")).to_have_count(1)
        choice = view.get_by_role("checkbox", name=re.compile(f"^{kind}"))
        choice.uncheck()
        expect(view.locator(f".change.{kind}")).to_be_hidden()
        expect(view.locator(f".box.{kind}").first).to_be_hidden()
        choice.check()


def test_focus_on_a_change_lights_up_both_sides(view):
    view.locator(".change.moved").focus()
    for side in (0, 1):
        box = view.locator(f"#stage-{side} .box.lit")
        expect(box).to_have_class(re.compile("moved"))
        expect(box).to_be_in_viewport()
    view.locator(".change.text").focus()
    expect(view.locator(".box.lit.text")).to_have_count(2)
    expect(view.locator(".box.lit")).to_have_count(2)


def test_without_geometry_there_are_texts(open_report):
    flat = [miolo.Snapshot.from_html(source) for source in (BEFORE, AFTER)]
    page = open_report(html_report_of_pair(*flat))
    expect(page.locator("#caption-1")).to_contain_text("text only")
    assert page.locator(".box").count() == 0
    page.locator(".change.moved").focus()
    expect(page.locator(".texts .lit.moved")).to_have_count(2)
    page.locator(".texts .same").first.hover()
    expect(page.locator(".texts .same.lit")).to_have_count(2)


def test_changes_beyond_the_drawing_limit_are_counted(open_report):
    rows = ["".join(f"<p>{word} {n}</p>" for n in range(3100)) for word in ("old", "new")]
    page = open_report(html_report_of_pair(*map(miolo.Snapshot.from_html, rows)))
    expect(page.get_by_text("100 further changes not shown")).to_be_attached()


def test_a_comparison_of_other_pages_is_refused(pages):
    comparison = compare_snapshots(*pages)
    with pytest.raises(ValueError, match="does not match the snapshots"):
        html_report_of_pair(miolo.Snapshot.from_html("<p>short"), pages[1], comparison)
    swapped = replace(comparison, mapping=np.ascontiguousarray(comparison.mapping[::-1] // 2))
    with pytest.raises(ValueError, match="does not match the snapshots"):
        html_report_of_pair(*pages, swapped)
