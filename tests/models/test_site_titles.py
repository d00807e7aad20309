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


@pytest.mark.parametrize("template", ["Trig {}", "{} LG #63", "Manual: {} – 2nd edition"])
def test_the_template_of_a_site_is_taken_off_its_titles(template):
    site = miolo.learn_site([section(number, template) for number in range(4)])
    article = miolo.extract_snapshot(section(9, template), site=site)
    assert article.title == "Polar forms of 9"
    assert miolo.extract_snapshot(section(9, "{}"), site=site).title == "Polar forms of 9"


def section(number: int, template: str) -> miolo.Snapshot:
    title = f"Polar forms of {number}"
    heading = f"<h2><b>Part</b> <b>{number}.1</b> <b>{title}</b></h2>"
    body = heading + f"<p>{SENTENCE}{number}.</p>" * 5
    head = f"<title>{template.format(title)}</title>"
    return miolo.Snapshot.from_html(head + body, url=f"https://example.org/{number}")


def test_what_the_headings_of_a_site_repeat_is_no_part_of_its_titles():
    def item(number: int) -> miolo.Snapshot:
        heading = f"<h1><span>Loaf {number} rises</span> <button>Copy this</button></h1>"
        body = f"<p>{SENTENCE}{number}.</p>" * 5
        return miolo.Snapshot.from_html(heading + body, url=f"https://example.org/{number}")

    site = miolo.learn_site(map(item, range(4)))
    assert miolo.extract_snapshot(item(9)).title == "Loaf 9 rises Copy this"
    assert miolo.extract_snapshot(item(9), site=site).title == "Loaf 9 rises"


@given(st.text("ab -", max_size=5), st.text("ab -", max_size=5), st.text("abc", max_size=4))
def test_only_titles_of_the_template_are_cut(before, after, title):
    counted = DeclaredTitles({f"{before}\n{after}": 3}, 3)
    whole = before + title + after
    assert counted.own_title(whole) == (title or whole)
    assert counted.own_title(f"x{whole}x") in (f"x{whole}x", f"x{whole}"[: -len(after) or None])


@pytest.mark.parametrize("data", [{}, {"titles": {"a": "x"}, "pages": 1}, {"titles": 1}])
def test_other_json_is_refused(data):
    with pytest.raises((ValueError, LookupError, TypeError, AttributeError)):
        DeclaredTitles.from_json(data)
