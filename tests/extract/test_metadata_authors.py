import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo import Snapshot
from miolo.extract.metadata.describing import describe
from miolo.extract.metadata.finding import RoleText
from miolo.extract.metadata.names import author_names, name_key

BODY = "<p role=paragraph>Dough rises.</p>"


def authors_of(html: str) -> tuple[str, ...]:
    """Authors of a page whose elements have the roles of their ``role`` attributes."""
    page = Snapshot.from_html(html, url="https://loaf.example/bread")
    kept = np.zeros(len(page), bool)
    blocks = []
    for node, role in page.attributes.with_attribute("role"):
        nodes = np.flatnonzero(page.is_text[node : page.end[node]]) + node
        blocks.append(RoleText(role, nodes.tolist()))
        if role == "paragraph":
            kept[node : page.end[node]] = True
    return describe(page, kept=kept, blocks=blocks).authors


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ("Beitrag von Jane Doe", ("Jane Doe",)), ("Recueilli par Jane Doe", ("Jane Doe",)),
        ("By the Rye Team", ("Rye Team",)), ("文｜王小明", ("王小明",)),
        ("ライター・犬山柴子", ("犬山柴子",)),
        ("（羅森）", ("羅森",)), ("~ Jane D.", ("Jane D.",)), ("Words: Jane Doe", ("Jane Doe",)),
        ("Rye University, New Zealand", ("Rye University",)),
        ("Jane Doe, Dietitian", ("Jane Doe",)), ("Jane Doe AP Sports Writer", ("Jane Doe",)),
        ("Edward Head", ("Edward Head",)), ("Loaf Contributor", ()), ("Former Rye Consultant", ()),
        ("Jane Doe Municipal and Courts Reporter", ()), ("Key Takeaways:", ()),
        ("Published Date: 10:00", ()), ("Fact checked", ()), ("题图来自 Hater", ()),
        ("选稿：王小明", ()),
        ("【短视频文化现象观察】", ()), ("■ イベント情報", ()), ("Par loaf.be", ()),
        ("Staff Reports", ()),
    ],
)  # fmt: skip
def test_bylines_with_labels_and_roles(byline, names):
    assert author_names([byline], ["loaf.be"]) == names


def test_a_country_code_is_no_part_of_the_name_of_a_site():
    assert name_key("Loaf1.am") == name_key("loaf1")
    assert name_key("J.D") == "jd"


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ("By <a>Jane Doe</a> | <a>New Bread</a>, <a>News</a>", ("Jane Doe",)),
        ("By <a>admin</a> in <a>Rye Bread</a>", ()),
        ("by <b>in</b> <a>Rye Bread</a>, <a>Old Bread</a>", ()),
        ("By RYE, in <a>Old Bread</a>", ("RYE",)),
        ("<a>Rye Bread</a> By <a>admin</a>", ()),
        ("By <b>Jane Doe</b>, <a>John Roe</a>", ("Jane Doe", "John Roe")),
        ("By <b>Jane Doe</b> <a>Rye Press</a>", ("Jane Doe",)),
        ("By <b>Jane Doe</b> of <a>Rye Press</a>", ("Jane Doe",)),
        ("By <b>Jane Doe</b> and <b>John Roe</b>", ("Jane Doe", "John Roe")),
        ("By <b>Jane Doe</b> és <b>John Roe</b>", ("Jane Doe", "John Roe")),
        ("Written <b>by</b> <i>Jane Doe</i>", ("Jane Doe",)),
        (
            "By <a>Jane Doe</a>, Anna Wood and <a>John Roe</a>",
            ("Jane Doe", "Anna Wood", "John Roe"),
        ),
        ("Column by <b>Jane Doe</b>", ("Jane Doe",)),
        ("Kolumne von <b>Jane Doe</b>", ("Jane Doe",)),
        ("Photography by <a>Jane Doe</a>", ()),
        ("Category: <a>Old Bread</a>", ()),
        ("3 May 2021 | Author: <a>Jane Doe</a>", ("Jane Doe",)),
        ("<b>Jane Doe</b><p role=byline>Politics", ("Jane Doe",)),
    ],
)
def test_links_and_labels_of_bylines(byline, names):
    html = byline.replace("<a>", "<a href=/x>")
    assert authors_of(f"<p role=byline>{html}</p>{BODY}") == names


