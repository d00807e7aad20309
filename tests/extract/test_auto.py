"""The learned method on pages that other methods stumble over."""

from dataclasses import replace

import miolo
import numpy as np
import pytest
from miolo.models.article.model import shipped_article_model

SENTENCES = [
    f"The council of Fenmoor met on day {day} and, after hours of talk, put off the vote on the "
    f"bridge that {day} engineers had asked for, said the mayor."
    for day in range(2, 9)
]
MENU = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in "News Sport Money".split())
HEAD = "<title>Bridge vote put off again - Fenmoor Herald</title>"


def page(inside: str) -> str:
    return (
        f"{HEAD}<body><nav><ul>{MENU}</ul></nav><main><h1>Bridge vote put off again</h1>"
        f"{inside}</main><footer><p>© 2026 Fenmoor Herald. <a href='/terms'>Terms</a></p></footer>"
    )


def paragraphs(sentences: list[str], style: str = "") -> str:
    return "".join(f"<p{style}>{text}</p>" for text in sentences)


def body(html: str) -> list[str]:
    found = miolo.extract_snapshot(miolo.Snapshot.from_html(html), "auto")
    return found.text.split("\n\n")


def test_the_article_and_nothing_else() -> None:
    assert body(page(paragraphs(SENTENCES))) == SENTENCES


def test_it_is_the_default() -> None:
    page_ = miolo.Snapshot.from_html(page(paragraphs(SENTENCES)))
    assert miolo.extract_snapshot(page_).method == "auto"


def test_the_full_convention_takes_what_the_author_set_beside_the_text() -> None:
    rows = [["Fenmoor", "12 votes"], ["Ely", "30 votes"], ["March", "41 votes"]]
    cells = "".join(f"<tr><td>{town}</td><td>{votes}</td></tr>" for town, votes in rows)
    code = "<pre><code>votes = count(towns)\nprint(votes)</code></pre>"
    html = page(paragraphs(SENTENCES[:4]) + code + f"<table>{cells}</table>")
    snapshot = miolo.Snapshot.from_html(html)
    full = miolo.extract_snapshot(snapshot, "auto-full")
    assert [part in full.text for part in ("print(votes)", "Ely", "41 votes")] == [True] * 3
    assert all(sentence in full.text for sentence in SENTENCES[:4])
    assert "News" not in full.text
    assert "Terms" not in full.text
    table = snapshot.with_tag("table")
    news, both = (miolo.extract_snapshot(snapshot, name) for name in ("auto-news", "auto"))
    assert full.scores[table] > both.scores[table] > news.scores[table]


def test_an_article_that_waits_for_its_script() -> None:
    """Hidden until a script that never ran would have shown it."""
    hidden = paragraphs(SENTENCES[2:], " style='display:none'")
    assert body(page(paragraphs(SENTENCES[:2]) + hidden)) == SENTENCES


def test_words_for_screen_readers_are_not_among_the_text() -> None:
    text = SENTENCES[0].replace("vote", "<span style='display:none'>(opens a window)</span>vote")
    said = body(page(f"<p>{text}</p>" + paragraphs(SENTENCES[1:])))
    assert "opens a window" not in " ".join(said)


def test_nothing_long_is_said_twice() -> None:
    twice = paragraphs(SENTENCES) + paragraphs(SENTENCES[-2:])
    assert body(page(twice)) == SENTENCES


def test_reasons_name_features_and_probabilities() -> None:
    found = miolo.extract_snapshot(miolo.Snapshot.from_html(page(paragraphs(SENTENCES))), "auto")
    for block in found.blocks:
        assert "probability" in block.reason
        assert "by itself" in block.reason
    kept = [block for block in found.blocks if block.kept]
    assert all(block.reason.startswith("body: ") and block.score >= 0.45 for block in kept)


def test_a_page_without_an_article_is_told() -> None:
    found = miolo.extract_snapshot(miolo.Snapshot.from_html(f"<ul>{MENU}</ul>"), "auto")
    assert found.text == ""
    assert "no-content" in [warning.code for warning in found.warnings]


def test_a_model_of_ones_own_is_used() -> None:
    snapshot = miolo.Snapshot.from_html(page(paragraphs(SENTENCES)))
    nothing = replace(shipped_article_model(), threshold=1.1)
    assert miolo.extract_snapshot(snapshot, "auto", model=nothing).text == ""


@pytest.mark.parametrize("name", ["html", "markdown"])
def test_structure_is_that_of_the_body(name: str) -> None:
    found = miolo.extract_snapshot(miolo.Snapshot.from_html(page(paragraphs(SENTENCES))), "auto")
    written = getattr(found, name)
    assert all(text in written for text in SENTENCES)
    assert "Terms" not in written


def test_scores_are_means_of_what_is_below() -> None:
    snapshot = miolo.Snapshot.from_html(page(paragraphs(SENTENCES)))
    scores = miolo.extract_snapshot(snapshot, "auto").scores
    assert scores.shape == (len(snapshot),)
    assert ((scores >= 0) & (scores <= 1)).all()
    main = int(np.flatnonzero(snapshot.with_tag("main"))[0])
    assert scores[main] > 0.5 > scores[int(np.flatnonzero(snapshot.with_tag("footer"))[0])]
