"""The link to an article's next page, and the many links that lead elsewhere."""

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.next_page import is_page_number, next_page, page_of

STORY = "https://paper.example/town/story.html"


def find(body, url=STORY, number=None):
    page = next_page(miolo.Snapshot.from_html(f"<body><p>Text.</p>{body}", url=url), number)
    return page.url if page else None


@pytest.mark.parametrize(
    ("here", "link"),
    [
        (STORY, '<a rel=next href="?page=2">more</a>'),
        (STORY, '<a href="story-2.html">Next page</a>'),
        (STORY, '<a href="story_2.html">weiter »</a>'),
        (STORY, '<a href="story,seite-2.html#top">Nächste Seite</a>'),
        (STORY, '<a href="?p=2"><img src=x></a><a href="?p=2" aria-label="次のページ"></a>'),
        (STORY, "<b>1</b> <a href='/town/story/2/'>2</a> <a href='/town/story/3/'>3</a>"),
        (STORY, '<link rel=next href="/town/story/page/2"><p>'),
        (STORY, '<a href="/town/story-continued.html">Next page</a>'),
        ("https://paper.example/story?page=2&id=7", '<a href="/story?id=7&page=3">3</a>'),
        ("https://paper.example/story/page/2/", '<a href="/story/page/3/">下一页</a>'),
        ("https://paper.example/a/2/", '<a href="/a/">1</a> <a href="/a/3/">Next</a>'),
    ],
)
def test_the_next_page(here, link):
    assert find(link, here) is not None
    assert "#" not in (find(link, here) or "")


@pytest.mark.parametrize(
    ("here", "link"),
    [
        (STORY, '<a rel=next href="/town/other.html">Next article</a>'),
        (STORY, '<link rel=next href="/town/other.html" title="Next Post"><p>'),
        (STORY, '<a href="/town/other.html">Next ›</a>'),
        (STORY, '<a rel=next href="https://elsewhere.example/town/story.html?page=2">2</a>'),
        (STORY, '<div id=comments><a rel=next href="?page=2">Next page</a></div>'),
        (STORY, '<a href="?cpage=2">Next page</a>'),
        (STORY, '<a href="/town/story/comment-page-2">Next page of comments</a>'),
        (STORY, '<a href="?page=3">Next page</a>'),
        (STORY, '<a href="story-2.html">Bread: a story in two hundred loaves</a>'),
        (STORY, '<a href="javascript:next()">Next page</a>'),
        ("https://paper.example/", '<a rel=next href="/page/2/">Next page</a>'),
        ("https://paper.example/tag/sea/", '<a href="/tag/sea/page/2/">2</a>'),
        ("https://paper.example/2024/05/", '<a href="/2024/06/">Next</a>'),
        ("https://paper.example/post/41", '<a href="/post/42">Next</a>'),
        ("https://paper.example/post/1041", '<a href="/post/1042" rel=next>Next</a>'),
    ],
)
def test_no_next_page(here, link):
    assert find(link, here) is None


def test_the_clearer_link_is_taken():
    body = (
        '<a href="?page=2">2</a><a href="/town/x.html">Next page</a><a href="?p=2" rel=next>›</a>'
    )
    assert find(body) == f"{STORY}?p=2"


def test_a_known_page_number_identifies_the_next_page():
    link = '<a href="/post/42">Next</a>'
    assert find(link, "https://paper.example/post/41") is None
    assert find(link, "https://paper.example/post/41", number=41) is not None


@pytest.mark.parametrize(
    "html", ["", "<p>", "<a>", "<a href>", "<a href='http://[bad'>Next page</a>"]
)
@pytest.mark.parametrize("url", ["about:blank", STORY, "https://", "http://[::1", "\ud800"])
def test_hostile(html, url):
    assert next_page(miolo.Snapshot.from_html(html, url=url)) is None


def test_deep_and_long():
    deep = "<div>" * 10_000 + f'<a href="?page=2">Next page {"x" * 100_000}</a>'
    assert find(deep) is None
    assert find("<a href='?" + "page=2&" * 5000 + "'>Next page</a>") is None


FORMS = (
    "{0}?page={1}",
    "{0}/{1}/",
    "{0}/page/{1}",
    "{0}-{1}.html",
    "{0}_{1}.html",
    "{0},seite-{1}",
)


@given(st.sampled_from(FORMS), st.integers(1, 58), st.integers(1, 60))
def test_an_address_is_the_next_one_only_if_its_number_is_one_higher(form, at, to):
    here, there = (form.format("https://a.example/story", number) for number in (at, to))
    assert is_page_number(here, there, at) is (to == at + 1)


@given(st.sampled_from(FORMS), st.integers(2, 59))
def test_the_page_number_is_read_if_the_first_page_is_linked_to(form, at):
    first = "https://a.example/story.html"
    assert page_of(form.format("https://a.example/story", at), {first}) == at


@given(st.text(max_size=40), st.text(max_size=40), st.integers(1, 9))
def test_any_texts_as_addresses(here, there, number):
    assert is_page_number(here, here, number) in (True, False)
    assert is_page_number(here, there, number) in (True, False)
    assert page_of(here, {there}) >= 1
