"""Text blocks against a walk over the nodes, and values that are cached on a page."""

import pickle
from dataclasses import replace

import miolo
import numpy as np
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.blocks import TextBlocks, block_owners, text_blocks
from miolo.features.links import link_mask
from miolo.features.overlays import overlay_mask
from miolo.features.readable import readable_texts
from miolo.features.words import collapse
from miolo.output.body import body_of

DRAWN = "_" * 9
PIECES = st.lists(
    st.sampled_from(
        ["one ", "two", " ", "<br>", "<br><br>", "<p>", "</p>", "<div>", "</div>", "<b>", "</b>",
         "<pre>\n a\n  b\n</pre>", "<pre>", "</pre>", "<ul><li>", "</ul>", "<ol><li>", "</ol>",
         f"<br>{DRAWN}<br>",
         "<a href=/x>", "</a>", "<td>", "<p style='white-space:pre-line'>", "\n", "one\ntwo"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


def is_code(page, node):
    around = (node, *page.ancestors(node))
    return any(page.tag_name(element) in ("pre", "textarea") for element in around)


def listing(page, node):
    """The ``pre`` around a node, if all blocks in it are lines."""
    for pre in (node, *page.ancestors(node)):
        inside = [i for i in range(pre + 1, page.end[pre]) if block_owners(page)[i] == i]
        tags = {page.tag_name(i) for i in inside}
        if page.tag_name(pre) == "pre" and tags <= {"code", "div", "li", "ol", "span"}:
            return pre
    return None


def walk(page, texts):
    """The owner, nodes, text and box of each block, from a walk over single nodes."""
    lines, runs, breaks, spaces, separated = block_owners(page), [], 0, [], False
    owners = [listing(page, node) or int(lines[node]) for node in range(len(page))]
    for node in range(len(page)):
        if page.tag_name(node) == "br":
            breaks += 1
        elif texts[node]:
            begins = not runs or owners[node] != runs[-1][0]
            begins |= separated and listing(page, node) is None
            begins |= breaks == 1 and page.text[node].strip() == DRAWN and not is_code(page, node)
            if begins or (breaks > 1 and not is_code(page, node)):
                runs.append((owners[node], [], [], []))
                spaces = []
            for part in (*(space for space in spaces if lines[space] == lines[node]), node):
                runs[-1][1].append(part)
                if part == node and runs[-1][3]:
                    new_line = lines[node] != lines[runs[-1][3][-1]]
                    new_line &= not breaks and not runs[-1][2][-1].endswith("\n")
                    runs[-1][2].append("\n" * int(breaks or new_line))
                text = page.text[part]
                runs[-1][2].append(text if page.keeps_lines[part] else text.replace("\n", " "))
            runs[-1][3].append(node)
            breaks, spaces, separated = 0, [], False
        elif page.text[node].isspace() and runs:
            spaces.append(node)
        elif page.tag_name(node) != "#text":
            separated |= lines[node] == node
    for owner, nodes, texts_of_run, chosen in runs:
        raw = "".join(texts_of_run)
        if raw.strip() and is_code(page, owner):
            text = raw.strip("\n")
        elif any(page.keeps_lines[node] and "\n" in page.text[node] for node in nodes):
            text = "\n".join(map(collapse, raw.split("\n"))).strip("\n")
            while "\n\n\n" in text:
                text = text.replace("\n\n\n", "\n\n")
        else:
            text = collapse(raw)
        if text:
            laid_out = [node for node in chosen if page.box[node, 2:].all()]
            x, y, width, height = page.box[laid_out or chosen].T
            low = [x.min(), y.min()]
            box = [*low, (x + width).max() - low[0], (y + height).max() - low[1]]
            yield owner, nodes, text, [float(value) for value in box]


@given(PIECES, st.randoms(use_true_random=False))
def test_blocks_match_a_walk_over_the_tree(source, random):
    page = miolo.Snapshot.from_html(source)
    places = [
        [random.choice((0, random.randint(0, 900) / 4)) for _ in range(4)] for _ in range(len(page))
    ]
    page = replace(page, box=np.array(places, np.float32))
    some = page.is_text & np.array([random.random() < 0.8 for _ in range(len(page))])
    for texts in (None, some):
        blocks = text_blocks(page, texts)
        expected = walk(page, readable_texts(page) if texts is None else texts)
        assert rows(blocks) == list(expected)
        assert blocks.starts[0] == 0
        assert blocks.starts[-1] == len(blocks.nodes)
        assert blocks.box.dtype == np.float32
        assert {x.dtype for x in (blocks.owner, blocks.nodes, blocks.starts)} == {
            np.dtype(np.int32)
        }


def rows(blocks: TextBlocks) -> list[tuple[int, list[int], str, list[float]]]:
    owner, box = blocks.owner.tolist(), blocks.box.tolist()
    return list(zip(owner, blocks.node_lists(), blocks.texts, box, strict=True))


@given(PIECES, st.data())
def test_selected_blocks_are_those_of_a_mask_or_of_numbers(source, data):
    blocks = text_blocks(miolo.Snapshot.from_html(source))
    mask = np.array([data.draw(st.booleans()) for _ in range(len(blocks))], bool)
    some = blocks.select(mask)
    assert rows(some) == [row for row, chosen in zip(rows(blocks), mask, strict=True) if chosen]
    assert [some.nodes_of(block).tolist() for block in range(len(some))] == some.node_lists()
    order = np.array(data.draw(st.permutations(range(len(blocks)))), np.intp)
    assert rows(blocks.select(order)) == [rows(blocks)[block] for block in order]


@pytest.mark.parametrize(
    ("source", "blocks"),
    [
        ("<pre>a<br><br>  b<br>c</pre><p>d<br><br>e</p>", ["a\n\n  b\nc", "d", "e"]),
        ("<pre><div>a</div><div>  b\n</div><div>c</div></pre>", ["a\n  b\nc"]),
        ("<pre><ol><li>a<li>  b</ol></pre>", ["a\n  b"]),
        ("<pre>a<p>b</p>c</pre>", ["a", "b", "c"]),
        ("<pre>a<pre>b<div>c</div></pre></pre>", ["a", "b\nc"]),
    ],
)
def test_a_listing_of_code_is_one_block(source, blocks):
    assert text_blocks(miolo.Snapshot.from_html(source)).texts == blocks


LINES = """<body style="width: 120px; font: 16px monospace">
<p><a href=x>first</a> <b>seconds</b> <i>thirds</i>
<em>fourths</em></p><pre><b>import</b> <i>one</i>
<b>from</b> two
    <b>import</b>
<i>three</i></pre>"""


def test_space_at_the_end_of_a_line_separates_words_and_lines_of_code(stage):
    page = stage.html(LINES)
    unseen = page.is_text & ~page.visible
    assert sum(page.text[node].isspace() for node in np.flatnonzero(unseen)) >= 4
    blocks = text_blocks(page)
    prose, code = blocks.texts
    assert prose == "first seconds thirds fourths"
    assert code == "import one\nfrom two\n    import\nthree"
    assert blocks.box[0, 0] >= 8
    extraction = miolo.extract_snapshot(page, "nce")
    assert extraction.text == f"{prose}\n\n{code}"
    assert code in extraction.markdown
    assert prose in BeautifulSoup(extraction.html, "lxml").p.text


LINES_OF_TEXT = """<style>div { white-space: pre-line } span { white-space: normal }</style><div>
First  line
<b>second</b>
<b>line</b>


<span>third
line</span><br>last line</div>"""


def test_line_feeds_that_end_lines_on_the_screen_are_kept(stage):
    text = "First line\nsecond\nline\n\nthird line\nlast line"
    assert text_blocks(stage.html(LINES_OF_TEXT)).texts == [text]
    assert text_blocks(stage.html(LINES_OF_TEXT.replace("Fir", "Fi\xadr"))).shown_texts == [text]
    assert text_blocks(miolo.Snapshot.from_html(LINES_OF_TEXT)).texts == [" ".join(text.split())]


WORDS_APART = {
    "Title<i class=margin>New</i>": "Title New",
    "<span class=box>one</span><span class=box>two</span>": "one two",
    "<b class=padding>By:</b><span>Ann</span>": "By: Ann",
    "<b class=padding>Comments</b>3": "Comments 3",
    "<bdo dir=rtl><span class=padding>سلام</span>دنیا</bdo>": "سلام دنیا",
}
WORDS_WHOLE = {
    "<b>f</b>oo<i>t</i>": "foot",
    "b<i style='letter-spacing: .5em'>ar</i>s": "bars",
    "<span class=box>b</span><span class=box>a</span><span class=box>r</span>": "bar",
    "<b class=padding style='font-size: 200%'>“W</b>itnesses": "“Witnesses",
    "(<code class=padding>word</code>)s <code class=padding>word</code>s": "(word)s words",
    "“<b class=padding>word</b>”": "“word”",
    "x<sup class=margin>12</sup>": "x12",
    "<a class=padding>文档</a>说明": "文档说明",
    "<span style='padding-right: 3px'>close</span>up": "closeup",
}


@pytest.mark.parametrize(("source", "text"), (WORDS_APART | WORDS_WHOLE).items())
def test_words_that_only_the_layout_separates_have_a_space(stage, source, text):
    style = """<style>body { font: 16px serif } .margin { margin-left: 8px }
      .padding { padding: 0 8px } .box { display: inline-block; margin-right: 6px }</style>"""
    page = stage.html(f"{style}<p>{source}</p>")
    assert text_blocks(page).texts == [text]
    body = body_of(page, text_blocks(page), np.ones(len(page), bool))
    assert body.text.replace("¹²", "12") == text


@pytest.mark.parametrize(
    ("source", "blocks"),
    [
        ("<b>W</b>itnesses", ["Witnesses"]),
        ("<b>“W</b>itnesses”", ["“Witnesses”"]),
        ("<b>W</b> itnesses", ["W", "itnesses"]),
        ("<b>W</b><i>it</i>", ["Wit"]),
        ("<b>W</b><i><em>it</em>s</i>", ["Wits"]),
        ("<b>W</b><i> it</i>", ["W", "it"]),
        ("<b>W</b><div>it</div>", ["W", "it"]),
        ("<b>Who</b>ever", ["Who", "ever"]),
        ("<b>1</b>st", ["1", "st"]),
        ("<h2><b>3 . 1</b>Lists</h2>", ["3 . 1Lists"]),
        ("<h2><b style='margin-right: 1em'>§ 2</b>Rights</h2>", ["§ 2 Rights"]),
    ],
)
def test_a_floating_first_letter_belongs_to_its_word(stage, source, blocks):
    page = stage.html(f"<style>b {{float: left; font-size: 300%}}</style><p>{source}</p>")
    assert text_blocks(page).texts == blocks


@pytest.mark.parametrize(
    ("between", "blocks"),
    [
        ("<div></div>", ["One.", "Two."]),
        ("<div><script>var x</script></div>", ["One.", "Two."]),
        ("<ins style='display: block'></ins>", ["One.", "Two."]),
        ("<span class=line></span>", ["One.", "Two."]),
        ("<table><tr><td></table>", ["One.", "Two."]),
        ("<div style='display: none'></div>", ["One.Two."]),
        ("<div style='position: absolute'><p></p></div>", ["One.Two."]),
        ("<img style='float: right' width=90 height=90>", ["One.Two."]),
        ("<svg class=line></svg>", ["One.Two."]),
        ("<p style='position: absolute'>A.<b class=line></b>B.</p>", ["One.", "A.", "B.", "Two."]),
    ],
)
def test_an_empty_block_separates_the_texts_around_it(stage, between, blocks):
    page = stage.html(f"<style>.line {{display: block}}</style><div>One.{between}Two.</div>")
    assert text_blocks(page).texts == blocks


@pytest.mark.parametrize("function", [readable_texts, overlay_mask, link_mask, block_owners])
def test_values_cached_on_a_page_are_not_shared_between_callers(function):
    page = miolo.Snapshot.from_html("<p>one <a href=/x>two</a>")
    values = function(page)
    before = values.copy()
    values[:] = ~values if values.dtype == bool else values + 1
    assert (function(page) == before).all()


def test_a_page_is_pickled_without_its_cached_values():
    page = miolo.Snapshot.from_html("<p>one <b>two</b></p>")
    bare = len(pickle.dumps(page))
    text_blocks(page)
    assert len(pickle.dumps(page)) < bare + len(page) + 200
    assert text_blocks(pickle.loads(pickle.dumps(page))).texts == ["one two"]
