"""Posts and lists of entries, each of which is text as a whole."""

import miolo
import pytest

REPLIES = [
    ("mara_k", "The float sticks as soon as the weather turns damp, although it is a new one."),
    (
        "old_otter",
        "Take it apart and dry the contact, and put a drop of grease on both sides.",
    ),
    ("mara_k", "That has helped, thank you. It has been quiet for two nights and a morning."),
    ("lise77", "Mine does the same in spring. I have given up and ring the bell by hand instead."),
]
QUOTED = "the weather turns damp"
QUOTES = [
    "<aside data-username=mara_k><div>mara_k:</div><blockquote><p>{}</p></blockquote></aside>",
    "<div><cite>mara_k wrote:</cite><blockquote>{}</blockquote></div>",
    "<section><b>mara_k schrieb:</b><blockquote><p>{}</p></blockquote></section>",
]
POSTS = [
    "<article class=post><h4 class=username>{name}</h4><time datetime=2026-05-0{day}T10:00:00Z>"
    "then</time><div class=body>{text}</div><nav><a href=#>Reply</a></nav></article>",
    "<tr class=row><td><a href=/members/{name}>{name}</a></td><td><span data-time=17780000{day}0>"
    "2d</span><div class=msg>{text}</div><a href=#>Report</a></td></tr>",
    "<li class=comment><p class=meta><a class=author href=/u/{name}>{name}</a> "
    "<time datetime=2026-05-0{day}>May</time></p><div class=text>{text}</div></li>",
]
TORN = (
    "<div class=tile><p>{text}</p><p>And {name} adds a second line to what was said before.</p>"
    "<div>Answered by <a href=/p/{name}>{name}</a><span>2026-05-0{day}</span></div></div>"
)
"""A post whose text has no element of its own."""

AROUND = {
    "<tr": "<table>{}</table>", "<li": "<ol>{}</ol>", "<ar": "<div>{}</div>", "<di": "<div>{}</div>"
}  # fmt: skip


def thread(form: str, quote: str, language: str, style: str = "") -> miolo.Extraction:
    texts = [f"<p>{text}</p>" for _, text in REPLIES]
    texts[1] = quote.format(QUOTED) + texts[1]
    return page_of(form, texts, style=style, language=language)


def page_of(
    form: str, texts: list[str], before: str = "", *, style: str = "", language: str = "en"
) -> miolo.Extraction:
    posts = "".join(
        form.format(name=name, day=number, text=text)
        for number, ((name, _), text) in enumerate(zip(REPLIES, texts, strict=True), 1)
    )
    html = (
        f"<html lang={language}><head><title>Bilge alarm in fog</title>{style}</head><body><nav>"
        f"<a href=/>Boats</a></nav>{before}<h1>Bilge alarm in fog</h1>"
        f"{AROUND[form[:3]].format(posts)}<footer><a href=/tos>Terms</a></footer></body></html>"
    )
    return miolo.extract_snapshot(miolo.Snapshot.from_html(html, url="https://b.example/t/9"))


@pytest.mark.parametrize("form", POSTS)
@pytest.mark.parametrize("quote", QUOTES)
def test_every_post_is_text_with_what_it_quotes(form: str, quote: str) -> None:
    found = thread(form, quote, "de" if "schrieb" in quote else "en")
    places = [found.text.find(text) for _, text in REPLIES]
    assert -1 not in places
    assert places == sorted(places)
    assert [post.author for post in found.posts] == [name for name, _ in REPLIES]
    assert not found.comments
    lines = [line for line in found.markdown.splitlines() if line.startswith(">")]
    assert any(QUOTED in line for line in lines)
    assert any("mara_k" in line for line in lines)
    assert "Report" not in found.text


def test_a_post_without_an_element_of_its_text_keeps_all_paragraphs() -> None:
    found = page_of(TORN, [text for _, text in REPLIES], "<p class=crumbs>Boats / Engines</p>")
    assert all(text in found.text for _, text in REPLIES)
    assert found.text.count("adds a second line") == len(REPLIES)
    assert [post.author for post in found.posts] == [name for name, _ in REPLIES]


