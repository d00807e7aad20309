"""What the style sheets within a static page hide."""

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st

TEXT = "<div id=box class='note big' data-part='box note'><p>Shown or hidden?</p></div><p>Other</p>"


def shown(style: str, body: str = TEXT) -> list[str]:
    markup = f"<head><style>{style}</style></head><body>{body}"
    snapshot = miolo.Snapshot.from_html(markup)
    nodes = range(len(snapshot))
    return [snapshot.text[n] for n in nodes if snapshot.is_text[n] and snapshot.visible[n]]


@pytest.mark.parametrize(
    "style",
    [
        ".note{display:none}",
        "div.note.big { color: red; display : none }",
        "#box p{visibility:hidden}",
        "body > div{display:none!important} .note{display:block}",
        ".x,.note{display:none}",
        "/* .y{ */ .note{display:none} /* } */",
        "@media print{.note{display:block}} .note{display:none}",
        "@charset 'utf-8'; .note{display:none}",
        ".note{position:absolute;clip:rect(0 0 0 0)}",
        ".note{left:-9999px}",
        ".note{font-size:0}",
        ".note{max-height:0;overflow:hidden}",
        ".note{position:absolute;opacity:0}",
        "#box{display:none} .note{display:block}",
        "[data-part]{display:none}",
        "div[data-part~='note']{display:none}",
        '[data-part^=box][data-part$="note"]{display:none}',
        "@media screen{.note{display:none}}",
        "@media print, (min-width: 60em) and (max-width: 1280px){.note{display:none}}",
        "@layer parts{ @supports (display: grid){ .note{display:none} } }",
    ],
)
def test_a_rule_hides_what_it_selects(style: str) -> None:
    assert shown(style) == ["Other"]


@pytest.mark.parametrize(
    "style",
    [
        ".note{display:block}",
        "@media print{.note{display:none}}",
        "@media (max-width: 600px){ .a{} .note{display:none} }",
        "@media (min-width: 1281px){.note{display:none}}",
        "@media screen and (prefers-contrast: more){.note{display:none}}",
        "@media not screen{.note{display:none}}",
        "@media print{ @supports (display: grid){ .note{display:none} } }",
        "[data-part=note]{display:none}",
        "[data-part*='']{display:none}",
        "[data-part~=note]:hover{display:none}",
        ".note:hover{display:none}",
        ".note + p{display:none}",
        "p > #box{display:none}",
        ".note{display:none} .note{display:block}",
        ".note{display:none} #box{display:block}",
        "span.note{display:none}",
        ".note{font-size:0.9em}",
        ".note{min-height:0;overflow:hidden}",
        ".note{opacity:0}",
        ".note{position:absolute;opacity:0.8}",
        ".note{",
        "}",
    ],
)
def test_other_rules_hide_nothing(style: str) -> None:
    assert shown(style) == ["Shown or hidden?", "Other"]


@given(st.text(alphabet="{}.#>@,[]=() *:;!-abdisplaynoe/\\\"'", max_size=200))
def test_any_style_sheet_is_read(style: str) -> None:
    assert set(shown(style)) <= {"Shown or hidden?", "Other"}
