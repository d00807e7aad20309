"""Notes belong to the text that refers to them."""

import miolo
import numpy as np
import pytest
from miolo.features.blocks import article_blocks
from miolo.features.notes import blocks_of_notes, headed_by_link

TEXT = "The tide table was right once, on the ninth of May, when it said that nothing would move"
NOTE = "Printed in 1911 by a man from the hills."
OTHER = "A note of nobody."

FORMS = {
    "id": (
        "<p>{t}<sup><a href='#n1' id=m1>1</a></sup>.</p>",
        "<ol><li id=n1>{n} <a href='#m1'>↩</a></li></ol>",
    ),
    "no way back": ("<p>{t}<sup><a href='#n1'>[1]</a></sup>.</p>", "<div id=n1><p>{n}</p></div>"),
    "word": (
        "<p>{t}<a href='#_ftn1' name='_ftnref1'>[1]</a>.</p>",
        "<div><p><a href='#_ftnref1' name='_ftn1'>[1]</a> {n}</p></div>",
    ),
    "definition": (
        "<p>{t}<a id=m1 href='#n1'>1</a>.</p>",
        "<dl><dt id=n1><a href='#m1'>1</a></dt><dd>{n}</dd></dl>",
    ),
    "number above": (
        "<p>{t}<a href='#n1' id=m1><sup>1</sup></a>.</p>",
        "<h5><a id=n1 href='#m1'>(1)</a></h5><p>{n}</p>",
    ),
    "hidden": (
        "<p>{t}<sup><a href='#n1' id=m1>1</a></sup>.</p>",
        "<section hidden><ol><li id=n1>{n} <a href='#m1'>^</a></li></ol></section>",
    ),
    "name": ("<p>{t} <span name=tide>moves</span> of itself.</p>", "<aside name=tide>{n}</aside>"),
    "empty name": ("<p>{t} <i name=n></i>of itself.</p>", "<div name=n><p>{n}</p></div>"),
    "for print": (
        "<p>{t}<span><button>…</button></span><sup hidden><a href='#n1' id=m1>1</a></sup>.</p>",
        "<ol hidden><li id=n1>{n} <a href='#m1'>↩</a></li></ol>",
    ),
    "number": ("<p>{t} [1].</p>", "<p>[1] {n}</p>"),
    "margin": ("<div>{t}.<label for=x></label><input id=x type=checkbox><div>{n}</div></div>", ""),
    "mark in the note": ("<div>{t}<sup>1</sup> <div hidden><sup>1</sup>{n}</div></div>", ""),
    "same data": ("<div>{t}<sup data-n=a><a>*</a></sup><div data-n=a>{n}</div></div>", ""),
}


def notes_of(markup: str) -> list[str]:
    page = article_blocks(miolo.Snapshot.from_html(markup, url="https://a.example/x"))
    kept = [TEXT in text for text in page.texts]
    found = blocks_of_notes(page, np.array(kept, bool))
    return [text for text, is_note in zip(page.texts, found.tolist(), strict=True) if is_note]


@pytest.mark.parametrize("form", FORMS)
def test_a_note_whose_mark_is_in_the_text_is_found(form: str) -> None:
    mark, note = (part.format(t=TEXT, n=NOTE) for part in FORMS[form])
    found = notes_of(f"<main>{mark}</main><footer>{note}<p>{OTHER}</p></footer>")
    assert NOTE in found[-1]
    assert found[:-1] in ([], ["(1)"])


@pytest.mark.parametrize("form", FORMS)
def test_a_note_whose_mark_is_elsewhere_is_not(form: str) -> None:
    mark, note = (part.format(t="Elsewhere", n=NOTE) for part in FORMS[form])
    assert not notes_of(f"<main><p>{TEXT}</p></main><aside>{mark}</aside><footer>{note}</footer>")


@pytest.mark.parametrize(
    "other",
    [
        "<ul><li><a href='#s1'>1</a></li></ul><p>{t}</p><section id=s1><h2>One</h2>x</section>",
        "<p>{t} <a href='#s1'>a whole sentence as a link</a></p><p id=s1>x</p>",
        "<p id=s1>x</p><p>{t} <a href='#s1'>1</a></p>",
        "<p>{t} <span name=q>it</span></p><input name=q><div>x</div>",
        "<p>{t} <span name=a>it</span></p><div name=a>x</div><div name=a>y</div>",
        "<div name=a><p>{t} <span name=a>it</span></p><p>x</p></div>",
        "<div>{t}<sup>1</sup><div>x</div></div>",
        "<div>{t}<label for=y>Name</label><input id=y><div>x</div></div>",
    ],
)
def test_other_links_within_the_page_are_no_marks(other: str) -> None:
    assert not notes_of(other.format(t=TEXT))


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("<div id=u><a href='#u'>{t}</a></div>", True),
        ("<p><span id=u><a href='https://a.example/x#u'><b>{t}</b></a></span></p>", True),
        ("<div id=u><a href='#u'>{t}</a> and more</div>", False),
        ("<p><a href='#u'>{t}</a></p><p id=u>x</p>", False),
        ("<main id=u><p><a href='#u'>{t}</a></p></main>", False),
    ],
)
def test_a_line_that_links_to_itself_is_a_heading(line: str, is_heading: bool) -> None:
    markup = line.format(t=TEXT)
    page = article_blocks(miolo.Snapshot.from_html(markup, url="https://a.example/x"))
    assert headed_by_link(page)[0] == is_heading
