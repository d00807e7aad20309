"""Authors: names in a line, and lines of pages that name authors."""

import pytest
from described import described
from hypothesis import given
from hypothesis import strategies as st
from miolo.extract.metadata.names import author_names, name_key


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ("By Jane Doe and John Roe", ("Jane Doe", "John Roe")),
        ("Von Jane Doe, John Roe und Max Mustermann", ("Jane Doe", "John Roe", "Max Mustermann")),
        ("Par Jane Doe | 3 mai 2021", ("Jane Doe",)),
        ("Jane Doe, MD, and John Roe, PhD", ("Jane Doe", "John Roe")), ("Doe, Jane", ("Jane Doe",)),
        ("Jane Doe (Berlin)", ("Jane Doe",)), ("Jane Doe, Staff Writer", ("Jane Doe",)),
        ("Posted by: jane", ("jane",)), ("View all posts by Jane Doe", ("Jane Doe",)),
        ("Center for Bread Evaluation and Research", ("Center for Bread Evaluation and Research",)),
        ("松岡大地、東京新聞", ("松岡大地", "東京新聞")), ("John Roe Jr.", ("John Roe Jr.",)),
        ("Jane Doe Last updated on 3 May 2021", ("Jane Doe",)),
        ("The Daily Loaf, Berlin, Germany", ()), ("Updated by Jane Doe", ()),
        ("jane@example.org", ()), ("https://example.org/jane", ()), ("By", ()), ("admin", ()),
        ("105092", ()), ("Member", ()), ("on", ()), ("Monday", ()),
        ("Jane Doe on Monday, 3 May 2021", ("Jane Doe",)),
        ("Von Jane am 03.05.2021, 11:51 | Brot", ("Jane",)),
        ("By Jane Doe Feb 22, 7:29PM", ("Jane Doe",)),
        ("Par Jane Doe le 3 mai 2021", ("Jane Doe",)), ("Kim Le", ("Kim Le",)),
        ("For Immediate Release", ()), ("Jane Doe on", ("Jane Doe",)),
        ("Ann Friday", ("Ann Friday",)), ("Story: Jane Doe", ("Jane Doe",)),
        ("Jane Doe Tuesday, January 17, 2012 3:27 PM", ("Jane Doe",)),
        ("Penulis: Jane Doe", ("Jane Doe",)), ("Tekst av Jane Doe", ("Jane Doe",)), ("Sumber:", ()),
        ("By JANE DOE/jdoe@example.org", ("JANE DOE",)),
        ("Jane Doe (jane@example.org) and John Roe", ("Jane Doe", "John Roe")),
        ("Illustration by John Roe", ()), ("(Image: Jane Doe)", ()), ("责任编辑：林涛", ()),
        ("[编辑： 林涛 ]", ()), ("本报记者 王乐文 方 敏", ("王乐文", "方敏")), ("新华社记者", ()),
        ("大渡 美咲", ("大渡 美咲",)),
        ("Business | By Jane Doe", ("Jane Doe",)),
        ("News • by Jane Doe - A day ago", ("Jane Doe",)), ("Jane Doe Follow", ("Jane Doe",)),
        ("Published", ()), ("Reporter:", ()), ("Source: Reuters", ()),
        ("Jane Doe, Marketing Director", ("Jane Doe",)), ("Co-Founder & Marketing Director", ()),
        ("Former Staff Writer", ()), ("Representative of the Committee of Bakers", ()),
        ("By “Jane Doe” (@jane)", ("Jane Doe",)), ("Photos and Story By Jane Doe", ("Jane Doe",)),
        ("Interview by Jane Doe", ("Jane Doe",)), ("Jane Doe Senior Bread Reporter", ("Jane Doe",)),
        ("Jane Doe, Chief Baking Officer and Head of Dough", ("Jane Doe",)),
        ("Jane Doe Leave a Comment", ("Jane Doe",)),
        ("Jane Doe, Photo provided by John Roe", ("Jane Doe",)), ("Jane Doe/", ("Jane Doe",)),
        ("[Jane Doe]", ("Jane Doe",)), ("Autor: (JD), (Loaf Press)", ("JD", "Loaf Press")),
        ("Quelle: dpa", ()), ("Published: Monday", ()), ("3 min read", ()), ("Share Story", ()),
        ("Filed Under", ()), ("Commentary by", ()), ("site_admin2", ()),
        ("Jane Doe And John Roe", ("Jane Doe", "John Roe")),
        ("João Silva e Maria Souza", ("João Silva", "Maria Souza")),
        ("Jan Nowak i Ewa Lis", ("Jan Nowak", "Ewa Lis")),
        ("Jan Nowak oraz Ewa Lis", ("Jan Nowak", "Ewa Lis")),
        ("Jan Novák a Eva Malá", ("Jan Novák", "Eva Malá")),
        ("Matti Virtanen ja Liisa Korhonen", ("Matti Virtanen", "Liisa Korhonen")),
        ("Nagy Anna és Kiss Béla", ("Nagy Anna", "Kiss Béla")),
        ("Ion Pop și Ana Dan", ("Ion Pop", "Ana Dan")),
        ("Ali Kaya ve Ayşe Demir", ("Ali Kaya", "Ayşe Demir")),
        ("Budi Santoso dan Siti Aminah", ("Budi Santoso", "Siti Aminah")),
        ("Іван Франко та Леся Українка", ("Іван Франко", "Леся Українка")),
        ("Νίκος Παππάς και Μαρία Ρήγα", ("Νίκος Παππάς", "Μαρία Ρήγα")),
        ("Jane Doe, e John Roe", ("Jane Doe", "John Roe")),
        ("José Ortega y Gasset", ("José Ortega y Gasset",)), ("Müller, Anna", ("Anna Müller",)),
        ("Doe, Jane A.", ("Jane A. Doe",)), ("Smith, J. R.", ("J. R. Smith",)),
        ("Smith, J.R.", ("J.R. Smith",)), ("Breadworks, Inc.", ("Breadworks",)),
        ("Jane Doe, CEPF®", ("Jane Doe",)), ("Jane Doe, J. R. Smith", ("Jane Doe", "J. R. Smith")),
        ("Jane Doe 3 hours ago Politics", ("Jane Doe",)), ("Published 3 hours ago", ()),
        ("vor 2 Stunden", ()), ("Il y a 15 jours | Par Jeanne Blanc", ("Jeanne Blanc",)),
        ("May 3, 2024 by Jane Doe 4 Comments", ("Jane Doe",)),
        ("Posted on May 3, 2024 by Jane Doe", ("Jane Doe",)),
        ("By the Loaf Team 2–3 minutes", ("Loaf Team",)),
        ("2024. május 12. 10:15 | Kovács Anna", ("Kovács Anna",)),
        ("December 22, 2023 10:04 PM EST", ()), ("Thứ hai, 12/05/2024", ()),
        ("Senin, 13 Mei 2024 13:24 WIB", ()), ("Παρασκευή 30 Δεκεμβρίου 2011", ()),
        ("Του Γιώργου Παππά", ("Γιώργου Παππά",)),
        ("Από Νίκος Παππάς | 30.12.2011", ("Νίκος Παππάς",)),
        ("كتبت: ليلى حسن - 12 مايو 2024", ("ليلى حسن",)),
        ("מאת יוסי כהן, 12.05.2024", ("יוסי כהן",)), ("نویسنده: علی رضایی", ("علی رضایی",)),
        ("입력 2026.06.11 07:20 | 정하늘 기자", ("정하늘",)),
        ("2025.03.22. 이도현 기자", ("이도현",)),
        ("Γράφει η Ελένη Βασιλάκη", ("Ελένη Βασιλάκη",)), ("Haber: Nazlı Er", ("Nazlı Er",)),
        ("Von Hanna Lüdecke, Ellerhoop – 14. Feb. 2025", ("Hanna Lüdecke",)),
        ("Words: Jane Doe. This story first appeared on 2 May.", ("Jane Doe",)),
        ("김민수 기자 | kim@paper.example", ("김민수",)), ("이영희 사진기자", ("이영희",)),
        ("2024年6月3日 7時00分　山本 花子記者", ("山本 花子",)), ("朝日太郎 特派員", ("朝日太郎",)),
        ("记者：王小明 责任编辑：李雷", ("王小明",)), ("（文/王小明）", ("王小明",)),
        ("采写：城市记者 王小明 李雷", ("王小明", "李雷")),
        ("新华社记者王小明、李雷", ("王小明", "李雷")), ("晚報／記者王小明／台北報導", ("王小明",)),
        ("王小明 于 2023-03-12 13:08 发布", ("王小明",)), ("编辑/李雷", ()), ("网络编辑：李雷", ()),
        ("文・山田 太郎 写真・鈴木 花子", ("山田 太郎",)),
        ("文＝山田太郎　写真＝鈴木花子", ("山田太郎",)), ("Laporan Jane Doe", ("Jane Doe",)),
        ("Recette de Jane Doe", ("Jane Doe",)), ("de", ()), ("Bo", ("Bo",)),
        ("[山田太郎，Loaf]", ("山田太郎", "Loaf")),
        ("By Jane Doe The Crust Wire", ("Jane Doe",)),
        ("Friends of The Crust", ("Friends of The Crust",)),
        ("Jane Doe For Thecrust.com", ("Jane Doe",)), ("Jane Doe Twitter", ("Jane Doe",)),
        ("Jane Doe, MD, of Rye", ("Jane Doe",)), ("", ()),
        ("Beitrag von Jane Doe", ("Jane Doe",)), ("Recueilli par Jane Doe", ("Jane Doe",)),
        ("By the Rye Team", ("Rye Team",)), ("文｜王小明", ("王小明",)),
        ("ライター・犬山柴子", ("犬山柴子",)),
        ("（羅森）", ("羅森",)), ("~ Jane D.", ("Jane D.",)), ("Words: Jane Doe", ("Jane Doe",)),
        ("Rye University, New Zealand", ("Rye University",)),
        ("Jane Doe, Dietitian", ("Jane Doe",)), ("Jane Doe AP Sports Writer", ("Jane Doe",)),
        ("Edward Head", ("Edward Head",)), ("Loaf Contributor", ()), ("Former Rye Consultant", ()),
        ("Jane Doe Municipal and Courts Reporter", ()), ("Key Takeaways:", ()),
        ("Published Date: 10:00", ()), ("Fact checked", ()), ("题图来自 Hater", ()),
        ("选稿：王小明", ()),
        ("【短视频文化现象观察】", ()), ("■ イベント情報", ()), ("Par crust.be", ()),
        ("Staff Reports", ()),
    ],
)  # fmt: skip
def test_names_in_a_line(byline, names):
    assert author_names([byline], ["Daily Loaf", "crust.be"]) == names


