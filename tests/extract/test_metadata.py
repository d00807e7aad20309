import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from described import URL, describe, described, fetched
from hypothesis import given
from hypothesis import strategies as st
from miolo import Snapshot
from miolo.extract.metadata.declared import read_graph
from miolo.models.site_titles import DeclaredTitles
from miolo.output.extraction import TemplateField
from miolo.output.metadata import Metadata

TITLE = "Bread rises again"
BODY = (
    "<div id=body>" + "<p>Words of a long paragraph about bread and the people who bake it.</p>" * 9
)

FAR_DATE = BODY + "</div>" + "<p>More.</p>" * 60 + "<p class=date>2 May 2021</p>"


def page_of(head: str = "", before: str = "", body: str = BODY, url: str = URL) -> Snapshot:
    html = f"<html lang=en-GB><head>{head}</head><body>{before}{body}</body></html>"
    return fetched(html, url)


def describe_page(*parts: str, **more: str) -> Metadata:
    page = page_of(*parts, **more)
    kept = np.zeros(len(page), bool)
    for node, _ in page.attributes.with_attribute("id"):
        kept[node : page.end[node]] = True
    return describe(page, kept=kept)


def json_ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


ARTICLE = {
    "@context": "https://schema.org",
    "@type": ["NewsArticle", "Article"],
    "@id": "#story",
    "headline": "Bread rises again",
    "author": [{"@id": "#jane"}, "John Roe"],
    "datePublished": "2023-12-20T10:00:00+01:00",
    "dateModified": "2023-12-21",
    "publisher": {"@type": "Organization", "name": "The Daily Loaf"},
    "image": [{"@type": "ImageObject", "url": "/loaf.jpg"}],
    "keywords": "bread, yeast",
    "articleSection": ["Food", "Home"],
    "isAccessibleForFree": "False",
    "mainEntityOfPage": {"@id": URL},
}


def test_json_ld_fills_every_field_with_its_source():
    other = ARTICLE | {
        "@id": "#other",
        "headline": "Another",
        "mainEntityOfPage": "/x",
        "author": "X",
    }
    graph = {"@graph": [other, {"@id": "#jane", "@type": "Person", "name": "Jane Doe"}, ARTICLE]}
    metadata = describe_page(json_ld(graph))
    assert metadata.title == TITLE
    assert metadata.authors == ("Jane Doe", "John Roe")
    assert (metadata.date, metadata.modified) == ("2023-12-20T10:00:00+01:00", "2023-12-21")
    assert (metadata.site_name, metadata.section) == ("The Daily Loaf", "Food")
    assert metadata.image == "https://www.example.org/loaf.jpg"
    assert metadata.tags == ("bread", "yeast")
    assert metadata.paywalled is True
    assert (metadata.language, metadata.declared_language) == ("en", "en-GB")
    assert metadata.provenance["date"] == "JSON-LD NewsArticle.datePublished"
    assert metadata.provenance["language"] == "text"
    assert metadata.provenance["declared_language"] == "html lang"


@pytest.mark.parametrize(
    "properties",
    [
        {"headline": {"@value": TITLE, "@language": "en"}},
        {"author": {"@list": [{"@id": "#jane"}, {"@value": "John Roe"}]}},
        {"author": [{"@type": "Person", "name": {"@value": "Jane Doe"}}, "John Roe"]},
        {"datePublished": {"@type": "Date", "@value": "2023-12-20T10:00:00+01:00"}},
        {"keywords": [{"@type": "DefinedTerm", "name": "bread"}, "yeast"]},
        {"keywords": {"@list": ["bread", "yeast"]}},
        {"headline": "<em>Bread</em> rises again"},
        {"@type": ["WebPage", "NewsArticle"]},
        {"image": {"@list": [{"@type": "ImageObject", "url": "/loaf.jpg"}]}},
    ],
    ids=str,
)
def test_the_forms_of_json_ld_properties(properties):
    jane = {"@id": "#jane", "@type": "Person", "name": "Jane Doe"}
    page = {"@type": "WebPage", "url": URL, "name": "Bread", "datePublished": "2023-12-31"}
    expected, metadata = (
        describe_page(json_ld([page, jane, article])) for article in (ARTICLE, ARTICLE | properties)
    )
    assert replace(metadata, provenance={}) == replace(expected, provenance={})


