"""Printing of articles to PDF."""

import re

import miolo
import pytest
from newsroom.routes import ARTICLES

PAGE_OBJECT = re.compile(rb"/Type\s*/Page\b")
PICTURE = re.compile(rb"/Subtype\s*/Image\s*/Width (\d+)")
PROSE = "The harbour board met on Thursday to hear what the town thinks of the old horn. " * 5


def widest_picture(pdf):
    return max((int(width) for width in PICTURE.findall(pdf)), default=0)


def print_text(stage, snapshot, **options):
    extraction = miolo.extract_snapshot(snapshot)
    chosen = miolo.RenderOptions(**{"egress": miolo.EgressPolicy("named"), **options})
    return stage.run(miolo.print_article(extraction, stage.renderer, chosen))


def test_an_article_is_printed_without_the_rest_of_its_page(stage):
    page = next(iter(ARTICLES.values()))[0]
    snapshot = stage.render(page.path, pdf=True)
    pdf = print_text(stage, snapshot)
    assert pdf.startswith(b"%PDF-")
    sheets = [len(PAGE_OBJECT.findall(each)) for each in (pdf, snapshot.pdf)]
    assert 1 <= sheets[0] <= sheets[1]
    title = page.title.encode("utf-16-be").hex().upper().encode()
    assert page.title.encode() in pdf or title in pdf.upper()


def test_the_pictures_of_an_article_are_printed(stage, site):
    scene = site.url("/thumbs/harbour")
    source = "<title>Horn</title><h1>The horn sounds again</h1>" + f"<p>{PROSE}</p>" * 3
    picture = f"<p>{PROSE}<img src='{scene}' alt='The horn' width=400 height=300>{PROSE}</p>"
    snapshot = stage.html(source + picture + f"<p>{PROSE}</p>", url=site.url("/page"), fetch=True)
    assert "<img" in miolo.extract_snapshot(snapshot).html
    assert widest_picture(print_text(stage, snapshot)) > 50
    # The egress policy applies to pictures: only the icon of a missing picture is printed.
    assert widest_picture(print_text(stage, snapshot, egress=miolo.EgressPolicy("never"))) < 50


def test_an_article_that_cannot_be_printed_in_time_is_an_error(stage, monkeypatch):
    from miolo.renderer.browser.capture import print_page

    async def print_late(page, snapshot, limits, seconds):
        return await print_page(page, snapshot, limits, 0.001)

    monkeypatch.setattr("miolo.renderer.browser.visit.print_page", print_late)
    snapshot = stage.html("<h1>The horn</h1>" + f"<p>{PROSE}</p>" * 3)
    with pytest.raises(miolo.PageTimeoutError, match="printed"):
        print_text(stage, snapshot)