@given(st.lists(st.text(max_size=80), max_size=5), st.lists(st.text(max_size=20), max_size=3))
def test_names_are_distinct_and_never_the_publication(byline, publication):
    names = author_names(byline, publication)
    assert len(set(names)) == len(names)
    assert not set(author_names(publication, publication))
    assert author_names(byline, publication) == names


def test_a_country_code_is_no_part_of_the_name_of_a_site():
    assert name_key("Loaf1.am") == name_key("loaf1")
    assert name_key("J.D") == "jd"


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ("By Jane Doe and John Roe", ("Jane Doe", "John Roe")),
        ("By <a>Jane Doe</a>, <a>John Roe</a> <a>Follow</a>", ("Jane Doe", "John Roe")),
        ("By<b>Van Sias</b>", ("Van Sias",)),
        ("<a>Jane Doe</a> in <a>Baking</a>", ("Jane Doe",)),
        ("<b>Jane Doe</b> Cherry Hill Courier", ("Jane Doe",)),
        ("Member", ()), ("Tuesday", ()), ("on", ()), ("3 MIN. READ", ()),
        ("記者 王小明", ("王小明",)), ("作者：王小明", ("王小明",)), ("作者：", ()), ("翻訳者", ()),
        ("By Jane Doe, <a>LOAF</a>", ("Jane Doe",)),
        ("<a>Breaking News</a> By Jane Doe 3 May 2021", ("Jane Doe",)),
        ("3 May 2021 - <a>0 comments</a> - <b>Filed under</b> - by <a>Jane Doe</a>", ("Jane Doe",)),
        ("Written for the Loaf by <a>Jane Doe</a>", ("Jane Doe",)),
        ("Loaf by Loaf Magazine", ("Loaf by Loaf Magazine",)),
        ("Baking, 3 hours ago by Jane Doe", ("Jane Doe",)),
        ("<a>Jane Doe</a>, illustrations by <b>John Roe</b>", ("Jane Doe",)),
        ("<b>Jane Doe</b> (no review by the <b>Daily Loaf</b>)", ("Jane Doe",)),
        ("By <a>Jane Doe</a> | <a>New Bread</a>, <a>News</a>", ("Jane Doe",)),
        ("By <a>admin</a> in <a>Rye Bread</a>", ()),
        ("by <b>in</b> <a>Rye Bread</a>, <a>Old Bread</a>", ()),
        ("By RYE, in <a>Old Bread</a>", ("RYE",)),
        ("<a>Rye Bread</a> By <a>admin</a>", ()),
        ("By <b>Jane Doe</b>, <a>John Roe</a>", ("Jane Doe", "John Roe")),
        ("By <b>Jane Doe</b> <a>Rye Press</a>", ("Jane Doe",)),
        ("By <b>Jane Doe</b> of <a>Rye Press</a>", ("Jane Doe",)),
        ("By <b>Jane Doe</b> and <b>John Roe</b>", ("Jane Doe", "John Roe")),
        ("By <b>Jane Doe</b> és <b>John Roe</b>", ("Jane Doe", "John Roe")),
        ("Written <b>by</b> <i>Jane Doe</i>", ("Jane Doe",)),
        ("By <a>Jane Doe</a>, Anna Wood and <a>John Roe</a>",
         ("Jane Doe", "Anna Wood", "John Roe")),
        ("Column by <b>Jane Doe</b>", ("Jane Doe",)),
        ("in <a>Old Bread</a> / Guest post by Jane Doe / May", ("Jane Doe",)),
        ("Jane Doe<sup>1</sup>, John Roe<sup>1,2</sup> and Anna Wood<sup>*</sup>",
         ("Jane Doe", "John Roe", "Anna Wood")),
        ("<b>Jane Doe<sup>1</sup></b>, <b>John Roe<sup>2</sup></b>", ("Jane Doe", "John Roe")),
        ("Par <a>Jane Doe</a> et <a>John Roe</a> (avec RYE)", ("Jane Doe", "John Roe")),
        ("<a>Jane Doe</a> (text) and <a>John Roe</a> (pictures)", ("Jane Doe", "John Roe")),
        ("입력", ()),
        ("מאת: נועה ברק ויואב שגיא", ("נועה ברק", "יואב שגיא")), ("מאת: נועה ורד", ("נועה ורד",)),
        ("Kolumne von <b>Jane Doe</b>", ("Jane Doe",)),
        ("de <a>Jane Doe</a>, 3 May 2021", ("Jane Doe",)), ("<button>add to cart</button>", ()),
        ("<a>Jane Doe</a><sup><a>12</a></sup>, <a>John Roe</a><a>1</a> &amp; <a>Anna Wood</a>",
         ("Jane Doe", "John Roe", "Anna Wood")),
        ("Photography by <a>Jane Doe</a>", ()),
        ("Category: <a>Old Bread</a>", ()),
        ("3 May 2021 | Author: <a>Jane Doe</a>", ("Jane Doe",)),
        ("<b>Jane Doe</b><p role=byline>Politics", ("Jane Doe",)),
        ("Jane Doe<br>Environment correspondent", ("Jane Doe",)),
        ("<b>Jane Doe<br>Reporter at Rye</b>", ("Jane Doe",)),
        ("By Jane Doe<br>Rye Bay", ("Jane Doe",)),
        ("लेखक: मीरा जोशी", ("मीरा जोशी",)), ("ผู้เขียน: สมชาย ใจดี", ("สมชาย ใจดี",)),
        ("Συντάκτης: Νίκος Παππάς", ("Νίκος Παππάς",)), ("글: 김민수", ("김민수",)),
        ("来源：河口日报　作者：林晓", ("林晓",)), ("Quelle: dpa Autorin: Jane Doe", ("Jane Doe",)),
        ("Photographs and text by Jane Doe", ("Jane Doe",)),
    ],
)  # fmt: skip
def test_bylines_name_authors(byline, names):
    metadata = described(f"<p role=byline>{byline.replace('<a>', '<a href=/x>')}</p>")
    assert metadata.authors == names
    if names:
        assert metadata.provenance["authors"].startswith("byline block, node ")


