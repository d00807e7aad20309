"""`miolo crawl`: pages of a site, limits, resumption, and replay without the network."""

import asyncio
import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import miolo
import numpy as np
import pytest
from batches import RENDERED, batch_options
from local_server import Answer, answering
from miolo.collect.batch import job_store
from miolo.collect.batch.batch_options import BatchOptions, Kept
from miolo.collect.batch.files import file_of
from miolo.collect.batch.hosts import Politeness
from miolo.collect.collections.collection import Collection, status_of
from miolo.collect.crawl.run_crawl import run_crawl
from miolo.models.site_folder import SiteFolder

pytest.importorskip("protego", reason="crawling needs the extra collect")

SENTENCES = 6 * "<p>A sentence that goes on for a while, and then a little longer.</p>"


def page(title: str, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return f"<title>{title}</title>{head}<nav>{anchors}</nav><h1>{title}</h1>{SENTENCES}"


FEED = """<rss version="2.0"><channel><item><link>{origin}/from-the-feed.html</link></item>
</channel></rss>"""
SITEMAP = "<urlset><url><loc>{origin}/only-in-the-sitemap-of-all.html</loc></url></urlset>"
SITE = {
    "/robots.txt": "User-agent: *\nDisallow: /private\nSitemap: {origin}/map.xml\n",
    "/map.xml": SITEMAP,
    "/feed.xml": FEED,
    "/": page(
        "Home", "/a.html", "/private/x.html", "http://elsewhere.invalid/", "/b.html#part",
        "/old.html", "/picture.png",
        head='<link rel=alternate type="application/rss+xml" href="/feed.xml">'
        '<link rel=stylesheet href="/look.css">',
    ),
    "/look.css": "p { margin-left: 77px }",
    "/old.html": (301, {"Location": "/a.html"}, ""),
    "/a.html": page("A", "/c.html", "/a.html?utm_source=x"),
    "/b.html": page("B", "/c.html", "/gone.html"),
    "/c.html": page("C", "/day/1"),
    "/from-the-feed.html": page("From the feed"),
    "/only-in-the-sitemap-of-all.html": page("Only in the sitemap"),
}  # fmt: skip


def maze_links(path: str, count: int) -> list[str]:
    """Addresses of pseudo-random words, derived from a path."""
    digests = (sha256(f"{path}{number}".encode()).hexdigest() for number in range(count))
    words = [digest.translate(str.maketrans("0123456789", "ghijklmnop")) for digest in digests]
    return [f"/maze/{word[:9]}-{word[9:17]}/" for word in words]


def paper(path: str) -> Answer | None:
    """The site, with a maze of pages, a calendar that never ends and an address that moved."""
    if path.startswith("/day/"):
        number = int(path.removeprefix("/day/"))
        return page(f"Day {number}", f"/day/{number + 1}")
    # Each page of the maze links to its own addresses, which share no pattern.
    return page("Maze", *maze_links(path, 700)) if path.startswith("/maze/") else SITE.get(path)


def options(**changes) -> BatchOptions:
    """Options with one visit at a time that obey robots.txt and keep snapshots."""
    base = {
        "politeness": Politeness(0, 1),
        "robots": True,
        "kept": Kept(snapshots=True),
    }
    return batch_options(**{**base, **changes})


RECORDED = options(kept=Kept(snapshots=True, archive=True), render=RENDERED)


def crawl(folder: Path, url: str, chosen: BatchOptions | None = None, **more):
    return asyncio.run(run_crawl(folder, url, chosen or options(), **more))


def paths(folder: Path, origin: str) -> list[str]:
    lines = (folder / "results.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["requested_url"].removeprefix(origin) for line in lines]


@pytest.fixture(scope="module")
def site_crawl(tmp_path_factory):
    """A crawl of twelve pages, its origin, and the requests that the server received."""
    folder = tmp_path_factory.mktemp("crawl")
    with answering(paper) as (origin, requests):
        counts = crawl(folder / "site", f"{origin}/", RECORDED, pages=12)
    return folder, origin, requests, counts


def test_pages_of_the_site_are_visited_once(site_crawl) -> None:
    folder, origin, requests, counts = site_crawl
    saved_paths = paths(folder / "site", origin)
    page_paths = {"/", "/a.html", "/b.html", "/c.html", "/from-the-feed.html",
             "/only-in-the-sitemap-of-all.html"}  # fmt: skip
    assert page_paths <= set(saved_paths)
    assert all(path.startswith("/day/") for path in set(saved_paths) - page_paths)
    assert len(saved_paths) == len(set(saved_paths)) == counts.done == 12
    visited = [path for path, _ in requests if path in page_paths]
    # /old.html redirects to /a.html, which may be requested twice.
    assert len(visited) <= len(page_paths) + 1


def test_excluded_addresses_are_not_visited(site_crawl) -> None:
    _, _, requests, counts = site_crawl
    assert not {"/private/x.html", "/picture.png", "/a.html?utm_source=x"} & dict(requests).keys()
    assert counts.kinds["RobotsDisallowedError"] == 1
    assert counts.kinds["NavigationError"] == 1


def test_addresses_that_lead_to_a_page_of_another_address_are_no_failures(tmp_path) -> None:
    plain = options(robots=False, kept=Kept())
    home = page("Home", "/a", "/moved", "/gone")
    ended = []
    answers = {"/": home, "/a": home, "/moved": (301, {"Location": "/a"}, "")}
    with answering(answers) as (origin, requests):
        counts = crawl(
            tmp_path,
            f"{origin}/",
            plain,
            on_progress=lambda now: ended.append(now.failed),
        )
        first = len(requests)
        crawl(tmp_path, f"{origin}/", plain)
    collection = miolo.Collection(tmp_path)
    status = status_of(collection)
    (duplicate,) = collection.pages("duplicate")
    (host,) = collection.hosts()
    assert (counts.done, counts.failed, counts.duplicates, counts.total) == (2, 1, 1, 3)
    assert counts.kinds == status.failures == {"NavigationError": 1}
    assert ended[-1] == status.states["failed"] == status.states["duplicate"] == 1
    assert (host.pages, host.done, host.failed) == (3, 2, 1)
    assert [each.url for each in collection.failures()] == [f"{origin}/gone"]
    assert duplicate.url == f"{origin}/moved"
    assert requests[first:] == []


def test_pages_with_the_same_canonical_address_and_text_are_one_page(tmp_path) -> None:
    plain = options(robots=False, kept=Kept())

    def canonical(path):
        return f'<link rel=canonical href="{path}">'

    pages = {
        "/": page("Home", "/news/a", "/culture/a", "/a", "/b", "/c/1", "/c/2", "/d", "/e"),
        # Three addresses of one page, and a copy with another
        "/news/a": page("A", head=canonical("/a")),
        "/culture/a": page("A", head=canonical("https://other.example/a")),
        "/a": page("A") + '<a href="/a?view=2"></a>',
        "/a?view=2": page("A", head=canonical("/a#top")) + '<a href="/x"></a>',
        # Wrong addresses: the home page, and the first of several pages
        "/b": page("B", head=canonical("/")),
        "/c/1": page("C") + "<p>The first page of the article, which has two of them.</p>",
        "/c/2": page("C", head=canonical("/c/1"))
        + "<p>The second page of the article is here.</p>",
        # The same text, but other addresses
        "/d": page("D"),
        "/e": page("D"),
        "/x": page("X"),
    }

    with answering(pages) as (origin, _):
        counts = crawl(tmp_path, f"{origin}/", plain, listings=False)
    duplicates = [
        each.url.removeprefix(origin) for each in miolo.Collection(tmp_path).pages("duplicate")
    ]
    assert duplicates == ["/a", "/a?view=2"]
    assert sorted(paths(tmp_path, origin)) == sorted(set(pages) - set(duplicates))
    assert (counts.failed, counts.duplicates) == (0, 2)


def test_articles_are_visited_before_lists_and_do_not_hold_them_off_for_ever(tmp_path) -> None:
    def blog(path: str) -> Answer | None:
        if path.startswith("/2024/05/"):
            number = int(path.rpartition("-")[2])
            return page(f"Story {number}", "/", f"/2024/05/story-{number + 1}")
        others = ("/tag/sea", "/page/2", "/about", "/2024/05/story-1")
        return page(path, *others) if path in {"/", *others[:3]} else None

    before = ["/", *(f"/2024/05/story-{number}" for number in (1, 2, 3))]
    with answering(blog) as (origin, _):
        for pages in (4, 9):  # the second crawl continues the first
            crawl(tmp_path, f"{origin}/", options(robots=False), pages=pages, listings=False)
            visited = paths(tmp_path, origin)
            assert visited[:4] == before
    assert visited.index("/about") < visited.index("/tag/sea")
    assert {"/about", "/tag/sea", "/page/2"} <= set(visited)


def test_a_crawl_continues_with_more_pages(site_crawl) -> None:
    folder, origin, _, _ = site_crawl
    with pytest.raises(miolo.SettingsError, match="the crawl of"):
        crawl(folder / "site", "http://elsewhere.invalid/", RECORDED)
    before = (folder / "site" / "results.jsonl").read_bytes()
    counts = crawl(folder / "site", f"{origin}/", RECORDED, pages=12)
    assert counts.done == 12
    assert (folder / "site" / "results.jsonl").read_bytes() == before


def test_a_maze_does_not_fill_the_queue(tmp_path) -> None:
    totals = []
    with answering(paper) as (origin, _):
        counts = crawl(
            tmp_path,
            f"{origin}/maze/",
            pages=3,
            listings=False,
            on_progress=lambda progress: totals.append(progress.total),
        )
    # The first page adds 700 addresses; the second fills the crawl up to its limit of 1,000.
    assert counts.done == 3
    assert counts.queued + counts.done == 1000
    assert counts.dropped == 701 + 2 * 700 - 1000
    # The progress counts pages that will be visited, not all addresses of the queue.
    assert max(totals) == totals[-1] == 3


def test_a_crawl_is_replayed_without_the_network(site_crawl) -> None:
    folder, origin, _, _ = site_crawl
    archive = folder / "site" / "archive.warc.gz"
    chosen = options(replay=archive, render=RENDERED)
    counts = crawl(folder / "again", f"{origin}/", chosen, pages=12)
    assert counts.done == 12
    assert sorted(paths(folder / "again", origin)) == sorted(paths(folder / "site", origin))
    for path in paths(folder / "site", origin):
        files = [
            file_of(folder / n, "snapshots", f"{origin}{path}", ".miolo") for n in ("site", "again")
        ]
        first, second = map(miolo.Snapshot.load, files)
        assert first.text == second.text
        np.testing.assert_array_equal(first.box, second.box)
    home = miolo.Snapshot.load(file_of(folder / "again", "snapshots", f"{origin}/", ".miolo"))
    # The style sheet was replayed, too.
    assert 77 in home.box[home.with_tag("p"), 0] - home.box[home.with_tag("body"), 0].min()


def test_a_crawl_of_an_endless_calendar_ends(tmp_path: Path) -> None:
    with answering(paper) as (origin, requests):
        counts = crawl(tmp_path, f"{origin}/day/1", pages=60, listings=False, reach="path")
    assert counts.queued == 0
    assert counts.done < 60
    assert len(requests) < 70


def test_redirects_out_of_the_crawl_and_to_disallowed_pages_are_refused(tmp_path: Path) -> None:
    with answering({"/x": page("Elsewhere")}) as (elsewhere, _):
        other = elsewhere.replace("127.0.0.1", "localhost")
        answers = {
            "/": page("Home", "/out", "/hidden"),
            "/out": (302, {"Location": f"{other}/x"}, ""),
            "/hidden": (302, {"Location": "/private/x"}, ""),
            "/private/x": page("Private"),
            "/robots.txt": "User-agent: *\nDisallow: /private",
        }
        with answering(answers) as (origin, _):
            counts = crawl(tmp_path, f"{origin}/")
            failures = {
                failure.url.removeprefix(origin): (failure.kind, failure.error)
                for failure in miolo.Collection(tmp_path).failures()
            }
    assert paths(tmp_path, origin) == ["/"]
    assert counts.done == 1
    assert failures["/out"] == (
        "NavigationError",
        f"the address leads to {other}/x, which is outside the crawl",
    )
    assert failures["/hidden"][0] == "RobotsDisallowedError"


def test_a_full_disk_duplicates_no_row(tmp_path: Path, monkeypatch) -> None:
    links = [f"/{'x' * 400}-{number}" for number in range(1000)]
    home = page("Home", *links)

    def open_state(path):
        state = job_store_open(path)
        state.execute("PRAGMA max_page_count = 100")
        return state

    job_store_open = job_store.open_state
    chosen = options(robots=False)
    with answering({"/": home}) as (origin, _):
        monkeypatch.setattr(job_store, "open_state", open_state)
        with pytest.raises(miolo.StorageError):
            crawl(tmp_path, f"{origin}/", chosen, pages=1)
        monkeypatch.undo()
        counts = crawl(tmp_path, f"{origin}/", chosen, pages=1)
    assert counts.done == 1
    assert paths(tmp_path, origin) == ["/"]


MENU = "".join(f"<li><a href='/s/{n}'>Section of the paper {n}</a></li>" for n in range(5))


def story(number: int, links: str, *, redesigned: bool) -> str:
    """A story of a site whose pages declare its name as their title."""
    words = " ".join(f"Sentence {n} of story {number} tells what happened there." for n in range(9))
    head = "<title>The Paper</title>"
    texts = "".join(f"<p>{words} Part {part}.</p>" for part in range(3))
    if redesigned:
        rows = "".join(f"<tr><td>{text}</td></tr>" for text in (f"Story {number}", words, words))
        return f"{head}<table class=new><tr><td><ol>{MENU}</ol></td></tr>{rows}</table>{links}"
    article = f"<h2 class=head>Story number {number}</h2><div class=text>{texts}</div>"
    menu = f"<ul class=menu>{MENU}</ul>"
    return f"{head}{menu}<div class=story>{article}</div><footer>{links}</footer>"


def stories(count: int, redesigned_from: int):
    """The route of a server of stories, each of which links to the next."""

    def route(path: str):
        number = path.removeprefix("/story/")
        if not number.isdigit() or int(number) >= count:
            return None
        link = f"<a href='/story/{int(number) + 1}'>Next story</a>"
        return story(int(number), link, redesigned=int(number) >= redesigned_from)

    return route


def test_a_crawl_learns_its_site_and_notices_a_redesign(tmp_path, monkeypatch):
    monkeypatch.setattr("miolo.collect.crawl.learning.FIRST_PAGES", 4)
    monkeypatch.setattr("miolo.collect.crawl.learning.WINDOW", 4)
    notes = []
    chosen = options(learn=True)
    with answering(stories(14, redesigned_from=6)) as (origin, requests):
        more = {"on_learned": notes.append}
        counts = crawl(tmp_path, f"{origin}/story/0", chosen, pages=4, **more)
        assert counts.done == 4
        assert [(note.pages, note.again, note.changed) for note in notes] == [(4, 4, False)]
        before = (tmp_path / "results.jsonl").read_text("utf-8").splitlines()
        assert len(before) == 8
        # Resuming goes on with what was learned.
        crawl(tmp_path, f"{origin}/story/0", chosen, pages=14, **more)
        assert notes[1].changed
        assert notes[1].file == notes[0].file == SiteFolder(tmp_path / "sites").file_of(origin)
        # Pages that are read again are not requested again.
        visited = [path for path, _ in requests if path.startswith("/story/")]
        assert len(visited) == len(set(visited))
    rows = list(Collection(tmp_path).rows())
    assert len(rows) == len({row["url"] for row in rows}) == 14


def test_links_of_a_front_page_without_the_element_are_followed(tmp_path: Path) -> None:
    story = "<article>" + "<p>A page about the storm that came twice.</p>" * 9 + "</article>"
    answers = {"/": page("Home", "/a", "/b"), "/a": story, "/b": story.replace("twice", "again")}
    with answering(answers) as (origin, _):
        chosen = options(render=replace(options().render, within=("article",)))
        counts = crawl(tmp_path, f"{origin}/", chosen)
    assert sorted(paths(tmp_path, origin)) == ["/a", "/b"]
    assert counts.kinds == {"ElementNotFoundError": 1}
