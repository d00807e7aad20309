"""Constructs of real pages and how they are written."""

import re

import miolo
import numpy as np
import pytest
from constructs import ASIDES, CODE, FORMULAS, GUTTER, JAVA, MATHML, NOTES, SMALL, TABLES, TABS, TEX
from miolo.features.blocks import text_blocks
from miolo.output import body as output_body
from miolo.output.extraction_parts import Post
from payloads import everything


def body_of(source: str):
    return everything(miolo.Snapshot.from_html(f"<body>{source}", url="https://site.example/a"))


@pytest.mark.parametrize("highlighter", list(CODE))
def test_code_is_written_without_its_line_numbers(highlighter):
    body = body_of(CODE[highlighter])
    assert body.markdown == JAVA
    assert body.text == GUTTER
    assert body.html == f'<pre><code class="language-java">{GUTTER}</code></pre>'


@pytest.mark.parametrize(
    ("classes", "language"),
    [
        ("language-c++", "c++"), ("lang-py", "py"), ("highlight-source-shell", "shell"),
        ("highlight python", "python"), ("brush:sql", "sql"), ("sourceCode haskell", "haskell"),
        ("hljs rust", "rust"), ("language-none", ""), ("highlight wide", ""), ("", ""),
        ("code-block__x1Y2z", ""),
    ],
)  # fmt: skip
def test_the_language_of_a_fence(classes, language):
    assert body_of(f'<pre class="{classes}">x</pre>').markdown == f"```{language}\nx\n```"


def test_numbers_that_are_code_stay():
    assert "1\n2\n3" in body_of("<pre>1\n2\n3</pre>").text
    rows = "<tr><th>n</th><th>f</th></tr><tr><td>1</td><td><code>a</code></td></tr>"
    assert "| 1 | `a` |" in body_of(f"<table>{rows}</table>").markdown


@pytest.mark.parametrize("name", list(TABLES))
def test_tables(name):
    source, markdown = TABLES[name]
    assert body_of(source).markdown == markdown


def test_a_table_keeps_its_spans_in_html_and_its_rows_in_text():
    body = body_of(TABLES["spans"][0])
    assert '<th colspan="2">B</th>' in body.html
    assert '<td rowspan="2">both</td>' in body.html
    assert body_of(TABLES["empty cells"][0]).text.splitlines()[1:] == [
        "Fast |  | yes",
        "Small | yes | ",
    ]


@pytest.mark.parametrize("name", list(FORMULAS))
def test_a_formula_is_its_tex(name):
    body = body_of(f"<p>So {FORMULAS[name]} holds.</p>")
    assert body.markdown == f"So ${TEX}$ holds."
    assert body.text == f"So ${TEX}$ holds."
    assert body.html == f'<p>So <span class="math inline">\\({TEX}\\)</span> holds.</p>'


def test_a_displayed_formula_is_a_paragraph():
    display = "<script type='math/tex; mode=display'>\\int_0^1 x\\,dx</script>"
    for source in (
        f"<p>Before</p>{display}<p>after</p>",
        f"<p>Before<span class=katex-display>{FORMULAS['katex']}</span>after</p>",
    ):
        assert body_of(source).markdown.split("\n\n")[1].startswith("$$\n")


