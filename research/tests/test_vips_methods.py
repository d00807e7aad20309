"""The methods on block trees, records of a data region, and the picture of the blocks."""

from __future__ import annotations

import io
from dataclasses import replace

import miolo
import numpy as np
import pytest
from lxml import etree
from miolo.extract.pipeline import compose
from miolo_research.vide.data_region import RegionOptions, data_region
from miolo_research.vide.method import page_data_records, vide
from miolo_research.vips.method import vips
from miolo_research.vips.picture import DEGREE_COLORS, draw_blocks
from miolo_research.vips.segmentation import VIPSOptions
from miolo_research.vips.segmentation import vips as segment
from newsroom.paper import PAPERS
from newsroom.routes import ARTICLES
from PIL import Image

METHODS = pytest.mark.parametrize("method", [vips, vide])
PROSE = "The harbour board met on Thursday to hear what the town thinks of the old horn. " * 5


@pytest.fixture(scope="module")
def papers(stage):
    """The first article of each newspaper, with its snapshot."""
    return [(pages[0], stage.render(pages[0].path, screenshot=True)) for pages in ARTICLES.values()]


@pytest.fixture(scope="module")
def section(stage):
    return stage.render("/ledger/culture/", screenshot=True)


def block_text(page, tree, block):
    nodes = np.flatnonzero((tree.of >= block) & (tree.of < tree.end[block]))
    return " ".join(page.text[node].strip() for node in nodes if page.text[node].strip())


@METHODS
def test_all_paragraphs_of_an_article_are_kept(papers, method):
    for story, page in papers:
        text = " ".join(compose(page, method(page), "x").text.split())
        missing = [one for one in story.paragraphs if " ".join(one.split()) not in text]
        assert missing == [], story.path


@METHODS
def test_text_around_an_article_is_not_kept(papers, method):
    for story, page in papers:
        kept = method(page).kept
        menus = ("Subscribe", "Sign up", "Related stories", "Archive", "Corrections", "Privacy")
        texts = [page.text[node].strip() for node in np.flatnonzero(kept & page.is_text)]
        assert not set(texts) & set(menus), story.path
        assert kept.sum() < 0.6 * len(page)


@METHODS
def test_every_node_has_a_score_and_a_reason_with_figures(papers, method):
    for _, page in papers:
        chosen = method(page)
        assert ((chosen.scores >= 0) & (chosen.scores <= 1)).all()
        texts = np.flatnonzero(chosen.kept & page.is_text)
        for node in texts.tolist():
            assert chosen.reasons[chosen.reason[node]].startswith(("block 1", "the title"))
        assert any("coherence 8 ≥ 8" in reason for reason in chosen.reasons)
        assert not chosen.warnings
        assert len(chosen.marks) == 1


@METHODS
def test_a_page_without_geometry_gives_a_result_and_a_warning(method):
    menu = "".join(f"<li><a href=/{i}>Menu item {i}</a></li>" for i in range(9))
    html = f"<ul>{menu}</ul><main>{f'<p>{PROSE}</p>' * 4}</main><footer><a href=/>Top</a></footer>"
    page = miolo.Snapshot.from_html(html)
    chosen = method(page)
    assert "no-geometry" in [warning.code for warning in chosen.warnings]
    text = compose(page, chosen, "x").text
    assert text.count("harbour board") == 20
    assert "Menu" not in text
    assert "Top" not in text


@METHODS
@pytest.mark.parametrize("html", ["", "<p>", "<hr>", "<img src=x>", "<p>one", "<div>" * 10_000])
def test_any_page_gives_a_selection(method, html):
    page = miolo.Snapshot.from_html(html)
    chosen = method(page)
    assert len(chosen.kept) == len(chosen.reason) == len(page)
    assert page_data_records(page)[1] == []


def test_a_page_without_a_large_central_block_has_a_warning(stage):
    corner = f"<div style='width:100px;font-size:6px'><p>{PROSE}</p><p>{PROSE}</p></div>"
    far = "<div style='position:absolute;top:1900px;left:1100px'>Imprint</div>"
    chosen = vide(stage.html(corner + far))
    assert "no-data-region" in [warning.code for warning in chosen.warnings]


def test_the_data_region_is_large_and_in_the_middle(section):
    tree = segment(section)
    region, is_large_and_central = data_region(tree, RegionOptions())
    x, _, width, height = tree.box[region]
    assert is_large_and_central
    assert width * height >= 0.4 * tree.box[0, 2] * tree.box[0, 3]
    assert abs(x + width / 2 - 640) < 0.2 * 1280


