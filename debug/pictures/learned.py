"""A page of a site with the parts that were learned from the site."""

from __future__ import annotations

from collections.abc import Iterator

from PIL import Image

from ...features.article.features import block_features
from ...features.blocks import TextBlocks, article_blocks
from ...models.article.article_site import ArticleSite
from ...models.article.model import probability_of, shipped_reader
from ...models.article.roles import PRESETS
from ...models.article.site_blocks import text_keys
from ...models.site import Site
from ...renderer.page.snapshot import Snapshot
from . import canvas
from .clipping import node_boxes
from .picture import Look, Outline, draw_page, drawn_outlines

MEANINGS = {
    "kept": "element of the text",
    "head": "title of the template",
    "other": "texts of at least half of the pages",
}
LOOKS: dict[Look, str] = {"outlined": "learned places", "hatched": "repeated"}


def learned_screenshot(site: Site, snapshot: Snapshot, name: str) -> bytes:
    """Draw the parts of a learned site over the screenshot of one of its pages, as a PNG.

    The element of the text and the title of the template are outlined, and texts that the site's
    pages repeat are hatched. The legend has the name of the site.
    """
    page, blocks = canvas.open_screenshot(snapshot), article_blocks(snapshot)
    part = site.part("auto", ArticleSite)
    places = [*(_body(part, blocks) if part else ()), *_title(site, snapshot)]
    repeated = _repeated(part, blocks, page) if part else []
    # The title of one page may be a text that the others repeat, as in a link to it.
    drawn = [*(each for each in repeated if each.box not in {o.box for o in places}), *places]
    heading = f"learned from {len(site.level):,} pages of {canvas.printable(name)}"
    address = canvas.address(snapshot.page.url)
    lines = (f"{heading}   {address}",)
    return draw_page(page, drawn, lines, meanings=MEANINGS, looks=LOOKS)


def _body(part: ArticleSite, blocks: TextBlocks) -> Iterator[Outline]:
    """The element of the page's text."""
    features = block_features(blocks)
    body = probability_of(shipped_reader().read(features).roles, PRESETS["article"]) >= 0.5
    element = part.elements.find(blocks, features.words, body)
    if element is not None:
        yield _outline(blocks.snapshot, "kept", element.node, f"text: {element.pages:,} pages")


def _title(site: Site, snapshot: Snapshot) -> Iterator[Outline]:
    """The title by the page's template."""
    match = site.match(snapshot)
    if match is None or match[0].title is None:
        return
    wrapper, places, tree = match
    first, last = places.spans[wrapper.title].tolist()
    if first < last:
        label = f"title: {len(wrapper.urls):,} pages"
        yield _outline(snapshot, "head", int(tree.nodes[first]), label)


def _outline(snapshot: Snapshot, kind: str, node: int, label: str) -> Outline:
    (box,) = node_boxes(snapshot, [node])
    return Outline(kind, node, box, label, is_kept=True)


def _repeated(part: ArticleSite, blocks: TextBlocks, page: Image.Image) -> list[Outline]:
    """The texts that at least half of the pages have."""
    repeated = part.blocks.is_repeated(text_keys(blocks)).nonzero()[0].tolist()
    owners, boxes, firsts = blocks.owner.tolist(), blocks.box.tolist(), blocks.first.tolist()
    texts = [Outline("other", owners[n], tuple(boxes[n]), "repeated") for n in repeated]
    drawn = drawn_outlines(
        blocks.snapshot, texts, [firsts[n] for n in repeated], page=page
    )  # fmt: skip
    return drawn[: len(texts)]
