"""The learned method on pages that are difficult for other methods."""

import re
from dataclasses import replace

import miolo
import numpy as np
import pytest
from miolo.extract.methods.auto_judgement import other_titles
from miolo.features.article.features import block_features
from miolo.features.blocks import article_blocks
from miolo.models.article.decision import LEAST, LEAST_IN_DOUBT
from miolo.models.article.model import Reader, shipped_reader
from miolo.models.article.roles import PRESETS, ROLES

SENTENCES = [
    f"The council of Fenmoor met on day {day} and, after hours of talk, put off the vote on the "
    f"bridge that {day} engineers had asked for, said the mayor."
    for day in range(2, 9)
]
SHORT_AND_LONG = ["A pan.", SENTENCES[0]]
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
    extraction = miolo.extract_snapshot(miolo.Snapshot.from_html(html), "auto")
    return extraction.text.split("\n\n")


def test_the_article_and_nothing_else() -> None:
    assert body(page(paragraphs(SENTENCES))) == SENTENCES


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("<h1>Bridge vote <i>put</i> off</h1>", "Bridge vote put off"),
        ("<h1>Bridge vote put off<div>Listen to this story</div></h1>", "Bridge vote put off"),
        ("<h1><span>Bridge <i>vote</i></span><div>Share this</div></h1>", "Bridge vote"),
        ("<h1><div>Politics in Fenmoor</div>Bridge vote put off</h1>", "Bridge vote put off"),
    ],
)
def test_the_title_is_the_text_of_its_block(heading: str, title: str) -> None:
    html = f"<title>{title}</title><body><main>{heading}{paragraphs(SENTENCES)}</main>"
    assert miolo.extract_snapshot(miolo.Snapshot.from_html(html)).title == title


@pytest.mark.parametrize("level", ["h3", "h4"])
@pytest.mark.parametrize("heading", ["1.2 Register the <code>Span</code>", "What <i>was</i> said"])
def test_a_heading_straight_after_the_title_is_text(level: str, heading: str) -> None:
    inside = f"<p class=meta>10 April 2026</p><{level}>{heading}</{level}>{paragraphs(SENTENCES)}"
    html = page(inside).replace("<main>", "<main><article>").replace("</main>", "</article></main>")
    assert body(html) == [re.sub("<[^>]+>", "", heading), *SENTENCES]


@pytest.mark.parametrize(
    ("html", "least", "is_text"),
    [
        ("<h1>Class: Oven</h1><header><h2>Oven(heat)</h2></header><div>It bakes.</div>", 0.5, True),
        ("<h2>ovens</h2><section><h5>Members</h5></section><p>They bake.", 0.7, True),
        ("<h1>Class: Oven</h1><header><h2>Oven()</h2></header><div>It bakes.</div>", 0.9, False),
        ("<h1>Oven</h1><header><h2>OVEN</h2></header><div>It bakes.</div>", 0.5, False),
        ("<h2>Oven</h2><header><h1>Class: Oven</h1></header><div>It bakes.</div>", 0.5, False),
        ("<h1>Oven</h1><header><b>Class: Oven</b></header><div>It bakes.</div>", 0.5, False),
    ],
)  # fmt: skip
def test_a_heading_below_that_of_the_title_is_no_title(html, least, is_text) -> None:
    blocks = article_blocks(miolo.Snapshot.from_html(html))
    roles = np.zeros((3, len(ROLES)))
    roles[:2, ROLES.index("title")] = 1
    level = block_features(blocks).column("tag.in_heading")
    others = other_titles(blocks, roles, 0, level, np.array([0, 0.1, 0.7]), least)
    assert others.tolist() == [False, is_text, False]


def test_the_next_story_below_is_left_out() -> None:
    others = [
        text.replace("Fenmoor", "Port Ellery").replace("bridge", "tram") for text in SENTENCES
    ]
    story = f"<article><h1>Bridge vote put off again</h1>{paragraphs(SENTENCES)}</article>"
    following = f"<article><h1>Tram line is closed</h1>{paragraphs(others)}</article>"
    snapshot = miolo.Snapshot.from_html(f"{HEAD}<body><main>{story}{following}</main>")
    extraction = miolo.extract_snapshot(snapshot)
    assert extraction.text.split("\n\n") == SENTENCES
    (left,) = [block for block in extraction.blocks if block.text == others[0]]
    assert left.contributions[0].feature == "story"
    assert "another story below the article" in left.reason


def test_the_caller_chooses_which_roles_are_the_text() -> None:
    heading = "What the engineers had asked for"
    text = paragraphs(SENTENCES[:4]) + f"<h2>{heading}</h2>" + paragraphs(SENTENCES[4:])
    snapshot = miolo.Snapshot.from_html(page(text))
    extraction = miolo.extract_snapshot(snapshot)
    without = miolo.extract_snapshot(snapshot, exclude=["subheading"])
    assert extraction.text.split("\n\n") == [*SENTENCES[:4], heading, *SENTENCES[4:]]
    assert without.text.split("\n\n") == SENTENCES
    assert {block.role for block in without.blocks if block.kept} <= PRESETS["article"]
    (left,) = [block for block in without.blocks if block.text == heading]
    assert (left.role, left.kept) == ("subheading", False)