@pytest.mark.parametrize("around", ["<p>{}</p>", "{}", "<p>So {} holds.</p>"])
def test_the_source_of_a_formula_may_be_hidden(around):
    style = "<style>.katex-mathml { position: absolute; clip: rect(1px,1px,1px,1px) }</style>"
    hidden = FORMULAS["katex"].replace("class=katex-mathml", "class=katex-mathml hidden")
    formula = f"<span class=katex-display>{hidden}</span>"
    page = miolo.Snapshot.from_html(f"{style}<p>Before</p>{around.format(formula)}<p>After</p>")
    blocks = text_blocks(page)
    body = output_body.body_of(page, blocks, np.zeros(len(page), bool))
    assert TEX in body.markdown


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        ("<mfrac><mi>a</mi><mi>b</mi></mfrac>", r"\frac{a}{b}"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", r"\sqrt{x+1}"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt[3]{x}"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
         "<msub><mi>x</mi><mi>i</mi></msub>", r"\sum_{i=1}^{n}x_{i}"),
        ("<msubsup><mi>a</mi><mn>1</mn><mn>2</mn></msubsup>", "a_{1}^{2}"),
        ("<mover><mi>x</mi><mo>→</mo></mover>", r"\vec{x}"),
        ("<mi>sin</mi><mi>α</mi><mo>≤</mo><mi>β</mi>", r"\sin\alpha\le\beta"),
        ("<mi>sin</mi><mi>x</mi>", r"\sin x"),
        ("<mo>{</mo><mtext>if 5%</mtext><mo>}</mo>", r"\{\text{if 5\%}\}"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd>"
         "<mtd><mn>1</mn></mtd></mtr></mtable>", r"\begin{matrix}1 & 0 \\ 0 & 1\end{matrix}"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        ("<mi mathvariant=double-struck>R</mi>", r"\mathbb{R}"),
        ("<mi>a</mi><mo>mod</mo><mi>b</mi>", r"a\mathrm{mod}b"),
        ("<mmultiscripts><mi>C</mi><mn>6</mn><none/><mprescripts/><none/><mn>12</mn>"
         "</mmultiscripts>", "{}^{12}C_{6}"),
    ],
)  # fmt: skip
def test_presentation_mathml_is_written_as_tex(mathml, tex):
    assert body_of(f"<p>See <math>{mathml}</math>.</p>").markdown == f"See ${tex}$."


@pytest.mark.parametrize(
    ("tex", "markdown"),
    [(r"a\ ", "a"), ("a\\", "a"), (r"\text{\$5}", r"\text{\$5}"), (r"a\\", r"a\\")],
)
def test_the_delimiters_of_a_formula_are_not_escaped(tex, markdown):
    body = body_of(f"<math><annotation encoding='application/x-tex'>{tex}</annotation></math>")
    assert body.markdown == f"${markdown}$"
    assert body.html == f'<p><span class="math inline">\\({markdown}\\)</span></p>'


def test_superscript_and_subscript_are_kept():
    body = body_of("<p>H<sub>2</sub>O, E=mc<sup>2</sup>, 10<sup>−6</sup>, the 19<sup>th</sup></p>")
    assert body.markdown == (
        "H<sub>2</sub>O, E=mc<sup>2</sup>, 10<sup>−6</sup>, the 19<sup>th</sup>"
    )
    assert body.text == "H₂O, E=mc², 10⁻⁶, the 19th"


@pytest.mark.parametrize("generator", list(NOTES))
def test_footnotes_are_marks_and_notes(generator):
    body = body_of(NOTES[generator])
    assert body.markdown == "Claim[^1].\n\n[^1]: Source."
    assert body.text == "Claim[1].\n\n[1] Source."
    assert body.html == (
        '<p>Claim<sup><a href="#fn-1">1</a></sup>.</p><section class="footnotes"><ol><li id="fn-1">'
        "<p>Source.</p></li></ol></section>"
    )


def test_the_permalink_of_a_term_is_not_a_footnote():
    body = body_of('<dl><dt id=name>name<a href="#name">¶</a></dt><dd>What it is.</dd></dl>')
    assert body.markdown == "name\n: What it is."


@pytest.mark.parametrize(
    "mark",
    [
        '<sup><a href="#fn1">{}</a></sup>',
        '<span role=doc-noteref><sup><span><span><a href="#fn1">{}</a></span></span></sup></span>',
        '<span role=doc-noteref><a href="#x">{}</a></span>',
        '<a href="#_ftn1" name="_ftnref1">{}</a>',
        '<a href="#_edn1" name="_ednref1">{}</a>',
        '<a class=footnote-anchor href="https://site.example/a?r=b#footnote-1-23">{}</a>',
    ],
)
def test_the_mark_of_a_note_that_is_left_out_is_raised(mark):
    body = body_of(f"<p>Claim{mark.format(1)}, claim{mark.format('[2]')}</p>")
    assert body.markdown == r"Claim<sup>1</sup>, claim<sup>\[2]</sup>"


