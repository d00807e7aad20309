"""Lines with the link of another story within a text."""

import miolo
import numpy as np
import pytest
from miolo.features.blocks import article_blocks
from miolo.features.choices import story_lines

URL = "https://ledger.example/story"
LINK = '<a href="{}">The bakers of San Rye go to sea</a>'
OTHER = LINK.format("/bakers")


def lines(html: str) -> list[str]:
    page = article_blocks(
        miolo.Snapshot.from_html(f"<p>Before it.</p>{html}<p>After it.</p>", url=URL)
    )
    found = story_lines(page, np.ones(len(page), bool)).tolist()
    return [text for text, is_found in zip(page.texts, found, strict=True) if is_found]


@pytest.mark.parametrize(
    "html",
    [
        f"<p>Read also: {OTHER}</p>",
        f"<p><strong>Baca juga: {OTHER}</strong></p>",
        '<div><a href="https://ledger.example/b">RELATED: Bakers of San Rye go to sea</a></div>',
        f"<div><b>Lesen Sie auch :</b> {OTHER}</div>",
        "<p>関連記事：<a href=/b>港の漁師たちが海に戻る日</a></p>",
    ],
)
def test_a_label_and_the_link_of_a_story_are_its_line(html):
    assert len(lines(html)) == 1


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{OTHER}</p>",
        f"<p>One of them: {OTHER}, which is long.</p>",
        f"<h2>Also: {OTHER}</h2>",
        f"<ul><li>Monday: {OTHER}</li></ul>",
        f"<p>See also: {LINK.format('#bakers')}</p>",
        f"<p>Source: {LINK.format('https://agency.example/b')}</p>",
        "<p>Website: <a href=/b>San Rye</a></p>",
        f"<p>The mayor of San Rye said it in her speech: {OTHER}</p>",
    ],
)
def test_other_links_stay(html):
    assert lines(html) == []


def test_the_line_is_no_text():
    story = [f"<p>The {n} boats of the harbour went out before dawn.</p>" for n in range(2, 9)]
    page = f"<main><h1>Boats</h1>{''.join(story[:3])}<p>Read also: {OTHER}</p>{''.join(story[3:])}"
    article = miolo.extract_snapshot(miolo.Snapshot.from_html(page, url=URL))
    assert "The 8 boats" in article.text
    assert "San Rye" not in article.text