@pytest.mark.parametrize(
    ("dateline", "names"),
    [
        ("Jane Doe • Feb. 2, 2016", ("Jane Doe",)),
        ("September 30, 2024 by Jane Doe", ("Jane Doe",)),
        ("Publié le 3 mai 2021", ()),
        ("Publié le 3 mai 2021 par Jane Doe", ("Jane Doe",)),
        ("Last Update: 3 May 2021", ()),
        ("News 3 May 2021", ()),
        ("3 replies, last post by Jane Doe 3 May 2021", ()),
        ("Re: Old Bread by baker12: 3 May 2021", ()),
        ("<a href=/j>Jane Doe</a> | 3 May 2021", ("Jane Doe",)),
        ("3 May 2021 | <a href=/o>Old Bread</a>, <a href=/r>Rye Bread</a>", ()),
        ("3 May 2021 | Towns: <a href=/n>North Rye</a>", ()),
        ("SAN RYE", ()),
        ("Made 3 May 2021", ()),
        ("Version en vigueur depuis le 3 mai 2021", ()),
        ("प्रकाशित: 3 May 2021", ()),
        ("Jane Doe | Datum: 3 May 2021", ("Jane Doe",)),
    ],
)
def test_a_dateline_may_name_its_author(dateline, names):
    html = f"<p role=dateline>{dateline}</p>"
    assert described(html).authors == names
    # Of two lines with "by", either may count.
    both = described(f"<p role=byline>By John Roe</p>{html}").authors
    assert both in {("John Roe",), names} - {()}


