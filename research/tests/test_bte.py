from __future__ import annotations

import numpy as np
import pytest
from miolo import Snapshot
from miolo.extract.pipeline import compose
from miolo_research.bte.method import BTEOptions, bte

MENU = "".join(f"<li><a href=/{n}>Part {n}</a></li>" for n in range(12))
STORY = "".join(
    f"<p>Paragraph {n} of the story goes on for quite some words, with <b>bold</b> ones and a "
    f"<a href=/s{n}>link</a> in it.</p>"
    for n in range(4)
)
PAGE = f"<body><ul>{MENU}</ul><div>{STORY}</div><ul>{MENU}</ul><p>All rights reserved</p></body>"


def text(html: str, options: BTEOptions | None = None) -> str:
    page = Snapshot.from_html(html)
    return compose(page, bte(page, options), "bte").text


def test_the_segment_is_the_story():
    segment = text(PAGE)
    assert "Paragraph 0" in segment
    assert "Paragraph 3" in segment
    assert "Part" not in segment
    assert "rights" not in segment


def test_scores_and_reasons_show_the_share_in_the_segment():
    page = Snapshot.from_html(PAGE)
    selection = bte(page)
    story = next(n for n in np.flatnonzero(page.is_text).tolist() if "Paragraph 1" in page.text[n])
    assert selection.scores[story] == 1
    reason = selection.reasons[selection.reason[story]]
    assert reason == "12 of 12 words are in the segment (> half)"
    assert 0 < selection.scores[0] < 1


def test_inline_tags_count_only_in_the_literal_form():
    code = "".join(f"<b>w{n}</b> <i>x{n}</i> " for n in range(40))
    html = f"<div><pre>{code}</pre></div><p>Two words and some more</p>"
    assert "w7" in text(html)
    assert "w7" not in text(html, BTEOptions.literal())


def test_links_count_only_in_the_corrected_form():
    html = "<div><a href=/>" + "word " * 30 + "</a></div><div>a short text of seven words</div>"
    assert text(html) == "a short text of seven words"
    assert "word word" in text(html, BTEOptions.literal())


def test_several_segments_can_be_found():
    long = "<p>" + "one text of many plain words " * 12 + "</p>"
    html = f"<body>{long}<ul>{MENU * 4}</ul>{long}</body>"
    assert text(html).count("one text of") == 12
    many = text(html, BTEOptions(segments="many"))
    assert many.count("one text of") == 24
    assert "Part 5" not in many


def test_chinese_needs_no_spaces():
    menu = "".join(f"<li><a href=/{n}>栏目</a></li>" for n in range(20))
    segment = text(f"<ul>{menu}</ul><div><p>{'新闻正文' * 20}。</p><p>{'第二段落' * 9}。</p></div>")
    assert "新闻正文" in segment
    assert "第二段落" in segment
    assert "栏目" not in segment


@pytest.mark.parametrize("options", [BTEOptions(), BTEOptions(segments="many")], ids=str)
@pytest.mark.parametrize(
    "html", ["", "<p></p>", "<img src=x>", "<p hidden>nothing to see</p>"], ids=repr
)
def test_a_page_without_text_gives_a_warning(html, options):
    selection = bte(Snapshot.from_html(html), options)
    assert not selection.kept.any()
    assert [warning.code for warning in selection.warnings] == ["no-content"]


def test_a_page_of_ten_thousand_levels():
    page = Snapshot.from_html("".join(f"<div>text {n} of as many levels" for n in range(10_000)))
    assert bte(page).kept.any()


@pytest.mark.parametrize("wrong", [{"window": 0}, {"slope": -1.0}], ids=str)
def test_options_are_checked(wrong):
    with pytest.raises(ValueError, match="window"):
        BTEOptions(**wrong)