@pytest.mark.parametrize(
    ("signed", "lines"),
    [
        ("<div>old_otter said:</div>{}", 2),
        ("<p><b>old_otter</b> wrote:</p><p>{}</p>", 2),
        ("{}", 0),
    ],
)
def test_a_quotation_of_the_page_itself_stays_if_it_says_who_is_quoted(
    signed: str, lines: int
) -> None:
    posts = [f"<p>{text}</p>" for _, text in REPLIES]
    posts[2] = f"<blockquote>{signed.format(REPLIES[1][1][:34])}</blockquote>{posts[2]}"
    body = "".join(f"<div>{post}</div>" for post in posts)
    html = f"<html lang=en><title>Bilge alarm in fog</title><h1>Bilge alarm in fog</h1>{body}"
    found = miolo.extract_snapshot(miolo.Snapshot.from_html(html, url="https://b.example/t/9"))
    quoted = [line for line in found.markdown.splitlines() if line.startswith("> ")]
    assert len(quoted) == lines


SIGNED = [
    ("{}<br>_________________<br>Fair winds, always", False),
    ("{}<br><br>--------------------<br>Fair winds, always", False),
    ("{}<pre>--\nFair winds,\nalways</pre>", False),
    # A line that nobody else draws is the author's own.
    ("{}<br>=====<br>Fair winds, always", True),
]


@pytest.mark.parametrize("form", POSTS)
@pytest.mark.parametrize(("signed", "is_text"), SIGNED)
def test_signatures_of_posts_are_not_their_text(form: str, signed: str, is_text: bool) -> None:
    texts = [
        text if is_text and number else signed.format(text)
        for number, (_, text) in enumerate(REPLIES)
    ]
    found = page_of(form, texts)
    assert all(text in found.text for _, text in REPLIES)
    assert ("Fair winds" in found.text) is is_text


def test_the_signature_of_a_mail_is_not_its_text() -> None:
    text = "".join(f"<p>{text}</p>" for _, text in REPLIES)
    html = f"<title>Bilge</title><h1>Bilge</h1><div>{text}<pre>\n-- \nTo leave, write to x.</pre>"
    assert "To leave" not in miolo.extract_snapshot(miolo.Snapshot.from_html(html)).text


RANKS = {"mara_k": "Bosun", "old_otter": "Ship's carpenter", "lise77": "Landlubber"}
MOTTOES = {"mara_k": "Kestrel, 26 ft, 1974", "old_otter": "Oak floats", "lise77": "Aground again"}
# Posts of two cells, of a column for the author, and with the author's motto below.
FULL_POSTS = [
    "<article class=message data-author={name}><h4><a class=username>{name}</a></h4><h5>{rank}</h5>"
    "<dl><dt>Joined<dd>4 Mar 2011</dl><p><time datetime=2026-05-0{day}T10:00>then</time></p>"
    "<div class=words>{text}</div><div class=motto>{motto}</div></article>",
    "<div class=post><div class=cell><a href=/members/{name}>{name}</a><h5>{rank}</h5><dl>"
    "<dt>Joined<dd>4 March 2011<dt>Home port<dd>{rank}</dl></div><div class=cell>"
    "<time datetime=2026-05-0{day}T10:00>then</time><div class=words>{text}</div>"
    "<div class=motto>{motto}</div></div></div>",
    "<tr class=row><td class=who><a href=/u/{name}>{name}</a><br>{rank}<br>Posts: 4{day}</td><td>"
    "<small><span data-time=17780000{day}0>2d</span></small><p class=words>{text}</p>"
    "<p class=changed>Changed 1{day} May 2026, 10:42</p><p class=motto>{motto}</p></td></tr>",
    "<section class=entry><header><b class=username>{name}</b> <i>{rank}</i> "
    "<time datetime=2026-05-0{day}>May</time></header><div class=body>"
    "<div class=words>{text}</div><button>Quote</button>"
    "<footer class=motto>{motto}</footer></div></section>",
]


