"""The `records` method: generated lists are extracted as rows."""

import html
from collections import Counter
from datetime import date

import miolo
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from miolo.extract.methods.records import extract_records, records
from miolo.features.dates import is_date

LINKS = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in "Home About News Shop".split())
MENU = f"<nav><ul>{LINKS}</ul></nav>"
FOOT = "<footer><p>Copyright of all this</p><a href=/terms>Terms</a></footer>"
HOME = "https://site.example/"


def rows_of(body: str):
    page = miolo.Snapshot.from_html(f"<body>{MENU}<main>{body}</main>{FOOT}", url=HOME)
    return extract_records(page)[0].rows


def main_list(page):
    return next((table for table in extract_records(page) if table.main), None)


def texts(least, most):
    word = st.text("abcdefgéñ=", min_size=2, max_size=9)
    return st.lists(word, min_size=least, max_size=most).map(" ".join)


@st.composite
def posts(draw):
    title = draw(texts(2, 6))
    post = {"title": title, "url": f"{HOME}post/{draw(st.integers(1, 10**6))}"}
    if draw(st.booleans()):
        post["date"] = str(draw(st.dates(date(1990, 1, 1), date(2050, 1, 1))))
    if draw(st.booleans()):
        post["author"] = draw(texts(1, 2))
    if draw(st.booleans()):
        post["image"] = f"{HOME}{draw(st.integers(1, 10**6))}.png"
    post["summary"] = draw(texts(12, 30)) + " and so the summary goes on for a while"
    return post


def card(post):
    parts = [f"<h2><a href='{post['url']}'>{html.escape(post['title'])}</a></h2>"]
    if "image" in post:
        parts.insert(0, f"<figure><img src='{post['image']}'></figure>")
    if "date" in post:
        parts.append(f"<time>{post['date']}</time>")
    if "author" in post:
        parts.append(f"<span class=author>{html.escape(post['author'])}</span>")
    parts.append(f"<p>{html.escape(post['summary'])}</p>")
    parts.append(f"<a href='{post['url']}'>Read more</a>")
    return f"<article>{''.join(parts)}</article>"


@given(entries=st.lists(posts(), min_size=3, max_size=9, unique_by=lambda post: post["title"]))
def test_generated_records_are_found(entries):
    assert list(rows_of("".join(map(card, entries)))) == entries


def plain_card(post, item, part):
    """A post without informative tags or classes."""
    parts = [f"<a href='{post['url']}'>{html.escape(post['title'])}</a>"]
    parts += [html.escape(post[name]) for name in ("date", "author", "summary") if name in post]
    if "image" in post:
        parts.insert(0, f"<img src='{post['image']}'>")
    inner = "".join(f"<{part}>{text}</{part}>" for text in parts)
    return f"<{item}>{inner}</{item}>"


@given(
    entries=st.lists(posts(), min_size=3, max_size=7, unique_by=lambda post: post["title"]),
    item=st.sampled_from(["li", "div"]),
    part=st.sampled_from(["div", "span", "p"]),
)
def test_optional_fields_need_no_class_names(entries, item, part):
    # If three quarters of the records have the same layout, their parts correspond by position.
    layouts = Counter(("image" in post, len(post)) for post in entries)
    assume(max(layouts.values()) < 0.75 * len(entries))
    rows = rows_of("".join(plain_card(post, item, part) for post in entries))
    named = [{name: row[name] for name in row if not name.startswith("text")} for row in rows]
    assert named == [{name: post[name] for name in post if name != "author"} for post in entries]
    row_texts = [[text for name, text in row.items() if name.startswith("text")] for row in rows]
    assert row_texts == [[post["author"]] if "author" in post else [] for post in entries]


def test_words_at_the_ends_of_lines_stay_apart(stage):
    body = "".join(
        f"<dt><a href=/t{n}>Term number {n}</a><dd style='width: 1px'>The <b>meaning</b> "
        f"<i>of</i> <b>number {n}</b> to all who read of it"
        for n in range(4)
    )
    (table,) = extract_records(stage.html(f"<dl>{body}</dl>", url=HOME))
    assert table.rows[2]["summary"] == "The meaning of number 2 to all who read of it"


def test_text_repeated_by_all_records_is_not_a_column():
    body = "".join(
        f"<li><h3><a href=/{n}>Headline of story {n}</a></h3><b>Read more</b></li>"
        for n in range(5)
    )
    page = miolo.Snapshot.from_html(f"<ul>{body}</ul>", url=HOME)
    (table,) = extract_records(page)
    assert table.columns == ("title", "url")
    assert table.constants == ("Read more",)


def test_bodies_of_different_markup_are_one_column():
    bodies = [
        "<p>One paragraph</p>",
        "<p>Two</p><pre>x = 1</pre><p>paragraphs</p>",
        "<p>Much</p><h3>of</h3><ul><li>all</li><li>kinds</li></ul><blockquote>said</blockquote>",
        "<table><tr><td>A table</td></tr></table><p>and <a href=/x>a link</a> there</p>",
        "<p>Last</p><ol><li>but</li></ol><h4>not</h4><p>least</p>",
    ]
    body = "".join(
        f"<article class=post><h2><a href=/{n}>Headline of story {n}</a></h2>"
        f"<div class=body>{text}</div></article>"
        for n, text in enumerate(bodies)
    )
    rows = rows_of(body)
    assert [row["title"] for row in rows] == [f"Headline of story {n}" for n in range(5)]
    assert "Much of all kinds said" in rows[2].values()


