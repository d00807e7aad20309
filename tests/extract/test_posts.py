"""Posts of a thread: their authors, times and texts, in the markup of common forum software."""

import string
from datetime import date

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.extract.metadata.posts import find_posts, find_thread
from miolo.extract.pipeline import extract_snapshot
from miolo.features.blocks import article_blocks, text_blocks
from miolo.output.body import body_of
from miolo.output.extraction import Post
from miolo.output.page_result import PageResult

LONG = "The pump hums for a minute after the kettle is full, and then it stops with a loud click. "


def posts_of(markup: str, text: str = "post-text", language: str = "en") -> tuple[Post, ...]:
    """Posts of a page whose texts are in the elements of a class."""
    page = miolo.Snapshot.from_html(f"<html lang={language}><body>{markup}</body></html>")
    roots = [n for n, value in page.attributes.with_attribute("class") if text in value.split()]
    blocks = text_blocks(page)
    inside = np.zeros(len(page), bool)
    for root in roots:
        inside[root : page.end[root]] = True
    return find_posts(blocks.select(inside[blocks.first]))


def test_a_repeated_element_with_a_name_and_a_time_is_a_post() -> None:
    thread_posts = posts_of(
        """<div class=breadcrumb><a href=/members/admin>Admin</a></div>
        <article class="message odd"><div class=message-cell><h4 class=username>Ada</h4>
            <div>Joined Oct 25, 2017</div></div>
          <div class=message-cell><time datetime=2024-01-02T10:00:00Z>Tuesday</time>
            <div class=post-text><p>The pump hums.</p><p>Is that right?</p></div></div></article>
        <article class="message even"><div class=message-cell><h4 class=username>Ben</h4>
            <div>Joined Mar 3, 2019</div></div>
          <div class=message-cell><time datetime=2024-01-03T11:00:00Z>Wednesday</time>
            <div class=post-text><a href=/members/ada>@Ada</a> Yes, it is.</div></div></article>"""
    )
    assert [(post.author, post.date, post.text) for post in thread_posts] == [
        ("Ada", "2024-01-02T10:00:00+00:00", "The pump hums.\n\nIs that right?"),
        ("Ben", "2024-01-03T11:00:00+00:00", "@Ada Yes, it is."),
    ]


def test_replies_within_replies_are_posts_of_their_own() -> None:
    def comment(author: str, text: str, replies: str = "") -> str:
        return (
            f"<div class=comment><p class=tagline><a class=author href=/user/{author}>{author}</a>"
            f" <time datetime=2024-05-0{len(author)}>then</time></p>"
            f"<div class=post-text>{text}</div><div class=child>{replies}</div></div>"
        )

    thread_posts = posts_of(
        comment("ann", "One.", comment("bert", "Two.", comment("carla", "Three.")))
        + comment("d'arcy", "Four.")
    )
    assert [(post.author, post.date, post.text) for post in thread_posts] == [
        ("ann", "2024-05-03", "One."),
        ("bert", "2024-05-04", "Two."),
        ("carla", "2024-05-05", "Three."),
        ("d'arcy", "2024-05-06", "Four."),
    ]


def test_a_question_in_different_markup_from_its_answers_is_the_first_post() -> None:
    answer = (
        '<div class="answer js-{0}"><div class=post-text>{1}</div><div itemprop=author>'
        "<a href=/users/{0}/x>{2}</a></div><time datetime={3}>then</time></div>"
    )
    thread_posts = posts_of(
        "<div id=question><div class=post-text>Why does it hum?</div>"
        "<span class=user-name>Asker</span> asked Mar 4, 2021</div><div id=answers>"
        + answer.format(1, "It is old.", "Old Hand", "2021-03-05")
        + answer.format(2, "It is new.", "New Hand", "2021-03-06")
        + "</div>"
    )
    assert [(post.author, post.date, post.text) for post in thread_posts] == [
        ("Asker", "2021-03-04", "Why does it hum?"),
        ("Old Hand", "2021-03-05", "It is old."),
        ("New Hand", "2021-03-06", "It is new."),
    ]


@pytest.mark.parametrize("label", ["Joined:", "Anmeldedatum:", "Fecha de registro:"])
def test_a_post_is_not_of_the_day_when_its_author_joined(label: str) -> None:
    row = (
        "<tr class=post><td><b class=author>{0}</b><i>{1} 4 Oct 2012</i></td>"
        "<td><span>Posted: {2} Nov 2025</span><div class=post-text>Text {2}.</div></td></tr>"
    )
    markup = "".join(row.format(name, label, day) for name, day in (("Ann", 11), ("Ben", 12)))
    posts = posts_of(f"<table>{markup}</table>")
    assert [post.date for post in posts] == ["2025-11-11", "2025-11-12"]


