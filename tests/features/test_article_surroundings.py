"""Pictures, rules and names around blocks, and targets of links, against slow walks."""

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.article.features import block_features
from miolo.features.article.surroundings import CLIMB, FAR, NEAR
from miolo.features.blocks import TextBlocks, article_blocks
from miolo.features.dates import date_share

TAGS = ("div", "p", "figure", "a", "section", "span")
PIECES = (
    "A few words of a story. ",
    "Jane Doe",
    "<hr>",
    '<img src=a.jpg alt="A few words">',
    "<img src=b.jpg>",
)


@st.composite
def pages(draw) -> miolo.Snapshot:
    """A page of nested elements with texts, pictures and rules."""
    source, opened = [], []
    for _ in range(draw(st.integers(0, 25))):
        tag = draw(st.sampled_from(TAGS))
        source.append(f"<{tag} href=/x>" if tag == "a" else f"<{tag}>")
        opened.append(tag)
        source.append(draw(st.sampled_from(PIECES)))
        while opened and draw(st.booleans()):
            source.append(f"</{opened.pop()}>")
    return miolo.Snapshot.from_html("".join(source))


def columns(page: TextBlocks, group: str) -> dict[str, list[float]]:
    features = block_features(page)
    return {
        name.removeprefix(f"{group}."): features.values[:, number].tolist()
        for number, name in enumerate(features.names)
        if name.startswith(f"{group}.")
    }


def of(body: str, url: str = "https://paper.test/a") -> TextBlocks:
    return article_blocks(miolo.Snapshot.from_html(body, url=url))


def steps_up(snapshot: miolo.Snapshot, element: int, node: int) -> int:
    """Steps from an element to the nearest one that contains a node."""
    steps = 0
    while not element <= node < snapshot.end[element]:
        element, steps = int(snapshot.parent[element]), steps + 1
    return min(steps, CLIMB)


def check(values: list[float], expected: list[float]) -> None:
    assert np.allclose(values, expected, equal_nan=True)


@given(pages())
def test_pictures_before_and_after_are_the_nearest(snapshot):
    page = article_blocks(snapshot)
    pictures = np.flatnonzero(snapshot.with_tag("img")).tolist()
    expected: dict[str, list[tuple[float, ...]]] = {"picture_before": [], "picture_after": []}
    for first, owner in zip(page.first.tolist(), page.owner.tolist(), strict=True):
        before = [node for node in pictures if node < first][-1:]
        after = [node for node in pictures if node > first][:1]
        for name, found in (("picture_before", before), ("picture_after", after)):
            if not found:
                expected[name].append((FAR, np.nan, np.nan))
                continue
            (node,) = found
            low, high = min(first, node), max(first, node)
            between = sum(low < other < high for other in page.first.tolist())
            around = [node, *snapshot.ancestors(node)]
            in_link = any(snapshot.tag_name(each) == "a" for each in around)
            expected[name].append((min(between, FAR), steps_up(snapshot, owner, node), in_link))
    for name, rows in expected.items():
        shown = columns(page, name)
        for column, feature in enumerate(("far", "up", "linked")):
            check(shown[feature], [row[column] for row in rows])


@pytest.mark.parametrize("blocks", [0, NEAR, NEAR + 1])
def test_a_caption_repeats_the_alternative_text_of_a_picture_nearby(blocks):
    between = "<p>Other words entirely.</p>" * blocks
    page = of(f'<img src=a.jpg alt="The old bridge">{between}<p>The old bridge, 1910</p>')
    share = 0.75 if blocks <= NEAR else 0
    assert columns(page, "picture_before")["shown"][-1] == share


def test_a_biography_begins_with_the_name_of_a_byline():
    page = of(
        "<h1>The bridge</h1><p>By Jane Doe</p><p>The bridge was closed in spring, after the flood."
        "</p><p>Jane Doe</p><p>Jane Doe is a reporter of the paper in Rome.</p>"
    )
    names = columns(page, "name")
    # "The bridge" is as short as a name, and a paragraph begins with it.
    assert names["begins"] == [0, 0, 1, 0, 1]
    assert names["begun"] == [1, 1, 0, 1, 0]
    assert names["begins_next"] == [0, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("head", "url", "text", "expected"),
    [
        ("", "https://paper.test/a", "Subscribe to The Paper", 1),
        ("<meta property=og:site_name content='The Gazette'>", "", "© The Gazette", 1),
        ("<meta property=og:site_name content='The Gazette'>", "", "A paper", 0),
    ],
)
def test_blocks_mention_the_site(head, url, text, expected):
    page = of(f"<head>{head}</head><body><p>{text}</p></body>", url or "https://paper.test/a")
    assert columns(page, "name")["of_site"] == [expected]


@pytest.mark.parametrize(
    ("href", "here", "away", "story", "like_this"),
    [
        ("#top", 1, 0, 0, 0),
        ("/news/the-old-bridge-is-closed#part", 1, 0, 1, 1),
        ("/news/a-new-bridge-is-built", 0, 0, 1, 1),
        ("/news/2024/05/bridge", 0, 0, 1, 0),
        ("/topics/bridges", 0, 0, 0, 0),
        ("https://www.paper.test/news/1234567", 0, 0, 1, 1),
        ("//other.test/news/a-new-bridge-is-built", 0, 1, 1, 0),
        ("https://other.test/", 0, 1, 0, 0),
        ("https://[/", 0, 1, 0, 0),
    ],
)
def test_where_links_lead(href, here, away, story, like_this):
    page = of(
        f'<p><a href="{href}">Words</a></p>', "https://paper.test/news/the-old-bridge-is-closed"
    )
    links = {name: values[0] for name, values in columns(page, "link").items()}
    assert links == {"here": here, "away": away, "story": story, "like_this": like_this}


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("3 March 2021", 1),
        ("Jane Doe", 0),
        ("", 0),
        ("By Ann 05/26/22 4:20pm", 15 / 22),
        ("Ann 6:27 p.m. MST Jan. 29, 2017", 26 / 31),
        ("作者：曹磊 2024-05-13", 10 / 16),
        ("9" * 100_000, 0),
        ("mai " * 100_000, 0),
        ("x" * 1_000_000, 0),
    ],
)
def test_the_share_of_dates_in_a_text(text, share):
    assert date_share(text) == pytest.approx(share)