@pytest.mark.parametrize(
    ("role", "text", "names"),
    [
        ("author-bio", "Written by Jane Doe", ("Jane Doe",)),
        ("author-bio", "Jane Doe writes about bread.", ()),
        ("note", "This post was written by Jane Doe, MD, of Loaf", ("Jane Doe",)),
        (
            "note",
            "(Reporting by Jane Doe and Max Roe; Editing by Ann Poe)",
            ("Jane Doe", "Max Roe"),
        ),
        ("note", "Written by hand", ()),
        ("note", "Ann Poe reviews the new book by Jane Doe", ()),
        ("boilerplate", "Author: Jane Doe", ("Jane Doe",)),
        ("boilerplate", "Autorin/Autor Jane Doe", ("Jane Doe",)),
        ("boilerplate", "作者：<b>林宜靜</b> 文字大小：【大】", ("林宜靜",)),
        ("boilerplate", "Jane Doe", ()),
        ("boilerplate", "From Jane Doe", ()),
        ("boilerplate", "του χρόνου ο φάρος", ()),
        ("boilerplate", f"Author: Jane Doe {'bakes ' * 40}", ()),
        ("note", "ライター・犬山柴子", ("犬山柴子",)),
        ("note", "（文/赵勇）", ("赵勇",)),
        ("dateline", "2012/1/17 蔡崇梧 報導", ("蔡崇梧",)),
        ("paragraph", "【台灣醒報記者林宜靜台北報導】冷冷的寒冬", ("林宜靜",)),
        ("paragraph", "（記者林宜靜）冷冷的寒冬", ("林宜靜",)),
        ("paragraph", "本报讯（记者叶婉）近日", ("叶婉",)),
        ("paragraph", "保持通風。(林麗玉報導)", ("林麗玉",)),
        ("paragraph", "记者在北京报道", ()),
        ("paragraph", "更多的報導", ()),
    ],
)
def test_other_blocks_name_authors_after_by_and_as_reporters(role, text, names):
    html = f"<p role={role}>{text}</p>"
    assert described(html).authors == names
    # A byline outweighs them.
    assert described("<p role=byline>By John Roe</p>", foot=html).authors == ("John Roe",)


