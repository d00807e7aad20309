"""The newspapers that other tests use are served, and their ground truth is consistent."""

import http.client
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from newsroom import ARTICLES, MARKS, PAGES, ROUTES, NewsSite, Page
from patience import patient, until

ORDINARY = [page for pages in ARTICLES.values() for page in pages]
EVERY = [*PAGES.values(), *ORDINARY]

#: Pages whose HTML does not contain the text: a script, a frame or JSON provides it.
ELSEWHERE = {
    "client-rendered",
    "lazy-text",
    "frame-other-origin",
    "frame-same-origin",
    "shadow-closed",
    "shadow-open",
}


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data


def _visible(markup: str) -> str:
    parser = _Text()
    parser.feed(markup)
    return " ".join(parser.text.split())


@pytest.fixture(scope="module")
def news() -> Iterator[NewsSite]:
    with NewsSite() as site:
        yield site


def _get(url: str) -> tuple[int, str, str]:
    with urllib.request.urlopen(url, timeout=10) as reply:
        return reply.status, reply.headers["Content-Type"], reply.read().decode()


@pytest.mark.parametrize("page", EVERY, ids=lambda page: page.kind)
def test_page_is_served_with_its_text(news: NewsSite, page: Page) -> None:
    status, kind, markup = _get(news.url(page))
    assert (status, kind.partition(";")[0]) == (200, "text/html")
    if page.kind not in ELSEWHERE:
        shown = _visible(markup)
        texts = (page.title, *page.paragraphs, *page.comments)
        assert [text for text in texts if text not in shown] == []


@pytest.mark.parametrize("kind", ["frame-other-origin", "frame-same-origin"])
def test_frame_holds_the_text(news: NewsSite, kind: str) -> None:
    for url in (news.url(f"/frames/{kind}"), news.other_url(f"/frames/{kind}")):
        shown = _visible(_get(url)[2])
        assert all(text in shown for text in PAGES[kind].paragraphs)


def test_paragraphs_are_unique_across_pages() -> None:
    seen = Counter(text for page in EVERY for text in page.paragraphs)
    assert [text for text, count in seen.items() if count > 1] == []


def test_unwanted_texts_are_not_part_of_the_article() -> None:
    for page in EVERY:
        article_texts = {page.title, *page.paragraphs, *page.optional}
        assert not article_texts & set(page.unwanted), page.kind


def test_each_template_has_enough_long_articles() -> None:
    assert len(ARTICLES) == 3
    for template, pages in ARTICLES.items():
        assert len(pages) >= 12
        assert all(page.template == template for page in pages)
        assert all(250 <= len(page.text.split()) <= 700 for page in pages)
        assert all(5 <= len(page.paragraphs) <= 12 for page in pages)


def test_kinds_and_paths_are_unique() -> None:
    kinds = [*(page.kind for page in EVERY), *ROUTES]
    paths = [*(page.path for page in EVERY), *ROUTES.values()]
    assert len(set(kinds)) == len(kinds)
    assert len(set(paths)) == len(paths)
    assert set(MARKS) <= set(ROUTES)


@pytest.mark.parametrize("home", ["/", "/ledger/", "/fenmoor/", "/gazette/", "/ledger/coast/"])
def test_index_pages_link_to_articles(news: NewsSite, home: str) -> None:
    assert _get(news.url(home))[2].count("<a ") > 10


@pytest.mark.parametrize(("kind", "status"), [("not-found", 404), ("server-error", 500)])
def test_errors_are_html(news: NewsSite, kind: str, status: int) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        _get(news.url(ROUTES[kind]))
    with caught.value as error:
        assert error.code == status
        assert error.headers["Content-Type"].startswith("text/html")


def test_redirect_chain_ends_at_an_article(news: NewsSite) -> None:
    assert ARTICLES["semantic"][0].title in _visible(_get(news.url(ROUTES["redirect-chain"]))[2])


def test_a_truncated_body_ends_early(news: NewsSite) -> None:
    with pytest.raises(http.client.IncompleteRead) as caught:
        _get(news.url(ROUTES["truncated"]))
    assert MARKS["truncated"].encode() in caught.value.partial


def test_requests_are_recorded_on_both_origins() -> None:
    with NewsSite() as site:
        _get(site.url("/ledger/"))
        _get(site.other_url("/fenmoor/"))
        assert site.requests == [("GET", "/ledger/"), ("GET", "/fenmoor/")]


@pytest.mark.parametrize("kind", ["hangs", "never-ends", "slow-headers"])
def test_site_closes_promptly_with_a_hanging_client(kind: str) -> None:
    site = NewsSite()
    client = http.client.HTTPConnection("127.0.0.1", int(site.origin.rpartition(":")[2]))
    client.request("GET", ROUTES[kind])
    until(lambda: site.requests)
    started = time.monotonic()
    site.close()
    assert time.monotonic() - started < patient(2)
    client.close()
    with pytest.raises(urllib.error.URLError):
        _get(site.url("/"))
