"""Lines that offer a choice of buttons, and actions on entries."""

import miolo
import pytest
from miolo.features.blocks import article_blocks
from miolo.features.choices import action_mask, choice_mask

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


ENTRIES = [
    "<li><a href=/pan/{n}>Pan {n}</a> <b>$1{n}</b><div><a href=/cart?add={n}>Add to cart</a></div>",
    "<div><h3>Pan {n}</h3><p>$1{n}</p><p><button>Save. {n} have saved this</button></p></div>",
    "<tr><td>Pan {n}<td>$1{n}<td><a href=/p/{n}#quick>Ansehen</a> <a href=/w/{n}>Merken</a></tr>",
]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("count", [2, 5])
def test_links_that_lead_to_different_places_with_the_same_text_are_actions(entry, count):
    html = "".join(entry.format(n=number) for number in range(1, count + 1))
    page = article_blocks(miolo.Snapshot.from_html(f"<table>{html}</table>"))
    actions = [text for text, acts in zip(page.texts, action_mask(page), strict=True) if acts]
    assert len(actions) == (count if count > 2 else 0)
    assert not any("Pan" in text or "$" in text for text in actions)


def test_variants_in_a_row_are_no_actions():
    colours = "".join(f"<p><a href=/p/{{n}}/{c}>{c}</a></p>" for c in "red green blue grey".split())
    html = "".join(f"<h3>Pan {n}</h3>{colours.format(n=n)}" for n in range(4))
    page = article_blocks(miolo.Snapshot.from_html(html))
    assert not action_mask(page).any()
    filters = article_blocks(
        miolo.Snapshot.from_html("<label>Red</label><p>Red <label>pan</label>")
    )
    assert action_mask(filters, ("label",)).tolist() == [True, False]