def test_the_query_of_an_address_distinguishes_articles():
    stories = [
        {"@type": "NewsArticle", "headline": f"Bread {n}", "url": f"{URL}?id={n}"} for n in range(3)
    ]
    titles = [describe_page(json_ld(stories), url=f"{URL}?id={n}#top").title for n in range(3)]
    assert titles == ["Bread 0", "Bread 1", "Bread 2"]
    assert describe_page(json_ld(stories[:1]), url=f"{URL}?from=feed").title == "Bread 0"


CARD = "<meta name=twitter:label1 content='{}'><meta name=twitter:data1 content='Jane Doe'>"
REVIEW = {"@id": "#1", "@type": "Review", "author": "Jane Doe", "datePublished": "2021-05-03"}
BLOG = ARTICLE | {"author": {"@id": "#me", "name": "Jane Doe"}, "publisher": {"@id": "#me"}}
SPOKEN = "<title>Bread rises | Loaf</title><meta property='og:title' content='Bread rises'>"


@pytest.mark.parametrize(
    ("head", "body", "field", "value"),
    [
        *((CARD.format(label), "", "authors", ("Jane Doe",))
          for label in ("Written by", "Verfasst von", "Autor", "Skrevet av")),
        (CARD.format("Reading time"), "", "authors", ()),
        # A written byline has capitals.
        ("", "<p>By Jane Doe</p>", "authors", ("Jane Doe",)),
        ("", "<p>By following these principles, we bake</p>", "authors", ()),
        # The title with the most agreement is chosen.
        (SPOKEN + json_ld(ARTICLE | {"headline": "Bread rises"}), "<h1>The Daily Loaf</h1>",
         "title", "Bread rises"),
        ("", "<h1>W<b>or</b>ds<br>apart</h1>", "title", "Words apart"),
        *(("", f"<h1>Models<a href=#models>{sign}</a></h1>", "title", "Models")
          for sign in ("¶", "\uf0c1")),
        # A list of articles is not an article, and the review of a product is not its page's.
        (json_ld([{"@type": "NewsArticle", "author": f"Jane {n}", "url": f"/{n}"} for n in "ABC"]),
         "", "authors", ()),
        *((json_ld({"@type": "Product", name: [REVIEW]}), "", field, empty)
          for name in ("review", "reviews") for field, empty in (("authors", ()), ("date", None))),
        (json_ld([{"@type": "Product", "review": {"@id": "#1"}}, REVIEW]), "", "authors", ()),
        (json_ld(REVIEW), "", "authors", ("Jane Doe",)),
        (json_ld([{"@type": "Product", "review": {"@id": "#1"}},
                  REVIEW | {"@type": ["Article", "Review"]}]), "", "authors", ("Jane Doe",)),
        # MkDocs resolves a link and names it after its author.
        ("", f"<h1>{TITLE}</h1><p>See <a class='autorefs autorefs-internal' href=/field>Field</a>."
         "</p><p>Dough.</p>", "authors", ()),
        # Days after the capture, and from before there were pages.
        ("<meta name=date content=2031-01-01><meta name=pubdate content=1850-01-01>",
         "", "date", None),
        (json_ld([BLOG, {"@id": "#me", "@type": ["Person", "Organization"], "name": "Jane Doe"}]),
         "", "authors", ("Jane Doe",)),
        ("<meta property=article:author content=https://facebook.com/loaf>"
         "<meta name=twitter:creator content=@loaf>", "", "authors", ()),
        (json_ld(ARTICLE | {"wordCount": 500}), "", "truncated", True),
        (json_ld(ARTICLE | {"wordCount": 110}), "", "truncated", False),
        (json_ld(ARTICLE), "", "truncated", None),
        (json_ld(ARTICLE | {"articleBody": "Words that the page keeps for itself. " * 100}),
         "", "truncated", True),
        ("<meta property=og:site_name content=News><meta name=publisher content='Daily Loaf'>",
         "", "site_name", "Daily Loaf"),
        # Tags of the publishing system give way to others.
        ("<meta property=article:tag content=Type:story>"
         "<meta name=keywords content='Rye, rye,oats'>", "", "tags", ("Rye", "oats")),
    ],
)  # fmt: skip
def test_what_a_page_declares_and_shows(head, body, field, value):
    assert getattr(describe_page(head, body), field) == value