@pytest.mark.parametrize("name", ["hidden", "post-hidden-copy", "visually-hidden"])
def test_a_copy_in_an_element_that_is_named_hidden_is_left_out(name: str) -> None:
    copy = f"<div class={name}><article>{SENTENCES[0]}</article></div>"
    assert body(page(copy + paragraphs(SENTENCES))) == SENTENCES
    # Without another copy, the element's content is the text.
    alone = page(f"<div class={name}>{paragraphs(SENTENCES)}</div>")
    assert body(alone) == SENTENCES


def test_reasons_are_written_from_contributions() -> None:
    extraction = miolo.extract_snapshot(
        miolo.Snapshot.from_html(page(paragraphs(SENTENCES))), "auto"
    )
    for block in extraction.blocks:
        sizes = [abs(each.log_odds) for each in block.contributions]
        assert sizes == sorted(sizes, reverse=True)
        kept, left_out = f"kept as {block.role} (", f"classified as {block.role}, not text ("
        assert block.reason.startswith(kept if block.kept else left_out)
        assert block.reason == extraction.why(block.node)


@pytest.mark.parametrize(
    ("added", "step"),
    [
        ("<h2>What was said</h2>", "as a heading without text below"),
        (paragraphs(SENTENCES), "as a copy of kept text"),
    ],
)
def test_a_reason_names_the_step_that_decided_against_the_probability(added, step) -> None:
    snapshot = miolo.Snapshot.from_html(page(paragraphs(SENTENCES) + added))
    extraction = miolo.extract_snapshot(snapshot)
    last = [block for block in extraction.blocks if block.text in re.sub("<[^>]+>", "\n", added)]
    assert extraction.text.split("\n\n") == SENTENCES
    assert not last[-1].kept
    assert last[-1].score > 0.5
    # Evidence for the text is no reason to leave it out.
    assert re.search(rf"\), {step}(?: –|$)", last[-1].reason)


def test_similar_entries_of_a_list_are_decided_together() -> None:
    entries = "".join(
        f"<li class=product><a href='/products/{number}'><h3 class=name>Bread pan {number}</h3></a>"
        f"<p class=about>{SHORT_AND_LONG[number % 2]}</p><span class=price>${number}.90</span>"
        for number in range(20)
    )
    html = (
        f"<title>Bread pans - Shop</title><body><nav><ul>{MENU}</ul></nav><main><h1>Bread pans</h1>"
        f"<p>20 products</p><ul class=products>{entries}</ul></main>"
    )
    snapshot = miolo.Snapshot.from_html(html, url="https://shop.test/collections/bread-pans")
    extraction = miolo.extract_snapshot(snapshot)
    assert extraction.kind not in ("article", "forum")
    abouts = [block for block in extraction.blocks if block.text in SHORT_AND_LONG]
    assert len(abouts) == 20
    (score,) = {extraction.scores[block.node] for block in abouts}
    assert score > 0.5
    assert all(block.kept for block in abouts)
    moved = [each for block in abouts for each in block.contributions if each.feature == "alike"]
    assert moved
    # The contribution of similar entries raises the score of some and lowers that of others.
    assert min(each.log_odds for each in moved) < 0 < max(each.log_odds for each in moved)


def test_listings_between_paragraphs_are_kept_unless_code_is_excluded() -> None:
    # A command of one word looks like a button.
    listing = "<pre>Share</pre>"
    snapshot = miolo.Snapshot.from_html(page(listing.join(f"<p>{text}</p>" for text in SENTENCES)))
    extraction = miolo.extract_snapshot(snapshot)
    listings = [block for block in extraction.blocks if block.tag == "pre"]
    assert len(listings) == len(SENTENCES) - 1
    assert {(block.role, block.kept) for block in listings} == {("code", True)}
    assert any("a code listing between blocks of the text" in block.reason for block in listings)
    without = miolo.extract_snapshot(snapshot, exclude=["code"])
    assert without.text.split("\n\n") == SENTENCES


def reader_of_zeros() -> Reader:
    shipped = shipped_reader()
    zeros = {name: np.zeros_like(array) for name, array in shipped.networks[0].items()}
    return replace(shipped, networks=(zeros,))


def test_a_custom_reader_is_used() -> None:
    snapshot = miolo.Snapshot.from_html(page(paragraphs(SENTENCES)))
    extraction = miolo.extract_snapshot(snapshot, "auto", model=reader_of_zeros())
    assert len({block.score for block in extraction.blocks}) == 1


@pytest.mark.parametrize(
    ("roles", "has_text"), [(["table", "code", "embed"], True), (["table"], False)]
)
def test_an_article_page_has_text_if_a_block_may_be_text(roles: list[str], has_text: bool) -> None:
    snapshot = miolo.Snapshot.from_html(page(paragraphs(SENTENCES)))
    others = PRESETS["article"] - set(roles)
    extraction = miolo.extract_snapshot(snapshot, model=reader_of_zeros(), exclude=others)
    assert extraction.kind == "article"
    score = max(block.score for block in extraction.blocks)
    assert score < LEAST
    assert bool(extraction.text) == has_text == (score >= LEAST_IN_DOUBT)


def test_texts_of_blocks_have_no_invisible_characters_outside_of_code() -> None:
    soft = [text.replace("council", "coun\u00adcil \u200b") for text in SENTENCES]
    html = page(f"{paragraphs(soft[:4])}<pre>print('\u200b', 1)</pre>{paragraphs(soft[4:])}")
    blocks = miolo.extract_snapshot(miolo.Snapshot.from_html(html)).blocks
    assert [block.text for block in blocks if block.tag == "p"][:7] == SENTENCES
    (code,) = [block.text for block in blocks if block.tag == "pre"]
    assert code == "print('\u200b', 1)"