def test_the_main_list_is_kept_with_reasons():
    cards = "".join(
        f"<li><a href=/{n}>A headline that tells of event {n}</a> 2021-03-0{n + 1}</li>"
        for n in range(5)
    )
    page = miolo.Snapshot.from_html(f"{MENU}<ol>{cards}</ol>{FOOT}", url=HOME)
    chosen = records(page)
    kept = {page.text[n] for n in range(len(page)) if chosen.kept[n] and page.is_text[n]}
    assert "A headline that tells of event 3" in kept
    assert not kept & {"Home", "About", "Terms"}
    item = next(n for n in range(len(page)) if page.text[n].startswith("A headline"))
    assert "list 1 of 2: 5 records" in chosen.reasons[chosen.reason[item]]
    assert 0 < chosen.scores[item] <= 1


def test_an_article_has_no_main_list_even_if_it_contains_lists():
    story = "<p>It goes on and on, <a href=/x>mostly</a> in words that nobody counts.</p>" * 9
    seen = "".join(f"<li><a href=/{n}>What was seen on day {n}</a></li>" for n in range(5))
    cards = "".join(f"<li><a href=/r{n}>Another story, number {n}</a></li>" for n in range(9))
    related = f"<div class=post-related><ul>{cards}</ul></div>"
    page = miolo.Snapshot.from_html(
        f"{MENU}<article><h1>A story</h1>{story}<ul>{seen}</ul>{story}</article>{related}", url=HOME
    )
    assert {len(table.rows) for table in extract_records(page)} == {4, 5, 9}
    assert main_list(page) is None
    chosen = records(page)
    assert not chosen.kept.any()
    assert [warning.code for warning in chosen.warnings] == ["no-records"]
    item = next(n for n in range(len(page)) if page.text[n].startswith("What was seen"))
    assert "not the main content of the page" in chosen.reasons[chosen.reason[item]]


def test_the_menu_of_a_page_of_one_post_is_not_its_main_list():
    post = card({"url": f"{HOME}1", "title": "The only story", "summary": "It is told here " * 9})
    page = miolo.Snapshot.from_html(f"{MENU}<main>{post}</main>{FOOT}", url=HOME)
    assert main_list(page) is None
    two = miolo.Snapshot.from_html(f"{MENU}<main>{post}{post.replace('only', 'other')}</main>")
    table = main_list(two)
    assert table is not None
    assert [row["title"] for row in table.rows] == ["The only story", "The other story"]
    assert records(two).warnings == ()


def test_data_without_a_column_give_a_warning():
    def item(n):
        cells = "".join(f"<x{n}-{m} class=c{n}{m}>{n} in {m}</x{n}-{m}>" for m in range(400))
        return f"<li class=item><a href=/{n}>A headline of event {n}</a>{cells}</li>"

    page = miolo.Snapshot.from_html(f"<ul>{''.join(map(item, range(4)))}</ul>", url=HOME)
    table = main_list(page)
    assert table is not None
    assert table.left_out > 0
    (warning,) = records(page).warnings
    assert warning.code == "left-out"
    assert f"{table.left_out:,}" in warning.message


@pytest.mark.parametrize(
    "text",
    ["2021-03-04", "2021-03-04T10:00:00Z", "4.3.2021", "Thu, 4 March 2021", "March 4th, 2021",
     "4 de marzo de 2021", "2021年3月4日", "03-04", "· Jun 5", "13 مرداد 1390"],
)  # fmt: skip
def test_dates(text):
    assert is_date(text)


@pytest.mark.parametrize("text", ["", "2021", "4 apples", "In 2021-03-04 style", "1-2", "v1.2.3"])
def test_other_texts_are_not_dates(text):
    assert not is_date(text)


def test_records_are_deterministic_and_found_on_deep_pages():
    items = "".join(f"<li><a href=/{n}>Item of number {n}</a></li>" for n in range(9))
    deep = "".join("<div><p>so</p><p>deep</p><p>down</p>" for _ in range(2_010))
    page = miolo.Snapshot.from_html(f"<ul>{items}</ul>{deep}", url=HOME)
    assert page.depth.max() > 2_000
    assert extract_records(page) == extract_records(page)
    assert len(extract_records(page)[0].rows) == 9


@pytest.mark.parametrize(
    "byline",
    [
        "<p class=byline>By <a rel=author href=/jane>Jane Doe</a>, <time>2024-03-0{n}</time></p>",
        "<p><span class=author>Jane Doe</span> | March {n}, 2024</p>",
        "<p itemprop=author>Jane Doe</p><time itemprop=datePublished>2024-03-0{n}</time>",
    ],
)
def test_authors_and_days_of_entries_are_not_those_of_the_list(byline):
    entries = "".join(
        "<article itemscope itemtype=https://schema.org/BlogPosting>"
        f"<h2><a href=/{n}/rye>Rye bread number {n}</a></h2>{byline.format(n=n)}"
        f"<p>{'The dough rises overnight, '.join(map(str, range(n, n + 9)))}.</p>"
        f"<a href=/{n}/rye>Read more</a></article>"
        for n in range(1, 9)
    )
    body = f"<main><h1>Energy</h1>{entries}</main>"
    html = f"<body>{MENU}{body}<a href=/category/energy/2>Older posts</a>{FOOT}"
    page = miolo.extract_html(html, url=f"{HOME}category/energy/")
    assert page.kind == "listing"
    assert page.records is not None
    assert (page.authors, page.date) == ((), None)