def test_the_mark_of_a_note_without_text_of_the_article_is_raised():
    source = '<p>Claim<sup><a href="#fn1">1</a></sup><p>More.<ol><li id=fn1>Note.</ol>'
    page = miolo.Snapshot.from_html(source, url="https://site.example/a")
    blocks = text_blocks(page).select(np.array([True, True, False]))
    body = output_body.body_of(page, blocks, np.ones(len(page), bool))
    assert body.markdown == "Claim<sup>1</sup>\n\nMore."


@pytest.mark.parametrize("name", list(SMALL))
def test_small_constructs(name):
    source, markdown = SMALL[name]
    assert body_of(source).markdown == markdown


@pytest.mark.parametrize(
    "link",
    [
        "<p><code>f{0}</code> <a href=src.html#f{0}>Source</a>",
        "<p>f{0} [<a class=a href=//git.example/a.py#L{0}>kod</a>] <a href=#f{0}>#</a>",
        "<section><a href=../x/a.rs.html#{0}-9>source</a><h4>f{0}</h4></section>",
        "<p>f{0}<dl><dt>Source:<dd><ul><li><a href=a.js.html>a.js</a>,"
        " <a href=a.js.html#l{0}>line {0}</a></ul></dl>",
    ],
)  # fmt: skip
def test_links_from_each_function_to_its_source_are_left_out(link):
    functions = "".join(f"{link}<p>Does {{0}}.".format(number) for number in "123")
    words = re.findall(r"\w+", body_of(functions).text)
    assert words == [word for number in "123" for word in (f"f{number}", "Does", number)]


@pytest.mark.parametrize(
    ("link", "label", "count"),
    [
        ("<p>f <a href=src.html#f{}>Source</a>", "Source", 2),
        ("<li>Talk <a href=talk-{0}.html#a{0}>video</a>", "video", 4),
        ("<p>As in <a href=plays.html#v{}>the play</a> it ends.", "the play", 4),
        ("<blockquote>It ends. <a href=john.html#v{0}>John {0}</a></blockquote>", "John", 4),
        ("<p>See <a href=notes.html#n{0}>{0}</a>", "See", 4),
        ("<p>Type <a href=types.html#int>Int</a>", "Int", 4),
    ],
)  # fmt: skip
def test_links_of_a_text_stay(link, label, count):
    source = "".join(link.format(number) for number in range(1, count + 1))
    text = " ".join(body_of(source).text.split())
    assert text.count(label) == count
    assert all(str(number) in text for number in range(1, count + 1) if "{0}</a>" in link)


@pytest.mark.parametrize(
    ("thread", "post"),
    [
        ("<ol>{}</ol>", "<li class=post>{}<blockquote class=postcontent>{}</blockquote></li>"),
        ("<ol>{}</ol>", "<li><div class=post>{}<div>{}</div></div></li>"),
        ("<table>{}</table>", "<tr class=post><td>{}<td>{}</tr>"),
        ("<table>{}</table>", "<tr><td class=post>{}<div>{}</div></td></tr>"),
        ("{}", "<table class=post><tr><td>{}<td>{}</table>"),
    ],
)
def test_the_lists_and_tables_around_posts_are_not_written(thread, post):
    texts = {"Ada": "One.<ul><li>a</ul>", "Ben": "Two."}
    posts = (post.format(f"<b>{author}</b>", text) for author, text in texts.items())
    page = miolo.Snapshot.from_html(thread.format("".join(posts)))
    nodes = [n for n, value in page.attributes.with_attribute("class") if value == "post"]
    posts = [Post(author, None, "", node) for author, node in zip(texts, nodes, strict=True)]
    everywhere = np.ones(len(page), bool)
    body = output_body.body_of(page, text_blocks(page), everywhere, posts=posts)
    assert body.markdown == "**Ada**\n\nOne.\n\n- a\n\n***\n\n**Ben**\n\nTwo."


