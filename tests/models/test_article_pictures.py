"""Which pictures of an article's page belong to the article."""

import miolo
import numpy as np
import pytest
from miolo.features.blocks import article_blocks
from miolo.models.article.pictures import with_pictures
from miolo.models.article.roles import ROLES

MARKUP = {
    "text": "<p>A paragraph of the article.</p>",
    "caption": "<p>A caption.</p>",
    "menu": "<p>Menu</p>",
    "picture": '<img src="/a.jpg">',
    "link": '<a href="/b"><img src="/b.jpg"></a>',
    "declared": '<a href="/b"><img src="/small/cover.jpg"></a>',
}
CODES = {"text": "paragraph", "caption": "caption", "menu": "boilerplate"}
HEAD = '<meta property="og:image" content="https://cdn.test/large/cover.jpg?w=1200">'


def outside(parts: list[str]) -> list[bool]:
    """Whether each picture on a page of these parts is outside the article."""
    html = f"<html><head>{HEAD}</head><body>{''.join(MARKUP[part] for part in parts)}</body></html>"
    snapshot = miolo.Snapshot.from_html(html, url="https://news.test/a")
    page = article_blocks(snapshot)
    names = [part for part in parts if part in CODES]
    assert len(page) == len(names)
    roles = np.array([ROLES.index(CODES[name]) for name in names], np.int8)
    kept = np.array([name == "text" for name in names], bool)
    chosen = with_pictures(page, roles, kept, np.ones(len(snapshot), bool))
    assert chosen[~snapshot.with_tag("img")].all()
    return (~chosen[snapshot.with_tag("img")]).tolist()


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("menu link menu text picture text", [True, False]),  # a logo in the header
        ("text link menu picture menu", [True, True]),  # an advertisement and a counter below
        ("menu declared menu text", [False]),  # the cover, above the menu
        ("text menu link menu text", [True]),  # an advertisement within the text
        ("picture caption text", [False]),
        ("text picture", [False]),
    ],
)
def test_pictures_on_typical_pages(parts, expected):
    assert outside(parts.split()) == expected


@pytest.mark.parametrize(
    ("html", "roles", "expected"),
    [
        # The caption is left out, but not its picture.
        ("<figure><img src=/a.jpg><p>Caption</p></figure><p>Text", "caption paragraph", True),
        ("<div><img src=/a.jpg><p>Credit</p></div><p>Text</p>", "credit paragraph", True),
        # The text of a teaser, too, but the article has nothing of it.
        ("<p>Text</p><div><img src=/a.jpg><p>Teaser</p></div>", "paragraph related", False),
        # An author's portrait, and the declared picture in the head of the article.
        ("<div><img src=/a.jpg><p>By Ann</p></div><p>Text</p>", "byline paragraph", False),
        ("<div><img src=/cover.jpg><p>By Ann</p></div><p>Text</p>", "byline paragraph", True),
    ],
)
def test_pictures_beside_text_that_is_left_out(html, roles, expected):
    source = f"<head>{HEAD}</head><body>{html}"
    page = article_blocks(miolo.Snapshot.from_html(source, url="https://news.test/a"))
    codes = np.array([ROLES.index(role) for role in roles.split()], np.int8)
    kept = codes == ROLES.index("paragraph")
    text = page.snapshot.is_text & kept[page.of]
    chosen = with_pictures(page, codes, kept, text)
    assert chosen[page.snapshot.with_tag("img")].tolist() == [expected]
