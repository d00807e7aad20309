"""Snapshots without a browser."""

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.blocks import text_blocks
from stage import visible_text


def body_tags(snapshot) -> list[str]:
    tags = [snapshot.tag_name(node) for node in range(len(snapshot))]
    return tags[tags.index("body") :]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<title>t</title><p>a</p><p hidden>b</p><p style='x:y;display:none'>c</p>"
         "<script>d</script><template>f</template><!-- g --><p>h", "a h"),
        ("<head><noscript><style>p{color:red}</style></noscript></head>"
         "<p>a<script>b</script><noscript><p>c</p></noscript>", "a c"),
        ("<p>a</p><audio src=x>b <a href=x>c</a></audio><p>d</p>", "a d"),
        ("<p>a</p><video src=x>b <a href=x>c</a></video><p>d</p>", "a d"),
    ],
)  # fmt: skip
def test_what_a_browser_without_scripts_shows_is_visible(source, text):
    snapshot = miolo.Snapshot.from_html(source)
    assert visible_text(snapshot) == text
    assert not snapshot.page.has_geometry


MEANTIME = "<!--$?--><template id=B:0></template><p>wait</p><!--$--><i>x</i><!--/$--><!--/$-->"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (f"a {MEANTIME} c<div hidden id=S:0><p>b</p></div>", "a b c"),
        (f"a {MEANTIME} d<div hidden id=S:0>b<template id=P:1></template></div>"
         "<div hidden id=S:1>c</div><script>put('S:1', 'P:1')</script>", "a b c d"),
        ("a <template id=B:0></template><div hidden id=S:0>b</div> c", "a b c"),
        (f"<main>{MEANTIME}</main><section><div hidden id=S:0>b</div></section>c", "b c"),
        (f"a <div hidden id=S:0>b {MEANTIME}</div> c", "a c"),
        ("a <div hidden id=S:0>b <template id=B:1></template></div><div hidden id=S:1><template "
         "id=B:0></template></div> c<script>put('B:1','S:1')</script>", "a c"),
    ],
)  # fmt: skip
def test_streamed_parts_are_shown_in_their_places(source, text):
    html = source + "<script>put('B:0','S:0')</script>"
    assert visible_text(miolo.Snapshot.from_html(html)) == text
    without = miolo.Snapshot.from_html(source)
    assert "b" not in visible_text(without).split()


@given(st.lists(st.sampled_from(
    ["<template id=a></template>", "<template id=b></template>", "<div hidden id=c>", "</div>",
     "<div hidden id=d>", "<!--$-->", "<!--/$-->", "t", "<p>", "<script>f('a','c')</script>",
     "<script>f('b','d')</script>", "<script>f('b','c')</script>", "</template>", "<slot>",
     "<x-a><template shadowrootmode=open>"]), max_size=30))  # fmt: skip
def test_streamed_parts_are_moved_and_not_multiplied(parts):
    snapshot = miolo.Snapshot.from_html("".join(parts))
    assert "".join(snapshot.text).count("t") <= parts.count("t")
    assert (snapshot.end <= len(snapshot)).all()


@pytest.mark.parametrize("source", ["", b"", "<!-- only -->", "\0", "   "])
def test_an_empty_document_is_a_page_without_text(source):
    snapshot = miolo.Snapshot.from_html(source)
    tags = [snapshot.tag_name(node) for node in range(len(snapshot))]
    assert tags == ["html", "head", "body"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "<html><head><title>t</title></head></html><body class=x>lead<p>a</p>b</body>",
            "lead a b",
        ),
        ("<html><body><p>a</p></body></html><p>b</p>c<div>d</div>", "a b c d"),
        ("<head></head></html><body>1</body></html><body>2</body>", "12"),
        ("</html><p>a</p></html><p>b", "a b"),
        # An element that is not allowed in the head begins the body.
        ("<title>T</title><article><p>a</p></article>", "a"),
        ("<title>T</title><main>a<script>1</script></main><p>b</p>c", "a b c"),
        ("<meta charset=utf-8><some-thing>a</some-thing><link rel=x><script>1</script>b", "a b"),
        ("<head><title>T</title><nav>a</nav> b <meta name=c><p>c</p></head><body><p>d", "a b c d"),
    ],
)
def test_content_outside_of_the_body_is_in_it(stage, source, text):
    snapshot = miolo.Snapshot.from_html(source)
    assert visible_text(snapshot) == text
    assert body_tags(snapshot) == body_tags(stage.html(source))


def texts_of(snapshot) -> list[tuple[str, str]]:
    """The texts, each with the tag of its parent."""
    nodes = [node for node, text in enumerate(snapshot.text) if text]
    return [(snapshot.tag_name(int(snapshot.parent[n])), snapshot.text[n]) for n in nodes]


