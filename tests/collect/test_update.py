"""An updating crawl visits the pages that have changed."""

import asyncio
from itertools import count

import pytest
from batches import RENDERED, batch_options
from local_server import Handler, answering, serving
from miolo.collect.batch import job_store, retries
from miolo.collect.batch.batch_options import Kept
from miolo.collect.batch.hosts import Politeness
from miolo.collect.collections.collection import Collection, status_of
from miolo.collect.crawl.run_crawl import run_crawl
from miolo.renderer.options import RenderOptions

pytest.importorskip("protego", reason="crawling needs the extra collect")

SENTENCES = 6 * "<p>A sentence that goes on for a while, and then a little longer.</p>"


class Site(Handler):
    """Serves the pages of `texts`, of which only /a has an ETag; other paths are gone."""

    def do_GET(self) -> None:
        facts, path = self.server.__dict__, self.path
        facts["requests"].append((path, self.headers.get("If-None-Match")))
        text = facts["texts"].get(path)
        etag = f'"{hash(text)}"' if path == "/a" else None
        is_known = etag is not None and self.headers.get("If-None-Match") == etag
        body = f"<h1>Page</h1>{SENTENCES}<p>{text}</p>"
        if path == "/":
            body += "".join(f'<a href="{each}">x</a>' for each in facts["texts"])
        status = 404 if text is None else 304 if is_known else 200
        self.send("" if status == 304 else body, status, {"ETag": etag} if etag else {})


# Pages are visited in the order of their links.
ONE_BY_ONE = batch_options(politeness=Politeness(0, 1))


def crawl(folder, url, chosen=None, **more):
    updates = []
    options = chosen or batch_options()
    counts = asyncio.run(run_crawl(folder, f"{url}/", options, on_update=updates.append, **more))
    texts = {
        row["requested_url"].removeprefix(url): row["text"] for row in Collection(folder).rows()
    }
    return counts, texts, updates


def test_changed_pages_are_visited_again_and_count_once(tmp_path):
    texts = {"/": "Home.", "/a": "First a.", "/c": "First c.", "/d": "First d."}
    with serving(Site, texts=texts) as (url, requests):
        crawl(tmp_path, url)
        requests.clear()
        _, before, (first,) = crawl(tmp_path, url, update=True)
        assert (first.checked, first.changed) == (4, 0)
        assert sorted(path for path, _ in requests if path in texts) == ["/", "/a", "/c", "/d"]
        assert ("/a", None) not in requests
        texts |= {"/a": "Second a.", "/new": "Brand new."}
        del texts["/d"]
        requests.clear()
        counts, after, (second,) = crawl(tmp_path, url, update=True)
    assert second.changed == 3  # the links of /, the text of /a, and /d, which is gone
    assert ("/a", None) in requests
    assert "First a." in before["/a"]
    assert "Second a." in after["/a"]
    assert "First c." in after["/c"]
    assert "/d" not in after
    assert counts.done == 4
    assert sorted(after) == ["/", "/a", "/c", "/new"]
    assert len(list(Collection(tmp_path).rows())) == 4


RECORDED = batch_options(kept=Kept(snapshots=True, archive=True), render=RENDERED)
READ_FIRST = batch_options(kept=Kept(snapshots=True), render=RenderOptions(browser="auto"))
RENDERED_FIRST = batch_options(kept=Kept(snapshots=True), render=RENDERED)


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        pytest.param(RECORDED, (), id="recorded"),
        pytest.param(READ_FIRST, (), id="read first"),
        # The text of the response is unknown, and only /a has an ETag.
        pytest.param(RENDERED_FIRST, ("/", "/c"), id="rendered"),
    ],
)
def test_unchanged_pages_are_not_rendered_again(tmp_path, options, changed):
    texts = {"/": "Home.", "/a": "First a.", "/c": "First c."}
    with serving(Site, texts=texts) as (url, requests):
        crawl(tmp_path, url, options)
        requests.clear()
        _, _, (update,) = crawl(tmp_path, url, options, update=True, listings=False)
    assert dict(requests)["/a"]
    assert (update.checked, update.changed) == (3, len(changed))
    assert sorted(path for path, _ in requests) == sorted((*texts, *changed))


