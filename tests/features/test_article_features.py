"""The table of block features, and single features against slow walks over the tree."""

import re
from dataclasses import replace

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.article.features import BlockFeatures, block_features
from miolo.features.article.groups import meeting_depth
from miolo.features.article.hints import HINTS, LANDMARKS, LONGEST, NAMED, REACH, nearness
from miolo.features.blocks import TextBlocks, article_blocks

PROSE = "The council met on Monday to vote on the bridge, and it was late when all had spoken. "
STORY = f"""
<html><head><title>Council votes for the new bridge - The Paper</title>
<meta property=og:title content="Council votes for the new bridge"></head><body>
<nav class=main-menu><ul><li><a href=/>Home</a><li><a href=/a>The paper</a></ul></nav>
<article class=story><h1>Council votes for the new bridge</h1><p class=byline>By Ana Reis
<div class=article-body><p class=par>{PROSE}<p class=par>{PROSE * 2}<p class=par>{PROSE * 3}
<h2>The cost</h2><p class=par>{PROSE}<a href=/b>More on the cost</a></div></article>
<aside class=related><h3>Read more</h3><ul><li><a href=/c>Another story of today</a></ul></aside>
<p hidden>Hidden words</p></body></html>
"""
CLASSES = ("", "col-md-6", "articleBody", "story_body related", "Related-links nav", "ad x-hidden")
CLASSES += ("x" * (LONGEST - 4) + " byline",)
TAGS = ("div", "p", "ul", "li", "nav", "article", "figure", "span", "a", "section", "h2", "b")
WORDS = (
    "x",
    "Read more",
    PROSE,
    PROSE * 2,
    "By Ana",
    "12:30",
    "“Yes.”",
    "北京大学。",
    "\ud800",
    "—",
)


@st.composite
def pages(draw) -> miolo.Snapshot:
    """A page of nested elements with few tags, classes and texts, so that many are alike."""
    source, opened = [], []
    for _ in range(draw(st.integers(0, 20))):
        tag, name = draw(st.sampled_from(TAGS)), draw(st.sampled_from(CLASSES))
        where = draw(st.sampled_from(("class", "id", "role")))
        hidden = draw(st.sampled_from(("", "", "", " hidden")))
        source.append(f'<{tag} {where}="{name}" href=/{name[:3]}{hidden}>')
        opened.append(tag)
        source.append(draw(st.sampled_from(WORDS)))
        while opened and draw(st.booleans()):
            source.append(f"</{opened.pop()}>")
    return miolo.Snapshot.from_html("".join(source))


def of(source: str) -> tuple[TextBlocks, BlockFeatures]:
    page = article_blocks(miolo.Snapshot.from_html(source))
    return page, block_features(page)


def column(features: BlockFeatures, name: str) -> np.ndarray:
    return features.column(name)


def check(page: TextBlocks, features: BlockFeatures) -> None:
    assert features.values.shape == (len(page), len(features.names))
    assert features.values.dtype == np.float32
    assert len(set(features.names)) == len(features.names)
    assert all(re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_]+", name) for name in features.names)
    infinite = np.isinf(features.values).any(axis=0)
    assert not infinite.any(), np.array(features.names)[infinite]
    assert -1 <= features.headline < len(page)


@given(pages())
def test_each_block_has_a_row_of_finite_or_missing_values(snapshot):
    page = article_blocks(snapshot)
    features, again = block_features(page), block_features(article_blocks(snapshot))
    check(page, features)
    assert features.names == block_features(article_blocks(miolo.Snapshot.from_html("<p>x"))).names
    assert np.array_equal(features.values, again.values, equal_nan=True)
    assert features.headline == again.headline


@pytest.mark.parametrize(
    "source",
    ["", "<p>", "<img src=x>", "x", "<p>x", "<body hidden>all of it", "<h1>1</h1>", "\ud800"],
)
def test_nearly_empty_pages(source):
    page, features = of(source)
    check(page, features)
    assert features.names == of(STORY)[1].names


