from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.extract.metadata.dates import (
    find_date,
    iso_date,
    jalali_date,
    labelled_days,
    relative_date,
    url_date,
)
from miolo.extract.metadata.finding import declared_text, tidy
from miolo.extract.metadata.languages import LanguageScores
from miolo.extract.metadata.site_names import (
    is_site_name,
    site_in_copyright,
    site_in_title,
    without_slogan,
)
from miolo.extract.metadata.values import clean_section, clean_tags, is_placeholder

zones = st.integers(-12 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
moments = st.datetimes(datetime(1990, 1, 2), datetime(2040, 1, 1), timezones=zones | st.just(UTC))


@given(moments.map(lambda moment: moment.replace(microsecond=0)))
def test_times_in_all_standard_formats_are_parsed(moment):
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
    assert iso_date(day.strftime("%m/%d/%Y"), month_first=True) == day.isoformat()
    assert url_date(day.strftime("https://example.org/%Y/%m/%d/x")) == day.isoformat()


@given(st.text(max_size=60) | st.from_regex(r"[0-9/:.T +-]{0,30}", fullmatch=True))
def test_any_text_can_be_searched_for_dates(text):
    for parsed in (iso_date(text), find_date(text), url_date(text)):
        assert parsed is None or datetime.fromisoformat(parsed)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("3 mars 2021", "2021-03-03"), ("5. März 2022", "2022-03-05"),
        ("12 de agosto de 2020", "2020-08-12"), ("20 grudnia 2023", "2023-12-20"),
        ("1º de maio de 2019", "2019-05-01"), ("7 июля 2018", "2018-07-07"),
        ("February 08 , 2016", "2016-02-08"),
        ("2021.3.4", "2021-03-04"), ("24.12.2021", "2021-12-24"), ("4/24/2021", "2021-04-24"),
        ("03/04/2021", None), ("04/04/2021", "2021-04-04"), ("31 February 2021", None),
        ("2021-13-01", None), ("Model 3 2021", None), ("", None),
        ("۱۲ مهر ۱۴۰۲", "2023-10-04"), ("1402/07/12", "2023-10-04"), ("30 اسفند 1400", None),
        ("2023年12月20號", "2023-12-20"), ("２０２３年１２月２０日", "2023-12-20"),
        ("令和元年5月1日", "2019-05-01"), ("平成31年4月30日", "2019-04-30"),
        ("民國112年12月20日", "2023-12-20"), ("二〇二三年十月三十一日", "2023-10-31"),
        ("一九九九年三月九日", "1999-03-09"), ("二〇二三年十三月一日", None),
        ("7 de febrero del 2017", "2017-02-07"), ("7 d'abril de 2020", "2020-04-07"),
        ("Feb, 07 2017", "2017-02-07"), ("12-20-2023", "2023-12-20"),
        ("2024. 5. 13. 12:52", "2024-05-13"), ("7. 2. 2017", "2017-02-07"),
        ("2020. augusztus 18.", "2020-08-18"), ("2020 m. spalio 2 d.", "2020-10-02"),
        ("11. toukokuuta 2020", "2020-05-11"), ("13 gusht 2020, 09:08", "2020-08-13"),
        ("ngày 7 tháng 2 năm 2017", "2017-02-07"), ("3 בפברואר 2021", "2021-02-03"),
        ("الأربعاء، 07 أكتوبر 2020", "2020-10-07"), ("18 كانون الثاني 2020", "2020-01-18"),
        ("2 تير 1399", "2020-06-22"), ("१२ जनवरी २०२१, 10:30", "2021-01-12"),
        ("4 மார்ச் 2024", "2024-03-04"), ("మార్చి 4, 2024", "2024-03-04"),
        ("૪ માર્ચ ૨૦૨૪", "2024-03-04"), ("12 ستمبر 2023", "2023-09-12"),
        ("11 กุมภาพันธ์ 2559 เวลา 07:07 น.", "2016-02-11"), ("8 ก.พ. 59 10.24 น.", "2016-02-08"),
        ("06.13.19 7:58PM", "2019-06-13"), ("27.04.24", None), ("1.2.13", None),
        ("06.12.34.56", None),
        ("24. siječnja 2021.", "2021-01-24"), ("2. veljače 2021.", "2021-02-02"),
        ("7. travnja 2021.", "2021-04-07"), ("9. lipnja 2021.", "2021-06-09"),
        ("9. srpnja 2021.", "2021-07-09"), ("5. kolovoza 2021.", "2021-08-05"),
        ("8. rujna 2021.", "2021-09-08"), ("5. listopada 2021.", "2021-10-05"),
        ("5 listopada 2021", "2021-11-05"), ("5. listopadu 2021", "2021-11-05"),
        ("9. srpna 2021", "2021-08-09"), ("3. studenoga 2021.", "2021-11-03"),
        ("2. prosinca 2021.", "2021-12-02"), ("2021. gada 3. maijs", "2021-05-03"),
        ("2021. gada 10. decembrī", "2021-12-10"), ("\u200f٣\u200f/٢٤\u200f/٢٠٢١", "2021-03-24"),
        ("٢٤\u200f مارس ٢٠٢١", "2021-03-24"),
    ],
)  # fmt: skip
def test_days_of_many_languages(text, day):
    assert iso_date(text) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("3 May 2021, updated 2021-06-04", "2021-05-03"),
        ("24.12.2021, changed on 5 January 2022", "2021-12-24"),
        ("May 3, 2021 (2 May 2021 in print)", "2021-05-03"),
        ("Wed Feb 18 10:00:17 EST 2004, Thu Feb 19 2004", "2004-02-18"),
        ("written on Mon May 3 09:15:00 2021", "2021-05-03"), ("Aug 7 9:05 UTC 2020", "2020-08-07"),
        ("Aug 7 9:05 people of 2020", None),
    ],
)  # fmt: skip
def test_the_first_of_several_days_is_found(text, day):
    assert find_date(text) == day