@pytest.mark.parametrize(
    "source",
    [
        "<x-a><template shadowrootmode=open><p>one</p><slot></slot></template><p>two</p></x-a>",
        "<x-a><template shadowrootmode=closed><x-b><template shadowrootmode=open>deep</template>"
        "</x-b></template></x-a>",
        "<x-a><template shadowrootmode=open><slot name=b></slot><i>in</i><slot>else</slot>"
        "</template><p>one</p><b slot=b>two</b><u>three</u></x-a><p>after</p>",
        "<x-a><template shadowrootmode=open><slot name=b>else</slot></template></x-a>",
        "<x-a><template shadowrootmode=open><slot name=b>else</slot></template><p slot=c>not</p>"
        "<b slot=b>in</b></x-a>",
        "<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open><i>c</i><slot>"
        "</slot></template><slot></slot></x-b></template><p>deep</p></x-a>",
        "<div><template><p>no text</p></template><p>after</p></div>",
        "<p>a</p><iframe><p>b</p></iframe><noembed>c</noembed><noframes><p>d</p></noframes>e",
        "<pre>\n    <span>if</span> x:\n        <span>return</span>\n</pre>",
        "<pre><div>a</div>\n\n<div>b</div></pre>",
        "<p>&nbsp;</p><p>a</p><div>\u3000<p>q</p></div>",
    ],
)
def test_texts_are_those_of_a_browser(stage, source):
    snapshot = miolo.Snapshot.from_html(f"<!doctype html><body>{source}")
    assert texts_of(snapshot) == texts_of(stage.html(f"<!doctype html><body>{source}"))


@pytest.mark.parametrize(
    "source",
    [
        "<dialog>closed</dialog><dialog open>open</dialog><dialog open popover>both</dialog>",
        "<dialog open hidden>hidden</dialog><div popover>over</div><p popover=manual>over</p>",
        "<input type=Hidden value=a><input type=text value=b><p type=hidden>no input</p>",
    ],
)
def test_what_is_hidden_by_default_is_that_of_a_browser(stage, source):
    def shown(snapshot):
        tags = [snapshot.tag_name(node) for node in range(len(snapshot))]
        return list(zip(tags, snapshot.text, snapshot.visible, strict=True))[tags.index("body") :]

    source = f"<!doctype html><body>{source}<p>text"
    assert shown(miolo.Snapshot.from_html(source)) == shown(stage.html(source))


def test_line_feeds_end_lines_where_they_do_in_a_browser(stage):
    source = """<!doctype html><body>a<pre>b<i style="white-space: nowrap">c</i></pre>
    <p style="color: red; WHITE-SPACE : Pre-Line !important">d<b>e<i style="white-space:normal">f
    </i></b></p>g<p style="white-space: pre; white-space: pre-wrap">h
    <p style="white-space: break-spaces nowrap">i<p style="x-white-space: pre">j"""
    pages = (miolo.Snapshot.from_html(source), stage.html(source))
    static, laid_out = (
        dict(zip(map(str.strip, page.text), page.keeps_lines.tolist(), strict=True))
        for page in pages
    )
    assert static == laid_out
    assert [text for text in "abcdefghij" if static[text]] == list("bdehi")


ENCODED = "<p>To <a data-cfemail=42232c2c022e2d23246c273a232f322e27>[email&#160;protected]</a>."


def test_encoded_addresses_are_decoded(stage):
    page = miolo.Snapshot.from_html(ENCODED)
    assert visible_text(page) == visible_text(stage.html(ENCODED)) == "To ann@loaf.example ."
    assert text_blocks(page).texts == ["To ann@loaf.example."]


@pytest.mark.parametrize(
    ("content", "is_page"),
    [
        (b"%PDF-1.7\n", False),
        (b"\x1f\x8b\x08\x00", False),
        (b"\x89PNG\r\n\x1a\n", False),
        (b"\x7fELF\x02", False),
        (b"words\0words", False),
        (b"words" * 1000 + b"\0", True),
        (b"<p>a\0b", True),
        ("<p>caf\xe9".encode("utf-16"), True),
        ("<p>caf\xe9".encode("utf-16-be"), True),
        ("caf\xe9".encode("utf-16"), True),
        (b"", True),
    ],
)
def test_a_binary_file_is_no_page(stage, tmp_path, content, is_page):
    file = tmp_path / "page"
    file.write_bytes(content)
    reading = stage.renderer.render_file(file, miolo.RenderOptions(browser="never"))
    if is_page:
        assert stage.run(reading).page.url == file.as_uri()
    else:
        with pytest.raises(miolo.NotHTMLError, match="not a page"):
            stage.run(reading)