@pytest.mark.parametrize(
    "noise",
    [
        "<meta name=csrf-token content={0}><p id=p{0}>The text.</p>",
        '<a href="?PHPSESSID={0}">x</a><a href="/a;sid={0}?utm_id={0}#{0}">x</a>',
    ],
    ids=["tokens in attributes", "sessions and tracking in links"],
)
def test_what_differs_in_every_response_is_no_change(tmp_path, noise):
    numbers = count()

    def route(path):
        return page("Home.") + noise.format(next(numbers)) if path == "/" else None

    with answering(route) as (url, _):
        crawl(tmp_path, url, listings=False)
        _, _, (update,) = crawl(tmp_path, url, update=True, listings=False)
    assert (update.checked, update.changed) == (1, 0)


def test_pages_that_differ_for_browsers_are_compared_with_plain_requests(tmp_path):
    class Adaptive(Handler):
        def do_GET(self) -> None:
            self.server.__dict__["requests"].append(self.path)
            text = "a browser" if "Chrome" in self.headers["User-Agent"] else "a program"
            self.send(page(f"This is {text}."))

    with serving(Adaptive) as (url, _):
        crawl(tmp_path, url, RECORDED, listings=False)
        _, _, (first,) = crawl(tmp_path, url, RECORDED, update=True, listings=False)
        _, texts, (second,) = crawl(tmp_path, url, RECORDED, update=True, listings=False)
    assert (first.changed, second.changed) == (1, 0)
    assert "a browser" in texts["/"]


def page(text, *links):
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return f"<h1>Page</h1>{SENTENCES}<p>{text}</p>{anchors}"


def test_changed_pages_are_visited_before_new_ones(tmp_path):
    pages = {
        "/": page("Home.", "/list"),
        "/list": page("List.", "/a", "/b"),
        "/a": page("First a."),
        "/b": page("First b."),
    }
    with answering(pages) as (url, _):
        crawl(tmp_path, url, ONE_BY_ONE, pages=4)
        pages |= {"/a": page("Second a."), "/b": page("Second b.")}
        pages |= {f"/new/{number}": page(f"New {number}.") for number in range(4)}
        addresses = "\n".join(f"{url}{path}" for path in pages)
        pages["/sitemap.xml"] = (200, {"Content-Type": "text/plain"}, addresses)
        counts, texts, _ = crawl(tmp_path, url, ONE_BY_ONE, pages=4, update=True)
    assert sorted(texts) == ["/", "/a", "/b", "/list"]
    assert "Second a." in texts["/a"]
    assert "Second b." in texts["/b"]
    assert (counts.done, counts.queued) == (4, 4)


def test_a_redirect_that_becomes_a_page_is_visited(tmp_path):
    pages = {"/": page("Home.", "/a", "/moved"), "/a": page("First a.")}
    pages["/moved"] = (302, {"Location": "/a"}, "")
    with answering(pages) as (url, requests):
        crawl(tmp_path, url)
        pages["/a"] = page("Second a.")
        requests.clear()
        before, _, (first,) = crawl(tmp_path, url, update=True, listings=False)
        # The duplicate is requested, and not visited: it still redirects.
        assert [path for path, _ in requests].count("/moved") == 1
        pages["/moved"] = page("A page of its own.")
        after, texts, (second,) = crawl(tmp_path, url, update=True, listings=False)
    assert (first.checked, first.changed, before.done, before.duplicates) == (3, 1, 2, 1)
    assert (second.checked, second.changed, after.done, after.duplicates) == (3, 1, 3, 0)
    assert "A page of its own." in texts["/moved"]


