"""Titles that name a site, alone and in an extraction."""

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.site_titles import LEAST_PAGES, LEAST_SHARE, DeclaredTitles

SENTENCE = "The baker of the harbour said that the bread of this morning had risen twice, "


def page(number: int, title: str = "Morning Bread Online") -> miolo.Snapshot:
    head = f"<title>{title}</title><meta property=og:title content='{title}'>"
    body = f"<h1>Loaf {number} rises</h1>" + f"<p>{SENTENCE}{number}.</p>" * 5
    return miolo.Snapshot.from_html(head + body, url=f"https://example.org/{number}")


@given(st.lists(st.sampled_from(["one", "two", "three", ""]), max_size=12))
def test_names_are_the_frequent_titles(titles):
    counted = DeclaredTitles()
    for number, title in enumerate(titles):
        counted.add(page(number, title))
    least = max(LEAST_PAGES, LEAST_SHARE * len(titles))
    expected = {title for title in titles if title and titles.count(title) >= least}
    assert set(counted.names()) == expected
    assert set(DeclaredTitles.from_json(counted.to_json()).names()) == expected


@pytest.mark.parametrize("title", ["{} | Daily Loaf", "Daily Loaf - News - {}", "{}｜Daily Loaf"])
def test_names_are_parts_of_the_titles_too(title):
    counted = DeclaredTitles()
    for number, headline in enumerate(("Bread rises", "Rye falls", "Oats stay")):
        counted.add(page(number, title.format(headline)))
    assert "Daily Loaf" in counted.names()
    assert not {"Bread rises", "Rye falls"} & set(counted.names())


@pytest.mark.parametrize("data", [{}, {"titles": {"a": "x"}, "pages": 1}, {"titles": 1}])
def test_other_json_is_refused(data):
    with pytest.raises((ValueError, LookupError, TypeError, AttributeError)):
        DeclaredTitles.from_json(data)


def test_titles_of_equal_frequency_are_in_code_point_order():
    titles = DeclaredTitles({"The Daily": 3, "Daily News": 3}, 3)
    assert titles.names() == ("Daily News", "The Daily")
    assert [*titles.to_json()["titles"]] == ["Daily News", "The Daily"]
