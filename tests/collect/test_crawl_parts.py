"""Which addresses a crawl follows: normal forms, links, reach, traps, robots.txt, sitemaps."""

import gzip
import sys
from datetime import date
from time import process_time
from urllib.parse import urlsplit

import miolo
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from miolo.collect.crawl.run_crawl import spread
from miolo.collect.frontier import sitemaps
from miolo.collect.frontier.normal_urls import MAX_ADDRESS, normal_url
from miolo.collect.frontier.page_links import feed_links, page_links
from miolo.collect.frontier.robots import MAX_ROBOTS, Robots, robots_url
from miolo.collect.frontier.scope import Scope, may_be_page
from miolo.collect.frontier.sitemaps import Sitemap, sitemap_entries
from miolo.collect.frontier.traps import LIMITS, Traps
from miolo.errors import MissingDependencyError

TODAY = date(2026, 11, 21)
HOME = "https://paper.example/"
PIECES = (
    "https://paper.example", "http://", "//", "/", "..", ".", "%2e", "%2F", "%", "%41", "é", "?",
    "&", "=", "#", "#!", "a", "B", "7", ":80", ":443", "@", "[::1]", "\\", " ", "\t", "\0", ";",
    "\ud800", ";jsessionid=1F", "utm_source=x", "sid=0123456789abcdef", "0x7f", "xn--", "ß", "。",
    "+",
)  # fmt: skip
mixed = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(st.one_of(st.text(), mixed, mixed.map("https://paper.example/".__add__)), st.booleans())
@example("http://e.org/%2e;jsessionid=1", False)
@example("http://e.org/%%341", False)
def test_any_text_has_at_most_one_normal_form(text, relative):
    normal = normal_url(text, HOME if relative else None)
    if normal is not None:
        assert normal_url(normal) == normal
        assert normal.isascii()
        assert len(normal) <= MAX_ADDRESS
        assert urlsplit(normal).scheme in ("http", "https")
        assert "@" not in urlsplit(normal).netloc


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("HTTP://Paper.Example:80", "http://paper.example/"),
        ("https://paper.example:443/a/./b/../c", "https://paper.example/a/c"),
        ("http://paper.example:443/", "http://paper.example:443/"),
        ("https://paper.example./%7ejo/%c3%a9", "https://paper.example/~jo/%C3%A9"),
        ("https://paper.example/a//b", "https://paper.example/a//b"),
        ("https://straße.example/ü", "https://xn--strae-oqa.example/%C3%BC"),
        ("https://paper.example/100%", "https://paper.example/100%25"),
        ("https://paper.example/?", HOME),
        ("https://paper.example/?b=2&&a=1", "https://paper.example/?b=2&a=1"),
        ("https://paper.example/?UTM_Source=x&id=3&fbclid=9&gclid=8&_ga=7", f"{HOME}?id=3"),
        ("https://paper.example/?ref=main&cid=3", "https://paper.example/?ref=main&cid=3"),
        ("https://paper.example/a;jsessionid=0A1B?PHPSESSID=1&b", "https://paper.example/a?b"),
        (f"{HOME}?sid=0123456789abcdef0123&b=1", f"{HOME}?b=1"),
        (f"{HOME}?sid=12&s=word", f"{HOME}?sid=12&s=word"),
        (f"{HOME}a#part", f"{HOME}a"),
        (f"{HOME}#!/two", f"{HOME}#!/two"),
        (f"{HOME}#/two", f"{HOME}#/two"),
        (f"{HOME}#!", HOME),
        ("https://jo:secret@paper.example/", None),
        ("https://a..b/", None),
        ("https://paper.example:99999/", None),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("paper.example/a", None),
        (HOME + "a" * MAX_ADDRESS, None),
        (HOME + "é" * 400, None),
    ],
)
def test_normal_addresses(written, normal):
    assert normal_url(written) == normal


def test_links_below_a_long_base_are_read_without_it():
    base = "https://example.org/" + "a" * 5_000_000 + "/"
    began = process_time()
    references = [normal_url(f"page-{number}", base) for number in range(1_000)]
    assert references == [None] * 1_000
    assert normal_url("https://example.org/page", base) == "https://example.org/page"
    assert process_time() - began < 1


def test_a_missing_dependency_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "protego", None)
    advice = r"the extra `collect`: (pip install 'miolo\[collect\]'|run `make browser` in .+)$"
    with pytest.raises(MissingDependencyError, match=advice):
        Robots.read(f"{HOME}robots.txt", 200, b"")