@pytest.mark.parametrize(
    ("head", "is_name"),
    [
        ("<a href=/u/Ada>Ada</a> May 6, 2025, 6:30pm 2", True),
        ("<a href=/p>Post</a> by <a href=/u/Ada><b>Ada</b></a> » 11. Sep 2024, 21:06", True),
        ("Posted by Ada on Fri Sep 13, 2024 9:06 pm #2", True),
        ("Ada says:", True),
        ("Ada wrote:", False),
        ("Ada is here since 11 Sep 2024", False),
        ("On Friday, 11 Sep 2024", False),
        ("by Adam » 11. Sep 2024", False),
    ],
)
def test_a_block_that_only_names_the_author_and_date_of_a_post_is_not_written(head, is_name):
    page = miolo.Snapshot.from_html(f"<div class=post><div>{head}</div><p>One.</div>")
    ((post, _),) = page.attributes.with_attribute("class")
    posts = [Post("Ada", None, "", post)]
    everywhere = np.ones(len(page), bool)
    body = output_body.body_of(page, text_blocks(page), everywhere, posts=posts)
    assert (body.text == "Ada\n\nOne.") == is_name


def test_lists_have_their_marks_in_text():
    body = body_of("<ol start=3><li>a<ul><li>b<br>c<li>d</ul><li>e</ol><dl><dt>T<dd>D</dl>")
    assert body.text == "3. a\n  - b\n    c\n  - d\n4. e\n\nT\n  D"


# Constructs that only their boxes reveal, on a page rendered by Chromium.

RENDERED = f"""<style>p.cap::first-letter {{ font-size: 3em; float: left }}
.katex-mathml, .hidden {{ position: absolute; clip: rect(1px,1px,1px,1px); width: 1px; height: 1px;
overflow: hidden }}
.lines span {{ display: block }}</style>
<p class=cap>When it rains, it pours.</p>
<p>So {FORMULAS["katex"]} holds, and {MATHML} too, and
<script type="math/tex">x_1</script> last.</p>
<pre class="lines" data-lang=java><code><span>int a;</span><span>  b();</span></code></pre>
<table><tr><td><div style="height:900px">Long column of a page.</div>
<p>{"Words and words. " * 40}</p><p>More.</p></td>
<td>Menu</td></tr><tr><td>foot</td><td>note</td></tr></table>
<p>Pixel <img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
data-src="https://t.example/px" style="width:1px;height:1px" alt=tracker></p>"""

# A transparent picture of one pixel.
PLACEHOLDER = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


@pytest.fixture(scope="module")
def page_body(stage):
    return everything(stage.html(RENDERED, url="https://site.example/a"))


SHOWN = "<img src=/p.jpg alt=P width=80 height=60>"


@pytest.mark.parametrize(
    ("pictures", "written"),
    [
        (f"{SHOWN} {SHOWN}", ["p", "p"]),
        (f"<img src=/p.jpg alt=P hidden>{SHOWN}", ["p"]),
        (f"<img src={PLACEHOLDER} data-src=/p.jpg alt=P style=max-width:99%>", ["p"]),
        ("<img src=/bullet.jpg width=5 height=5>", []),
        ("<img src=/rule.jpg width=600 height=8 alt=' '>", []),
        ("<img src=/symbol.jpg width=9 height=8 alt=x>", ["symbol"]),
        ("<img src=/assets/twitter-32.png width=32 height=32>", []),
        ("<img src=/assets/twitter-320.png width=320 height=320>", ["twitter-320"]),
    ],
)
def test_pictures_are_written_as_they_are_shown(stage, pictures, written):
    page = stage.html(f"<p>Loaf</p><p>{pictures}</p>", url="https://site.example/a")
    assert re.findall(r"/([\w-]+)\.(?:jpg|png)", everything(page).markdown) == written


