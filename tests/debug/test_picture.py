"""The annotated picture: its size, its colours, and what it leaves alone."""

import io
from dataclasses import replace

import miolo
import numpy as np
import pytest
from miolo.debug.pictures.picture import KINDS, MAX_PAINTED, WARNING, outlines
from PIL import Image

PROSE = "The harbour board met on Thursday to hear what the town thinks of the old horn. " * 5
COMMENT = "<div class=c>Posted by {} on Monday morning, reply or report this comment</div>"
PAGE = f"""<!doctype html><title>Should the foghorn sound again this year?</title>
<body style="margin:40px 60px; background:#fff">
<h1 id=headline>Should the foghorn sound again this year?</h1>
<p>Of the standing of the horn</p><p>The horn in its tower</p>
<div id=story>{f"<p>{PROSE}</p>" * 4}<div id=talk>
{"".join(COMMENT.format(name) for name in ("anna", "anne", "anni", "hanna"))}</div></div>
<p style="margin-top:200px"><a href=/more>More</a></p>
<div style="position:fixed; bottom:0; left:0; width:100%; height:60px; background:tan">Cookies</div>
"""


def pixels(data):
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.format == "PNG"
        return np.asarray(picture.convert("RGB")).astype(int)


ROLES = {"Of the standing of the horn": "standfirst", "The horn in its tower": "caption"}


@pytest.fixture(scope="module")
def extraction(extraction):
    """One that also knows roles of blocks that are left out."""
    blocks = (replace(each, role=ROLES.get(each.text, each.role)) for each in extraction.blocks)
    return replace(extraction, blocks=tuple(blocks))


@pytest.fixture(scope="module")
def raw(snapshot):
    return pixels(snapshot.screenshot)


@pytest.fixture(scope="module")
def drawn(snapshot, extraction):
    return pixels(miolo.annotated_screenshot(snapshot, extraction))


def below_legend(drawn, raw):
    return drawn[len(drawn) - len(raw) :]


def test_the_page_lies_below_a_legend_strip(drawn, raw):
    assert drawn.shape[1] == raw.shape[1]
    assert 40 < len(drawn) - len(raw) < 120


def test_a_page_that_moved_has_a_warning_in_the_legend(snapshot, extraction, drawn, raw):
    moved = snapshot.with_warnings(miolo.PageWarning("moved", "boxes may be misplaced"))
    warned = pixels(miolo.annotated_screenshot(moved, extraction))
    legend = warned[: len(warned) - len(raw)]
    assert len(warned) > len(drawn)
    assert (legend == WARNING).all(axis=2).any()
    assert not (drawn[: len(drawn) - len(raw)] == WARNING).all(axis=2).any()


def test_every_kind_is_there_with_its_colour_in_legend_and_page(snapshot, extraction, drawn, raw):
    kinds = {outline.kind for outline in outlines(snapshot, extraction)}
    assert kinds == set(KINDS)
    legend, page = drawn[: len(drawn) - len(raw)], below_legend(drawn, raw)
    changed = (page != raw).any(axis=2)
    for name, kind in KINDS.items():
        there = name != "other"
        assert (legend == kind.color).all(axis=2).any() == there, name
        assert (changed & (page == kind.color).all(axis=2)).any() == there, name


def test_boxes_are_labelled_by_role_and_those_of_the_text_by_score_too(snapshot, extraction):
    labels = {(each.kind, each.label) for each in outlines(snapshot, extraction)}
    kept = {("kept", f"{each.role} {each.score:.2f}") for each in extraction.blocks if each.kept}
    assert {("head", "standfirst"), ("beside", "caption"), *kept} <= labels
    blocks = tuple(
        replace(each, kept=each.kept or each.role in ROLES.values()) for each in extraction.blocks
    )
    kept = outlines(snapshot, replace(extraction, blocks=blocks))
    assert not {"head", "beside"} & {each.kind for each in kept}


@pytest.mark.parametrize("role", ["boilerplate", "related", "call-to-action"])
def test_surroundings_are_not_drawn(snapshot, extraction, role):
    blocks = tuple(replace(each, role=role, kept=False) for each in extraction.blocks)
    found = outlines(snapshot, replace(extraction, blocks=blocks))[: len(blocks)]
    assert {each.kind for each in found} == {"other"}


def test_a_kept_box_is_tinted_and_framed(extraction, drawn, raw):
    page, kind = below_legend(drawn, raw), KINDS["kept"]
    block = next(block for block in extraction.blocks if block.kept)
    x, y, width, height = (int(value) for value in block.box)
    inside = (
        slice(y + 1, y + height - 1),
        slice(x + 1, x + width - 140),
    )  # a tag may be at the right
    before, after = raw[inside], page[inside]
    expected = before + (np.array(kind.color) - before) * kind.fill
    assert np.abs(after - expected).max() <= 2
    assert (page[y + height // 2, x - 3] == kind.color).all()


def test_outside_of_boxes_and_tags_nothing_changes(snapshot, extraction, drawn, raw):
    page, far = below_legend(drawn, raw), np.ones(raw.shape[:2], bool)
    for outline in outlines(snapshot, extraction):
        if outline.kind != "other":
            x, y, width, height = (int(value) for value in outline.box)
            far[max(0, y - 22) : y + height + 8, max(0, x - 150) : x + width + 8] = False
    assert far.mean() > 0.2
    assert (page[far] == raw[far]).all()


def test_without_a_screenshot_it_says_how_to_get_one(snapshot, extraction):
    with pytest.raises(miolo.MissingScreenshotError, match="screenshot=True"):
        miolo.annotated_screenshot(replace(snapshot, screenshot=None), extraction)


@pytest.mark.parametrize("data", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + bytes(40)])
def test_a_broken_screenshot_is_told_too(snapshot, extraction, data):
    with pytest.raises(miolo.MissingScreenshotError, match="cannot be read"):
        miolo.annotated_screenshot(replace(snapshot, screenshot=data), extraction)


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
    drawn = pixels(miolo.annotated_screenshot(snapshot, replace(extraction, blocks=blocks)))
    assert below_legend(drawn, raw).shape == raw.shape


def test_many_boxes_as_large_as_the_page_paint_a_bounded_area(snapshot, extraction, monkeypatch):
    painted = []
    monkeypatch.setattr(
        "miolo.debug.pictures.picture._fill", lambda page, area, kind: painted.append(area)
    )
    block = next(block for block in extraction.blocks if block.kept)
    blocks = tuple(replace(block, box=(0.0, 0.0, 5000.0, 5000.0 + i)) for i in range(300))
    blocks += tuple(replace(block, box=(0.0, i, 5000.0, 5000.0)) for i in range(300))
    miolo.annotated_screenshot(snapshot, replace(extraction, blocks=blocks))
    assert len(painted) <= 2 * MAX_PAINTED + len(KINDS) + 4


def test_what_the_font_lacks_does_not_matter(snapshot, extraction):
    block = next(block for block in extraction.blocks if block.kept)
    odd = replace(
        extraction,
        url="https://例え.test/新聞\n\ud800" + "長" * 100_000,
        method="方法\x00",
        blocks=(replace(block, tag="x-標題\n" * 50),),
        marks={"分離\n": 0},
    )
    assert miolo.annotated_screenshot(snapshot, odd)


def test_a_picture_narrower_than_the_legend_is_widened(snapshot, extraction):
    buffer = io.BytesIO()
    Image.new("RGB", (1, 1), "red").save(buffer, "PNG")
    drawn = pixels(
        miolo.annotated_screenshot(replace(snapshot, screenshot=buffer.getvalue()), extraction)
    )
    assert drawn.shape[1] == 320