@pytest.mark.parametrize(
    ("text", "month_first", "day"),
    [
        ("27.04.24 um 07:39 Uhr", False, "2024-04-27"), ("17/01/12", False, "2012-01-17"),
        ("2/7/17", True, "2017-02-07"), ("05.08.99", False, "1999-08-05"),
        ("12/22/2023", False, "2023-12-22"), ("22/12/2023", True, "2023-12-22"),
        ("Version 10.4.12", False, None), ("10:04:12", False, None),
    ],
)  # fmt: skip
def test_numeric_days_are_read_in_the_given_order(text, month_first, day):
    assert find_date(text, month_first=month_first) == day


@pytest.mark.parametrize(
    "path",
    ["/2017/feb/07/bread", "/n1/2017/0207/c1-1.html", "/2017-02/07/content_1.htm",
     "/a/t20170207_12.html", "/20170207/bread", "/2017/02/07/"],
)  # fmt: skip
def test_addresses_give_days(path):
    assert url_date(f"https://example.org{path}") == "2017-02-07"


@pytest.mark.parametrize("path", ["/2017/mix/07/", "/2017/13/07/", "/201702071/", "/2017/"])
def test_other_numbers_in_addresses_are_not_days(path):
    assert url_date(f"https://example.org{path}") is None


PUBLISHED, CHANGED = ("date", "2021-05-03"), ("modified", "2021-05-04")


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("3 May 2021", [PUBLISHED]), ("Updated 4 May 2021", [CHANGED]),
        ("Last updated on: 4 May 2021 by Jane Doe", [CHANGED]),
        ("Posted 3 May 2021, 10:00 | Updated 4 May 2021", [PUBLISHED, CHANGED]),
        ("Aktualisiert am 4. Mai 2021, veröffentlicht am 3. Mai 2021", [CHANGED, PUBLISHED]),
        ("3 May 2021 Updated at 10:00", [PUBLISHED]), ("2021年5月4日更新", [CHANGED]),
        ("입력 2021.05.03 12:52 수정 2021.05.04 13:00", [PUBLISHED, CHANGED]),
        ("Revista 3 de mayo de 2021", [PUBLISHED]), ("Joined: Mon Jul 24, 2017 9:28 am", []),
        ("Posts: 524 Joined: 24 Jul 2017 Posted: 3 May 2021", [PUBLISHED]),
        ("3 May 2021 Join Date: 24 Jul 2017", [PUBLISHED]), ("Join us on 3 May 2021", [PUBLISHED]),
        ("Updated", []), ("", []), ("Erschienen am 03 | 05 | 2021", [PUBLISHED]),
        ("Received 1 May 2021, published online 3 May 2021", [PUBLISHED]),
    ],
)  # fmt: skip
def test_datelines_of_publication_and_of_change(line, days):
    assert labelled_days(line) == days