def test_a_byline_with_by_outweighs_those_beside_it():
    html = "<p role=byline>Guest Blogger</p><p role=byline>By Jane Doe</p>"
    assert described(html).authors == ("Jane Doe",)


def test_bylines_of_other_articles_name_no_authors():
    more = "<p role=paragraph>More.</p>" * 9
    html = f"<p role=byline>By Jane Doe</p>{more}<p role=byline>By John Roe</p>"
    assert described(html).authors == ("Jane Doe",)


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        ("3 May 2021 <a rel='category tag' href=/c>Kuharica</a> <a href=/a>admin</a>", ()),
        ("3 May 2021, by <a rel=tag href=/j>Jane Doe</a>", ("Jane Doe",)),
    ],
)
def test_a_tag_is_an_author_only_after_by(line, authors):
    assert described(f"<p role=dateline>{line}</p>").authors == authors


ORGANIZATION = """<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Bread",
    "author": {"@type": "NewsMediaOrganization", "name": "Loaf Wire"}}</script>"""


@pytest.mark.parametrize(
    ("declared", "byline"),
    [
        ("<meta name=author content='Bread Systems Ltd'>", "<p role=byline>By Jane Doe</p>"),
        (ORGANIZATION, "<p role=byline>By <a href=/j>Jane Doe</a></p>"),
        ("<meta name=author content=JaneD>", "<p>By <a rel=author href=/j>Jane Doe</a></p>"),
    ],
)
def test_a_byline_of_a_person_outweighs_declared_accounts_and_organizations(declared, byline):
    assert described(declared).authors != ("Jane Doe",)
    assert described(declared + byline).authors == ("Jane Doe",)