def test_a_picture_in_noscript_is_a_copy_if_scripts_are_disabled(stage):
    page = f"<p>Loaf</p><div>{SHOWN}<noscript>{SHOWN}</noscript></div>"
    snapshot = stage.html(page, url="https://site.example/a", javascript=False)
    assert everything(snapshot).markdown == "Loaf\n\n![P](https://site.example/p.jpg)"


def test_a_page_is_written_as_chromium_lays_it_out(page_body):
    parts = page_body.markdown.split("\n\n")
    assert parts[:3] == [
        "When it rains, it pours.",
        f"So ${TEX}$ holds, and ${TEX}$ too, and $x_1$ last.",
        JAVA,
    ]
    assert "|" not in page_body.markdown
    assert "tracker" not in page_body.markdown


def test_the_boxes_of_a_typeset_formula_do_not_cut_its_paragraph(stage):
    boxes = "<span class=MathJax><span style='display: block'>x</span></span>"
    page = stage.html(f"<p>So {boxes}<script type='math/tex'>x_1</script> holds.</p>")
    assert text_blocks(page).texts == ["So x holds."]
    assert everything(page).text == "So $x_1$ holds."


def test_code_that_css_makes_a_block_keeps_its_lines(stage):
    style = "<style>code { display: block; white-space: pre }</style>"
    page = stage.html(f"{style}<div><code>a = 1\n  b = 2</code></div><div><code>\nc\n</code></div>")
    assert everything(page).markdown == "```\na = 1\n  b = 2\n```\n\n`c`"


@pytest.mark.parametrize("style", ["pre-line", "pre-wrap", "break-spaces"])
def test_line_feeds_that_end_lines_on_the_screen_are_line_breaks(stage, style):
    source = f"""<body><div style="white-space: {style}">
Dear <b>all
and you</b>,

it <span style="white-space: normal">is
true</span>.
</div><ul><li style="white-space: {style}">one
two</li></ul><p>A paragraph
of two lines</p>"""
    for page in (stage.html(source), miolo.Snapshot.from_html(source)):
        body = everything(page)
        lines = ["Dear **all\\", "and you**,", "", "it is true.", "", "- one\\", "  two"]
        assert body.markdown.split("\n") == [*lines, "", "A paragraph of two lines"]
        assert body.text.startswith("Dear all\nand you,\n\nit is true.\n\n- one\n")
        assert body.html.startswith("<p>Dear <strong>all<br>and you</strong>,</p><p>it is true.")


PICTURE = f'<img src="{PLACEHOLDER}" data-src="/p.jpg" alt=P style="width:{{}}px;height:150px">'
PARAGRAPH = f"<p>{'Words of a paragraph that runs on. ' * 8}</p>"


@pytest.mark.parametrize(
    ("figure", "is_caption"),
    [
        ("<div>{wide}</div><p style='font-size:12px'>A bay at dusk</p>", True),
        ("<p>{wide}<br><small>A bay at dusk</small></p>", True),
        ("<p>{wide}</p><p style='text-align:center'>A bay at dusk</p>", True),
        ("<div style='width:200px'><a href=/l>{narrow}</a><p>A bay at dusk</p></div>", True),
        ("<table><tr><td>{narrow}<br><font size=1>A bay at dusk</font></table>", True),
        ("<p>{wide}</p><p>A bay at dusk</p>", False),
        ("<p>{wide}</p><h2 style='font-size:12px'>A bay at dusk</h2>", False),
        ("<p>{wide}</p><p style='font-size:12px;margin-top:90px'>A bay at dusk</p>", False),
        ("<p>{narrow}</p><p style='font-size:12px;margin-left:150px'>A bay at dusk</p>", False),
        ("<p>A bay {wide}<br><small>at dusk</small></p>", False),
        ("<p><img src=/i.gif width=16 height=16></p><small>A bay at dusk</small>", False),
    ],
)  # fmt: skip
def test_a_text_below_a_picture_is_a_caption_if_painted_as_one(stage, figure, is_caption):
    figure = figure.format(wide=PICTURE.format(600), narrow=PICTURE.format(200))
    page = f"<!doctype html><body style='width:600px'>{PARAGRAPH}{figure}{PARAGRAPH}"
    html = everything(stage.html(page, url="https://site.example/a")).html
    assert ("<figcaption>A bay at dusk</figcaption></figure><p>" in html) == is_caption
    assert html.count("<figure>") == is_caption