# From the calendars published in Iran: New Year's days and the last days of leap years.
JALALI = {
    (1357, 11, 22): "1979-02-11", (1367, 1, 1): "1988-03-21", (1375, 12, 30): "1997-03-20",
    (1379, 12, 30): "2001-03-20", (1383, 12, 30): "2005-03-20", (1387, 12, 30): "2009-03-20",
    (1391, 12, 30): "2013-03-20", (1395, 12, 30): "2017-03-20", (1398, 1, 1): "2019-03-21",
    (1399, 12, 30): "2021-03-20", (1403, 12, 30): "2025-03-20", (1404, 1, 1): "2025-03-21",
}  # fmt: skip


@pytest.mark.parametrize("day", JALALI)
def test_known_days_of_the_jalali_calendar(day):
    assert jalali_date(*day) == date.fromisoformat(JALALI[day])


@given(st.dates(date(1850, 1, 1), date(2100, 1, 1)))
def test_the_jalali_calendar_has_each_day_once(day):
    year = day.year - 622
    dates = [
        (y, m, d)
        for y in (year, year + 1)
        for m in range(1, 13)
        for d in range(1, 32)
        if jalali_date(y, m, d) == day
    ]
    assert len(dates) == 1


@given(st.integers(), st.integers(), st.integers())
def test_days_missing_in_the_jalali_calendar_are_rejected(year, month, day):
    gregorian_date = jalali_date(year, month, day)
    assert gregorian_date is None or (1 <= month <= 12 and 1 <= day <= 31)


CAPTURED = "2024-05-02T01:30:00+00:00"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("3 hours ago", "2024-05-01"), ("an hour ago", "2024-05-02"), ("5d ago", "2024-04-27"),
        ("yesterday at 10:00", "2024-05-01"), ("2 weeks ago", "2024-04-18"),
        ("vor 2 Tagen", "2024-04-30"), ("gestern", "2024-05-01"), ("vorgestern", "2024-04-30"),
        ("il y a 3 jours", "2024-04-29"), ("hace 2 días", "2024-04-30"), ("há um dia", None),
        ("2 ore fa", "2024-05-01"), ("3 dagen geleden", "2024-04-29"),
        ("5 часов назад", "2024-05-01"), ("вчера", "2024-05-01"), ("2 gün önce", "2024-04-30"),
        ("2 jam yang lalu", "2024-05-01"), ("۳ ساعت پیش", "2024-05-01"), ("امروز", "2024-05-02"),
        ("发布于3天前", "2024-04-29"), ("昨天", "2024-05-01"), ("前天", "2024-04-30"),
        ("2時間前", "2024-05-01"), ("一昨日", "2024-04-30"), ("3일 전", "2024-04-29"),
        ("2 months ago", None), ("USA Today", None), ("Yesterdays", None), ("", None),
        (f"yesterday {'x' * 90}", None),
    ],
)  # fmt: skip
def test_relative_dates_are_resolved_by_the_time_of_capture(text, day):
    assert relative_date(text, CAPTURED) == day
    assert relative_date(text, "") is None


@pytest.mark.parametrize(
    "text",
    [
        "Hier darf man nicht rauchen.", "Hier is het verhaal van Jan", "Hier, le président parle",
        "Today we are launching an oven", "Yesterday, all the boats were in", "By Ada, USA Today",
        "Gestern war ein schöner Tag", "Hoy vamos a hablar de pan", "Ayer fue un gran día",
        "Oggi parliamo di pane", "Ieri sera abbiamo mangiato", "Hoje vamos falar de pão",
        "Сегодня мы поговорим о хлебе", "Вчера было холодно", "Dziś pieczemy chleb",
        "Vandaag bakken we brood", "Gisteren was het koud", "Bugün ekmek yapıyoruz",
        "I dag baker vi brød", "Dnes pečeme chléb", "Tegnap hideg volt", "今天我们来聊面包",
        "今日はパンを焼きます", "昨日はとても寒かった", "오늘은 빵을 굽습니다", "היום אופים לחם",
        "Il y a 3 jours il est parti", "Vor 2 Tagen war er noch krank", "I saw him 3 days ago",
        "Back in the day, 5 days ago felt long", "The tide came 2 hours ago and went out again",
    ],
)  # fmt: skip
def test_a_sentence_that_names_a_day_is_no_date(text):
    assert relative_date(text, CAPTURED) is None