def test_meta_elements_and_the_canonical_link():
    metadata = describe_page(
        "<title>Bread rises again | The Daily Loaf</title>"
        '<meta property="og:title" content="Bread rises again - The Daily Loaf">'
        '<meta property="og:site_name" content="The Daily Loaf">'
        '<meta name="author" content="By Jane Doe and John Roe">'
        '<meta property="article:published_time" content="2023-12-20T10:00:00Z">'
        '<meta property="article:tag" content="bread"><meta property="article:tag" content="oven">'
        '<meta property="og:description" content="<p>On <b>bread</b> &amp;amp; ovens.</p>">'
        '<meta property="article:content_tier" content="free">'
        '<link rel="canonical" href="/news/bread">'
    )
    assert (metadata.title, metadata.authors) == (TITLE, ("Jane Doe", "John Roe"))
    assert (metadata.date, metadata.canonical_url) == ("2023-12-20T10:00:00+00:00", URL)
    assert metadata.tags == ("bread", "oven")
    assert (metadata.description, metadata.paywalled) == ("On bread & ovens.", False)
    assert metadata.provenance["authors"] == "meta author"
    assert metadata.provenance["canonical_url"] == "link rel=canonical"


def test_microdata_of_the_article_and_not_of_its_comments():
    metadata = describe_page(
        "",
        "<article itemscope itemtype='https://schema.org/Article'><h1 itemprop=headline>"
        f"{TITLE}</h1><span itemprop=author itemscope><b itemprop=name>Jane Doe</b> of us</span>"
        "<span itemprop=author>John Roe</span>"
        "<meta itemprop=datePublished content='2023-12-20'>",
        BODY + "</div><div itemscope itemtype='https://schema.org/Comment'>"
        "<b itemprop=author>Troll</b><i itemprop=datePublished content='2023-12-31'></i></div>",
    )
    assert metadata.authors == ("Jane Doe", "John Roe")
    assert metadata.provenance["authors"] == "itemprop author"
    assert metadata.date == "2023-12-20"


def test_rendered_evidence():
    metadata = describe_page(
        "",
        f"<a href=/>The Daily Loaf</a><h1>{TITLE}</h1><div class='post-author'>"
        "<b class=author-name>Jane Doe</b><i class=author-title>Baker</i> 3 May 2021</div>"
        "<p>Updated: <time datetime='2021-05-04'>4 May</time></p>",
    )
    assert metadata.authors == ("Jane Doe",)
    assert (metadata.date, metadata.modified) == ("2021-05-03", "2021-05-04")
    assert metadata.provenance["authors"].startswith("class 'post-author', node ")
    assert metadata.provenance["date"].startswith("written date, node ")


def test_the_first_of_equal_headings_is_the_title_without_a_body():
    page = Snapshot.from_html(f"<h1>{TITLE}</h1><p>Dough.</p><h1>Comments</h1><p>Good.</p>")
    assert describe(page).title == TITLE


def test_a_day_of_change_is_no_day_of_publication():
    shown = "<p>Last updated: 3 May 2021</p>"
    metadata = describe_page("", shown)
    assert (metadata.date, metadata.modified) == (None, "2021-05-03")
    assert describe_page('<meta name="pubdate" content="2020-01-01">', shown).date == "2020-01-01"


def test_passages_give_metadata_that_the_page_does_not_declare():
    page = page_of()
    passages = [TemplateField("author", "Von Jane Doe", "html/body/p[1]/.", 3)]
    metadata = describe(page, passages=passages)
    assert metadata.authors == ("Jane Doe",)
    assert metadata.provenance["authors"] == "passage at html/body/p[1]/."


def test_without_htmldate_one_date_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "htmldate", None)
    assert describe_page("", "", FAR_DATE).date is None


def test_htmldate_is_the_last_resort():
    pytest.importorskip("htmldate")
    metadata = describe_page("", "", FAR_DATE)
    assert (metadata.date, metadata.provenance["date"]) == ("2021-05-02", "htmldate")