@pytest.mark.parametrize(
    "html",
    [
        "<p role=byline>By Daily Loaf</p>",
        "<p role=dateline>By Daily Loaf | 3 May 2021</p>",
        "<p role=byline>By Daily Loaf</p><p class=author>Bread, Cakes</p>",
        "<meta name=author content='baker7'><p role=byline>By Daily Loaf</p>",
    ],
)
def test_a_publication_is_the_author_where_a_byline_names_no_one_else(html):
    head = "<meta property=og:site_name content='Daily Loaf'>"
    assert described(head + html).authors == ("Daily Loaf",)


def test_names_in_capitals_are_spelled_as_elsewhere():
    head = "<meta name=author content='JANE MCDOE'>"
    assert described(f"{head}<p role=byline>By Jane McDoe</p>").authors == ("Jane McDoe",)
    assert described(head).authors == ("Jane Mcdoe",)


def test_photographers_are_not_listed_beside_those_after_by():
    declared = '{"@type": "Article", "author": [{"name": "Jane Doe"}, {"name": "Max Poe"}]}'
    head = f"<script type=application/ld+json>{declared}</script>"
    credit = "Dough rises.</p><b itemprop=author>Photography by Max Poe</b>"
    assert described(f"{head}<p role=byline>By Jane Doe</p>", credit).authors == ("Jane Doe",)


@pytest.mark.parametrize(
    ("foot", "authors"),
    [
        ("<p><i>Posted by </i><a rel=author href=/a>jdoe</a> / <b>4</b></p>", ("jdoe",)),
        ("<div><span>By</span> <a href=/a>Jane Doe</a> at 8:44 AM</div>", ("Jane Doe",)),
        ("<p class=post-author>Jane Doe and John Roe</p>", ("Jane Doe", "John Roe")),
        ("<address>Rye Press<br>12 Mill Lane</address>", ()),
        (f"{'<p>Bread</p>' * 30}<p>By Jane Doe</p>", ()),
        ("<footer><address>12 Mill Lane, 4001 Ryeburg</address></footer>", ()),
        (
            "<p class=author>Jane Doe</p><footer><address>Rye Press</address></footer>",
            ("Jane Doe",),
        ),
    ],
)
def test_authors_sign_below_the_text(foot, authors):
    page = described("<h1 role=title>Rye bread</h1>", "Dough rises. " * 30, foot)
    assert page.authors == authors


