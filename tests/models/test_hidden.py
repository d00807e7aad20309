"""Hidden text within an article that a page shows."""

import miolo
import numpy as np
import pytest
from miolo.features.blocks import article_blocks
from miolo.models.article.hidden import hidden_minority

SENTENCES = [
    f"The council of Fenmoor met on day {day} and, after hours of talk, put off the vote on the "
    f"bridge that {day} engineers had asked for, said the mayor."
    for day in range(2, 9)
]
DECOY = "This story was taken from another site without permission, please report it at once."


def extract(*parts: str) -> miolo.Extraction:
    inside = "".join(part if part.startswith("<") else f"<p>{part}</p>" for part in parts)
    style = "<style>.away{display:none}</style>"
    markup = f"<title>Bridge vote put off</title>{style}<main><h1>Bridge vote put off</h1>{inside}"
    return miolo.extract_snapshot(miolo.Snapshot.from_html(markup))


@pytest.mark.parametrize(
    "decoy",
    [
        f"<p hidden>{DECOY}</p>",
        f"<div class=away><p>{DECOY}</p></div>",
        f"<p style='display:none'>{DECOY}</p>",
        f"<p>{SENTENCES[3]} <span class=away>{DECOY}</span></p>",
        f"<a href='#main'>Skip</a><div id=main><p>{SENTENCES[3]}</p><p hidden>{DECOY}</p></div>",
        f"<span style='position:absolute;clip:rect(0 0 0 0)'>{DECOY}</span>",
    ],
)
@pytest.mark.parametrize("place", [1, 4])
def test_a_hidden_minority_is_left_out_with_a_warning(decoy: str, place: int) -> None:
    extraction = extract(*SENTENCES[:place], decoy, *SENTENCES[place:])
    assert "permission" not in extraction.text
    assert all(sentence in extraction.text for sentence in SENTENCES)
    warnings = [each for each in extraction.warnings if each.code == "hidden-text"]
    assert all("without permission" in each.message for each in warnings)


@pytest.mark.parametrize("name", ["small", "view"])
def test_another_version_of_the_text_is_left_out(name: str) -> None:
    lines = [DECOY, SENTENCES[1], SENTENCES[2], "In short, nobody knows what the bridge will cost."]
    hidden = "".join(f"<p>{line}</p>" for line in lines)
    shown = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    text = extract(f"<div class='{name} away'>{hidden}</div><div class=wide>{shown}</div>").text
    assert "permission" not in text
    assert "In short" not in text
    assert all(text.count(sentence) == 1 for sentence in SENTENCES)


def test_a_hidden_translation_is_left_out() -> None:
    hidden = "".join(f"<p>{each}</p>" for each in (DECOY, SENTENCES[0][:-20], SENTENCES[1][:-20]))
    versions = [
        f"<div class='version away' lang=de>{hidden}</div>",
        f"<div class=version lang=en-GB>{''.join(f'<p>{each}</p>' for each in SENTENCES)}</div>",
    ]
    assert "permission" not in extract(*versions).text
    assert "permission" in extract(*[each.replace("lang=de", "lang=en") for each in versions]).text


@pytest.mark.parametrize(
    "panel",
    [
        "<details><summary>Rules</summary><p>{}</p></details>",
        "<button aria-controls=rules>Rules</button><div id=rules hidden><p>{}</p></div>",
        "<div role=tabpanel hidden><p>{}</p></div>",
        "<a href='#rules'>Rules</a><div id=rules class=away><p>{}</p></div>",
        "<div class='tab'><p>One.</p></div><div class='tab away'><p>{}</p></div>",
        "<ul><li class=active><p>One.</p></li><p hidden></p><li class=away><p>{}</p></li></ul>",
        "<div><div>One.</div><div class=away>{}</div><div hidden>Two.</div></div>",
        "<h3>Rules</h3><div class=away>{}</div><h3>More</h3><div class=away>One.</div>",
        "<button>Rules</button><p hidden>{}</p><div><button>More</button></div><p hidden>One.</p>",
        "<div style='height: 0; overflow: hidden'><pre class=away>{}</pre></div>",
    ],
)
def test_panels_that_a_reader_opens_stay(panel: str) -> None:
    shown = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    markup = f"<style>.away{{display:none}}</style>{shown}{panel.format(DECOY)}"
    page = article_blocks(miolo.Snapshot.from_html(markup))
    words = np.array([len(text.split()) for text in page.texts], float)
    assert not hidden_minority(page, words, np.ones(len(page), bool)).any()


def test_the_hidden_article_of_a_page_that_shows_nothing_else_stays() -> None:
    hidden = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    extraction = extract(f"<div class=away>{hidden}</div>")
    assert all(sentence in extraction.text for sentence in SENTENCES)
    for chunk in extraction.chunks(200):
        assert chunk.hidden == any(sentence[:40] in chunk.text for sentence in SENTENCES)
    assert not any(chunk.hidden for chunk in extract(*SENTENCES).chunks())