@pytest.mark.parametrize("empty", [" ", "\xa0", "\u200b"])
@pytest.mark.parametrize("line", ["<span data-line>{}</span>", "<span class=l>{}</span>"])
def test_empty_lines_of_highlighted_code_hold_no_space(empty, line):
    lines = "\n".join(line.format(each) for each in ("a = 1", empty, "b = 2"))
    assert body_of(f"<pre><code>{lines}</code></pre>").markdown == "```\na = 1\n\nb = 2\n```"


@pytest.mark.parametrize(
    "code",
    [
        "<pre><code><span class=line>a = 1</span><span class=line></span><span class=line>b = 2"
        "</span></code></pre>",
        "<pre><code><span class='line k'>a = 1</span><span class='line k'> </span><span class=line>"
        "b = 2</span></code></pre>",
        "<pre><div>a = 1</div><div>\u200b</div><div>b = 2</div></pre>",
        "<pre><span class=line>a = 1</span><br><span class=line></span><br><span class=line>b = 2"
        "</span><br></pre>",
        "<pre><span class=line>a = 1</span>\n<span class=line></span>\n<span class=line>b = 2"
        "</span></pre>",
        "<table><tr><td class=lineno>1</td><td>a = 1</td></tr><tr><td class=lineno>2</td><td></td>"
        "</tr><tr><td class=lineno>3</td><td>b = 2</td></tr></table>",
        "<table class=x><tr><td class=gutter>0</td><td><b>a</b> = 1</td></tr><tr><td class=gutter>1"
        "</td><td></td></tr><tr><td class=gutter>2</td><td>b = 2</td></tr></table>",
    ],
)
def test_empty_lines_that_are_elements_are_kept(code):
    assert body_of(code).markdown == "```\na = 1\n\nb = 2\n```"


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("<p><b>“I</b>t is cold.</p>", "“It is cold."),
        ("<p><strong><em>O</em></strong>nce upon a time</p>", "Once upon a time"),
        ("<p><img src=/w.png alt=W>hen the river rose</p>", "When the river rose"),
        ("<p><b>It</b> is cold.</p>", "**It** is cold."),
        ("<p><i>n</i>th power</p>", "*n*th power"),
        ("<p><a href=/k>K</a>evin</p>", "[K](https://site.example/k)evin"),
        ("<p><img src=/w.png alt=W> hen</p>", "![W](https://site.example/w.png)\n\nhen"),
        ("<p><b>H</b>yper<b>T</b>ext</p>", "**H**yper**T**ext"),
        ("<p><b>查</b>询一下</p>", "**查**询一下"),
        ("<p><b>N</b>个节点</p>", "**N**个节点"),
    ],
)
def test_a_large_initial_is_a_letter_of_its_word(source, markdown):
    assert body_of(source).markdown == markdown


@pytest.mark.parametrize(
    "source",
    [
        "<span data-tex='{}'></span>",
        "<span class=formula data-formula='{}'><img src=/1.png></span>",
        "<span data-math='{}'>a over b</span>",
        "<tex-inline data-equation='{}'></tex-inline>",
        "<img class=formula src=/1.png alt='{}'>",
        "<img src=/eq/12.svg alt='{{\\displaystyle {} }}'>",
        "<img src=/cgi-bin/tex alt='$${}$$'>",
    ],
)
def test_tex_in_an_attribute_is_a_formula(source):
    tex = r"\frac{a}{b}"
    assert body_of(f"<p>So {source.format(tex)} holds.</p>").markdown == f"So ${tex}$ holds."


