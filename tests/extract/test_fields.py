"""Titles, authors and dates of whole pages, by the kinds of fault that users have reported."""

import miolo
import pytest
from miolo import Extraction, Snapshot

PROSE = (
    "<p>The bakers of the upper town have agreed to share one oven for the length of the winter, "
    "and the lower town has lent them a cart.</p><p>Nobody could say on Monday how the bread would "
    "be kept warm on the way down, although several blankets were offered.</p><p>The council will "
    "hear the matter again once the first frost has come and gone, which may take until spring.</p>"
)
MORE = (
    "<p>The millers, for their part, asked for a road that does not end in the river, and were "
    "shown a map of one that ends in the wood.</p><p>A second map is being drawn by the school.</p>"
)
LAST = "<p>It is hot now, and the cart has been painted in the colours of both of the towns.</p>"
ASIDE = (
    "<aside><h3>Most read</h3><ol><li><a href=/n/1>Ovens for sale in the valley</a></li><li>"
    "<a href=/n/2>A short history of crusts</a></li></ol></aside>"
)


def extract(article: str, head: str = "", *, lang: str = "en", url: str = "") -> Extraction:
    """The extraction of an article among the furniture of a site."""
    html = (
        f"<!doctype html><html lang={lang}><head><meta charset=utf-8>{head}</head><body><header>"
        "<a href=/>The Crust</a><nav><a href=/news>News</a><a href=/sport>Sport</a>"
        f"<a href=/culture>Culture</a></nav></header><main>{article}</main>{ASIDE}"
        "<footer>All rights reserved. <a href=/legal>Legal</a></footer></body></html>"
    )
    address = url or "https://news.example.org/story/oven"
    return miolo.extract_snapshot(Snapshot.from_html(html, url=address))


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        (
            "<p class=byline>By <b class=who>MARY STONE</b>, <b class=who>PETER LAKE</b> and "
            "<b class=who>ANNA WOOD</b></p>",
            ("Mary Stone", "Peter Lake", "Anna Wood"),
        ),
        ("<p class=byline>BY MARY STONE AND PETER LAKE</p>", ("Mary Stone", "Peter Lake")),
        ("<div class=author>By <span>MARY STONE</span></div>", ("Mary Stone",)),
    ],
)
def test_names_in_capitals(byline, names):
    article = extract(
        f"<article><h1>One oven for two towns</h1>{byline}"
        f"<time datetime=2021-11-08>November 8, 2021</time>{PROSE}</article>",
        "<title>One oven for two towns - The Crust</title>",
    )
    assert article.authors == names


@pytest.mark.parametrize(
    "author",
    [
        "By &lt;a href=&quot;/p/1&quot;&gt;Mary Stone&lt;/a&gt; and &lt;b&gt;Peter Lake&lt;/b&gt;",
        "&lt;span&gt;Mary Stone&lt;/span&gt;, &lt;span&gt;Peter Lake&lt;/span&gt;, The Crust",
        "By Mary Stone, &lt;i&gt;Peter Lake&lt;/i&gt;",
    ],
)
def test_markup_in_declared_authors(author):
    article = extract(
        f"<article><h1>One oven for two towns</h1>{PROSE}</article>",
        f'<title>One oven for two towns | The Crust</title><meta name=author content="{author}">'
        "<meta property=og:site_name content='The Crust'>",
    )
    assert article.authors == ("Mary Stone", "Peter Lake")


@pytest.mark.parametrize(
    ("lang", "line", "day"),
    [
        ("fr", "Publié le 4 mars 2022 par Marie Pierre", "2022-03-04"),
        ("es", "Publicado el 4 de marzo de 2022 por Marie Pierre", "2022-03-04"),
        ("de", "Veröffentlicht am 4. März 2022 von Marie Pierre", "2022-03-04"),
        ("en", "4 March 2022 by Marie Pierre", "2022-03-04"),
    ],
)
def test_a_name_after_the_date(lang, line, day):
    article = extract(
        f"<article><h1>Pain : le four commun</h1><p class=meta>{line}</p>{PROSE}</article>",
        "<title>Pain : le four commun – Carnet</title>",
        lang=lang,
    )
    assert (article.title, article.authors, article.date) == (
        "Pain : le four commun",
        ("Marie Pierre",),
        day,
    )


