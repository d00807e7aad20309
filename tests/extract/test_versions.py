"""The fullest honest version of a page: as captured, as served, or in its data."""

import json
from dataclasses import replace
from html import escape
from pathlib import Path

import miolo
import pytest

TITLE = "Ferry to the northern islands sails again after the winter storms"
PARAGRAPHS = (
    "The ferry to the northern islands left the harbour on Monday morning for the first time since "
    "the storms of January, with ninety passengers and two fire engines on board.",
    "Its captain, Marta Olsen, said that the crew had waited nine weeks for a new rudder, which "
    "was cast in a foundry that usually makes bells for churches.",
    "Shops on the islands had run out of flour and batteries, and the school was heated with "
    "driftwood until a fishing boat brought forty sacks of coal in February.",
    "The company that runs the line will pay for the hotel rooms of those who were stranded, "
    "but it refuses to refund the tickets of those who left by helicopter.",
    "A second ship is to be bought in the autumn, so that one of them can always be repaired "
    "while the other sails, the transport minister told the regional parliament.",
)
MENU = (
    "<header><a href='/'>The Northern Post</a><nav><ul><li><a href='/p'>Politics</a></li>"
    "<li><a href='/s'>Sport</a></li><li><a href='/c'>Culture</a></li></ul></nav></header>"
)
END = (
    "<section><h3>The evening letter</h3><p>Our best stories in your inbox. You can unsubscribe at "
    "any time.</p><form><input type=email><button>Sign up</button></form></section>"
    "<footer><p>© 2026 The Northern Post. All rights reserved.</p></footer>"
)
OTHERS = [
    {
        "title": f"Another story about the town hall number {number}",
        "url": f"/story-{number}",
        "summary": "The council has decided to paint the town hall in a colour that nobody had "
        "asked for, after a debate that went on until the small hours of the morning and in which "
        "every member spoke at least twice, as the minutes of the meeting show in great detail.",
    }
    for number in range(8)
]
COMMENTS = [
    {
        "author": {"name": f"reader{number}"},
        "text": "I have taken this ferry for thirty years and it has never once left in time, "
        "which the company knows very well, but nobody there has ever answered my letters.",
    }
    for number in range(12)
]


def page_of(scripts: str, main: str = "<div class=skeleton></div>", head: str = "") -> str:
    return (
        f"<!doctype html><html lang=en><head><title>{TITLE} | The Northern Post</title>{head}"
        f"</head><body>{MENU}<main>{main}</main>{END}{scripts}</body></html>"
    )


def article(paragraphs=PARAGRAPHS) -> str:
    texts = "".join(f"<p>{escape(text, quote=False)}</p>" for text in paragraphs)
    return f"<article><h1>{TITLE}</h1><p>By Marta Olsen</p>{texts}</article>"


def extract(html: str, **options) -> miolo.Extraction:
    snapshot = miolo.Snapshot.from_html(html, url="https://post.example/2026/ferry-sails")
    return miolo.extract_snapshot(snapshot, **options)


def codes(extraction: miolo.Extraction) -> set[str]:
    return {warning.code for warning in extraction.warnings}


def script(value: object, before: str = "", after: str = "", kind: str = "") -> str:
    written = json.dumps(value).replace("<", "\\u003c")
    return f"<script{kind}>{before}{written}{after}</script>"


HTML_BODY = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
LIST_BODY = [{"type": "paragraph", "data": {"text": text}} for text in PARAGRAPHS]
RICH_BODY = {
    "nodeType": "document",
    "content": [
        {
            "nodeType": "paragraph",
            "content": [
                {"nodeType": "text", "value": text[:40]},
                {"nodeType": "text", "value": text[40:], "marks": [{"type": "bold"}]},
            ],
        }
        for text in PARAGRAPHS
    ],
}
STATE = {"menu": ["Politics", "Sport"], "more": {"stories": OTHERS}, "comments": COMMENTS}
JSON_TYPE, LD_TYPE = ' type="application/json"', ' type="application/ld+json"'