@pytest.mark.parametrize(
    "text",
    [
        "Hier à 10h30", "Publié hier à 12h", "Posted yesterday", "Yesterday, 08:15 AM",
        "gestern, 17:03 Uhr", "Gestern um 10:30", "Erstellt: gestern", "Publicado ayer",
        "Ayer a las 10:30", "Par Jean Dupont hier à 10:30", "Jane Doe · Yesterday",
        "Jane Doe yesterday 10:30", "Yesterday | 3 comments", "By Jane Doe, yesterday",
        "ieri, 22:10", "Ontem às 10h30", "Опубликовано вчера", "Вчера в 10:15", "wczoraj, 21:15",
        "Gisteren om 10:20", "Dün, 12:40", "发布于昨天 10:30", "昨日 10:30", "어제 10:30",
        "Jana Nováková, včera 10:30", "tegnap 10:30", "eilen klo 10.30", "i går kl. 10.30",
        "10:30 Uhr, gestern", "By Jane Doe, 1 day ago", "Posted 1 day ago by admin",
        "1 day ago 5 min read", "Von Max Müller, vor 1 Tag", "Posted 1 day ago in News",
    ],
)  # fmt: skip
def test_a_day_beside_a_label_a_name_or_a_time_is_a_date(text):
    assert relative_date(text, CAPTURED) == "2024-05-01"


@given(st.text(max_size=60))
def test_any_text_can_be_searched_for_relative_dates(text):
    parsed = relative_date(text, CAPTURED)
    assert parsed is None or parsed <= "2024-05-02"


LANGUAGES = {
    "en": "Dough that is left alone in a warm place rises, and then falls again.",
    "de": "Der Teig geht auf, wenn man ihn an einem warmen Ort stehen lässt.",
    "fa": "خمیر در جای گرم بالا می‌آید و سپس پایین می‌رود و نان خوبی می‌شود.",
    "ja": "生地は暖かい場所に置いておくと膨らみ、その後しぼみます。",
    "zh": "面团放在温暖的地方会发酵膨胀，然后又会塌下去。",
    "ru": "Тесто, оставленное в тёплом месте, поднимается, а потом опадает.",
}


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("declared", ["", "en-US", "xx", "de_DE"])
def test_languages_of_texts(code, declared):
    assert LanguageScores.of(LANGUAGES[code]).choose(declared) == code
    assert LanguageScores.of(LANGUAGES[code].upper()).choose(declared) == code


def test_a_declared_language_is_preferred_to_a_very_similar_one():
    text = "Hun sa at det var en fin dag i byen, og at de hadde det bra."
    assert LanguageScores.of(text).choose("nb") == "nb"
    assert LanguageScores.of(text).choose("en") != "en"
    # The detector knows Serbian in Cyrillic letters only.
    text = "Vlada je odlučila da će se most graditi još dve godine, rekao je ministar u Nišu."
    assert LanguageScores.of(text).choose("sr") == "sr"
    assert LanguageScores.of(text).choose("") == "hr"


@given(st.text(), st.text(max_size=8))
def test_any_text_can_be_searched_for_its_language(text, declared):
    LanguageScores.of(text).choose(declared)


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("<p>Bread <em>rises</em></p><p>again</p>", "Bread rises again"),
        ("Bread rises<br>again", "Bread rises again"),
        ("H&lt;sub&gt;2&lt;/sub&gt;O", "H2O"),
        ("The <a> element", "The <a> element"),
        ("if a <b and c> d", "if a <b and c> d"),
    ],
)
def test_declared_text_has_no_formatting(declared, text):
    assert declared_text(declared) == text


@given(st.text())
def test_tidied_text_is_encodable_and_stripped(text):
    tidied = tidy(text)
    tidied.encode()
    assert tidied == tidied.strip()