@pytest.mark.parametrize("form", FULL_POSTS)
def test_what_says_who_wrote_a_post_is_not_its_text(form: str) -> None:
    posts = "".join(
        form.format(name=name, rank=RANKS[name], motto=MOTTOES[name], day=day, text=text)
        for day, (name, text) in enumerate(REPLIES, 1)
    )
    posts = f"<table>{posts}</table>" if form.startswith("<tr") else f"<main>{posts}</main>"
    html = f"<title>Bilge alarm in fog</title><h1>Bilge alarm in fog</h1>{posts}"
    found = miolo.extract_snapshot(miolo.Snapshot.from_html(html, url="https://b.example/t/9"))
    assert [post.author for post in found.posts] == [name for name, _ in REPLIES]
    assert [post.text for post in found.posts] == [text for _, text in REPLIES]
    assert not any(words in found.text for words in (*RANKS.values(), *MOTTOES.values(), "10:42"))


def test_lines_that_one_post_repeats_are_no_signature() -> None:
    texts = [f"<p>{text}</p>" for _, text in REPLIES]
    texts[1] += "<p class=step>Wait, and try it again.</p>" * 2
    texts[3] += "<p class=step>Then ring the bell for a while.</p>"
    found = page_of(POSTS[0], texts)
    assert found.posts[1].text.count("Wait, and try it again.") == 2
    assert found.posts[3].text.endswith("Then ring the bell for a while.")


def test_what_stands_beside_a_thread_is_no_post() -> None:
    about = (
        "<aside><time datetime=2026-05-01>May</time><p>Ask about alarms, old and new.</p></aside>"
    )
    found = page_of(POSTS[2], [text for _, text in REPLIES], about)
    assert [post.author for post in found.posts] == [name for name, _ in REPLIES]


def test_counters_of_posts_are_not_their_text() -> None:
    found = page_of(POSTS[0], [f"<p>{text}</p><p>Post {len(text)}</p>" for _, text in REPLIES])
    assert all(text in found.text for _, text in REPLIES)
    assert "Post" not in found.text


OTHER_PRODUCTS = [
    "<li><a href=/p/{n}><img src={n}.jpg alt=''>Rope number {n}</a> <b>${n}9.00</b></li>",
    "<li><h3><a href=/p/{n}>Rope number {n}</a></h3><p>Holds a boat of {n} tons in any harbour.</p>"
    "<span>{n}9,00 €</span></li>",
]


@pytest.mark.parametrize("form", OTHER_PRODUCTS)
def test_other_products_are_not_text_of_the_page_of_one(form: str) -> None:
    others = "".join(form.format(n=number) for number in range(1, 5))
    about = "".join(f"<p>{text}</p>" for _, text in REPLIES * 2)
    html = (
        "<html lang=en><title>Rope of hemp</title><meta property=og:type content=product>"
        "<nav><a href=/>Shop</a></nav><main itemscope itemtype=https://schema.org/Product>"
        "<h1>Rope of hemp</h1><b class=price>$12.00</b><select><option>1</select><button>Add"
        f" to cart</button>{about}<p>In stock</p><h2>Related</h2><ul>{others}</ul></main></html>"
    )
    url = "https://s.example/products/rope"
    found = miolo.extract_snapshot(miolo.Snapshot.from_html(html, url=url))
    assert found.kind == "product"
    assert REPLIES[0][1] in found.text
    assert "Rope number" not in found.text


UNMARKED_POSTS = [
    "<article><b>{name}</b> <i>{day} May 2026, 10:0{day}</i><div class=text>{text}</div></article>",
    "<table><tr><td><b>{name}</b><td><a href=/t?p={day}#{day}><img src=p.gif></a>0{day}.05.2026 - "
    "10:03<tr><td>Member<td><span class=post>{text}</span></table>",
    "<article><b class=author>mara_k</b> <time>{day} May 2026</time><div>{text}</div></article>",
]