@pytest.mark.parametrize(
    ("published", "updated", "days"),
    [
        ("03/04/2019 9:24 pm EDT", "03/05/2019 1:59 pm EDT", ("2019-03-04", "2019-03-05")),
        ("05/06/2018 10:00 AM PST", "05/07/2018 10:30 AM PST", ("2018-05-06", "2018-05-07")),
        ("07/08/2020", "07/21/2020", ("2020-07-08", "2020-07-21")),
    ],
)
def test_day_and_month_by_other_evidence_of_the_page(published, updated, days):
    article = extract(
        "<article><h1>One oven for two towns</h1><p class=byline>By Mary Stone</p><div class=info>"
        f"<span>Posted: {published}</span> <span>Updated: {updated}</span></div>{PROSE}</article>",
        "<title>One oven for two towns</title>",
    )
    assert (article.date, article.modified) == days


@pytest.mark.parametrize(
    ("published", "modified", "days"),
    [
        ("Tue, 09/05/2023 - 17:57", "Fri, 09/15/2023 - 10:30", ("2023-09-05", "2023-09-15")),
        ("Mon, 10/02/2023 - 08:00", "Tue, 10/31/2023 - 08:00", ("2023-10-02", "2023-10-31")),
        ("Wed, 15/03/2023 - 08:00", "Thu, 06/04/2023 - 08:00", ("2023-03-15", "2023-04-06")),
    ],
)
def test_declared_dates_in_numbers(published, modified, days):
    article = extract(
        f"<article><h1>One oven for two towns</h1>{PROSE}</article>",
        f"<title>One oven for two towns</title><meta property=article:published_time "
        f"content='{published}'><meta property=article:modified_time content='{modified}'>",
    )
    assert (article.date, article.modified) == days


@pytest.mark.parametrize(
    "line",
    [
        "Updated 03/04/2021",
        "Answer 41 | Updated 05/06/2019",
        "Last updated: 07/08/2022",
        "Last updated: 6/3/26",
    ],
)
def test_an_ambiguous_day_of_change_is_no_date(line):
    article = extract(
        f"<div class=answer><h1>How do I light the oven?</h1><div>{line}</div>{PROSE}</div>",
        "<title>How do I light the oven? | Help</title>",
    )
    assert (article.authors, article.date) == ((), None)


EMBED = (
    "<div class=post-embed><a href=https://social.example/ann/1><span class=embed-author-name>Ann "
    "Other</span> <span class=embed-author>@ann</span> I have seen the oven.<p>March 4th 2020</p>"
    "</a></div>"
)
QUOTES = "".join(
    f"<div class=quote><blockquote>It changed how we bake.</blockquote><p class=author>{name}</p>"
    "<p class=role>Founder of another bakery</p></div>"
    for name in ("Ann Other", "Ben Further", "Cy Last")
)


@pytest.mark.parametrize(
    ("line", "inside"),
    [
        ("<p>Mary Stone · Mar 10, 2022</p>", EMBED),
        ("<p class=byline>By Mary Stone · Mar 10, 2022</p>", EMBED),
        ("<p><b>Mary Stone</b> | March 10, 2022</p>", QUOTES),
    ],
)
def test_people_in_embeds_and_quotations_are_no_authors(line, inside):
    article = extract(
        f"<article class=post><h1>One oven for two towns</h1>{line}{PROSE}{inside}{MORE}</article>",
        "<title>One oven for two towns</title>",
    )
    assert (article.authors, article.date) == (("Mary Stone",), "2022-03-10")


@pytest.mark.parametrize("heading", ["h1", "h2"])
def test_testimonials_name_no_authors(heading):
    article = extract(
        f"<h1>What is Ovenware?</h1>{PROSE}<{heading}>What people say</{heading}>{QUOTES}{MORE}",
        "<title>What is Ovenware? | Ovenware Documentation</title>"
        "<meta property=og:site_name content='Ovenware Documentation'>",
    )
    assert article.authors == ()


@pytest.mark.parametrize("tag", ["article", "section", "div"])
def test_only_the_first_of_several_articles_counts(tag):
    stories = "".join(
        f"<{tag} class=story><h1 class=title>{title}</h1><p class=byline>By {name} · {day}</p>"
        f"{text}</{tag}>"
        for title, name, day, text in (
            ("One oven for two towns", "Mary Stone", "9 March 2022", PROSE),
            ("A cart is lost in the snow", "Peter Lake", "8 March 2022", MORE),
            ("The river has a new bed", "Anna Wood", "7 March 2022", MORE),
        )
    )
    article = extract(
        stories,
        "<title>One oven for two towns | The Crust</title>"
        "<meta property=og:title content='One oven for two towns'>",
    )
    assert article.title == "One oven for two towns"
    assert (article.authors, article.date) == (("Mary Stone",), "2022-03-09")