LINKS = """
<html><head><base href="/town/"><meta name="Robots" content="NOINDEX, follow">
<link rel="next" href="?page=2"><link rel="stylesheet" href="/style"><link rel="canonical" href="c">
<link rel="alternate" type="application/rss+xml; charset=utf-8" href="/feed">
<link rel="alternate" type="application/atom+xml" href="https://other.example/feed">
<link rel="alternate" type="text/html" href="/fr"></head>
<body><a href=" one ">1</a><a href="one#part">again</a><a href="#top">up</a><a href="">here</a>
<map><area href="two"></map><a rel="NoFollow ugc" href="three">3</a><a>none</a>
<a href="mailto:jo@paper.example">mail</a><a href="https://[broken/">x</a>
<a href="/town/story">self</a>
<div hidden><a href="menu">m</a></div></body></html>
"""


def test_links_of_a_page():
    snapshot = miolo.Snapshot.from_html(LINKS, url="https://paper.example/town/story")
    town = "https://paper.example/town/"
    every = [f"{town}{name}" for name in ("?page=2", "one", "two", "three", "menu")]
    assert list(page_links(snapshot)) == every
    assert list(page_links(snapshot, respect_nofollow=True)) == [*every[:3], every[4]]
    assert feed_links(snapshot) == ("https://paper.example/feed",)


def test_a_nofollow_page_is_not_followed():
    html = '<meta name="robots" content="none"><a href="/a">a</a>'
    snapshot = miolo.Snapshot.from_html(html, url=HOME)
    assert page_links(snapshot) == (f"{HOME}a",)
    assert page_links(snapshot, respect_nofollow=True) == ()


def test_a_document_without_an_address_has_only_absolute_links():
    html = '<a href="/a">a</a><a href="https://paper.example/b">b</a>'
    for url in ("about:blank", "file:///tmp/x.html", "no address"):
        assert page_links(miolo.Snapshot.from_html(html, url=url)) == ("https://paper.example/b",)


def test_links_in_a_frame_use_the_base_address_of_the_frame(stage):
    inner = "<base href='https://frame.example/in/'><a href='x'>x</a>"
    snapshot = stage.html(f'<iframe srcdoc="{inner}"></iframe><a href="y">y</a>', url=f"{HOME}a/b")
    assert set(page_links(snapshot)) == {"https://frame.example/in/x", f"{HOME}a/y"}


@pytest.mark.parametrize(
    ("start", "reach", "inside", "outside"),
    [
        (HOME, "site", "https://shop.paper.example/a", "https://paper2.example/"),
        ("https://blog.paper.co.uk/", "site", "http://paper.co.uk/", "https://other.co.uk/"),
        (HOME, "host", "http://www.paper.example/a", "https://shop.paper.example/"),
        ("http://127.0.0.1:8000/", "host", "http://127.0.0.1:8000/b", "http://127.0.0.1:8001/b"),
        (f"{HOME}blog/index.html", "path", f"{HOME}blog/2", f"{HOME}blogs"),
        (f"{HOME}blog", "path", f"{HOME}blog", f"{HOME}about"),
        (HOME, "path", f"{HOME}a/b", "https://other.example/a"),
    ],
)
def test_reach(start, reach, inside, outside):
    scope = Scope(start, reach)
    assert scope.holds(start)
    assert scope.holds(inside)
    assert not scope.holds(outside)


@given(mixed)
def test_any_text_can_be_judged_as_an_address(text):
    assert not Scope(HOME, "path").holds(f"nowhere:{text}")
    assert may_be_page(text) in (True, False)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("a.pdf", False), ("a.PDF?page=2", False), ("a%2Ejpg", False), ("s.tar.gz", False),
        ("a.php", True), ("wiki/File:Map.png", True), ("v1.2", True), ("a.html", True),
        ("?file=a.pdf", True), (".zip", True), ("", True), ("a.jpg/", True),
    ],
)  # fmt: skip
def test_files_of_other_kinds_are_not_pages(url, expected):
    assert may_be_page(HOME + url) is expected


def refusals(urls, **limits):
    traps = Traps(TODAY, LIMITS | limits)
    return [(traps.admits(HOME + url) or "").partition(":")[0] for url in urls]


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("a" * 600, "long"),
        ("%D8%A7" * 300, ""),
        ("/".join("abcdefghijklmno"), "deep"),
        ("a/b/a/b", "repeated"),
        ("x/more/y/more/z/more", "repeated"),
        ("2011/11/11/eleven", ""),
        ("?" + "&".join(f"p{n}={n}" for n in range(9)), "parameters"),
        ("calendar/2031/05/", "date"),
        ("events/2031-05-02/list?calendar=1", "date"),
        ("?month=203105", "date"),
        ("?day=2031-05-02", "date"),
        ("?id=203105", ""),
        ("?year=1970&month=1", "date"),
        ("1851/09/18/the-first-number", ""),
        ("1851/09/18/", "date"),
        ("2026/11/a-story", ""),
        ("story/9132/11/x", ""),
    ],
)
def test_traps_are_recognised_from_a_single_address(url, kind):
    assert refusals([url]) == [kind]


