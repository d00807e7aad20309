"""The report on a page, opened in Chromium as a reader opens it."""

import json
import math
import re
from dataclasses import replace

import miolo
import numpy as np
import pytest
from accessibility import violations
from miolo.debug.reports.inspection import MAX_BLOCKS, inspection
from miolo.debug.reports.report_parts import VIEW_FILES
from miolo.extract.methods.auto_evidence import LISTING, SECTION
from miolo.extract.methods.auto_judgement import ALIKE, CHOICE, OVERLAY, SITE, STORY
from miolo.models.article.explanation import EVIDENCE
from miolo.models.article.roles import PRESETS, ROLES
from playwright.sync_api import expect

EVIL = (
    "</script><script>window.owned=1</script>"
    "<!-- \"onmouseover='owned=1' \u2028\u2029 &lt; @@DATA@@"
)
PROSE = "The harbour board met on Thursday to hear what the town thinks of the old horn. " * 5
KINDS = {
    "paragraph": "paragraph",
    "title": "title",
    "comment": "comment",
    "boilerplate": "boilerplate",
    "separator": "separator",
    "overlay": "overlays",
}
COMMENT = "<div>Posted by {} on Monday morning, reply or report this comment</div>"


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


PAGE = f"""<!doctype html><html lang=en>
<title>Should the foghorn sound again? {escape(EVIL)}</title>
<meta property="og:site_name" content="{escape(EVIL)}">
<h1 id=headline>Should the foghorn sound again this year?</h1>
<div id=story class="{escape(EVIL)}"><p id="{escape(EVIL)}">{escape(EVIL)} {PROSE}</p>
{f"<p>{PROSE}</p>" * 3}<div id=talk>
{"".join(COMMENT.format(name) for name in ("anna", "anne", "anni", "hanna"))}</div></div>
<p><a href="javascript:window.owned=1">Nothing to see</a></p>
<div style="position:fixed; bottom:0; left:0; right:0; height:60px; background:#ddd">Cookies</div>
"""


@pytest.fixture(scope="module")
def report(snapshot, extraction):
    return miolo.html_report(snapshot, extraction)


@pytest.fixture
def view(open_report, report):
    return open_report(report)


def test_nothing_from_the_page_is_markup(report):
    start, end = report.index('id="data">') + 10, report.rindex("</script>\n<script>")
    assert not set(report[start:end]) & set("<>&\u2028\u2029")
    data = json.loads(report[start:end])
    assert "</script><script>window.owned=1</script><!--" in data["title"]
    assert report.count("<script") == 2


def test_every_kind_has_boxes_and_a_count(view):
    for name, kind in KINDS.items():
        assert view.locator(f".stage .at.k-{kind}").count() > 0, name
        label = view.get_by_role("checkbox", name=re.compile(rf"^{name} ?\d+$"))
        expect(label).to_be_checked()
        label.uncheck()
        expect(view.locator(f".stage .at.k-{kind}").first).to_be_hidden()
        label.check()
        expect(view.locator(f".stage .at.k-{kind}").first).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 380)])
def test_the_report_fits_every_width_in_both_colour_schemes(open_report, report, scheme, width):
    page = open_report(report, color_scheme=scheme, viewport={"width": width, "height": 800})
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", paper))) > 3 * 128) == (scheme == "light")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator(".box.k-paragraph").first).to_be_visible()
    page.locator(".box.k-paragraph").first.click()
    assert violations(page) == []


def test_without_geometry_there_are_texts_and_a_note(open_report, snapshot, extraction):
    facts = replace(snapshot.page, has_geometry=False)
    flat = replace(snapshot, page=facts, box=np.zeros_like(snapshot.box), screenshot=None)
    page = open_report(miolo.html_report(flat, extraction))
    expect(page.get_by_text("read as static HTML")).to_be_visible()
    assert page.locator(".box").count() == 0
    page.locator("#texts p.k-paragraph").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".chain button").last).to_contain_text("html")


def test_the_report_of_a_deep_page_holds_each_node_once(stage, open_report):
    nest = (
        "let n = document.body; for (let i = 0; i < 2000; i++)"
        " n = n.appendChild(document.createElement('div')); n.append(story)"
    )
    html = f"<div id=story>{f'<p>{PROSE}</p>' * 20}</div><script>{nest}</script>"
    report = miolo.html_report(stage.html(html))
    assert len(report) < 1_500_000
    page = open_report(report)
    page.locator("#texts p").first.click()
    expect(page.locator(".chain")).to_contain_text("more ancestors not shown")


