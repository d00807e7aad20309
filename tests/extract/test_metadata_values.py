from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.extract.metadata.dates import find_date, iso_date, local_date, url_date
from miolo.extract.metadata.finding import Finding, tidy
from miolo.extract.metadata.microdata import _owners
from miolo.extract.metadata.names import author_names
from miolo.extract.metadata.titles import choose_title, without_site

zones = st.integers(-12 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
moments = st.datetimes(datetime(1990, 1, 2), datetime(2040, 1, 1), timezones=zones | st.just(UTC))


@given(moments.map(lambda moment: moment.replace(microsecond=0)))
def test_moments_of_all_standards_are_kept(moment):
    for written in (moment.isoformat(), format_datetime(moment), moment.isoformat(" ")):
        assert datetime.fromisoformat(iso_date(written) or "") == moment
    epoch = str(int(moment.timestamp()))
    if len(epoch) == 10:
        assert datetime.fromisoformat(iso_date(epoch) or "") == moment
        assert iso_date(epoch + "000") == iso_date(epoch)


@given(st.dates(datetime(1990, 1, 1).date(), datetime(2040, 1, 1).date()))
def test_written_days_are_read(day):
    for form in (
        "%B %d, %Y",
        "%d %b %Y",
        "%Y/%m/%d",
        "%Y年%m月%d日",
        "Posted on %d. %B %Y at 10:00",
    ):
        assert iso_date(day.strftime(form)) == day.isoformat()
    assert iso_date(day.strftime("%m/%d/%Y"), us=True) == day.isoformat()
    assert url_date(day.strftime("https://example.org/%Y/%m/%d/x")) == day.isoformat()


@given(st.text(max_size=60) | st.from_regex(r"[0-9/:.T +-]{0,30}", fullmatch=True))
def test_no_text_breaks_the_dates(text):
    for told in (iso_date(text), find_date(text), url_date(text)):
        assert told is None or datetime.fromisoformat(told)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("3 mars 2021", "2021-03-03"), ("5. März 2022", "2022-03-05"),
        ("12 de agosto de 2020", "2020-08-12"), ("20 grudnia 2023", "2023-12-20"),
        ("1º de maio de 2019", "2019-05-01"), ("7 июля 2018", "2018-07-07"),
        ("2021.3.4", "2021-03-04"), ("24.12.2021", "2021-12-24"), ("4/24/2021", None),
        ("03/04/2021", None), ("04/04/2021", "2021-04-04"), ("31 February 2021", None),
        ("2021-13-01", None), ("Model 3 2021", None), ("", None),
    ],
)  # fmt: skip
def test_days_of_many_languages(text, day):
    assert iso_date(text) == day


def test_the_day_of_the_place():
    utc = "2023-12-23T01:48:19+00:00"
    assert local_date(utc, ["2023-12-22", "2023-12-22T19:48:19-06:00"], "2023-12-22")[10:] != ""
    assert local_date(utc, ["2023-12-22T10:00:00-06:00"], "2023-12-22") == "2023-12-22"
    assert local_date(utc, [], "2023-12-01") == utc
    assert local_date("2023-12-23T01:48:19+01:00", [], "2023-12-22")[10:] != ""


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("By Jane Doe and John Roe", ("Jane Doe", "John Roe")),
        ("Von Jane Doe, John Roe und Max Mustermann", ("Jane Doe", "John Roe", "Max Mustermann")),
        ("Par Jane Doe | 3 mai 2021", ("Jane Doe",)),
        ("Jane Doe, MD, and John Roe, PhD", ("Jane Doe", "John Roe")),
        ("Doe, Jane", ("Jane Doe",)),
        ("Jane Doe (Berlin)", ("Jane Doe",)),
        ("Jane Doe, Staff Writer", ("Jane Doe",)),
        ("Posted by: jane", ("jane",)),
        ("View all posts by Jane Doe", ("Jane Doe",)),
        ("Center for Bread Evaluation and Research", ("Center for Bread Evaluation and Research",)),
        ("松岡大地、東京新聞", ("松岡大地", "東京新聞")),
        ("John Roe Jr.", ("John Roe Jr.",)),
        ("Jane Doe Last updated on 3 May 2021", ("Jane Doe",)),
        ("The Daily Loaf, Berlin, Germany", ()),
        ("Updated by Jane Doe", ()),
        ("jane@example.org", ()),
        ("https://example.org/jane", ()),
        ("By", ()),
        ("admin", ()),
        ("105092", ()),
        ("", ()),
    ],
)
def test_bylines(said, names):
    assert author_names([said], ["Daily Loaf"]) == names


@given(st.lists(st.text(max_size=80), max_size=5), st.lists(st.text(max_size=20), max_size=3))
def test_names_are_distinct_and_never_the_publication(said, publication):
    found = author_names(said, publication)
    assert len(set(found)) == len(found)
    assert not set(author_names(publication, publication))
    assert author_names(said, publication) == found


@pytest.mark.parametrize(
    ("title", "cut"),
    [
        ("Bread rises | The Daily Loaf", "Bread rises"),
        ("The Daily Loaf: Bread rises", "The Daily Loaf: Bread rises"),
        ("Daily Loaf - Bread - rises", "Bread - rises"),
        ("Bread rises – Food – dailyloaf.com", "Bread rises – Food"),
        ("Bread-and-butter", "Bread-and-butter"),
        ("The Daily Loaf", "The Daily Loaf"),
        ("", ""),
    ],
)
def test_names_of_sites_are_cut(title, cut):
    assert without_site(title, ["The Daily Loaf"]) == cut


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=3))
def test_what_is_left_is_part_of_the_title(title, sites):
    left = without_site(title, sites, [title[:20]])
    assert left in title


def test_a_title_needs_words_that_are_not_the_site():
    findings = [Finding("title", (text,), text, 2) for text in ("Loaf", "|", "Bread rises")]
    chosen = choose_title(findings, ["Loaf"])
    assert chosen is not None
    assert chosen.values == ("Bread rises",)
    assert choose_title(findings[1:2], []) is None


@given(
    st.lists(st.integers(0, 5), max_size=30),
    st.sets(st.integers(0, 29)),
    st.sets(st.integers(0, 29)),
)
def test_owners_are_the_nearest_items_around(steps, items, nodes):
    parent = [-1]
    for step in steps:
        # Climb some levels from the last node: any tree in document order.
        above = len(parent) - 1
        for _ in range(step):
            above = max(parent[above], 0)
        parent.append(above)
    n = len(parent)
    items, nodes = ({i for i in some if i < n} for some in (items, nodes))
    end = list(range(1, n + 1))
    for i in range(n - 1, 0, -1):
        end[parent[i]] = max(end[parent[i]], end[i])

    def slow(node: int) -> int:
        node = parent[node]
        while node >= 0 and node not in items:
            node = parent[node]
        return node

    assert _owners(end, sorted(items), sorted(nodes)) == [slow(node) for node in sorted(nodes)]


@given(st.text())
def test_tidy_is_printable_and_final(text):
    tidied = tidy(text)
    tidied.encode()
    assert tidied == tidied.strip()
