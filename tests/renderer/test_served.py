"""Pages as their servers sent them."""

import miolo
import pytest
from miolo.renderer.network.exchange import Exchange
from miolo.renderer.page.served import served_page

URL = "https://a.example/story"


def read_served(
    body: bytes, kind: str = "text/html", status: int = 200, headers: tuple = ()
) -> miolo.Snapshot:
    all_headers = (("content-type", kind), *headers)
    return served_page(URL, Exchange("https://b.example/", status, all_headers, body))


@pytest.mark.parametrize(
    ("kind", "declared"),
    [
        ("text/html; charset=koi8-r", "utf-8"), ('Text/HTML;charset="KOI8-R"', "utf-8"),
        ("text/html;x=1; charset = koi8-r", "utf-8"), ("text/html", "koi8-r"),
        ("text/html; charset=", "koi8-r"), ("text/html; charset=martian", "koi8-r"),
    ],
)  # fmt: skip
def test_the_encoding_is_that_of_the_header_or_else_of_the_page(kind: str, declared: str) -> None:
    assert (
        "Вечер" in read_served(f'<meta charset="{declared}"><p>Вечер'.encode("koi8-r"), kind).text
    )


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (200, "text/plain"),
        (200, ""),
        (200, "text/xml"),
        # In XHTML, `<title/>` is a whole element, and no parser of HTML reads it so.
        (200, "application/xhtml+xml"),
        (204, "text/html"),
    ],
)
def test_responses_other_than_html_pages_need_a_browser(status: int, kind: str) -> None:
    with pytest.raises(miolo.BrowserRequiredError, match="needs a browser"):
        read_served(b"<p>Text", kind, status)


@pytest.mark.parametrize(("status", "delay"), [(403, None), (503, 7.0)])
def test_an_error_status_raises_an_error_with_the_delay_that_the_site_asks_for(status, delay):
    with pytest.raises(miolo.NavigationError) as caught:
        read_served(b"busy", status=status, headers=(("Retry-After", "7"),) if delay else ())
    error = caught.value
    assert (error.status, error.retry_after, error.url) == (status, delay, URL)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ('"a-1"', '"a-1"'),
        ('W/"a"', 'W/"a"'),
        # Chromium joins repeated headers by line breaks.
        ('"a"\n"b"', '"a"'),
        ('"a\x01"', ""),
        ("a" * 2000, ""),
        ("", ""),
    ],
)
def test_a_page_has_the_validators_that_can_be_sent_back(sent: str, kept: str) -> None:
    page = read_served(b"<p>Text", headers=(("ETag", sent), ("last-modified", "Tue, 14 May 2024")))
    assert (page.page.etag, page.page.last_modified) == (kept, "Tue, 14 May 2024")