@pytest.mark.parametrize(
    ("dateline", "names"),
    [
        ("<a href=/j>Jane Doe</a> | 3 May 2021", ("Jane Doe",)),
        ("3 May 2021 | <a href=/o>Old Bread</a>, <a href=/r>Rye Bread</a>", ()),
        ("3 May 2021 | Towns: <a href=/n>North Rye</a>", ()),
        ("SAN RYE", ()),
    ],
)
def test_sections_and_places_in_datelines_are_not_authors(dateline, names):
    assert authors_of(f"<p role=dateline>{dateline}</p>{BODY}") == names


@pytest.mark.parametrize(
    ("role", "text", "names"),
    [
        ("boilerplate", "Author: Jane Doe", ("Jane Doe",)),
        ("boilerplate", "Autorin/Autor Jane Doe", ("Jane Doe",)),
        ("boilerplate", "作者：<b>林宜靜</b> 文字大小：【大】", ("林宜靜",)),
        ("boilerplate", "Jane Doe", ()),
        ("boilerplate", "From Jane Doe", ()),
        ("boilerplate", f"Author: Jane Doe {'bakes ' * 40}", ()),
        ("note", "ライター・犬山柴子", ("犬山柴子",)),
        ("note", "（文/赵勇）", ("赵勇",)),
        ("dateline", "2012/1/17 蔡崇梧 報導", ("蔡崇梧",)),
        ("paragraph", "【台灣醒報記者林宜靜台北報導】冷冷的寒冬", ("林宜靜",)),
        ("paragraph", "（記者林宜靜）冷冷的寒冬", ("林宜靜",)),
        ("paragraph", "本报讯（记者叶婉）近日", ("叶婉",)),
        ("paragraph", "保持通風。(林麗玉報導)", ("林麗玉",)),
        ("paragraph", "记者在北京报道", ()),
        ("paragraph", "更多的報導", ()),
    ],
)
def test_labels_and_reporters_in_other_blocks(role, text, names):
    html = f"<p role={role}>{text}</p>{BODY}"
    assert authors_of(html) == names
    assert authors_of(f"<p role=byline>By John Roe</p>{html}") == ("John Roe",)


def test_names_in_capitals_are_spelled_as_elsewhere():
    head = "<meta name=author content='JANE MCDOE'>"
    assert authors_of(f"{head}<p role=byline>By Jane McDoe</p>{BODY}") == ("Jane McDoe",)
    assert authors_of(f"{head}{BODY}") == ("Jane Mcdoe",)


def test_photographers_are_not_listed_beside_those_after_by():
    declared = '{"@type": "Article", "author": [{"name": "Jane Doe"}, {"name": "Max Poe"}]}'
    head = f"<script type=application/ld+json>{declared}</script>"
    credit = "<b itemprop=author>Photography by Max Poe</b>"
    by = "<p role=byline>By Jane Doe</p>"
    assert authors_of(f"{head}{by}{BODY}{credit}") == ("Jane Doe",)


def test_marked_authors_of_other_articles_are_not_listed():
    marked = "<b itemprop=author>Jane Doe</b><b itemprop=author>Max Poe</b>"
    scope = f"<div itemscope itemtype=https://schema.org/Article>{marked}</div>"
    assert authors_of(f"{scope}{BODY}") == ("Jane Doe", "Max Poe")
    assert authors_of(f"<p role=byline>By Jane Doe</p>{scope}{BODY}") == ("Jane Doe",)


@given(st.lists(st.text(max_size=20), max_size=4), st.booleans())
def test_any_byline_can_be_read(texts, is_linked):
    tag = "a href=/x" if is_linked else "b"
    html = "".join(f"<{tag}>{text.replace('<', '')}</{tag[0]}>" for text in ("by", *texts))
    names = authors_of(f"<p role=byline>{html}</p>{BODY}")
    assert len(set(names)) == len(names)
