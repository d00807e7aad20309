"""Links, feeds and sitemaps of an address, and pages with nearly equal texts."""

import json
import random
from contextlib import closing

import miolo
import pytest
from local_server import answering
from miolo.collect.batch.files import RESULTS
from miolo.collect.batch.job_store import JobStore
from miolo.collect.batch.jobs import Address
from miolo.collect.collections.collection import Collection

pytest.importorskip("protego", reason="needs the extra collect")

from miolo.collect.collections.similar import similar_pages
from miolo.collect.frontier.listing import find_leads

FEED = """<?xml version='1.0'?><rss><channel><item><link>{origin}/new</link>
<pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate></item></channel></rss>"""
SITE = {
    "/": '<link rel=alternate type="application/rss+xml" href=/feed.xml><a href=/a>A</a>'
    '<a href="http://elsewhere.invalid/">Else</a>',
    "/feed.xml": (200, {"Content-Type": "application/rss+xml"}, FEED),
    "/robots.txt": "User-agent: *\nSitemap: {origin}/map.xml\n",
    "/map.xml": "<?xml version='1.0'?><sitemapindex><sitemap><loc>{origin}/part.xml</loc></sitemap>"
    "<sitemap><loc>{origin}/gone.xml</loc></sitemap></sitemapindex>",
    "/part.xml": "<?xml version='1.0'?><urlset><url><loc>{origin}/old</loc></url></urlset>",
}


@pytest.fixture(scope="module")
def address():
    with answering(SITE) as (url, _):
        yield url


def leads(stage, url, **options):
    chosen = miolo.RenderOptions(browser="never", egress=miolo.EgressPolicy("always"))
    links = stage.run(find_leads(stage.renderer, url, chosen, **options))
    return [(lead.kind, lead.url) for lead in links]


def test_a_file_without_links_is_an_error(stage, site):
    with pytest.raises(miolo.NotHTMLError, match="application/pdf"):
        leads(stage, site.url("/hostile/pdf"))


def test_links_feeds_and_sitemaps_of_a_page(stage, address):
    assert leads(stage, f"{address}/") == [
        ("link", f"{address}/a"),
        ("link", "http://elsewhere.invalid/"),
        ("feed", f"{address}/feed.xml"),
        ("sitemap", f"{address}/map.xml"),
    ]
    assert ("link", "http://elsewhere.invalid/") not in leads(stage, f"{address}/", reach="site")


def test_pages_that_feeds_and_sitemaps_list(stage, address):
    links = leads(stage, f"{address}/", listed=True)
    assert {("page", f"{address}/new"), ("page", f"{address}/old")} <= set(links)


def test_a_feed_lists_its_pages_with_their_dates(succeed, address):
    done = succeed("links", f"{address}/feed.xml", "-f", "json")
    (row,) = map(json.loads, done.stdout.splitlines())
    assert row == {"kind": "page", "url": f"{address}/new", "date": row["date"]}
    assert row["date"].startswith("2026-11-02")


WORDS = [f"word{number}" for number in range(500)]


def text_of(seed: int, count: int = 300) -> list[str]:
    return random.Random(seed).choices(WORDS, k=count)


def write(folder, texts):
    host = f"https://{folder.name}.example"
    with closing(JobStore(folder, (RESULTS,))) as store:
        store.add(Address(f"{host}/{number}") for number in range(1, len(texts) + 1))
        for text in texts:
            job = store.take(host, 0.0)
            row = {"id": job.id, "requested_url": job.url, "text": " ".join(text)}
            store.finish(job, 0.1, json.dumps(row).encode() + b"\n")
        store.commit()
    return Collection(folder)


def shared(one, other):
    first, second = ({tuple(t[i : i + 5]) for i in range(len(t) - 4)} for t in (one, other))
    return len(first & second) / len(first | second)


def test_nearly_equal_texts_are_found_within_and_across_collections(tmp_path):
    story = text_of(1)
    edited = [*story[:150], "changed", *story[151:]]
    one = write(tmp_path / "one", [story, text_of(2), edited, ["short"] * 5])
    two = write(tmp_path / "two", [text_of(3), story, ["short"] * 5])
    pair_of = {(pair.url, pair.earlier_url): pair for pair in similar_pages([one, two])}
    assert set(pair_of) == {
        ("https://one.example/3", "https://one.example/1"),
        ("https://two.example/2", "https://one.example/1"),
        ("https://two.example/2", "https://one.example/3"),
    }
    assert pair_of["https://two.example/2", "https://one.example/1"].similarity == 1
    estimate = pair_of["https://one.example/3", "https://one.example/1"].similarity
    assert abs(estimate - shared(edited, story)) < 0.13