def test_htmldate_does_not_parse_a_page_without_a_date(monkeypatch):
    htmldate = pytest.importorskip("htmldate")
    parsed = []
    monkeypatch.setattr(htmldate, "find_date", lambda markup, **_: parsed.append(markup))
    describe(Snapshot.from_html("<h1>One</h1><p id=p2>Part 3 of 4</p>"))
    assert not parsed
    describe(Snapshot.from_html("<h1>One</h1><p id=p21>Part 3 of 4</p>"))
    assert len(parsed) == 1


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p></p>",
        "<h1></h1>",
        "<h1>" * 50 + "x",
        "<script type='application/ld+json'>" + "[" * 100_000 + "</script>",
        '<script type=\'application/ld+json\'>{"@type": "Article", </script>',
        '<script type=\'application/ld+json\'>{"@type": 7, "@id": [1], "author": 3}</script>',
        json_ld({"@type": "Article", "headline": "\ud800", "author": {"name": [None, {"a": 1}]}}),
        json_ld({"@type": "Article", "wordCount": 10**400, "datePublished": "9" * 10_000}),
        json_ld({"@type": "Article", "url": "http://[", "image": "http://["}),
        f"<meta name=author content='{'x, ' * 200_000}'>",
        f"<meta name=date content='{'1' * 100_000}'><time datetime='{'٣' * 50}'>",
        "<meta property=og:title content='" + " | " * 50_000 + "'>",
        "<i itemscope itemtype=Article><b itemprop=author>" * 2_000 + "x",
        "<div class=author>" * 10_000 + "Jane Doe",
    ],
    ids=range(15),
)
def test_hostile_pages_give_valid_metadata(html):
    page = Snapshot.from_html(html, url=URL)
    metadata = describe(page, kept=np.ones(len(page), bool), title=0)
    assert set(metadata.provenance) <= set(Metadata.__dataclass_fields__)
    json.dumps(metadata.provenance).encode()
    metadata.title.encode()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(("@type", "@id", "name", "author")), inner, max_size=4)
    ),
    max_leaves=20,
)


def nest(value: object) -> list[dict]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return ([value] if isinstance(value, dict) else []) + [o for v in inside for o in nest(v)]


@given(values)
def test_all_objects_are_read_in_document_order(value):
    graph = read_graph((json.dumps(value),))
    assert [json_object for json_object, _ in graph.objects] == nest(value)


@given(st.lists(values.map(lambda v: {"@type": "Article", "author": v, "headline": v, "image": v})))
def test_any_json_can_be_read(articles):
    page = page_of("".join(map(json_ld, articles)))
    assert describe(page).declared_language == "en-GB"


@pytest.mark.parametrize("wrap", ["<!-- {} -->", "/*<![CDATA[*/ {} /*]]>*/", "{};", " {} {{"])
def test_wrapped_json_is_read(wrap):
    graph = read_graph((wrap.format('{"@type": "Article", "headline": "Bread",}'),))
    assert graph.objects[0][0]["headline"] == "Bread"


def test_the_headline_of_the_method_outweighs_what_is_declared():
    head = (
        "<title>Daily Loaf: news of bread</title><meta property=og:title content='News of bread'>"
    )
    heading = "<h1>News of bread</h1>"
    metadata = described(f"{head}{heading}<h2 role=title>Bread rises</h2>")
    assert metadata.title == "Bread rises"
    assert metadata.provenance["title"].startswith("h2 element, node ")


TIME = "<time datetime={}T10:00:00Z>then</time>"
IMPORTED = "<meta property=article:published_time content=2022-01-05T08:00:00Z>"