@pytest.mark.parametrize(
    "source",
    [
        "<span data-math=inline>a</span>", "<span data-formula=true>a</span>",
        "a<img src=/p.png alt='C:\\new\\file'>", "<b data-tex>a</b>",
    ],
)  # fmt: skip
def test_other_attributes_are_no_formulas(source):
    assert "$" not in body_of(f"<p>{source}</p>").markdown


@pytest.mark.parametrize("name", list(ASIDES))
def test_an_aside_is_a_quotation_with_its_label(name):
    text = "<p>The oven has been cold since the flood of last year.</p>"
    markdown = body_of(f"{text}{ASIDES[name]}{text}").markdown
    assert markdown.split("\n\n", 1)[1].rpartition("\n\n")[0] == "> **Note**\n>\n> Dry wood."


@pytest.mark.parametrize(
    "source",
    [
        "<div class=alert-box>{}</div>", "<p class=note>{}</p>", "<div class=note>{}</div>",
        "<div class=admonition-content>{}</div>",
    ],
)  # fmt: skip
def test_other_elements_are_no_asides(source):
    text = "<p>The oven has been cold since the flood of last year.</p>"
    assert ">" not in body_of(f"{text}{source.format('Dry wood.')}{text}").markdown


def test_an_aside_around_most_of_the_text_is_no_quotation():
    text = "<p>The oven has been cold since the flood of last year.</p>"
    assert ">" not in body_of(f"<div class=notice>{text}{text}</div><p>End.</p>").markdown


@pytest.mark.parametrize("name", list(TABS))
def test_the_label_of_a_tab_is_beside_its_panel(name):
    assert body_of(f"<p>Use:</p>{TABS[name]}").markdown == (
        "Use:\n\n**Linux**\n\nOne.\n\n**macOS**\n\nTwo."
    )


def test_the_only_tab_of_a_page_has_no_label():
    source = "<a role=tab href='#a'>Story</a><a role=tab href='#b'>Talk</a><div id=a>One.</div>"
    assert "**" not in body_of(source).markdown


def test_headings_by_role_have_their_levels():
    source = (
        "<div role=heading aria-level=3>One</div><p>a</p><p role=heading><b>Two</b></p><p>b</p>"
        "<h4 role=heading>Three</h4><p>c</p><span role=heading aria-level=9>Four</span>"
    )
    assert body_of(source).markdown == ("### One\n\na\n\n## Two\n\nb\n\n#### Three\n\nc\n\n## Four")


@pytest.mark.parametrize(
    "image",
    [
        "<img src=/menu.gif usemap='#m' width=600 height=30>",
        "<img src=/oven.jpg style='filter: blur(8px)' width=800 height=600>",
    ],
)
def test_menus_and_blurred_pictures_are_left_out(image):
    assert body_of(f"<p>One</p>{image}<p>Two</p>").markdown == "One\n\nTwo"


@pytest.mark.parametrize(
    "small",
    [
        "<img src=/max/30/1.png width=30 height=20>",
        "<img class=blurred src=/tiny/abc.jpg width=24 height=16>",
        "<span><img src=/lo/1.png width=48 height=32></span>",
    ],
)
def test_a_small_picture_that_stands_for_another_is_left_out(small):
    large = "<img data-src=/max/800/1.png width=690 height=460>"
    for pair in (f"{small}{large}", f"{large}{small}"):
        markdown = body_of(
            f"<p>Before.</p><figure><div>{pair}</div></figure><p>After.</p>"
        ).markdown
        assert markdown.count("![") == 1
        assert "/max/800/1.png" in markdown
