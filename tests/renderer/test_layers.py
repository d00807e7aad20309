"""Layers over a page's text are left out of its screenshot, but stay in its snapshot."""

import miolo
import pytest
from stage import picture

PROSE = "The harbour board met on Thursday to hear what the town thinks of the old horn. " * 5
RED = (255, 0, 0)
TEXT = f"<main style='width:700px'>{f'<p>{PROSE}</p>' * 8}</main>"
FILL = "background: rgb(255, 0, 0)"

COVERING = {
    "a consent bar": f"<div class=layer style='position:fixed; bottom:500px; {FILL}'>We</div>",
    "a decorative canvas": (
        "<canvas class=layer width=900 height=900 style='position:absolute; top:0; left:0; "
        f"pointer-events:none; {FILL}'></canvas>"
    ),
    "a modal dialog and its backdrop": (
        f"<style>dialog::backdrop {{{FILL}}}</style><dialog style='{FILL}'>Yes</dialog>"
        "<script>document.querySelector('dialog').showModal()</script>"
    ),
    "a layer of a closed shadow root": (
        "<div id=host></div><script>document.getElementById('host').attachShadow({mode: 'closed'})"
        f".innerHTML = \"<div class=layer style='position:fixed; inset:50px; {FILL}'>We</div>\""
        "</script>"
    ),
    "a layer that a style sheet makes important": (
        "<style>.layer {opacity: 1 !important; visibility: visible !important; position: fixed;"
        f"inset: 50px; {FILL}}} .layer * {{visibility: visible !important; {FILL}}}</style>"
        "<div class=layer><p>We value</p></div>"
    ),
    "a frame": (
        f"<iframe class=layer srcdoc='<body style=\"{FILL}\">We' "
        "style='position:fixed; inset:50px; width:400px; height:400px'></iframe>"
    ),
}
BESIDE = {
    "a bar above the text": f"<header style='position:sticky; top:0; {FILL}'>The Ledger</header>",
    "a fixed column beside it": (
        f"<aside style='position:fixed; left:900px; top:0; width:200px; {FILL}'>Menu</aside>"
    ),
    "a background below it": f"<div style='position:fixed; inset:0; z-index:-1; {FILL}'></div>",
    "a badge with a text of its own": (
        f"<div style='position:absolute; top:300px; left:300px; {FILL}'>Exclusive</div>"
    ),
    "a layer that contains the page": f"<p>Loading</p><div style='position:fixed;inset:0;{FILL}'>",
}


def has_red(snapshot: miolo.Snapshot) -> bool:
    return bool((picture(snapshot) == RED).all(axis=2).any())


@pytest.mark.parametrize("name", COVERING)
def test_overlays_are_left_out_of_the_screenshot(stage, name):
    source = f"<!doctype html><body>{COVERING[name]}{TEXT}"
    plain = stage.html(source, screenshot=True)
    hidden = stage.html(source, screenshot=True, hide_overlays=True)
    assert has_red(plain)
    assert not has_red(hidden)
    assert hidden.page.content_hash == plain.page.content_hash
    assert (hidden.visible == plain.visible).all()
    assert (hidden.box == plain.box).all()
    assert not hidden.page.warnings


@pytest.mark.parametrize("name", BESIDE)
def test_layers_beside_below_or_around_the_text_stay(stage, name):
    source = f"<!doctype html><body>{BESIDE[name]}{TEXT}"
    assert has_red(stage.html(source, screenshot=True, hide_overlays=True))


@pytest.mark.parametrize("name", ["a consent bar", "a layer that a style sheet makes important"])
def test_layers_are_restored_before_the_page_is_captured_again(stage, monkeypatch, name):
    """A page whose layout moves is captured again, with its layers."""
    numbers = iter((1, 2, 3, 3))

    async def layout(_):
        return next(numbers)

    monkeypatch.setattr("miolo.renderer.browser.stabilizer.PageStabilizer.layout", layout)
    source = f"<!doctype html><body>{COVERING[name]}{TEXT}"
    plain = stage.html(source)
    again = stage.html(source, screenshot=True, hide_overlays=True)
    assert next(numbers, None) is None
    assert again.page.content_hash == plain.page.content_hash
    assert (again.visible == plain.visible).all()
    assert not has_red(again)


def test_a_page_with_thousands_of_layers_has_a_screenshot(stage):
    layer = f"<div style='position:fixed; inset:50px; {FILL}'></div>"
    snapshot = stage.html(f"<body>{TEXT}{layer * 3000}", screenshot=True, hide_overlays=True)
    assert snapshot.screenshot


def test_layers_that_cannot_be_hidden_cause_a_warning(stage, monkeypatch):
    async def hide_layers(*_):
        raise miolo.RenderError("the page is gone")

    monkeypatch.setattr("miolo.renderer.browser.visit.hide_layers", hide_layers)
    source = f"<body>{COVERING['a consent bar']}{TEXT}"
    snapshot = stage.html(source, screenshot=True, hide_overlays=True)
    assert has_red(snapshot)
    assert "overlays" in {warning.code for warning in snapshot.page.warnings}
