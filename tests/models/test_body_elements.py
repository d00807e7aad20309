"""The element around the bodies of a site, on the local news site and on generated pages."""

import json

import miolo
import numpy as np
from miolo.features.article.features import BlockFeatures, block_features
from miolo.features.blocks import article_blocks
from miolo.features.selectors import Selectors
from miolo.models.article.body_elements import MAX_ELEMENTS, MAX_VOTES, BodyElements, Words, _votes
from miolo.models.article.model import probability_of, shipped_reader
from miolo.models.article.roles import PRESETS

CLAUSE = "said the harbour master on Monday, and the ships went on to wait for the tide to turn"

ASIDE = (
    "<aside><a href=/a>Read next: how the cranes were built</a> <a href=/b>Tide tables</a></aside>"
)


def page(number: int, kind: str = "story", words: int = 60) -> miolo.Snapshot:
    sentences = [f"Sentence {number} and {part} of it {CLAUSE}." for part in range(words // 15)]
    body = "".join(f"<p>{text}</p>" for text in sentences)
    menu = "".join(f"<li><a href=/{n}>Section {n}</a></li>" for n in range(9))
    html = f"<title>Story {number}</title><nav><ul>{menu}</ul></nav><h1>Story {number}</h1>"
    html += f"<main><div class='{kind} post-{number}'>{body}</div>{ASIDE}</main>"
    html += "<footer>Daily</footer>"
    return miolo.Snapshot.from_html(html, url=f"https://example.org/{number}")


def learn(*pages: miolo.Snapshot) -> BodyElements:
    elements = BodyElements()
    for each in pages:
        blocks = article_blocks(each)
        features = block_features(blocks)
        elements.add(blocks, features.words, written(features))
    return elements


def written(features: BlockFeatures):
    return probability_of(shipped_reader().read(features).roles, PRESETS["everything"])


def find(elements: BodyElements, snapshot: miolo.Snapshot):
    blocks = article_blocks(snapshot)
    features = block_features(blocks)
    body = shipped_reader().read(features).of_text(PRESETS["everything"], 1.0) >= 0.5
    return elements.find(blocks, features.words, body)


def test_the_element_of_most_pages_is_found_on_another_page():
    element = find(learn(*map(page, range(4))), page(7))
    assert element.selector == "div.story"
    assert element.pages == 4
    assert 0.9 < element.fit <= 1
    (node,) = np.flatnonzero(page(7).with_tag("div"))
    assert element.node == node


def test_pages_of_another_template_have_another_element():
    elements = learn(*(page(n, "story" if n % 4 else "review") for n in range(12)))
    assert find(elements, page(20)).selector == "div.story"
    assert find(elements, page(20, "review")).selector == "div.review"


def test_an_element_with_little_of_the_body_does_not_count():
    elements = learn(*map(page, range(4)))
    other = miolo.Snapshot.from_html(
        "<title>Other</title><div class=story>A line.</div><section>"
        + "".join(f"<p>Another sentence {n} {CLAUSE}.</p>" for n in range(8))
        + "</section>"
    )
    assert find(elements, other) is None


def test_a_short_post_is_found_beside_a_longer_author_biography():
    elements = learn(*map(page, range(4)))
    short = miolo.Snapshot.from_html(
        f"<main><div class=story><p>Short news, {CLAUSE}.</div></main>"
        f"<section><p>The author, {CLAUSE}, and who {CLAUSE}, or {CLAUSE}.</section>"
    )
    blocks = article_blocks(short)
    element = elements.find(blocks, block_features(blocks).words, np.ones(len(blocks), bool))
    assert element.selector == "div.story"


def test_a_page_that_nests_many_names_has_few_votes():
    names = [f"{'ab'[n % 2] * (n % 50 + 1)} {chr(99 + n % 23)}" for n in range(1500)]
    around = "".join(f"<div class='{name}'>" for name in names)
    snapshot = miolo.Snapshot.from_html(f"{around}<p>{CLAUSE}</p>")
    blocks = article_blocks(snapshot)
    words = Words(blocks, block_features(blocks).words, np.ones(len(blocks), bool))
    vote = _votes(Selectors(snapshot), words)
    assert len(snapshot) > MAX_ELEMENTS
    assert 0 < len(vote) <= MAX_VOTES
    assert set(vote.values()) == {1000}


def test_learning_does_not_depend_on_the_order_of_pages():
    pages = [page(n, "story" if n % 2 else "review") for n in range(6)]
    saved = learn(*pages).to_json()
    assert learn(*pages[::-1]).to_json() == saved
    read = BodyElements.from_json(json.loads(json.dumps(saved)))
    assert read.to_json() == saved
    assert find(read, pages[0]) == find(learn(*pages), pages[0])