@pytest.mark.parametrize(
    ("declared", "url", "name"),
    [
        (
            "Daily Loaf - All that is bread",
            "https://www.dailyloaf.example/a",
            "Daily Loaf",
        ),
        ("All about bread | Daily Loaf", "https://dailyloaf.example/a", "Daily Loaf"),
        ("Loaf Press | Forum", "https://forum.loafpress.example/a", "Loaf Press"),
        ("Rye - Loaf College", "https://rye.loafcollege.example/a", "Loaf College"),
        ("The Rye Source - Loaf College", "https://ryesource.loaf.example/a", "The Rye Source"),
        ("Daily Loaf |", "https://bread.example/a", "Daily Loaf"),
        ("The Rye Source -", "https://bread.example/a", "The Rye Source"),
        ("- The Rye Source", "https://bread.example/a", "The Rye Source"),
        ("-=loaf=-", "https://bread.example/a", "-=loaf=-"),
        ("Bread | And More", "https://loaf.example/a", "Bread | And More"),
        ("https://www.loaf.example/", "https://www.loaf.example/a", "loaf.example"),
        ("Bread | And More", "", "Bread | And More"),
        ("|", "https://loaf.example/a", "|"),
    ],
)
def test_names_of_sites_have_no_slogan(declared, url, name):
    assert without_slogan(declared, url) == name


@pytest.mark.parametrize(
    ("declared", "url", "is_name"),
    [
        ("Daily Loaf", "https://dailyloaf.example/a", True),
        ("The News", "https://loaf.example/a", True),
        ("News", "https://loaf.example/a", False),
        ("News", "https://news.example/a", True),
        ("Bread rises in the oven again", "https://loaf.example/a", False),
        ("Baking", "https://loaf.example/baking/a", False),
        ("Baking", "https://loaf.example/a", True),
        ("Daily Loaf, " * 9, "https://loaf.example/a", False),
    ],
)
def test_sections_titles_and_sentences_are_no_names_of_sites(declared, url, is_name):
    assert is_site_name(declared, "Bread rises in the oven again", url, {"baking"}) == is_name


@pytest.mark.parametrize(
    ("rest", "url", "name"),
    [
        (" | Food | Daily Loaf", "https://dailyloaf.example/a", "Daily Loaf"),
        (" - Daily Loaf - All about bread", "https://dailyloaf.example/a", "Daily Loaf"),
        (" | Loaf Weekly Post", "https://lwp.example/a", "Loaf Weekly Post"),
        (" | The Daily Loaf", "https://dlyloaf.example/a", "The Daily Loaf"),
        (" | DLN", "https://dailyloafnews.example/a", "DLN"),
        (" • Loaf™", "https://loaf.example/a", "Loaf"),
        (" - The Crust", "https://bread.example/a", "The Crust"),
        (" | News | The Crust", "https://bread.example/a", "The Crust"),
        (" - - The Crust", "https://bread.example/a", "The Crust"),
        ("_面包-面包新闻网", "https://bread.example/a", "面包新闻网"),
        ("_面包_健康", "https://bread.example/a", None),
        (" | Baking | Rye", "https://bread.example/a", None),
        (" | Baking", "https://bread.example/a", None),
        (" | Home", "https://bread.example/a", None),
        (" | All that is good for us", "https://bread.example/a", None),
        (" | 3 May 2021", "https://bread.example/a", None),
        (" in the oven", "https://loaf.example/a", None),
    ],
)
def test_the_title_element_names_the_site(rest, url, name):
    assert site_in_title(f"Dough rises{rest}", "Dough rises", url, {"baking"}) == name


@given(st.text(max_size=80), st.text(max_size=30))
def test_the_name_of_a_site_is_part_of_the_title_element(whole, title):
    name = site_in_title(whole, title, "https://loaf.example/a")
    assert name is None or name in " ".join(whole.split())


@pytest.mark.parametrize(
    ("notice", "name"),
    [
        ("© 2024 Daily Loaf. All rights reserved.", "Daily Loaf"),
        ("Copyright 2019-2024 by The Daily Loaf, Inc.", "The Daily Loaf"),
        ("© 2024 Jane Doe", None), ("Daily Loaf", None),
        ("© Daily Loaf and all the other bakers of this town", None),
    ],
)  # fmt: skip
def test_a_copyright_notice_names_the_site_in_the_address(notice, name):
    assert site_in_copyright(["Bread", notice], "https://dailyloaf.example/a") == name