def test_looks_are_known_for_painted_blocks(stage):
    page = article_blocks(stage.html(STORY))
    features = block_features(page)
    check(page, features)
    for name in ("look.x", "look.width", "look.size", "look.lines"):
        assert (np.isnan(column(features, name)) == page.hidden).all(), name
    h1 = page.texts.index("Council votes for the new bridge")
    assert column(features, "look.larger")[h1] > 0
    assert features.headline == h1


@given(pages())
def test_nearness_matches_a_walk_up_the_tree(snapshot):
    check_nearness(snapshot)


def check_nearness(snapshot):
    page = article_blocks(snapshot)
    near = nearness(snapshot, page.owner)
    assert near.shape == (len(page), len(HINTS) + len(LANDMARKS))
    assert near.dtype == np.float32
    for row, owner in enumerate(page.owner.tolist()):
        expected = np.zeros(near.shape[1], np.float32)
        for level, node in enumerate([owner, *snapshot.ancestors(owner)][:REACH]):
            for hint in hints_of(snapshot, node):
                expected[hint] = expected[hint] or 1 / (1 + level)
        assert near[row].tolist() == expected.tolist()


def hints_of(snapshot: miolo.Snapshot, node: int) -> list[int]:
    """Hints of one element, from its whole name and its tag."""
    attributes = snapshot.attributes.of(node)
    name = " ".join(value for key, value in attributes.items() if key in NAMED)[:LONGEST]
    if snapshot.parent[node] <= 0:
        name = ""
    name = re.sub("(?<=[a-z])(?=[A-Z])", "-", name).lower().replace("_", "-")
    patterns = [re.search(pattern, name) for pattern in HINTS.values()]
    tags = [snapshot.tag_name(node) in tags for tags in LANDMARKS.values()]
    return [number for number, hit in enumerate([*patterns, *tags]) if hit]


@given(pages())
def test_a_block_and_a_node_meet_in_their_lowest_common_ancestor(snapshot):
    page = article_blocks(snapshot)
    for node in range(len(snapshot)):
        around = {node, *snapshot.ancestors(node)}
        lowest = [
            next(element for element in (owner, *snapshot.ancestors(owner)) if element in around)
            for owner in page.owner.tolist()
        ]
        assert meeting_depth(page, node).tolist() == snapshot.depth[lowest].tolist()


def test_the_headline_is_like_the_title():
    assert of(f"<h1>Council votes</h1><p>{PROSE}")[1].headline == -1
    page, features = of(STORY)
    assert page.texts[features.headline] == "Council votes for the new bridge"
    assert column(features, "declared.title")[features.headline] == 1
    assert column(features, "headline.blocks")[features.headline] == 0
    assert (np.diff(column(features, "headline.blocks")) == 1).all()


@pytest.mark.parametrize(
    ("json_ld", "expected"),
    [
        (f'{{"articleBody": "{PROSE}"}}', [1.0, 0.0]),
        (f'{{"@type": broken, "articleBody" : "{PROSE}", ', [1.0, 0.0]),
        (f'{{"articleBody": "\\q {PROSE}"}}', [1.0, 0.0]),
        (f'{{"articleBody": "\\u201c{PROSE}\\ud800"}}', [1.0, 0.0]),
        (f'{{"articleBody": "{PROSE}', None),
        ('{"articleBody": ""}', None),
        ('{"articleBody": 12}', None),
        ("[" * 20_000, None),
        ("", None),
    ],
)
def test_the_declared_body_is_read_even_from_damaged_json(json_ld, expected):
    snapshot = miolo.Snapshot.from_html(f"<p>{PROSE}<p>Nothing that was declared there.")
    snapshot = replace(snapshot, page=replace(snapshot.page, json_ld=("{}", json_ld)))
    features = block_features(article_blocks(snapshot))
    assert column(features, "copy.has_body").tolist() == [float(expected is not None)] * 2
    body = column(features, "copy.in_body").tolist()
    assert body == expected if expected else np.isnan(body).all()
