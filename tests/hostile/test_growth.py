"""Processing time grows no faster than the size of a page, whatever the page contains."""

from dataclasses import replace
from functools import partial

import linear
import linear_pages
import miolo
import numpy as np
import pytest
from miolo.extract.metadata.describing import Description
from miolo.extract.metadata.finding import Scene
from miolo.features.blocks import text_blocks
from miolo.models.article.decision import other_stories
from miolo.output.body import body_of
from miolo.output.document.document import Item, ItemList, Paragraph, Text
from miolo.output.document.frames import Frame, close_frame
from miolo.output.extraction_parts import Post
from miolo.output.formats import FORMATS
from miolo.renderer.page.attributes import Attributes
from miolo.renderer.page.html_tags import MAX_ATTRIBUTES
from miolo.renderer.page.snapshot import Snapshot
from samples import sample

SMALL, LARGE = 8000, 32_000
# Maximum exponent of the growth: linear is 1 and quadratic is 2.
BOUND = 1.5


@pytest.mark.parametrize(
    ("family", "task"),
    sample(
        [
            ("br", "tei"),
            ("attributes", "parse"),
            ("json-ld-spaces", "metadata"),
            ("levels-text", "auto"),
            ("json-ld-addresses", "metadata"),
            ("wide-text", "auto"),
            ("levels-images", "markdown"),
            ("title", "auto"),
            ("title-parts", "nce"),
        ],
        3,
    ),
)
def test_time_is_subquadratic_in_the_size_of_the_page(family, task):
    sizes = (SMALL, LARGE)
    costs = linear.measure_steadily(family, sizes, {task: linear.tasks().get(task)})
    small, large = (cost.seconds for cost in costs[family, task])
    # Very short times vary too much to give an exponent.
    assert large < 0.2 or linear.exponent(small, large, LARGE / SMALL) < BOUND


def whole_page(family, size):
    """An extraction that keeps the page of a family."""
    return linear.whole_page(linear_pages.read_page(family, size))


@pytest.mark.parametrize("family", sample(linear_pages.INSIDE, 4))
def test_output_is_linear_in_the_content_of_a_construct(family):
    options = miolo.WriteOptions(chunk_size=100)
    small, large = (whole_page(family, size) for size in (SMALL // 20, LARGE // 20))
    for form in FORMATS:
        lengths = (len(miolo.format_extraction(page, form, options)) for page in (small, large))
        least, most = lengths
        assert most < 1.2 * (LARGE / SMALL) * least, form


@pytest.mark.parametrize("size", [1, 100, 1_000_000])
@pytest.mark.parametrize("family", ["blocks-in-cell", "words-in-item", "wide-text"])
def test_time_of_chunks_is_subquadratic(family, size):
    small, large = (
        linear.cost(partial(whole_page(family, nodes).chunks, size)).seconds
        for nodes in (SMALL, LARGE)
    )
    assert large < 0.2 or linear.exponent(small, large, LARGE / SMALL) < BOUND


def later_stories(count):
    """The article of a page and `count` later ones, of a heading and a text each."""
    article = np.arange(2 * count + 2, dtype=np.int32) // 2
    level = np.where(np.arange(len(article)) % 2, 7, 1).astype(np.float32)
    words = np.where(article, 1.0, 2.0 * len(article))
    return partial(other_stories, article, level, 0, np.ones(len(article)), words)


def lists_after_an_item(count):
    """A list of an item and the lists that follow it."""
    item = Item((Paragraph((Text("a"),)),))
    parts = [item, *[ItemList((item,))] * count]
    return lambda: close_frame(Frame("list", 0, 1, parts=list(parts)), lambda _: None)


def nested_posts(count):
    """The body of posts within each other, all of which begin with the same long text."""
    page = Snapshot.from_html("<div>" * count + f"<p>{'word ' * 24 * count}")
    posts = [Post("Ada", None, "", node) for node in np.flatnonzero(page.with_tag("div")).tolist()]
    everywhere = np.ones(len(page), bool)
    return partial(body_of, page, text_blocks(page), everywhere, posts=posts)


@pytest.mark.parametrize(
    ("work", "small", "large"),
    [
        (later_stories, SMALL, LARGE),
        (lists_after_an_item, SMALL, 4 * LARGE),
        (nested_posts, SMALL // 4, SMALL),
    ],
)
def test_time_is_subquadratic_in_the_number_of(work, small, large):
    before, now = (linear.cost(work(size)).seconds for size in (small, large))
    assert now < 0.2 or linear.exponent(before, now, large / small) < BOUND


def test_the_date_parser_gets_a_limited_number_of_attributes(monkeypatch):
    # The parser of htmldate takes a minute for 300,000 attributes. Nothing else parses a rendered
    # page.
    htmldate = pytest.importorskip("htmldate", reason="needs the extra [dates]")
    parsed = []
    monkeypatch.setattr(htmldate, "find_date", lambda markup, **_: parsed.append(markup))
    page = Snapshot.from_html("<p>some words</p>")
    names = [f"a{k}" for k in range(3 * MAX_ATTRIBUTES)]
    counts = len(names) * page.with_tag("p")
    attributes = Attributes.from_columns(counts, names, ["x"] * len(names))
    assert Description(Scene(replace(page, attributes=attributes))).metadata
    (markup,) = parsed
    assert markup.count('="x"') == MAX_ATTRIBUTES
    assert "some words" in markup
