"""The annotated picture: its size, its colours, and what it leaves unchanged."""

from dataclasses import replace

import miolo
import pytest
from miolo.debug.pictures.canvas import MAX_PAINTED
from miolo.debug.pictures.kinds import KINDS
from miolo.debug.pictures.learned import learned_screenshot
from miolo.debug.pictures.picture import outlines
from miolo.debug.reports.inspection import inspection
from stage import pixels

PROSE = "The harbour board met on Thursday to hear what the town thinks of the old horn. " * 5
COMMENT = "<div class=c>Posted by {} on Monday morning, reply or report this comment</div>"
PAGE = f"""<!doctype html><title>Should the foghorn sound again this year?</title>
<body style="margin:40px 60px; background:#fff">
<h1 id=headline>Should the foghorn sound again this year?</h1>
<p>Of the standing of the horn</p><p>The horn in its tower</p>
<div id=story>{f"<p>{PROSE}</p>" * 4}<div id=talk>
{"".join(COMMENT.format(name) for name in ("anna", "anne", "anni", "hanna"))}</div></div>
<hr style="width:300px; height:20px; border:0; background:navy">
<p style="margin-top:200px"><a href=/more>More</a></p>
<div style="position:fixed; bottom:0; left:0; width:100%; height:60px; background:tan">Cookies</div>
"""


ROLES = {"Of the standing of the horn": "standfirst", "The horn in its tower": "caption"}


@pytest.fixture(scope="module")
def extraction(extraction):
    """An extraction that also has roles of excluded blocks."""
    blocks = (replace(each, role=ROLES.get(each.text, each.role)) for each in extraction.blocks)
    return replace(extraction, blocks=tuple(blocks))


@pytest.fixture(scope="module")
def raw(snapshot):
    return pixels(snapshot.screenshot)


@pytest.fixture(scope="module")
def drawing(snapshot, extraction):
    return pixels(miolo.annotated_screenshot(snapshot, extraction))


def page_part(drawing, raw):
    """The page below the legend and between the margins, and its offset from the left."""
    page_rows = drawing[len(drawing) - len(raw) :]
    # The page is at the offset where most of its pixels are unchanged.
    fits = [
        x
        for x in range(page_rows.shape[1] - raw.shape[1] + 1)
        if (page_rows[::97, x : x + raw.shape[1]] == raw[::97]).mean() > 0.15
    ]
    x = max(fits, key=lambda x: (page_rows[::11, x : x + raw.shape[1]] == raw[::11]).mean())
    return page_rows[:, x : x + raw.shape[1]], x


def test_every_kind_has_its_colour_in_the_legend_and_on_the_page(
    snapshot, extraction, drawing, raw
):
    assert {outline.kind for outline in outlines(snapshot, extraction)} == set(KINDS)
    legend, (page, _) = drawing[: len(drawing) - len(raw)], page_part(drawing, raw)
    changed = (page != raw).any(axis=2)
    for name, kind in KINDS.items():
        assert (legend == kind.color).all(axis=2).any(), name
        assert (changed & (page == kind.color).all(axis=2)).any(), name


def test_excluded_blocks_are_hatched(extraction, drawing, raw):
    page, _ = page_part(drawing, raw)
    left_out = [each for each in extraction.blocks if not each.kept and each.role != "title"]
    assert {"boilerplate", "comment", "caption"} <= {each.role for each in left_out}
    for block in left_out:
        x, y, width, height = (int(value) for value in block.box)
        inside = (slice(y + 5, y + height - 5), slice(x, x + width))
        blank = (raw[inside] == 255).all(axis=2)
        if not blank.any():
            continue  # a layer covers it
        assert (page[inside] != raw[inside]).any(axis=2).mean() > 0.9
        lit = page[inside][blank].sum(axis=1)
        assert (lit < 3 * 255).all()
        assert (lit >= 690).mean() > 0.5
        assert (lit < 690).mean() > 0.1


def test_a_hidden_layer_over_the_article_is_only_a_dashed_outline(stage):
    layer = "<div style='position:fixed; inset:150px 0 0 0; background:tan'><p>We value you</div>"
    source = f"<!doctype html><h1>The horn</h1>{f'<p>{PROSE}</p>' * 4}{layer}"
    snapshot = stage.html(source, screenshot=True, hide_overlays=True)
    extraction = miolo.extract_snapshot(snapshot)
    raw = pixels(snapshot.screenshot)
    page, _ = page_part(pixels(miolo.annotated_screenshot(snapshot, extraction)), raw)
    covered = [block for block in extraction.blocks if block.kept and block.box[1] > 160]
    assert covered
    for block in covered:
        x, y, width, height = (int(value) for value in block.box)
        inside = (slice(y, y + height), slice(x, x + width))
        assert (page[inside] == raw[inside]).all()
    assert (page[700:1000, 50:1200] == raw[700:1000, 50:1200]).all()
    edge = (page[150:1024, 0] == KINDS["overlays"].color).all(axis=1)
    assert 0.4 < edge.mean() < 0.8
    # The inspector draws it the same way.
    *_, inner, layer = inspection(snapshot, extraction)["items"]
    assert (inner["text"], inner["box"][2:]) == ("We value you", [0, 0])
    assert (layer["name"], layer["clear"]) == ("overlay", True)


