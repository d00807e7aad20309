"""PDFs of pages, and the dark colour scheme."""

import re

import miolo
from miolo.renderer.browser.capture import print_page
from stage import picture

PAGE_OBJECT = re.compile(rb"/Type\s*/Page\b")


def pages_of(pdf: bytes) -> int:
    return len(PAGE_OBJECT.findall(pdf))


def test_a_page_is_printed_on_as_many_sheets_as_it_takes(stage):
    sheet = "<p style='break-after: page'>A sheet</p>"
    snapshot = stage.html(sheet * 4 + "<p>The last</p>", pdf=True)
    assert snapshot.pdf[:5] == b"%PDF-"
    assert pages_of(snapshot.pdf) == 5
    assert not snapshot.page.warnings
    assert stage.html("<p>A sheet").pdf is None
    limits = miolo.Limits(pdf_pages=3)
    assert pages_of(stage.html(sheet * 50, pdf=True, limits=limits).pdf) == 3


def test_printing_reaches_nothing_forbidden_to_the_page(stage, site):
    """Pictures that a page requests only when it is printed go through the egress policy."""
    picture = "/pictures/harbour/private.svg?printed"
    style = f"@media print {{p::before {{content: url({stage.url(picture)})}}}}"
    source = f"<style>{style}</style><p>A page to print"
    snapshot = stage.html(source, pdf=True, fetch=True, egress=miolo.EgressPolicy("never"))
    assert snapshot.pdf
    assert ("GET", picture) not in site.requests


def test_a_page_that_cannot_be_printed_in_time_has_a_warning(stage, monkeypatch):
    async def print_late(page, snapshot, limits, seconds):
        return await print_page(page, snapshot, limits, 0.001)

    monkeypatch.setattr("miolo.renderer.browser.visit.print_page", print_late)
    snapshot = stage.html("<p>A sheet", pdf=True)
    assert snapshot.pdf is None
    assert [warning.code for warning in snapshot.page.warnings] == ["pdf"]


def test_a_page_sees_the_dark_colour_scheme(stage):
    source = (
        "<style>body {background: rgb(0, 0, 255)}"
        "@media (prefers-color-scheme: dark) {body {background: rgb(255, 0, 0)}}</style><p>Text"
    )
    colors = {}
    for scheme in ("light", "dark"):
        snapshot = stage.html(source, screenshot=True, color_scheme=scheme)
        colors[scheme] = tuple(picture(snapshot)[-1, -1].tolist())
    assert colors == {"light": (0, 0, 255), "dark": (255, 0, 0)}