@pytest.mark.parametrize(
    ("urls", "kind"),
    [
        ([f"calendar/2024/{n:02}/" for n in range(1, 13)], "calendar"),
        ([f"?day=2024-{n:02}-01" for n in range(1, 13)], "calendar"),
        ([f"list?time={1700000000 + n}" for n in range(9)], "calendar"),
        ([f"tag/town/page/{n}" for n in range(9)], "paging"),
        ([f"list?offset={n}" for n in range(9)], "paging"),
        ([f"item/{n}" for n in range(9)], "numbers"),
        ([f"shop/{n}?sort=up" for n in "abcdefghi"], "views"),
        ([f"wiki/{n}?action=edit" for n in "abcdefghi"], "views"),
        ([f"{n}?replytocom={n}" for n in "abcdefghi"], "views"),
        ([f"shop?x{n}=a" for n in "abcdefghi"], "names"),
        ([f"shop?x={n}" for n in "abcdefghi"], "queries"),
        ([f"(S(abc{n:07}xyz))/home" for n in range(9)], "token"),
        ([f"{n:032x}/news/home" for n in range(9)], "token"),
    ],
)  # fmt: skip
def test_an_endless_series_of_addresses_is_cut_off(urls, kind):
    kinds = refusals(urls, **{kind: 4})
    assert kinds == [""] * 4 + [kind] * (len(urls) - 4)


def test_combinations_of_known_parameters_are_limited_and_new_values_are_not():
    mixes = [f"shop?a={a}&b={b}" for a in range(6) for b in range(6)]
    kinds = refusals(mixes, mixed=4)
    assert kinds.count("") == 11 + 4  # each value once, and four mixtures
    articles = [f"index.php?option=content&view=article&id={n}" for n in range(200)]
    assert set(refusals(articles)) == {""}


def test_addresses_of_many_publishing_systems_are_not_traps():
    numbered = [f"story/{n}" for n in range(300)]
    dated = [f"2024/{n % 12 + 1:02}/{n % 28 + 1:02}/story-{n}" for n in range(300)]
    numbered_queries = [f"?p={201901 + n}" for n in range(300)]
    slugs = [f"town/the-storm-of-{n}.html" for n in range(300)]
    marked = [f"article/{n:032x}" for n in range(300)]
    named = [f"spip.php?article{n}" for n in range(300)]
    assert set(refusals([*numbered, *dated, *numbered_queries, *slugs, *marked, *named])) == {""}


def test_a_segment_appended_to_every_page_is_eventually_refused():
    pages = [f"town/{name}" for name in "abcdefgh"]
    assert refusals([*pages, *(f"{page}/more/" for page in pages)], grown=3) == [
        *[""] * 11,
        *["grown"] * 5,
    ]
    # Below folders that are not pages themselves, the segment is the name of an article.
    assert set(refusals([f"{page}/story" for page in pages], grown=3)) == {""}


words = st.sampled_from(["a", "b", "2024", "05", "page", "3", "calendar", "12"])
queries = st.sampled_from(["", "?sort=a", "?a=1&b=2", "?a=2&b=1", "?page=2", "?year=2024", "?x=3"])
sequences = st.lists(
    st.tuples(st.lists(words, max_size=4).map("/".join), queries).map(lambda p: HOME + "".join(p)),
    unique=True,
    max_size=30,
)


@given(sequences, sequences)
def test_trap_state_is_restored_from_admitted_addresses(urls, further):
    limits = LIMITS | {
        "calendar": 2, "paging": 2, "numbers": 2, "views": 1, "mixed": 1, "names": 2,
        "queries": 3, "grown": 1,
    }  # fmt: skip
    traps = Traps(TODAY, limits)
    admitted = [url for url in urls if traps.admits(url) is None]
    # The state of a resumed crawl, restored from the admitted addresses.
    again = Traps(TODAY, limits)
    for url in admitted:
        again.note(url)
    assert again == traps
    assert [traps.admits(url) for url in further] == [again.admits(url) for url in further]


