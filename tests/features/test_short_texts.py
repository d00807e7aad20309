"""The cache of short texts: equal results, and no long text is retained."""

import sys
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.links import join_url
from miolo.features.short_texts import MAX_CACHED, cached_if_short
from miolo.models.blocks.profiles import name_codes


@given(st.lists(st.text(max_size=3)), st.booleans())
def test_results_are_those_of_the_function(texts, long):
    doubled = cached_if_short(lambda text: text * 2)
    texts = [text * (MAX_CACHED if long else 1) for text in texts]
    assert [doubled(text) for text in texts * 2] == [text * 2 for text in texts * 2]


@pytest.mark.parametrize(
    ("prefix", "use"),
    [
        ("data:image/png;base64,", lambda text: join_url("https://example.org/", text)),
        ("https://example.org/", lambda text: join_url("https://example.org/", text)),
        ("https://example.org/", lambda text: join_url(text, "story")),
        ("name", lambda text: name_codes([text])),
    ],
)
def test_long_texts_are_not_retained(prefix, use):
    text = prefix + "A" * 100_000
    before = sys.getrefcount(text)
    use(text)
    # The standard library's own cache of addresses is small.
    for number in range(300):
        urlsplit(f"https://example.org/{number}")
    assert sys.getrefcount(text) == before