def test_records_of_a_section_are_its_stories(section):
    tree, records = page_data_records(section)
    titles = [story.title for story in PAPERS["semantic"].stories]
    parts_of_records = [
        [block_text(section, tree, block) for block in record] for record in records
    ]
    assert len(parts_of_records) == 4
    for parts in parts_of_records:
        picture, title, summary, author = parts
        assert picture == ""
        assert title in titles
        assert len(summary) > len(author) > 0
    assert len({parts[1] for parts in parts_of_records}) == 4


def test_blocks_of_records_are_leaves_and_in_one_record_each(section):
    tree, records = page_data_records(section)
    blocks = [block for record in records for block in record]
    assert len(blocks) == len(set(blocks))
    assert set(blocks) <= set(tree.leaves.tolist())


def pixels(data):
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.format == "PNG"
        return np.asarray(picture.convert("RGB"))


@pytest.fixture
def show(chromium):
    """A function that opens a drawing of blocks in the browser."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})

    def open_drawing(drawing):
        page = context.new_page()
        page.set_content(f"<!doctype html><body style='margin:0; line-height:0'>{drawing}")
        return page

    yield open_drawing
    context.close()


def read_picture(page):
    return pixels(page.screenshot(full_page=True))


def test_the_picture_has_the_page_below_a_scale(show, section):
    raw = pixels(section.screenshot)
    drawn = read_picture(show(draw_blocks(section, segment(section))))
    assert drawn.shape[1] == raw.shape[1]
    strip, page = drawn[: len(drawn) - len(raw)], drawn[len(drawn) - len(raw) :]
    for color in DEGREE_COLORS.values():
        assert (strip == color).all(axis=2).any()
    assert (page == raw).all(axis=2).mean() > 0.5


def test_each_block_is_outlined_in_the_colour_of_its_coherence(show, section):
    tree = segment(section)
    raw, drawn = pixels(section.screenshot), read_picture(show(draw_blocks(section, tree)))
    page = drawn[len(drawn) - len(raw) :]
    for leaf in tree.leaves.tolist():
        x, y, width, height = (int(value) for value in tree.box[leaf])
        color = DEGREE_COLORS[int(tree.coherence[leaf])]
        around = page[max(0, y - 8) : y + height + 8, max(0, x - 8) : x + width + 8]
        assert (np.abs(around.astype(int) - color).max(axis=2) < 90).sum() > width / 2


def test_the_path_of_a_block_is_shown_while_the_pointer_is_over_it(show, section):
    tree = segment(section)
    page = show(draw_blocks(section, tree))
    visible = "[...document.querySelectorAll('.path')].filter(e => getComputedStyle(e).visibility"
    visible += " === 'visible').map(e => e.textContent)"
    page.mouse.move(0, 0)
    assert page.evaluate(visible) == []
    leaf = next(n for n in tree.leaves.tolist() if tree.box[n][1] < 500 and tree.box[n][3] > 12)
    x, y, width, height = tree.box[leaf].tolist()
    strip = len(read_picture(page)) - len(pixels(section.screenshot))
    page.mouse.move(x + width / 2, strip + y + height / 2)
    assert page.evaluate(visible) == [f"{tree.labels[leaf]} ({int(tree.coherence[leaf])})"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1e9, 1e9])
def test_any_boxes_can_be_drawn(section, value):
    tree = segment(section)
    box = tree.box.copy()
    box[::2] = value
    cuts = replace(tree.separators, box=np.full_like(tree.separators.box, value))
    drawn = etree.fromstring(draw_blocks(section, replace(tree, box=box, separators=cuts)))
    assert drawn.get("width") == "1280"


def test_the_number_of_blocks_that_are_drawn_is_limited(section, monkeypatch):
    monkeypatch.setattr("miolo_research.vips.picture.MAX_DRAWN", 5)
    drawn = draw_blocks(section, segment(section))
    assert drawn.count('class="block"') == 5
    assert drawn.count('class="separator"') <= 6  # including the one in the legend


def test_the_error_for_a_missing_screenshot_says_how_to_get_one(section):
    page = replace(section, screenshot=None)
    with pytest.raises(miolo.MissingScreenshotError, match="with a screenshot"):
        draw_blocks(page, segment(page, VIPSOptions(pdoc=3)))


def test_a_text_outside_all_blocks_is_tolerated(stage, monkeypatch):
    """Some real pages lay out white space outside all blocks."""
    words = "The ferry sails until midnight from the first Saturday in June. " * 8
    page = stage.html(f"<main><p>Menu <b>Search</b></p><p>{words}</p><p>{words}</p></main>")

    def without_the_first_text(snapshot, options):
        tree = segment(snapshot, options)
        of = tree.of.copy()
        of[np.flatnonzero(snapshot.is_text)[0]] = -1
        return replace(tree, of=of)

    monkeypatch.setattr("miolo_research.vips.method.segment", without_the_first_text)
    assert "midnight" in miolo.extract_snapshot(page, "vips").text