def test_listed_pages_are_spread_over_folders_articles_first():
    entries = [
        (f"{HOME}tag/x", "2024-09-09"),
        (f"{HOME}town/one-old-story-here", "2024-01-01"),
        (f"{HOME}town/one-new-story-here", "2024-05-01"),
        (f"{HOME}sport/a-game-in-the-rain", None),
        (f"{HOME}town/one-old-story-here", "2025-01-01"),
    ]
    selection = spread(entries, 10)
    assert [url.removeprefix(HOME) for url in selection] == [
        "sport/a-game-in-the-rain", "town/one-new-story-here", "town/one-old-story-here", "tag/x",
    ]  # fmt: skip
    assert spread(entries, 2) == selection[:2]


RULES = b"""\xef\xbb\xbfUser-agent: *\r\nDisallow: /private\r\nAllow: /private/open$\r
Crawl-delay: 2
Request-rate: 1/5

User-agent: Miolo
Disallow: /*.cgi
Sitemap: /sitemap.xml
sitemap: https://paper.example/news.xml
Sitemap: javascript:alert(1)
"""


def test_rules_are_obeyed():
    where = f"{HOME}robots.txt"
    robots = Robots.read(where, 200, RULES.replace(b"Miolo", b"Another"))
    assert not robots.allows(f"{HOME}private/a")
    assert robots.allows(f"{HOME}private/open")
    assert robots.crawl_delay == 5
    assert robots.sitemaps == (f"{HOME}sitemap.xml", f"{HOME}news.xml")
    own = Robots.read(where, 200, RULES)
    assert own.allows(f"{HOME}private/a")
    assert not own.allows(f"{HOME}a.cgi?b")
    assert own.crawl_delay is None
    assert robots_url(f"{HOME}a/b?c") == where


@pytest.mark.parametrize(
    ("status", "allowed", "reason"),
    [
        (404, True, "unavailable"), (403, True, "unavailable"), (302, True, "unavailable"),
        (503, False, "unreachable"), (429, False, "unreachable"), (None, False, "unreachable"),
        (200, False, ""), (204, False, ""),
    ],
)  # fmt: skip
def test_status_of_robots(status, allowed, reason):
    robots = Robots.read(f"{HOME}robots.txt", status, b"User-agent: *\nDisallow: /")
    assert robots.allows(f"{HOME}a") is allowed
    assert robots.reason == reason


def test_rules_of_every_encoding_and_size():
    where, rules = f"{HOME}robots.txt", "User-agent: *\nDisallow: /é\n"
    for body in (rules.encode("utf-16"), rules.encode(), rules.encode("utf-8-sig")):
        assert not Robots.read(where, 200, body).allows(f"{HOME}%C3%A9")
    # The size limit cuts the last rule, whose first half alone would forbid everything.
    head = b"User-agent: *\nDisallow: /closed\n#"
    cut = head + b"x" * (MAX_ROBOTS - len(head) - len(b"\nDisallow: /")) + b"\nDisallow: /late"
    robots = Robots.read(where, 200, cut)
    assert not robots.allows(f"{HOME}closed")
    assert robots.allows(f"{HOME}a")


def test_rules_below_thousands_of_other_agents_are_read_once():
    others = b"".join(b"User-agent: other-%d\n" % n for n in range(3000))
    rules = b"".join(b"Disallow: /%d/\n" % n for n in range(20000))
    robots = Robots.read(f"{HOME}robots.txt", 200, others + b"User-Agent: MIOLO # me\n" + rules)
    assert not robots.allows(f"{HOME}19999/a")
    assert robots.allows(f"{HOME}20000/a")
    assert Robots.read(f"{HOME}robots.txt", 200, others + rules).allows(f"{HOME}19999/a")


@pytest.mark.parametrize(
    "patterns",
    [
        [f"/*/x{n:05}y" for n in range(20_000)],
        [f"/*{'a*' * 5}{n:05}" for n in range(20_000)],
        [f"*aaaaaab{n % 10}" for n in range(20_000)],
        [f"/*a{n}$" for n in range(20_000)],
        ["/" + "*a" * 200_000 + "b"],
        ["/" + "*a" * 500 + f"b{n}" for n in range(500)],
    ],
    ids=["wildcards", "many-wildcards", "repeats", "ends", "one-rule", "long-rules"],
)
def test_hostile_wildcards_cost_little_for_each_page(patterns):
    rules = "".join(f"Disallow: {pattern}\n" for pattern in patterns)
    robots = Robots.read(f"{HOME}robots.txt", 200, f"User-agent: *\n{rules}".encode())
    started = process_time()
    for _ in range(5):
        assert robots.allows(HOME + "a" * 2000)
    assert process_time() - started < 5 * 0.2


