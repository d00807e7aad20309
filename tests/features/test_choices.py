"""Lines that offer a choice of buttons."""

import miolo
import pytest
from miolo.features.blocks import article_blocks
from miolo.features.choices import choice_mask

YES_NO = "<button>Yes</button> <button>No</button>"


def choices(html: str) -> list[str]:
    page = article_blocks(miolo.Snapshot.from_html(f"<p>Before.</p>{html}<p>After.</p>"))
    return [
        text for text, found in zip(page.texts, choice_mask(page).tolist(), strict=True) if found
    ]


@pytest.mark.parametrize(
    "html",
    [
        f"<div>Was this page helpful? {YES_NO}</div>",
        f"<form>\n  War das hilfreich?\n  <span>{YES_NO}</span>\n</form>",
        "<p>Rate it: <button>1</button><button>2</button><button><b>3</b></button></p>",
        '<div><a href="#">Share</a><a href="#">Link</a></div>',
        '<p><a href="javascript:void(0)">Teilen</a> <a href=" #! ">Merken</a></p>',
        '<div>Useful? <a href="#">Yes</a> <a href="#">No</a></div>',
        "<section><i>この記事は役に立ちましたか</i><button>はい</button><button>いいえ</button></section>",
    ],
)
def test_a_line_that_ends_with_several_buttons_is_a_choice(html):
    assert len(choices(html)) == 1


@pytest.mark.parametrize(
    "html",
    [
        "<p>A <button>hull</button> and a <button>keel</button> are parts of a boat.</p>",
        "<p>Read the <button>rest</button></p>",
        f"<li>Flour, 500 g {YES_NO}</li>",
        f"<h2>How long is the loan? {YES_NO}</h2>",
        "<pre>npm install <button>Copy</button><button>Wrap</button></pre>",
        f"<p>{'The harbour is open all day. ' * 8}{YES_NO}</p>",
        f"<div>{YES_NO}</div>",
        '<div><a href="/a">Ferries</a> <a href="/b">Boats</a></div>',
        '<div><a href="#one">One</a> <a href="#two">Two</a></div>',
        '<p>Press <a href="#">here</a> or <a href="#">there</a> to see what a ferry is.</p>',
        "<p>Nothing to press.</p>",
    ],
)
def test_text_with_buttons_of_its_own_is_none(html):
    assert choices(html) == []


def test_a_choice_is_not_in_the_text_of_a_small_page_and_has_its_reason():
    story = "".join(
        f"<p>The {n} boats of the harbour went out before dawn.</p>" for n in range(2, 7)
    )
    page = f"<main><h1>Boats</h1>{story}<div>Was this page helpful? {YES_NO}</div></main>"
    article = miolo.extract_snapshot(miolo.Snapshot.from_html(page))
    assert "The 6 boats" in article.text
    (line,) = [block for block in article.blocks if "helpful" in block.text]
    assert not line.kept
    assert "a call to action or a choice of buttons" in line.reason