@pytest.mark.parametrize(
    ("html", "day", "source"),
    [
        ("<p role=dateline>Published<b>3 May 2021</b>", "2021-05-03", "dateline block"),
        ("<p role=dateline>یکشنبه ۱۶ مهر ۱۴۰۲", "2023-10-08", "dateline block"),
        ("<p role=dateline>3 hours ago", "2024-01-02", "relative date"),
        ("<p role=dateline>昨天 10:30", "2024-01-01", "relative date"),
        ("<p role=byline>Jane Doe 3 hours ago", "2024-01-02", "relative date"),
        ("<p role=dateline>2 years ago", None, ""),
        ("<p role=dateline><b title='May 3, 2021 at 9 AM'>2 years ago</b>",
         "2021-05-03", "dateline block"),
        ("<p role=dateline><b data-time=1620036000>May 3</b>", "2021-05-03T", "dateline block"),
        ("<p role=dateline><b data-id=1620036000 id=2021-05-03>May 3</b>", None, ""),
        ("<p role=table>When<p role=table>3 May 2021", None, ""),
        ("<p role=dateline>Updated 3 May 2021", None, ""),
        # A day in a dateline outweighs that of another place, which may give its time.
        (TIME.format("2024-01-01") + "<p role=dateline>3 May 2021", "2021-05-03", "dateline block"),
        (TIME.format("2021-05-03") + "<p role=dateline>3 May 2021",
         "2021-05-03T10:00:00+00:00", "time element"),
        (IMPORTED + "<p role=dateline>3 May 2021", "2021-05-03", "dateline block"),
        (IMPORTED + "<p role=byline>By Jane Doe, 3 May 2021", "2021-05-03", "date in a byline"),
        # A day of change does not.
        (IMPORTED + "<p role=dateline>Last updated on 3 May 2023",
         "2022-01-05T08:00:00+00:00", "meta"),
        (IMPORTED + "<p role=dateline>5 January 2022 | Updated 3 May 2023",
         "2022-01-05T08:00:00+00:00", "meta"),
        (IMPORTED + "<p role=dateline>Updated<p role=dateline>3 May 2023",
         "2022-01-05T08:00:00+00:00", "meta"),
    ],
)  # fmt: skip
def test_days_in_datelines_and_bylines(html, day, source):
    metadata = described(f"<h1 role=title>Bread</h1>{html}")
    assert (metadata.date or "").startswith(day) if day else metadata.date is None
    assert metadata.provenance.get("date", "").startswith(source)


def test_the_dateline_of_an_update_is_a_date_of_change():
    metadata = described("<p role=dateline>Updated 3 May 2021</p>")
    assert metadata.modified == "2021-05-03"
    assert metadata.provenance["modified"].startswith("dateline block")


PORTUGUESE = "O pão cresce quando a massa descansa num lugar quente, e depois volta a descer."


@pytest.mark.parametrize(
    ("language", "body", "day"),
    [
        ("en-US", "Dough.", "2021-03-04"),
        ("fr", "Dough.", "2021-04-03"),
        ("pt-BR", "Dough.", "2021-04-03"),
        ("en-GB", "Dough.", None),
        ("''", PORTUGUESE, "2021-04-03"),
    ],
)
def test_the_order_of_day_and_month_is_that_of_the_language(language, body, day):
    page, declared = f"<html lang={language}>", "<meta name={} content={}>"
    for written in ("03/04/2021", "3/4/2021"):
        assert described(f"{page}<p role=dateline>{written}", body).date == day
        assert described(page + declared.format("date", written), body).date == day
        modified = declared.format("article:modified_time", written)
        assert described(page + modified, body).modified == day


def test_the_language_is_that_of_the_text():
    metadata = described("<html lang=en-US>", PORTUGUESE)
    assert (metadata.language, metadata.declared_language) == ("pt", "en-US")
    assert (metadata.provenance["language"], metadata.provenance["declared_language"]) == (
        "text",
        "html lang",
    )


def test_a_text_too_short_for_detection_has_the_declared_language():
    metadata = described("<html lang=pt-BR>", "Massa")
    assert (metadata.language, metadata.provenance["language"]) == ("pt-BR", "html lang")
    assert described("", "Massa").language == ""


def test_the_title_element_and_the_copyright_notice_name_the_site():
    title = f"<title>{TITLE} | The Crust</title>"
    metadata = describe_page(title, f"<h1>{TITLE}</h1>")
    assert (metadata.site_name, metadata.provenance["site_name"]) == ("The Crust", "title element")
    declared = "<meta property=og:site_name content=Loaf>"
    assert describe_page(title + declared, f"<h1>{TITLE}</h1>").site_name == "Loaf"
    notice = BODY + "</div><p>© 2024 Daily Loaf</p>"
    metadata = describe_page(f"<title>{TITLE}</title>", "", notice, url="https://dailyloaf.com/a")
    assert metadata.site_name == "Daily Loaf"
    assert metadata.provenance["site_name"] == "copyright notice"
    assert describe_page(f"<title>{TITLE}</title>", "", notice).site_name is None