@given(st.binary(max_size=200), mixed)
def test_no_bytes_break_robots_or_sitemaps(body, text):
    robots = Robots.read(f"{HOME}robots.txt", 200, b"User-agent: *\n" + body)
    url = normal_url(text, HOME)
    assert url is None or robots.allows(url) in (True, False)
    wild = text.encode("utf-8", "replace")
    for data in (body, b"<urlset><url><loc>" + wild + body, b"\x1f\x8b" + body):
        assert isinstance(sitemap_entries(data, HOME), Sitemap)


def read_sitemap(body, **options):
    data = body if isinstance(body, bytes) else body.encode()
    return sitemap_entries(data, f"{HOME}sitemap.xml", **options)


def test_sitemaps_and_their_indexes_are_read():
    body = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
      xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <url><image:image><image:loc>/picture</image:loc></image:image>
      <loc> https://paper.example/a?x=1&amp;utm_source=y </loc><lastmod>2024-05-01</lastmod></url>
      <url><loc><![CDATA[/b]]></loc><lastmod>once</lastmod></url><url><loc>/c.pdf</loc></url>
      <url><loc>https://other.example/</loc></url><url><lastmod>2024-05-01</lastmod></url>
      <url><loc>/b</loc><lastmod>2024-06-01T10:00:00Z</lastmod></url></urlset>"""
    pages = ((f"{HOME}a?x=1", "2024-05-01"), (f"{HOME}b", "2024-06-01T10:00:00+00:00"))
    assert read_sitemap(body) == Sitemap(pages)
    assert read_sitemap(gzip.compress(body.encode())) == Sitemap(pages)
    index = "<sitemapindex><sitemap><loc>/s.xml.gz</loc></sitemap></sitemapindex>"
    assert read_sitemap(index) == Sitemap((), (f"{HOME}s.xml.gz",))
    assert read_sitemap(body, scope=Scope("https://other.example/")).pages == (
        ("https://other.example/", None),
    )


def test_feeds():
    rss = """<rss><channel><link>/home</link><atom:link href="/feed"/>
      <item><title>Bread & butter</title><link>/1</link>
      <pubDate>Mon, 06 May 2024 10:00:00 GMT</pubDate></item>
      <item><guid>https://paper.example/2</guid></item><item><guid isPermaLink="false">3</guid>
      <link>https://feeds.example/3</link><f:origLink>/3</f:origLink></item></channel></rss>"""
    pages = read_sitemap(rss).pages
    assert pages == (
        (f"{HOME}1", "2024-05-06T10:00:00+00:00"), (f"{HOME}2", None), (f"{HOME}3", None),
    )  # fmt: skip
    atom = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="/home"/><entry>
      <link rel="self" href="/self"/><link href="/1"/><published>2024-05-06</published>
      <content><div><link href="/no"/><entry><link href="/no"/></entry></div></content>
      </entry></feed>"""
    assert read_sitemap(atom).pages == ((f"{HOME}1", "2024-05-06"),)


def test_a_damaged_sitemap_is_read_up_to_the_damage():
    body = "<urlset>" + "".join(f"<url><loc>/story/{n}</loc></url>" for n in range(5000))
    assert len(read_sitemap(body).pages) == 5000
    half = body[: len(body) // 2]
    assert len(read_sitemap(half).pages) - half.count("</url>") in (0, 1)
    torn = gzip.compress(body.encode())
    assert 0 < len(read_sitemap(torn[: len(torn) // 2]).pages) < 5000
    assert len(read_sitemap(f"<urlset><url><loc>/a</b></url>{body[8:]}").pages) > 1000


def test_entities_are_never_expanded(tmp_path):
    (tmp_path / "secret").write_text("secret")
    lots = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    for entity in (f'<!ENTITY e0 "a">{lots}', f'<!ENTITY e12 SYSTEM "{tmp_path}/secret">'):
        body = f"<!DOCTYPE u [{entity}]><urlset><url><loc>/&e12;</loc></url></urlset>"
        for data in (body.encode(), body.encode("utf-16")):
            assert read_sitemap(data) == Sitemap()


def test_sitemaps_are_bounded(monkeypatch):
    body = "<urlset>" + "".join(f"<url><loc>/story/{n}</loc></url>" for n in range(100))
    monkeypatch.setattr(sitemaps, "MAX_ENTRIES", 10)
    assert len(read_sitemap(body).pages) == 10
    assert len(read_sitemap("\n".join(f"{HOME}{n}" for n in range(100))).pages) == 10
    monkeypatch.setattr(sitemaps, "MAX_UNPACKED", 200)
    assert 0 < len(read_sitemap(gzip.compress(body.encode())).pages) < 10
    monkeypatch.setattr(sitemaps, "MAX_ELEMENTS", 3)
    assert len(read_sitemap("<a/>" + body).pages) == 0