SCRIPTS = {
    "properties of a page": script(
        {"props": {"page": {"article": {"headline": TITLE, "body": HTML_BODY}, **STATE}}},
        kind=' id="__NEXT_DATA__"' + JSON_TYPE,
    ),
    "a state": script({"entry": {"title": TITLE, "blocks": LIST_BODY}, **STATE}, "window.S="),
    "a rich text": script({"entry": {"title": TITLE, "text": RICH_BODY}, **STATE}, "load(", ")"),
    "a list of strings": script(
        {"doc": {"name": TITLE, "paras": PARAGRAPHS}, **STATE}, "q.push(", ")"
    ),
    "a string of JSON": script(
        json.dumps({"doc": {"name": TITLE, "paras": PARAGRAPHS}, **STATE}), "s=JSON.parse(", ")"
    ),
    "a function": script(
        [{"data": [{"story": {"title": TITLE, "html": HTML_BODY}}], **STATE}],
        "window.__NUXT__=(function(a,b){return ",
        "}(1,2))",
    ),
    "plain text in JSON-LD": script(
        {"@type": "NewsArticle", "headline": TITLE, "articleBody": "\n\n".join(PARAGRAPHS)},
        kind=LD_TYPE,
    ),
}


@pytest.mark.parametrize("place", SCRIPTS)
def test_an_article_that_only_the_data_have_is_extracted(place: str) -> None:
    found = extract(page_of(SCRIPTS[place]))
    assert found.text == "\n\n".join(PARAGRAPHS)
    assert found.title == TITLE
    assert "from-data" in codes(found)
    assert "data" in found.provenance["text"]
    assert found.markdown.count("\n\n") == len(PARAGRAPHS) - 1
    assert [block.text for block in found.blocks if block.kept] == list(PARAGRAPHS)
    without = extract(page_of(SCRIPTS[place]), restore=False)
    assert PARAGRAPHS[1] not in without.text


def test_addresses_in_the_data_are_no_sentences() -> None:
    """Share buttons that a script writes hold the address of a story several times."""
    address = "https://post.example/2026/" + "the-ferry-sails-at-noon-on-every-day-of-the-year-" * 2
    calls = [[key, address] for key in ("data-href", "data-url", "data-link", "data-text", "to")]
    found = extract(
        page_of(script({"buttons": {"text": PARAGRAPHS[0][:80], "added": 4 * calls}}, "add(", ")"))
    )
    assert not any("its data have" in warning.message for warning in found.warnings)


def test_chunks_of_a_serialised_tree_are_joined() -> None:
    children = [["$", "h1", None, {"children": TITLE}]]
    for number, text in enumerate(PARAGRAPHS):
        inside = [text[:50], ["$", "em", None, {"children": text[50:]}]]
        children.append(["$", "p", str(number), {"children": inside}])
    rows = f"0:{json.dumps(['$', 'div', None, {'className': 'a b', 'children': children}])}\n"
    step = len(rows) // 7
    parts = [rows[start : start + step] for start in range(0, len(rows), step)]
    pushes = "".join(script([1, part], "self.__next_f.push(", ")") for part in parts)
    found = extract(page_of(pushes))
    assert found.text == "\n\n".join(PARAGRAPHS)
    assert "*" in found.markdown


@pytest.mark.parametrize("name", ["body", "articleBody", "html", "contenu", "テキスト"])
def test_the_data_supplement_a_page_that_shows_the_beginning(name: str) -> None:
    data = script({"a": {"id": 3, name: HTML_BODY}, **STATE}, "boot(", ");")
    cut = article(PARAGRAPHS[:2]) + "<p>Subscribe to read on.</p>"
    found = extract(page_of(data, cut))
    assert found.text == "\n\n".join(PARAGRAPHS)
    assert "from-data" in codes(found)


def test_of_several_stories_that_of_the_page_is_chosen() -> None:
    other = {"title": "Nothing of the kind", "body": HTML_BODY.replace("ferry", "circus") * 2}
    stories = {"one": other, "two": {"title": TITLE, "body": HTML_BODY}, "three": other}
    assert extract(page_of(script(stories, "S="))).text == "\n\n".join(PARAGRAPHS)