def test_ambiguous_days_are_read_if_the_language_has_one_order() -> None:
    post = (
        "<li class=post><b class=author>{}</b><i>3/4/2021</i><div class=post-text>Text.</div></li>"
    )
    markup = f"<ul>{post.format('Ann')}{post.format('Ben')}</ul>"
    assert [post.date for post in posts_of(markup, language="en-US")] == ["2021-03-04"] * 2
    assert [post.date for post in posts_of(markup, language="en-GB")] == [None] * 2


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "<div class=post-text>Alone.</div>",
        "<div class=post><div class=post-text>One.</div></div>" * 3,
        "<div class=post><b class=author>Ann</b><div class=post-text>One.</div></div>",
    ],
    ids=["nothing", "one-text", "no-names", "one-post"],
)
def test_fewer_than_two_signed_posts_are_not_a_discussion(markup: str) -> None:
    assert posts_of(markup) == ()


names = st.text(string.ascii_letters, min_size=2, max_size=12).filter(
    lambda name: name.lower() not in ("by", "member", "guest", "author", "online", "logged")
)
sentences = st.lists(st.sampled_from(LONG.split()), min_size=1, max_size=9).map(" ".join)
threads = st.lists(
    st.tuples(names, st.dates(date(1995, 1, 1), date(2023, 12, 31)), sentences),
    min_size=2,
    max_size=12,
)


@given(threads, st.integers(0, 4), st.booleans(), st.booleans())
def test_every_post_of_a_thread_is_found(
    thread: list[tuple[str, date, str]], depth: int, author_last: bool, numbered: bool
) -> None:
    def post(number: int, name: str, day: date, text: str) -> str:
        head = f"<span class=username>{name}</span><time datetime={day}>then</time>"
        body = "<div>" * depth + f"<div class=post-text>{text}</div>" + "</div>" * depth
        parts = (body, head) if author_last else (head, body)
        mark = f"id=post-{number}" if numbered else 'class="post"'
        return f"<section {mark}>{''.join(parts)}</section>"

    thread_posts = posts_of("".join(post(number, *facts) for number, facts in enumerate(thread)))
    assert [(p.author, p.date, p.text) for p in thread_posts] == [
        (n, str(d), t) for n, d, t in thread
    ]


def thread_page(posts: int) -> str:
    post = """<div class="post" id="post_{0}"><div class="postprofile">
      <a href="/memberlist.php?u={0}" class="username">Member{0}</a><p>Posts: {0}12</p></div>
      <div class="postbody">
      <p class="author">by <a class="username" href="/memberlist.php?u={0}">Member{0}</a> »
      <time datetime="2024-02-1{0}T10:00:00+00:00">Feb 1{0}, 2024</time></p>
      <div class="content">{1}<br><br>Reply {0}: {1}</div></div></div>"""
    return f"""<html lang=en><head><title>Kettle hums - View topic - Kettle Forum</title>
      <meta name=generator content=phpBB></head><body><nav><a href=/>Board index</a>
      <a href=/f1>Kitchen</a> <a href=/login>Login</a> <a href=/register>Register</a></nav>
      <h2 class="topic-title">Kettle hums</h2><div class="pagination">{posts} posts</div>
      <div id=page-body>{"".join(post.format(n, LONG * 2) for n in range(posts))}</div>
      <div class=action-bar><a href=/reply>Post Reply</a></div>
      <p>Who is online: 3 guests</p><p>Powered by phpBB</p></body></html>"""


def test_posts_of_a_thread_are_in_the_result_and_survive_a_round_trip() -> None:
    page = miolo.Snapshot.from_html(thread_page(5), url="https://forum.example/viewtopic.php?t=1")
    extraction = extract_snapshot(page)
    assert extraction.kind == "forum"
    assert [post.author for post in extraction.posts] == [f"Member{n}" for n in range(5)]
    assert extraction.posts[3].date == "2024-02-13T10:00:00+00:00"
    result = PageResult(page.page.url, extractions={"auto": extraction})
    again = PageResult.from_dict(result.to_dict()).extraction
    assert again is not None
    assert again.posts == extraction.posts
    written = [each.strip() for each in extraction.markdown.split("***")]
    assert [text.partition("Reply ")[2][0] for text in written] == list("01234")
    assert again.markdown == extraction.markdown


def test_the_lines_of_a_post_are_those_on_the_screen() -> None:
    posts = posts_of(
        "".join(
            f"<article><b class=username>Ada{n}</b><time datetime=2024-01-0{n}>then</time>"
            f"<p class=post-text style='white-space: pre-wrap'>{LONG}\nIt   hums.\n\nRight?</p>"
            "</article>"
            for n in (1, 2)
        )
    )
    assert [post.text for post in posts] == [f"{LONG.strip()}\nIt hums.\n\nRight?"] * 2