def test_a_signature_is_dated():
    foot = f"<nav>{'<a href=/p>page</a> ' * 30}</nav><address>Jane Doe<br>2004-09-13</address>"
    page = described("<h1 role=title>Rye bread</h1>", "Dough rises. " * 30, foot)
    assert (page.authors, page.date) == (("Jane Doe",), "2004-09-13")


def test_marked_authors_of_other_articles_are_not_listed():
    marked = "<b itemprop=author>Jane Doe</b><b itemprop=author>Max Poe</b>"
    scope = f"<div itemscope itemtype=https://schema.org/Article>{marked}</div>"
    assert described(scope).authors == ("Jane Doe", "Max Poe")
    assert described(f"<p role=byline>By Jane Doe</p>{scope}").authors == ("Jane Doe",)


@given(st.lists(st.text(max_size=20), max_size=4), st.booleans())
def test_any_byline_can_be_read(texts, is_linked):
    tag = "a href=/x" if is_linked else "b"
    html = "".join(f"<{tag}>{text.replace('<', '')}</{tag[0]}>" for text in ("by", *texts))
    names = described(f"<p role=byline>{html}</p>").authors
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        ("<p>박서준 기자</p>", ("박서준",)),
        ("<p>2024年6月3日 佐藤 健記者</p>", ("佐藤 健",)),
        ("<p>記者</p>", ()),
        ("<p>박서준 기자의 새 책</p>", ()),
    ],
)
def test_a_line_that_ends_in_reporter_is_a_byline(line, authors):
    assert described(f"<h1 role=title>Bread</h1>{line}").authors == authors


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        ("<p>Last updated on <b>3 May 2021</b> by <b>John Roe</b></p>", ()),
        ("<div>Dernière modification <time>3 mai</time> <span>par John Roe</span></div>", ()),
        ("<p>Updated 3 May 2021</p><p>by <b>John Roe</b></p>", ("John Roe",)),
        ("<p>Updated 3 May 2021<br>by <b>John Roe</b></p>", ("John Roe",)),
        ("<p><b>3 May 2021</b> by <b>John Roe</b></p>", ("John Roe",)),
        ("<p>Posted <b>3 May</b>, updated <b>4 May</b> by <b>John Roe</b></p>", ("John Roe",)),
    ],
)
def test_who_changed_a_page_is_no_author(line, authors):
    assert described(f"<h1 role=title>Bread</h1>{line}").authors == authors


@pytest.mark.parametrize(
    ("name", "authors"), [("Ann Poe", ("Ann Poe",)), ("Write to us", ()), ("Contact", ())]
)
def test_a_name_before_an_address_is_that_of_who_wrote(name, authors):
    line = f"<b>{name}</b> <a href='mailto:list%40oven.example'>ann at oven.example</a>"
    assert described(f"<h1 role=title>Rye bread</h1>{line}<br><i>4 May 2021</i>").authors == authors


def test_a_label_within_a_line_names_the_author():
    line = "<p>Published: 4 May 2021. Text: Jane Doe</p>"
    assert described(f"<h1 role=title>Rye bread</h1>{line}").authors == ("Jane Doe",)


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        ("Autorki: Jane Doe, Ann Roe", ("Jane Doe", "Ann Roe")),
        ("Autorzy: Jan Nowak, Ewa Lis", ("Jan Nowak", "Ewa Lis")),
        ("取材・文 大渡 美咲", ("大渡 美咲",)),
        ("文＝大渡美咲", ("大渡美咲",)),
        ("構成・文 大渡美咲", ("大渡美咲",)),
        ("社会部・大渡美咲", ("大渡美咲",)),
        ("経済部 大渡 美咲", ("大渡 美咲",)),
        ("部谷健", ("部谷健",)),
    ],
)
def test_labels_before_names_in_other_forms(line, authors):
    assert author_names([line]) == authors