@pytest.mark.parametrize(
    "state",
    [
        {"comments": COMMENTS},
        {"stories": OTHERS},
        {"stories": {item["url"]: item for item in OTHERS}},
        {"i18n": {"cookies": " ".join(item["summary"] for item in OTHERS)}},
        {"author": {"name": "Marta Olsen", "bio": " ".join(PARAGRAPHS)}},
        {"ticker": [{"date": "2026-03-02", "text": item["summary"]} for item in OTHERS]},
    ],
)
def test_a_page_without_an_article_has_no_text_and_says_what_is_missing(state) -> None:
    found = extract(page_of(script(state, "window.state=")))
    assert found.text == ""
    assert "needs-browser" in codes(found)
    assert not any(block.kept for block in found.blocks)


@pytest.mark.parametrize("main", ["<article></article>", "<div></div>"])
def test_a_box_beside_an_unfilled_main_element_is_no_article(main: str) -> None:
    box = "<section><h3>The morning letter</h3><p>Five stories in your inbox before breakfast. You"
    found = extract(
        page_of(f"{box} can leave at any time.</section><script src=a.js></script>", main)
    )
    assert (found.text, codes(found)) == ("", {"needs-browser"})


@pytest.mark.parametrize(
    "body",
    [
        "<ul><li><em>From</em>: Salty Joe &lt;joe@x&gt;<li><em>Date</em>: Sun, 3 Mar 2024 09:00:00 "
        "+0000<li><em>Subject</em>: Squeaking mill</ul><hr><pre>It squeaks at every turn, and the "
        "neighbours\nhave begun to write letters.\n\nJoe</pre>",
        "<p>Mill<table><tr><th>Place<th>Barrel<tr><td>1<td>Patience<tr><td>2<td>Prudence</table>",
        "<p>Closed until Monday.</p><footer>© 2024 Mills</footer>",
    ],
)
def test_few_words_are_a_text_if_nothing_could_bring_another(body: str) -> None:
    head = "<!doctype html><html lang=en><title>Squeaking mill</title>"
    for script in ("", "<script src=a.js></script>"):
        html = f"{head}<h1>Squeaking mill</h1>{body}{script}"
        found = miolo.extract_snapshot(miolo.Snapshot.from_html(html))
        assert found.text or script
        assert ("needs-browser" in codes(found)) == bool(script)


@pytest.mark.parametrize(
    ("button", "warns"),
    [
        ("<button onclick=more()>Read the full story</button>", True),
        ("<p><a role=button>Czytaj całość</a></p>", True),
        ("<button>全文を読む</button>", True),
        ("<iframe src=/rest.html></iframe>", True),
        ("<div><iframe loading=lazy src='https://post.example/rest'></iframe></div>", True),
        ("<iframe src='https://video.example.com/embed/1'></iframe>", False),
        ("<iframe src='https://ads.post.example/1'></iframe>", False),
        ("<a href=/next>Read the full story</a>", False),
        ("<button>Read all comments</button>", False),
        ("<button>Share</button>", False),
    ],
)
def test_a_page_that_a_button_or_a_frame_completes_says_so(button: str, warns: bool) -> None:
    begin = "".join(f"<p>{each}</p>" for each in PARAGRAPHS[:2])
    html = page_of("<script src=app.js></script>", f"<article><h1>{TITLE}</h1>{begin}{button}")
    found = extract(html)
    assert ("needs-browser" in codes(found)) == warns
    assert PARAGRAPHS[1] in found.text


@pytest.mark.parametrize(
    ("head", "warns"),
    [
        ("<meta http-equiv=refresh content='0; url=/another'>", True),
        ("<meta http-equiv=Refresh content='3;URL=\"https://example.org/b\"'>", True),
        ("<meta http-equiv=refresh content='300; url=/another'>", False),
        ("<meta http-equiv=refresh content=5>", False),
        ("<noscript><meta http-equiv=refresh content='0; url=/another'></noscript>", False),
    ],
)
def test_a_page_that_sends_its_readers_away_says_so(head: str, warns: bool) -> None:
    found = extract(page_of("", article(), head))
    assert ("needs-browser" in codes(found)) == warns