def test_each_post_is_written_below_the_name_of_its_author() -> None:
    head = """<div class=postprofile><img src=/a/{0}.png alt=Member{0} width=90 height=90>
      <h4><a class=username href="/memberlist.php?u={0}">Member{0}</a> 1{0}</h4></div>"""
    posts = "".join(
        f"<div class=post>{head.format(n)}<p>Reply {n}: Member{n} writes that {LONG * 2}</p></div>"
        for n in range(3)
    )
    snapshot = miolo.Snapshot.from_html(f"<main>{posts}</main>", url="https://forum.example/t/1")
    found = find_posts(article_blocks(snapshot))
    body = body_of(snapshot, article_blocks(snapshot), np.ones(len(snapshot), bool), posts=found)
    written = body.markdown.split("\n\n***\n\n")
    assert [post.split("\n\n")[0] for post in written] == [f"**Member{n}**" for n in range(3)]
    assert [post.split("\n\n")[1][:8] for post in written] == [f"Reply {n}:" for n in range(3)]
    assert [post.count("Member") for post in written] == [2, 2, 2]


def test_an_article_has_no_posts() -> None:
    page = miolo.Snapshot.from_html(f"<article><h1>Kettles</h1><p>{LONG * 5}</p></article>")
    assert extract_snapshot(page).posts == ()


ENTRY = (
    "<section class=entry><header>{head}<a class=author href=/u/{name}>{name}</a> "
    "<time datetime=2026-05-0{day}>then</time></header><p>{text}</p></section>"
)


def thread_of(
    names: str, head: str = "", aside: str = "", opening: str = ""
) -> tuple[tuple[Post, ...], float]:
    entries = [
        ENTRY.format(head=head.format(name=name), name=name, day=day, text=LONG)
        for day, name in enumerate(names.split(), 1)
    ]
    page = miolo.Snapshot.from_html(f"<body><main>{opening}{''.join(entries)}</main>{aside}")
    blocks = article_blocks(page)
    kept = [LONG.strip() in text for text in blocks.texts]
    return find_thread(blocks.select(np.array(kept, bool)))


def test_a_thread_is_posts_of_several_authors_with_times() -> None:
    posts, share = thread_of("ada ben ada")
    assert [post.author for post in posts] == ["ada", "ben", "ada"]
    assert share > 0.95


@pytest.mark.parametrize(
    ("names", "head"),
    [("ada ada ada", ""), ("ada ben cy", "<h3><a href=/x>The story of {name}</a></h3>")],
)
def test_live_blogs_and_lists_of_stories_are_no_threads(names: str, head: str) -> None:
    assert thread_of(names, head) == ((), 0.0)


def test_an_opening_post_of_another_kind_may_have_the_second_author() -> None:
    opening = ENTRY.replace("section", "article").format(head="", name="ada", day=1, text=LONG)
    posts, _ = thread_of("ben guest", opening=opening)
    assert [post.author for post in posts] == ["ada", "ben", ""]


def test_names_of_users_may_be_headings() -> None:
    posts, _ = thread_of("ada ben", "<h4 class=username>{name}</h4>")
    assert len(posts) == 2


@pytest.mark.parametrize(
    "head",
    [
        "<b>{}</b><br><small>{}</small>",
        "<p><strong>{}:</strong> <i>{}</i></p>",
        "<div>Answered by <a href=/p/1>{}</a> <span>{}</span> <a href=#s>Share</a></div>",
        "<p>answered on {1} by <a href=/m/1>{0}</a> <i>9 points</i></p>",
        "<table><tr><td rowspan=2><a href=s-9.html>{}</a><p>novice<td><em>{}</em></table>",
    ],
)
def test_names_of_users_need_no_mark(head: str) -> None:
    posts = "".join(
        f"<div class=p>{head.format(name, f'{day} May 2026')}<p>{LONG}</p></div>"
        for day, name in enumerate(("ada", "ben", "ada"), 1)
    )
    blocks = article_blocks(miolo.Snapshot.from_html(f"<main>{posts}</main>"))
    found = find_posts(blocks.select(np.array([LONG.strip() in t for t in blocks.texts])))
    assert [(post.author, post.date) for post in found] == [
        ("ada", "2026-05-01"), ("ben", "2026-05-02"), ("ada", "2026-05-03")
    ]  # fmt: skip


def test_headings_of_posts_may_be_the_subject_of_the_thread() -> None:
    posts, _ = thread_of("ada ben ada", "<h3>Re: Bread</h3>")
    assert len(posts) == 3


def test_the_share_falls_with_text_outside_of_the_posts() -> None:
    aside = f"<div><p>{LONG}</p><p>{LONG} {LONG}</p><p>{LONG} {LONG} {LONG}</p></div>"
    assert thread_of("ada ben", aside=aside)[1] < 0.6