def test_a_page_with_too_many_blocks_lists_the_article_and_the_first_blocks():
    html = "<p>Menu</p>" * MAX_BLOCKS + f"<article>{f'<p>{PROSE}</p>' * 4}</article>"
    snapshot = miolo.Snapshot.from_html(html)
    shown = inspection(snapshot, miolo.extract_snapshot(snapshot, "auto"))
    assert shown["blocks"] == MAX_BLOCKS + 4
    assert len(shown["items"]) == MAX_BLOCKS
    assert [item["kind"] for item in shown["items"][-4:]] == ["paragraph"] * 4
    assert [item["kept"] for item in shown["items"]] == [False] * (MAX_BLOCKS - 4) + [True] * 4
    firsts = [item["first"] for item in shown["items"]]
    assert firsts == sorted(set(firsts))


def test_every_role_has_a_name_and_a_colour():
    kinds = VIEW_FILES["kinds.js"].read_text("utf-8")
    groups = kinds[: kinds.index("const MARKS")]
    listed = re.findall(r'^  "?([a-z-]+)"?: "', groups, re.MULTILINE)
    assert sorted(listed) == sorted(ROLES)
    coloured = re.findall(r"\.k-([a-z-]+) \{", VIEW_FILES["view.css"].read_text("utf-8"))
    assert set(ROLES) <= set(coloured)


def test_no_two_lines_of_a_legend_have_the_same_colour():
    rules = re.findall(r"\.k-([a-z-]+) \{ --c: (#\w+)", VIEW_FILES["view.css"].read_text("utf-8"))
    colours, sides = dict(rules), {"both", "left", "right", "neither"}
    for legend in (colours.keys() - sides, sides | {"title", "separator", "overlays"}):
        assert len({colours[kind] for kind in legend}) == len(legend)


@pytest.mark.parametrize(
    ("html", "shapes"),
    [
        ("<ul><li>a<li>b</ul>", "li li"),
        ("<ul><li><p>a</p><p>b</p></li><li><div><p>c</p></div></li></ul>", "li p li"),
        ("<ul><li><h3>a</h3><p>b</p></li></ul><p>c", "h3 p p"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "blockquote blockquote"),
        ("<ol><li><p>a</p><ul><li><p>b</p></li></ul><p>c</p></li></ol>", "li li p"),
        ("<ul><li><table><tr><td>a<td>b</table></ul>", "td td"),
    ],
)
def test_what_a_list_item_or_a_quotation_holds_is_shown_as_such(html, shapes):
    snapshot = miolo.Snapshot.from_html(html)
    items = inspection(snapshot, miolo.extract_snapshot(snapshot))["items"]
    assert [item["shape"] for item in items] == shapes.split()


def test_every_kind_of_evidence_has_a_description():
    why = VIEW_FILES["why.js"].read_text("utf-8")
    table = why[why.index("const EVIDENCE") : why.index("function inWords")]
    listed = re.findall(r'^  "?([a-z ]+)"?: \[', table, re.MULTILINE)
    assert listed == [*EVIDENCE, SITE, ALIKE, OVERLAY, STORY, CHOICE, LISTING, SECTION]


def test_the_evidence_of_a_block_is_exported_as_rows():
    snapshot = miolo.Snapshot.from_html(f"<h1>The foghorn</h1><p>{PROSE}</p>")
    extraction = miolo.extract_snapshot(snapshot, "auto")
    shown = inspection(snapshot, extraction)
    assert set(shown["text_roles"]) == PRESETS["article"]
    for block, item in zip(extraction.blocks, shown["items"], strict=True):
        assert (item["kind"], item["kept"]) == (block.role, block.kept)
        assert item["reason"] == block.reason
        moved = [by for _, _, by in item["moved"]]
        assert list(map(abs, moved)) == sorted(map(abs, moved), reverse=True)
        rows = [(each.feature, each.log_odds) for each in block.contributions]
        assert [(name, by) for name, _, by in item["moved"]] == rows
        assert {name for name, _ in rows} <= EVIDENCE.keys()
        assert item["base"] + sum(moved) == pytest.approx(item["log_odds"], abs=1e-3)
        assert 1 / (1 + math.exp(-item["log_odds"])) == pytest.approx(block.score, abs=1e-4)
