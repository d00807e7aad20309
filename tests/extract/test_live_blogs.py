"""Entries of live blogs: their times, titles and texts."""

import miolo
import pytest

TEXTS = [
    "The first lifeboat has left the quay with six volunteers and a doctor on board, the coast "
    "guard says, and is expected at the wreck within the hour.",
    "All nine sailors were found on the rocks below the old signal station, wet and cold but "
    "otherwise unharmed, according to the harbour master.",
    "A helicopter from the naval base has turned back because of the fog, which is so thick that "
    "its pilot could not see the end of his own rotor blades.",
    "The ship's owner says that its steering had been repaired in March, and that the papers for "
    "that repair will be handed to the investigators tomorrow.",
    "People in the village are cooking soup in the fire station for the crew, for the rescuers and "
    "for everybody else who happens to come in.",
    "That ends our coverage for tonight. An account of the rescue will be in the morning edition, "
    "together with photographs of the wreck.",
]


def page_of(entries: str, language: str = "en") -> str:
    return (
        f"<html lang={language}><head><title>Wreck off the cape: live</title>"
        '<meta property="article:published_time" content="2026-03-02T06:00:00Z"></head><body>'
        "<nav><a href=/>Home</a></nav><main><h1>Wreck off the cape: live</h1><p>A freighter has "
        f"run aground off the cape in thick fog. Follow the rescue here.</p>{entries}</main>"
        "<footer><p>© 2026 The Northern Post</p></footer></body></html>"
    )


def extract(entries: str, language: str = "en") -> miolo.Extraction:
    html = page_of(entries, language)
    return miolo.extract_snapshot(miolo.Snapshot.from_html(html, url="https://post.example/live"))


def entry(form: str, number: int, *, rising: bool) -> str:
    hour = 9 + (number if rising else len(TEXTS) - number)
    return form.format(hour=hour, minute=number + 10, text=TEXTS[number], number=number)


FORMS = [
    "<article class=entry><time datetime='2026-03-02T{hour:02}:{minute}:00+01:00'>"
    "{hour:02}:{minute}</time><p>{text}</p></article>",
    "<div class=post id=p{number}><span class=when>{hour:02}:{minute}</span><div><p>{text}</p>"
    "</div></div>",
    "<li><div>{hour:02}.{minute} Uhr</div><h3>Title {number}</h3><p>{text}</p></li>",
    "<section><header><b>{hour}h{minute}</b></header><h2>Title {number}</h2>{text}</section>",
    "<div class=update data-timestamp='2026-03-02T{hour:02}:{minute}:00Z'><p>{text}</p></div>",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rising", [True, False])
def test_entries_are_posts_with_their_times(form: str, rising: bool) -> None:
    found = extract("".join(entry(form, number, rising=rising) for number in range(len(TEXTS))))
    assert len(found.posts) == len(TEXTS)
    for number, post in enumerate(found.posts):
        hour = 9 + (number if rising else len(TEXTS) - number)
        assert TEXTS[number] in post.text
        assert (post.date or "").startswith(f"2026-03-02T{hour:02}:{number + 10}")
        assert post.title == (f"Title {number}" if "Title" in form else "")
        assert post.title in found.text
        assert post.author == ""
        before = found.markdown.partition(TEXTS[number])[0].rpartition("***")[2]
        assert f"{number + 10}" in before
        assert before.count(f"{number + 10}") == 1
    assert miolo.Extraction.from_dict(found.to_dict()).posts == found.posts


def test_times_within_an_ordinary_article_are_no_entries() -> None:
    texts = "".join(f"<p>{text}</p>" for text in TEXTS)
    for inserted in ("<p>10:45</p>", "<ul><li>10:45</li><li>11:30</li><li>12:15</li></ul>"):
        found = extract(texts + inserted + texts[:200])
        assert found.posts == ()
        assert "***" not in found.markdown


def test_times_in_no_order_are_no_entries() -> None:
    hours = (12, 4, 17, 3, 22, 1)
    entries = "".join(
        f"<div class=track><span>{hour:02}:{number + 10}</span><p>{TEXTS[number]}</p></div>"
        for number, hour in enumerate(hours)
    )
    assert extract(entries).posts == ()