@pytest.mark.parametrize("form", UNMARKED_POSTS)
def test_posts_without_names_are_known_by_their_times(form: str) -> None:
    posts = "".join(
        form.format(name=name, day=number, text=f"{text} {text[:-1]}, as I said on day {number}.")
        for number, (name, text) in enumerate(REPLIES * 2, 1)
    )
    html = (
        "<html lang=en><title>Topics: Bilge alarm</title><body><nav><a href=/>Boats</a> <a href=/l>"
        f"List</a></nav><h1>Topics</h1><main>{posts}</main><a href=/topics/page/2>2</a></html>"
    )
    url = "https://b.example/topics/list/page/1/"
    found = miolo.extract_snapshot(miolo.Snapshot.from_html(html, url=url))
    assert found.kind == "forum"
    assert [int(post.date[8:10]) for post in found.posts if post.date] == [*range(1, 9)]
    assert [post.text.count("as I said on day") for post in found.posts] == [1] * 8
    assert found.records is None


def test_rows_that_lead_to_no_pages_are_not_all_of_a_page() -> None:
    rows = "".join(f"<tr><td>void<td>turn{n}()<td>Turns wheel {n}, slowly." for n in range(1, 5))
    names = ("Installation", "First", "Blasting", "Carts", "Upgrading")
    menu = "".join(f"<li><a href=/{name}>{name}</a>" for name in names)
    html = (
        f"<!doctype html><html lang=en><title>Sluice (Tide API 2.1)</title><nav><ul>{menu}</ul>"
        "</nav><article><h1>Class Sluice</h1><div>A gate that can be opened by one person.</div>"
        "<h2>Method Summary</h2><table class=memberSummary><tr><th>Modifier<th>Method<th>"
        f"Description{rows}</table></article><nav><label>Table of contents</label><ul><li>"
        "<a href=#a>Overview</a><li><a href=#b>Details</a></ul></nav><footer><nav>"
        "<a href=/p>Previous Seam</a> <a href=/n>Next Carts</a></nav></footer>"
    )
    found = miolo.extract_snapshot(miolo.Snapshot.from_html(html))
    assert found.kind == "listing"
    assert "opened by one person" in found.text
    assert "Turns wheel 4" in found.text


LIST_FORMS = [
    "<article class=teaser><h3><a href=/{n}>{title}</a></h3><p>{text}</p><a href=/{n}>Read on</a>"
    "</article>",
    "<li class=item><a href=/{n}>{title}</a><time>2026-0{n}-03</time><div>{text}</div></li>",
    "<div class=box><h2><a href=/{n}>{title}</a></h2><div class=x>{text}</div>"
    "<a href=/{n}>Read on</a></div>",
    "<li class=topic><a href=/{n}>{title}</a><div>{text} <a href=/members/{n}>skipper{n}</a></div>"
    "<time datetime=2026-0{n}-03T10:2{n}:00Z>then</time></li>",
    "<article class=row><div><a class=author href=/u/{n}>skipper{n}</a> <time datetime=2026-0{n}-03"
    "T10:2{n}:00Z>then</time></div><h4><a href=/{n}>{title}</a></h4><p>{text}</p></article>",
]


@pytest.mark.parametrize("form", LIST_FORMS)
def test_a_list_of_entries_has_them_as_text_and_records(form: str) -> None:
    subjects = ["locks", "weirs", "piers", "buoys", "sails", "knots", "charts", "bells"]
    rows = [(f"New rules for {word}", f"What skippers say about {word}.") for word in subjects]
    entries = "".join(
        form.format(n=number, title=title, text=text)
        for number, (title, text) in enumerate(rows, 1)
    )
    html = (
        "<html lang=en><title>Category: Harbour - Page 3</title><body><nav><a href=/>Home</a> "
        f"<a href=/n>News</a></nav><h1>Category: Harbour</h1><main><ul>{entries}</ul></main><div>"
        "<a href=/page/2>2</a> <b>3</b> <a rel=next href=/page/4>4</a></div></body></html>"
    )
    url = "https://a.example/category/harbour/page/3/"
    found = miolo.extract_snapshot(miolo.Snapshot.from_html(html, url=url))
    assert found.records is not None
    assert [row["title"] for row in found.records.rows] == [title for title, _ in rows]
    for title, text in rows:
        assert title in found.text
        assert text.rstrip(".") in found.text
    assert "Read on" not in found.text
    assert "10:2" not in found.text
    assert not found.posts