@pytest.mark.parametrize("gone", [False, True], ids=["changed", "gone"])
def test_a_page_with_the_text_of_another_one_is_visited_when_they_differ(tmp_path, gone):
    same = '<link rel=canonical href="/a">' + page("The text.")
    pages = {"/": page("Home.", "/a", "/b"), "/a": same, "/b": same}
    with answering(pages) as (url, requests):
        _, before, _ = crawl(tmp_path, url, ONE_BY_ONE)
        requests.clear()
        unchanged, _, (update,) = crawl(tmp_path, url, ONE_BY_ONE, update=True, listings=False)
        assert [path for path, _ in requests].count("/b") == 1
        pages["/b"] = pages.pop("/a") if gone else page("A text of its own.")
        counts, after, _ = crawl(tmp_path, url, ONE_BY_ONE, update=True, listings=False)
    assert sorted(before) == ["/", "/a"]
    assert (update.checked, update.changed, unchanged.duplicates) == (3, 0, 1)
    assert sorted(after) == (["/", "/b"] if gone else ["/", "/a", "/b"])
    assert (counts.failed, counts.duplicates) == (gone, 0)


def test_an_update_reads_the_feeds_and_sitemaps_of_the_crawl(tmp_path):
    feed = '<link rel=alternate type="application/rss+xml" href="/feed">'
    pages = {"/": feed + page("Home."), "/maps/news.txt": "", "/feed": ""}
    options = batch_options(robots=True)
    with answering(pages) as (url, _):
        pages["/robots.txt"] = "Sitemap: {origin}/maps/news.txt"
        crawl(tmp_path, url, options)
        pages |= {"/in-feed": page("In the feed."), "/in-sitemap": page("In the sitemap.")}
        pages["/feed"] = "<rss><item><link>{origin}/in-feed</link></item></rss>"
        pages["/maps/news.txt"] = "{origin}/in-sitemap"
        _, texts, (update,) = crawl(tmp_path, url, options, update=True)
    assert update.changed == 0
    assert sorted(texts) == ["/", "/in-feed", "/in-sitemap"]


def test_an_update_respects_the_crawl_delay(tmp_path):
    pages = {"/": page("Home.", "/a"), "/a": page("A.")}
    with answering(pages) as (url, requests):
        crawl(tmp_path, url)
        pages["/robots.txt"] = "User-agent: *\nCrawl-delay: 0.2\n"
        requests.clear()
        crawl(tmp_path, url, batch_options(robots=True), update=True)
    (home, a) = (moment for path, moment in requests if path in ("/", "/a"))
    assert a - home >= 0.2


def test_requests_to_a_busy_host_are_repeated_later(tmp_path, monkeypatch):
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.2)
    pages = {"/": page("Home.", "/a", "/b"), "/a": page("A."), "/b": page("B.")}
    with answering(pages) as (url, requests):
        crawl(tmp_path, url)
        pages["/a"] = [(429, {}, "busy"), pages["/a"]]
        requests.clear()
        _, _, (update,) = crawl(tmp_path, url, update=True, listings=False)
    moments = [moment for path, moment in requests if path == "/a"]
    assert (update.checked, update.changed, update.failed) == (3, 0, 0)
    assert [path for path, _ in requests] == ["/", "/a", "/a", "/b"]
    assert moments[1] - moments[0] >= 0.2


def test_an_interrupted_update_keeps_what_it_has_learned(tmp_path, monkeypatch):
    monkeypatch.setattr(job_store, "COMMIT_SECONDS", 0)
    pages = {"/": page("First home.", "/a", "/b"), "/a": page("First a."), "/b": page("First b.")}
    options = batch_options()
    interrupt = []

    def route(path):
        if path == "/b" and interrupt:
            interrupt.pop()()
        return pages.get(path)

    async def interrupted(url):
        loop = asyncio.get_running_loop()
        task = loop.create_task(run_crawl(tmp_path, f"{url}/", options, update=True))
        interrupt.append(lambda: loop.call_soon_threadsafe(task.cancel))
        with pytest.raises(asyncio.CancelledError):
            await task

    with answering(route) as (url, _):
        crawl(tmp_path, url, options)
        for path in pages:
            pages[path] = pages[path].replace("First", "Second")
        asyncio.run(interrupted(url))
        status = status_of(Collection(tmp_path))
        counts, texts, _ = crawl(tmp_path, url, options)
    assert (status.states["queued"], status.is_interrupted) == (2, True)
    assert "Second home." in texts["/"]
    assert "Second a." in texts["/a"]
    assert "First b." in texts["/b"]
    assert counts.done == 3
    assert len(list(Collection(tmp_path).rows())) == 3