@pytest.mark.parametrize(
    "heading",
    [
        "<h1><span>Press release</span> One oven for two towns until spring</h1>",
        "<h1><span class=tag>Analysis</span><span>One oven for two towns until spring</span></h1>",
        "<h2><span class=topic>Winter</span><span>One oven for two towns until spring</span></h2>",
        "<h1>One oven for two towns until spring <a href=#top>¶</a></h1>",
        "<h1 itemprop=headline><span>LIVE</span> One oven for two towns until spring</h1>",
        "<h1>One oven for two towns until spring <span>#417</span></h1>",
        "<h1>ONE OVEN FOR TWO TOWNS UNTIL SPRING</h1>",
    ],
)
def test_a_kicker_or_a_sign_in_a_heading_is_no_part_of_the_title(heading):
    article = extract(
        f"<article itemscope itemtype=https://schema.org/NewsArticle>{heading}"
        f"<p>9 November 2022</p>{PROSE}</article>",
        "<title>One oven for two towns until spring | News</title>",
    )
    assert article.title == "One oven for two towns until spring"


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("One oven for two towns <a href='#top'>#</a>", "One oven for two towns"),
        ("« Un four pour deux » : entretien", "« Un four pour deux » : entretien"),
        ("One oven in C#", "One oven in C#"),
    ],
)
def test_a_title_keeps_its_quotation_and_loses_its_permanent_link(heading, title):
    head = f"<title>{'News: ' * (title[0] == 'O')}{title}</title>"
    article = extract(f"<article><h1 id=top>{heading}</h1>{PROSE}</article>", head)
    assert article.title == title


@pytest.mark.parametrize("line", ["3 hours ago", "Published yesterday", "Posted 2 days ago"])
def test_relative_dates_of_a_page_of_unknown_age_are_none(line):
    article = extract(
        f"<article><h1>One oven for two towns</h1><p class=date>{line}</p>{PROSE}</article>",
        "<title>One oven for two towns</title>",
    )
    assert article.date is None


def post(name: str, number: int, text: str, quote: str = "") -> str:
    return (
        f"<div class=post id=p{number}><div class=head><a class=username href=/u/{name}>{name}</a> "
        f"<time datetime=2024-05-0{number}T10:00:00Z>May {number}</time></div><div class=text>"
        f"{quote}{text}</div><a href=#r{number}>Reply</a></div>"
    )


@pytest.mark.parametrize(
    "quote",
    [
        "<aside class=quote data-username=miller7><div>miller7:</div><blockquote>Is it hot?"
        "</blockquote></aside>",
        "<blockquote><a class=username href=/u/miller7>miller7</a> wrote: Is it hot?</blockquote>",
        "<blockquote data-author=miller7>Is it hot?</blockquote>",
    ],
)
def test_a_quoted_user_is_not_the_author_of_the_reply(quote):
    posts = post("miller7", 1, PROSE) + post("baker_w", 2, MORE, quote) + post("miller7", 3, LAST)
    article = extract(
        f"<h1>The oven is never hot</h1>{posts}",
        "<title>The oven is never hot - Help - Ovens Forum</title>",
    )
    assert [each.author for each in article.posts] == ["miller7", "baker_w", "miller7"]
    assert (article.title, article.authors) == ("The oven is never hot", ("miller7",))
    assert (article.date or "")[:10] == "2024-05-01"


def test_values_have_their_probabilities():
    article = extract(
        f"<article><h1>One oven for two towns</h1><p>By Mary Stone, 8 May 2021</p>{PROSE}",
        "<title>One oven for two towns | The Crust</title>",
    )
    assert article.field_confidence.keys() == {"title", "authors", "date"}
    assert all(0 < each <= 1 for each in article.field_confidence.values())
    assert Extraction.from_dict(article.to_dict()).field_confidence == article.field_confidence
    nothing = extract("<p>Bread.</p>")
    assert "date" not in nothing.field_confidence
    assert nothing.date is None
