"""The content of snapshots that a real Chromium renders."""

import pytest
from newsroom import PAGES
from stage import picture, visible_text


def node_of(snapshot, text: str) -> int:
    return next(i for i, own in enumerate(snapshot.text) if text in own)


def squeeze(text: str) -> str:
    return "".join(text.split())


ARTICLES = [
    "client-rendered", "hydrated", "lazy-images", "consent-banner", "nested-tables",
    "fixed-app-shell", "slow-stylesheet", "frame-other-origin", "frame-same-origin",
    "shadow-closed", "shadow-open", "right-to-left", "chinese", "alert-on-load", "popup",
    "permission-prompt", "service-worker",
]  # fmt: skip


@pytest.mark.parametrize("kind", ARTICLES)
def test_the_whole_article_is_in_the_snapshot_and_visible(stage, kind):
    snapshot = stage.render(kind)
    text = squeeze(visible_text(snapshot))
    missing = [p for p in PAGES[kind].paragraphs if squeeze(p) not in text]
    assert not missing


def test_space_between_hidden_words_is_kept(stage):
    code = "<b>export</b> <i>class</i>\n<i>Set</i>"
    tab = f"<li hidden>\n <pre>{code}</pre> <p>one <u>two</u> <u>three</u> </p>\n</li>"
    snapshot = stage.html(f"<ul>{tab}</ul><p>Shown.")
    assert "".join(snapshot.text) == "export class\nSetone two threeShown."


def test_half_of_a_surrogate_pair_is_text(stage):
    snapshot = stage.html(r"<p>One</p><script>document.body.append('two \ud83d three')</script>")
    assert snapshot.text[-1].startswith("two ")
    assert snapshot.text[-1].endswith(" three")


def test_noframes_markup_is_not_text(stage):
    instead = "".join(f"<{tag}><p>Old.</p></{tag}>" for tag in ("iframe", "noembed", "noframes"))
    snapshot = stage.html(f"<p>Before.{instead}<p>After.<iframe srcdoc='<p>Inside.'></iframe>")
    assert [text for text in snapshot.text if text] == ["Before.", "After.", "Inside."]


FRAMES = """<!doctype html><body style="margin:0"><div style="height:100px"></div>
<iframe src="{src}" style="border:7px solid;padding:5px;width:300px;height:200px;display:block">
</iframe></body>"""


def test_boxes_of_a_frame_are_exact(stage):
    inner = "data:text/html,<body style='margin:11px'><p style='margin:0'>inside"
    snapshot = stage.html(FRAMES.format(src=inner.replace('"', "&quot;")), fetch=True)
    box = snapshot.box[node_of(snapshot, "inside")]
    assert box[0] == pytest.approx(7 + 5 + 11, abs=1)
    assert box[1] == pytest.approx(100 + 7 + 5 + 11, abs=1)


def test_slotted_content_is_placed_where_it_is_drawn(stage):
    snapshot = stage.html(
        "<x-card><b slot=late>second</b></x-card><script>"
        "class Card extends HTMLElement { connectedCallback() {"
        "this.attachShadow({mode: 'closed'}).innerHTML = '<p>first</p><slot name=late></slot>'"
        "}} customElements.define('x-card', Card)</script>"
    )
    assert node_of(snapshot, "first") < node_of(snapshot, "second")
    slot = next(i for i in range(len(snapshot)) if snapshot.tag_name(i) == "slot")
    assert snapshot.displays[snapshot.display[slot]] == "contents"


def test_facts_styles_and_attributes(stage):
    snapshot = stage.html(
        "<html lang=pt><head><title> A  title </title><meta name=author content=Ana>"
        '<script type="application/ld+json">{"@type": "NewsArticle"}</script></head>'
        "<body style='margin:0'><p id=x style='color:rgb(1,2,3);background:rgba(4,5,6,.5);"
        "font:700 20px serif;position:relative'>text<!-- no --></p></body></html>",
        url="https://example.org/story",
    )
    page = snapshot.page
    assert (page.title, page.language, page.url) == ("A title", "pt", "https://example.org/story")
    assert page.meta_value("author") == "Ana"
    assert page.json_ld == ('{"@type": "NewsArticle"}',)
    assert page.page_size[0] == 1280
    (paragraph, _), *_ = snapshot.attributes.with_attribute("id")
    assert snapshot.attributes.of(paragraph)["id"] == "x"
    assert snapshot.color[paragraph] == 0x010203FF
    assert snapshot.background[paragraph] >> 8 == 0x040506
    assert snapshot.font_size[paragraph] == 20
    assert snapshot.font_weight[paragraph] == 700
    assert "script" in {snapshot.tag_name(i) for i in range(len(snapshot))}
    assert "NewsArticle" not in " ".join(snapshot.text)


def test_json_ld_of_a_frame_is_not_that_of_the_page(stage):
    script = "<script type=application/ld+json>{}</script>".format
    frame = script('{"of": "frame"}').replace('"', "&quot;")
    snapshot = stage.html(f'<iframe srcdoc="<p>framed</p>{frame}"></iframe>{script("[1]")}')
    assert "framed" in snapshot.text
    assert snapshot.page.json_ld == ("[1]",)


def test_markup_lengths_add_up_to_the_length_of_the_serialised_page(stage):
    programs = "<script>if (a < b) c()</script><noembed><i></noembed>"
    source = f"<p a='1&quot;'>x &amp; y<br>z</p>{programs}<img alt=q>"
    snapshot = stage.html(f"<html><head></head><body>{source}</body></html>", javascript=False)
    serialised = (
        '<html><head></head><body><p a="1&quot;">x &amp; y<br>z</p>'
        f'{programs}<img alt="q"></body></html>'
    )
    # The byte order mark that declares the encoding of given HTML is not part of the document.
    assert int(snapshot.html_chars.sum()) + 5 == pytest.approx(len(serialised), abs=5)


def test_the_screenshot_of_a_tall_page_is_complete(stage):
    snapshot = stage.html(
        "<body style='margin:0'><div style='height:9000px;background:"
        "linear-gradient(red 0 50%, blue 50% 100%)'></div></body>",
        screenshot=True,
    )
    pixels = picture(snapshot)
    assert pixels.shape[1::-1] == snapshot.page.page_size == (1280, 9000)
    assert pixels[4400, 5].tolist() == [255, 0, 0]
    assert pixels[4600, 5].tolist() == [0, 0, 255]


def test_a_text_that_flows_over_columns_has_the_box_of_its_first_column(stage):
    words = "The fog is rare in autumn and stays for weeks in spring. " * 9
    columns = "width:900px; columns:3; column-gap:30px; column-fill:auto; height:200px"
    for space in (40, 180):  # the first column has eight lines, or only one
        snapshot = stage.html(
            f"<!doctype html><body style='margin:0; font:16px/20px serif; orphans:1; widows:1'>"
            f"<main style='{columns}'><div style='height:{space}px'></div>{words}</main>"
        )
        x, y, width, height = snapshot.box[node_of(snapshot, "The fog")].tolist()
        assert 0 <= x < x + width <= 280
        assert space <= y < y + height <= 200


@pytest.mark.parametrize("style", ["writing-mode:vertical-rl; height:200px", "width:200px"])
def test_a_text_of_several_lines_has_the_box_of_all(stage, style):
    words = "The fog is rare in autumn and stays for weeks in spring. " * 9
    snapshot = stage.html(f"<!doctype html><p style='{style}'>{words}")
    node = node_of(snapshot, "The fog")
    assert snapshot.box[node, 2:] == pytest.approx(snapshot.box[snapshot.parent[node], 2:], abs=16)