@pytest.mark.parametrize(
    ("declared", "tags"),
    [
        (["Rye", "rye", "#wheat", "# oats"], ("Rye", "wheat", "oats")),
        (["rye; wheat; oats"], ("rye", "wheat", "oats")),
        (["rye, wheat"], ("rye", "wheat")),
        (["黑麦，小麦"], ("黑麦", "小麦")),
        (["Salt, Rye and Wheat", "oats"], ("Salt, Rye and Wheat", "oats")),
        (["Category: Baking", "Subject: Rye"], ("Baking", "Rye")),
        (["Section:news:food", "Type:story", "type_news", "channel-ideas", "locale: US"], ()),
        (["16965610", "editors_pick", "_evergreen"], ()),
        (["loaf.example", "www.loaf.example", "https://loaf.example/rye", "hotels.com"],
         ("hotels.com",)),
        (["2024", "G7", "C#", "NYSE:LOAF", "type 2 diabetes"],
         ("2024", "G7", "C#", "NYSE:LOAF", "type 2 diabetes")),
        (["Rye: a history", "-", "rye" * 30], ("Rye: a history",)),
        (["The baker finds a new rye", "rye"], ("rye",)),
        (["The", "baker", "finds", "a", "new", "rye"], ()),
        (["loaf", "baker", "finds", "a", "new", "rye"], ()),
        (["new", "finds", "rye", "baker", "the"], ("new", "finds", "rye", "baker", "the")),
        (["rye", "baker"], ("rye", "baker")),
        ([f"rye {n}" for n in range(200)], ()),
    ],
)  # fmt: skip
def test_tags_are_those_of_the_article(declared, tags):
    title = "The baker finds a new rye"
    assert clean_tags(declared, title, "https://www.loaf.example/a") == tags


@given(st.lists(st.text(max_size=20)), st.text(max_size=60))
def test_tags_are_distinct(declared, title):
    tags = clean_tags(declared, title, "https://loaf.example/a")
    assert len({tag.casefold() for tag in tags}) == len(tags)


@pytest.mark.parametrize(
    ("declared", "section"),
    [
        ("Baking | Daily Loaf", "Baking"), ("Daily Loaf | Baking", "Baking"), ("Daily Loaf", None),
        ("rye.loaf.example", None), ("tags", None), ("Uncategorized", None), ("- Featured 1", None),
        ("2017", None), ("Bread rises in the oven again | Blog", None), ("Food", "Food"),
        ("Baking,Bread,Rye", "Baking"), ("Baking, Bread, Rye", "Baking"),
        ("Salt, Rye and Wheat", "Salt, Rye and Wheat"), ("news/local/bread-and-rolls", "news"),
        ("star-columns|opinion", "star-columns"), ("/news/bread", "news"),
        ("24/7 news of bread", "24/7 news of bread"), ("Food / Bread", "Food"),
        ("https://loaf.example/bread", None), ("Bread rises. " * 9, None),
    ],
)  # fmt: skip
def test_a_section_is_a_single_name_and_not_that_of_the_site_or_an_internal_one(declared, section):
    title, url = "Bread rises in the oven again", "https://loaf.example/a"
    assert clean_section(declared, title, url, ["Daily Loaf"]) == section


@pytest.mark.parametrize(
    ("address", "is_stock"),
    [
        ("https://loaf.example/logo.png", True), ("https://cdn.example/open-graph-logo.png", True),
        ("https://cdn.example/loaf_logo-300x200.png?v=3", True),
        ("https://cdn.example/DailyLoafLogo.png", True), ("https://cdn.example/no-image.jpg", True),
        ("https://cdn.example/default_photo.png", True), ("https://cdn.example/blank.jpg", True),
        ("https://cdn.example/favicon-144.png", True),
        ("https://cdn.example/apple-touch-icon@2.png", True),
        ("https://cdn.example/facebook-placeholder-49220f5423186ce4.jpg", True),
        ("https://loaf.example", True), ("https://loaf.example/", True),
        ("https://c.statcounter.com/7/0/07bc/1/", True),
        ("https://cdn.example/logo-design-tips.jpg", False),
        ("https://cdn.example/rye-mills-inc-logo.png", False),
        ("https://cdn.example/vi/x1/default.jpg", False),
        ("https://cdn.example/vi/x1/maxresdefault.jpg", False),
        ("https://cdn.example/social-share.png", False), ("https://cdn.example/?id=3", False),
        ("https://cdn.example/blank-pages-of-a-book.jpg", False),
    ],
)  # fmt: skip
def test_logos_and_placeholders_are_no_pictures_of_articles(address, is_stock):
    assert is_placeholder(address, "https://loaf.example/a", ["Daily Loaf"]) == is_stock