@pytest.mark.parametrize(
    ("style", "is_drawn"),
    [
        ("top:-40px; height:60px", True),
        ("top:-40px; height:40px", False),
        ("top:0; height:60px; visibility:hidden", False),
        ("top:0; height:60px; opacity:0", False),
    ],
)
def test_a_layer_above_the_page_or_hidden_has_no_box(stage, style, is_drawn):
    layer = f"<div style='position:fixed; width:100%; {style}'>We value you</div>"
    source = f"<!doctype html><h1>The horn</h1>{f'<p>{PROSE}</p>' * 4}{layer}"
    snapshot = stage.html(source, screenshot=True)
    drawn = outlines(snapshot, miolo.extract_snapshot(snapshot))
    assert ("overlays" in {outline.kind for outline in drawn}) == is_drawn


def test_texts_that_are_not_painted_have_no_box(stage):
    rules = ("", "visibility:hidden", "opacity:0", "clip-path:inset(50%)", "color:white", "")
    texts = "".join(f"<p style='{each}'>{n} towers. {PROSE}</p>" for n, each in enumerate(rules))
    snapshot = stage.html(f"<!doctype html><h1>The horn</h1>{texts}", screenshot=True)
    extraction = miolo.extract_snapshot(snapshot)
    is_painted = [block.text.startswith(("The horn", "0", "5")) for block in extraction.blocks]
    assert (is_painted.count(True), is_painted.count(False)) == (3, 4)
    items = inspection(snapshot, extraction)["items"]
    assert [min(item["box"][2:]) > 0 for item in items] == is_painted


@pytest.mark.parametrize("data", [None, b"", b"no picture", b"\x89PNG\r\n\x1a\n" + bytes(40)])
def test_a_missing_or_broken_screenshot_is_an_error(snapshot, extraction, data):
    reason = "with a screenshot" if data is None else "cannot be read"
    with pytest.raises(miolo.MissingScreenshotError, match=reason):
        miolo.annotated_screenshot(replace(snapshot, screenshot=data), extraction)


@pytest.mark.parametrize("draw", [miolo.annotated_screenshot, miolo.article_screenshot])
def test_an_extraction_of_another_page_is_refused(snapshot, extraction, draw):
    other = miolo.Snapshot.from_html("<p>One.<p>Two.")
    for page, article in (
        (replace(other, screenshot=snapshot.screenshot), extraction),
        (snapshot, miolo.extract_snapshot(other)),
    ):
        with pytest.raises(ValueError, match="does not match the snapshot"):
            draw(page, article)


@pytest.mark.parametrize(
    "box",
    [
        (-1e9, -1e9, 3e9, 3e9),
        (-50, -50, 60, 60),
        (1e30, 1e30, 1e30, 1e30),
        (10, 10, 0, 0),
        (10, 10, -5, 20),
        (float("nan"), 0, 10, 10),
        (0, 0, float("inf"), 10),
        (1279.9, 0, 0.05, 0.05),
    ],
)
def test_any_box_is_safe(snapshot, extraction, raw, box):
    blocks = tuple(replace(block, box=box) for block in extraction.blocks)
    drawing = pixels(miolo.annotated_screenshot(snapshot, replace(extraction, blocks=blocks)))
    assert drawing.shape[0] > raw.shape[0]


def test_many_boxes_as_large_as_the_page_paint_a_bounded_area(snapshot, monkeypatch):
    painted = []
    monkeypatch.setattr(
        "miolo.debug.pictures.canvas.hatch", lambda page, area, color: painted.append(area)
    )
    many = miolo.Snapshot.from_html("<p>One of many." * 600)
    extraction = miolo.extract_snapshot(many)
    boxes = [(0.0, 0.0, 5000.0, 5000.0 + i) for i in range(300)]
    boxes += [(0.0, i, 5000.0, 5000.0) for i in range(300)]
    blocks = tuple(
        replace(block, box=box, kept=False, role="boilerplate")
        for block, box in zip(extraction.blocks, boxes, strict=True)
    )
    page = replace(many, screenshot=snapshot.screenshot)
    miolo.annotated_screenshot(page, replace(extraction, blocks=blocks))
    assert 0 < len(painted) <= MAX_PAINTED + len(KINDS)


def test_learned_parts_of_a_site_are_drawn_on_one_of_its_pages(snapshot, raw):
    def page(number):
        words = PAGE.replace("the old horn", f"horn {number}").replace("again this", f"in {number}")
        return miolo.Snapshot.from_html(words, url=f"https://a.example/{number}")

    site = miolo.learn_site(map(page, range(4)))
    drawing = pixels(learned_screenshot(site, snapshot, "a"))
    legend, (drawn, _) = drawing[: len(drawing) - len(raw)], page_part(drawing, raw)
    changed = (drawn != raw).any(axis=2)
    for name in ("kept", "other"):
        color = KINDS[name].color
        assert (legend == color).all(axis=2).any(), name
        assert (changed & (drawn == color).all(axis=2)).any(), name
