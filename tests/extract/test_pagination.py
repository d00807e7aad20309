"""Articles over several pages: which pages are joined, and where the sequence ends."""

import asyncio
from dataclasses import dataclass, field

import miolo
import pytest
from miolo.errors import NavigationError
from miolo.extract.pagination import FollowOptions, follow_pages, same_title
from miolo.extract.pipeline import extract_snapshot
from miolo.renderer.network.policy import EgressPolicy
from newsroom import PAGES

NAMED = miolo.RenderOptions(egress=EgressPolicy("named"))
URL = "https://paper.example/town/the-storm-that-came-twice"
WORDS = (
    "The harbour master counted every boat that came in before the storm and wrote it down, "
    "as her father had done, in a book that nobody else was ever allowed to read or to hold."
)


def paragraph(page, number):
    return f"Paragraph {number} of part {page}. {WORDS} It was day {page * 10 + number}."


def page(number, last=3, title="The storm that came twice", body=None, link=None):
    texts = body or [paragraph(number, n) for n in range(6)]
    link = link or f"{URL}?page={number + 1}"
    more = f'<a rel="next" href="{link}">Next page</a>' if number < last else ""
    return (
        f"<html><title>{title} | Paper</title><body><header><a href='/'>Paper</a></header>"
        f"<main><h1>{title}</h1>{''.join(f'<p>{text}</p>' for text in texts)}</main>"
        f"<nav class='pager'>{more}</nav></body></html>"
    )


@dataclass
class Shelf:
    """A renderer of given pages that records its requests."""

    pages: dict[str, str]
    requests: list[tuple[str, float]] = field(default_factory=list)

    async def render(self, url, options=None):
        self.requests.append((url, options.limits.seconds))
        if url not in self.pages:
            raise NavigationError(f"there is no {url}", url=url)
        return miolo.Snapshot.from_html(self.pages[url], url=url)


SECOND = f"{URL}?page=2"
THIRD = f"{URL}?page=3"
STORY = {URL: page(1), SECOND: page(2), THIRD: page(3)}


def follow(pages, **options):
    shelf = Shelf(pages)
    first = miolo.Snapshot.from_html(pages[URL], url=URL)

    def extract(snapshot):
        return extract_snapshot(snapshot, "auto")

    chosen = FollowOptions(**options)
    article = asyncio.run(follow_pages(shelf, first, extract, None, chosen))
    return article, shelf


def stop_messages(article):
    return [w.message for w in article.warnings if w.code == "pages-stopped"]


def test_three_pages_are_joined_in_order():
    article, shelf = follow(STORY)
    assert [url for url, _ in shelf.requests] == [SECOND, THIRD]
    texts = [paragraph(number, n) for number in (1, 2, 3) for n in range(6)]
    assert article.text == "\n\n".join(texts)
    assert [w.code for w in article.warnings if w.code.startswith("pages")] == ["pages-joined"]
    assert [block.text for block in article.blocks if block.kept] == texts[:6]


OTHER = "<html><title>{0}</title><body><div id=x><table><tr><td><b>{0}</b><p>{1}</td></table></div>"
AGAIN = [paragraph(1, n) for n in range(6)]


@pytest.mark.parametrize(
    ("following", "options", "joined", "requests", "reason"),
    [
        (STORY, {"max_pages": 2}, 2, 1, "the limit of 2 pages was reached"),
        (STORY, {"seconds": 0.0}, 1, 0, "time limit for the following pages (0 s) was reached"),
        ({SECOND: page(2)}, {}, 2, 2, "it failed"),
        ({SECOND: page(2, link=f"{SECOND}#top")}, {}, 2, 1, ""),
        ({SECOND: page(2, title="How to bake bread in a small oven")}, {}, 1, 1, "different title"),
        ({SECOND: page(2, body=AGAIN)}, {}, 1, 1, "of its text is new"),
        ({SECOND: page(2, body=["."])}, {}, 1, 1, "of its text is new"),
        ({SECOND: OTHER.format("The storm that came twice", paragraph(2, 1))}, {}, 1, 1,
         "a different template"),
    ],
)  # fmt: skip
def test_why_a_page_is_the_last_one(following, options, joined, requests, reason):
    article, shelf = follow({URL: page(1), **following}, **options)
    assert (len(article.body.pages), len(shelf.requests)) == (joined, requests)
    assert paragraph(joined, 5) in article.text
    message = "".join(stop_messages(article))
    assert reason in message
    assert bool(reason) == bool(message)


def test_a_list_is_not_followed():
    teasers = "".join(f"<li class=card><a href=/a{n}>Item {n}</a> $9.99</li>" for n in range(40))
    listed = page(1).replace("<main>", f"<main><ul class=products>{teasers}</ul>")
    listed = listed.replace(WORDS, "Add to cart.")
    url = "https://paper.example/shop/collections/boats"
    shelf, next_link = Shelf({}), f"{url}?page=2"
    first = miolo.Snapshot.from_html(listed.replace(f"{URL}?page=2", next_link), url=url)
    article = asyncio.run(follow_pages(shelf, first, lambda s: extract_snapshot(s, "nce")))
    assert shelf.requests == []
    assert "is not an article" in stop_messages(article)[0]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("A long walk", "A long walk - Page 2 of 5", True),
        ("A long walk", "A Long Walk – Seite 2", True),
        ("長い散歩の話", "長い散歩の話（2ページ目）", True),
        ("A long walk to town", "A long walk to town: the shoes", True),
        ("A long walk to town", "A short ride to town", False),
        ("Page 2", "Page 3", False),
        ("\ud800", "\ud800", False),
    ],
)
def test_titles_of_pages_of_one_article_are_recognised(one, other, same):
    assert same_title(one, other) is same


def test_following_pages_of_an_address_are_joined_on_request(site):
    url = site.url(PAGES["paginated"])
    article = miolo.extract_url(
        url, method="nce", options=NAMED, follow_pages=FollowOptions(max_pages=2)
    )
    for kind, count in (("paginated", 1), ("paginated-2", 1), ("paginated-3", 0)):
        assert article.text.count(PAGES[kind].paragraphs[0]) == count
    alone = miolo.extract_url(url, method="nce", options=NAMED)
    assert PAGES["paginated-2"].paragraphs[0] not in alone.text