@pytest.mark.parametrize(
    ("kicker", "section"),
    [
        ("News", "News"),
        ("<a href=/baking/>Baking</a>", "Baking"),
        ("<a href=/>Home</a> <b>»</b> <a href=/food/baking>Baking</a>", "Baking"),
        ("Fire in a bakery", None),
        ("Baking", None),
        ("<a href=/topics/1>Baking</a>", None),
        ("<a href=/tag/baking>Baking</a>", None),
        ("<a href=/author/jane-doe>Jane Doe</a>", None),
        ("<a href=https://other.example/baking>Baking</a>", None),
        ("<a href=/exclusive>Exclusive</a>", None),
    ],
)
def test_a_confirmed_kicker_is_the_section(kicker, section):
    html = f"<p role=kicker>{kicker}</p><h1 role=title>Bread</h1>"
    metadata = described(html)
    assert metadata.section == section
    declared = f"<meta property=article:section content=Rye>{html}"
    assert described(declared).section == "Rye"


def test_a_logo_is_not_used_as_the_picture():
    logo = "<meta property=og:image content=/img/logo.png>"
    assert describe_page(logo).image is None
    picture = "<meta name=twitter:image content=/img/rye.jpg>"
    metadata = describe_page(logo + picture)
    assert metadata.image == "https://www.example.org/img/rye.jpg"
    assert metadata.provenance["image"] == "meta twitter:image"


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ("2023-12-20T08:59:00Z", False),
        ("2023-12-20T09:01:00Z", True),
        ("2023-12-20T12:00:00+04:00", False),
        ("2023-12-20", True),
        ("2023-12-19", False),
    ],
)
def test_a_change_before_the_publication_is_dropped(changed, kept):
    metadata = describe_page(json_ld(ARTICLE | {"dateModified": changed}))
    assert metadata.date == "2023-12-20T10:00:00+01:00"
    assert (metadata.modified is not None) == kept


def test_values_have_no_invisible_characters():
    page = Snapshot.from_html(
        "<title>Heli\u00adkopter\u200blande\u2060platz</title>"
        "<meta name=author content='\ufeffJo Doe'>"
        "<meta name=description content='Ein Lande\u00adplatz am Hafen'>"
        "<meta name=keywords content='Ha\u00adfen, \u200b'><h1>Heli\u00adkopterlandeplatz</h1>"
    )
    about = describe(page, site_titles=DeclaredTitles({"Hafen\u00adblatt": 3}, 3))
    assert about.title == "Helikopterlandeplatz"
    assert about.authors == ("Jo Doe",)
    assert about.description == "Ein Landeplatz am Hafen"
    assert about.tags == ("Hafen",)
    assert about.site_name == "Hafenblatt"


@pytest.mark.parametrize(
    ("opening", "day"),
    [
        ("SAN RYE, May 3, 2021 – The bakers of San Rye", "2021-05-03"),
        ("SAN RYE, Calif., May 3, 2021 /Loaf Wire/ -- The bakers", "2021-05-03"),
        ("BERLIN (3. Mai 2021) — Die Bäcker", "2021-05-03"),
        ("San Rye, 3 May 2021 - The bakers", "2021-05-03"),
        ("The flood of May 3, 2021 – the worst of all – was", None),
        ("On May 3, 2021 – a Monday – the bakers", None),
        ("The bakers left San Rye on May 3, 2021 and", None),
        ("May 3, 2021 was a Monday – and it", None),
        ("Since May 3, 2021 – a Monday – the bakers", None),
    ],
)
def test_a_report_opens_with_its_place_and_day(opening, day):
    body = f"{opening} rose long before the sun did, as they do in the months of the rye harvest."
    metadata = described("<h1 role=title>Bread</h1>", body)
    assert metadata.date == day