def test_an_ordinary_page_is_read_once() -> None:
    for data in ("", script({"title": TITLE, "body": HTML_BODY, **STATE}, "x=")):
        found = extract(page_of(data, article()))
        assert found.text == "\n\n".join(PARAGRAPHS)
        assert codes(found) == set()
        assert "text" not in found.provenance


WALL = (
    "<div><h2>Continue with a subscription</h2><p>Nine a month. Cancel whenever you like.</p></div>"
)
FREE = script({"@type": "NewsArticle", "isAccessibleForFree": False}, kind=LD_TYPE)


def test_a_list_that_scripts_add_is_not_the_article(stage) -> None:
    teaser = (
        "the clock has been slow since the spring, and the committee that was to decide who winds "
        "it has met four times without a quorum, says its chairman, who was late himself."
    )
    cards = "".join(
        f"<article class=card><h3><a href=/c/{n}>Card {n}: the council and the clock</a></h3>"
        f"<p>Teaser {n}: {teaser}</p></article>"
        for n in range(80)
    )
    page = stage.html(page_of("", article() + f"<section><h2>More</h2>{cards}</section>"))
    found = miolo.extract_snapshot(replace(page, served=page_of("", article())))
    assert found.text == "\n\n".join(PARAGRAPHS)
    assert found.kind == "article"


@pytest.mark.parametrize(
    ("shown", "served"),
    [
        (article(PARAGRAPHS[:1]) + WALL, article()),
        (article(PARAGRAPHS[:3]) + WALL, article()),
        ("<div></div>", f"<noscript>{article()}</noscript><div></div>"),
        ("<p>Something went wrong. Please reload the page.</p>", article()),
        ("<div></div>", f"<div hidden>{article()}</div>"),
    ],
)
def test_what_scripts_took_away_is_from_the_page_as_served(
    stage, shown, served, tmp_path: Path
) -> None:
    page = stage.html(page_of("", shown, FREE))
    page = replace(page, served=page_of("<script>go()</script>", served, FREE))
    found = miolo.extract_snapshot(page)
    assert found.text == "\n\n".join(PARAGRAPHS)
    assert "as-served-instead" in codes(found)
    assert "server" in found.provenance["text"]
    assert found.paywalled
    page.save(tmp_path / "page.miolo")
    again = miolo.extract_snapshot(miolo.Snapshot.load(tmp_path / "page.miolo"))
    assert (again.text, again.markdown) == (found.text, found.markdown)
    assert miolo.extract_snapshot(page, restore=False).text != found.text


@pytest.mark.parametrize("served", ["", page_of("", "<ul>" + "".join(
    f"<li><a href={item['url']}>{item['title']}</a><p>{item['summary']}</p></li>" for item in OTHERS
) + "</ul>")])  # fmt: skip
def test_other_stories_as_served_do_not_replace_the_article(stage, served: str) -> None:
    page = replace(stage.html(page_of("", article())), served=served)
    assert miolo.extract_snapshot(page).text == "\n\n".join(PARAGRAPHS)


@pytest.mark.parametrize(
    ("address", "label", "cut"),
    [
        ("?view=full", "Read the full story", True),
        ("/2026/ferry-sails/full", "Weiterlesen", True),
        ("?print=1", "Print", None),
        ("#comments", "Show all comments", None),
        ("/2026/another-story", "Read more", None),
    ],
)
def test_a_text_whose_rest_has_another_address_is_cut(address, label, cut) -> None:
    link = f"<p><a href='{address}'>{label}</a></p>"
    found = extract(page_of("", article(PARAGRAPHS[:3]).replace("</article>", link + "</article>")))
    assert found.truncated is cut
    assert ("a link to the whole text" in found.provenance.get("truncated", "")) is bool(cut)


def test_prose_without_a_title_has_that_of_the_page() -> None:
    data = script({"a": {"id": 3, "body": HTML_BODY}, **STATE}, "boot(", ");")
    found = extract(page_of(data, article(PARAGRAPHS[:2]) + "<p>Subscribe to read on.</p>"))
    assert (found.title, found.text) == (TITLE, "\n\n".join(PARAGRAPHS))
