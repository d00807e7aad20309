"""Bytes without a header."""

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.renderer.encoding import decode_html

LATE = "<html><head>" + "<!-- " + "x" * 2000 + " -->"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("<p>Grüße</p>".encode(), "<p>Grüße</p>"),
        (b"\xef\xbb\xbf<p>\xc3\xbc", "<p>ü"),
        (b"\xff\xfe" + "<p>ü".encode("utf-16-le"), "<p>ü"),
        ('<meta charset="gb2312"><p>新华社'.encode(), '<meta charset="gb2312"><p>新华社'),
        ('<meta charset="gb2312"><p>新华社'.encode("gb2312"), '<meta charset="gb2312"><p>新华社'),
        ('<meta charset="iso-8859-1"><p>é'.encode("latin-1"), '<meta charset="iso-8859-1"><p>é'),
        (b"<p>caf\xe9 \x93so\x94", "<p>café “so”"),
        (b"", ""),
    ],
)
def test_bytes_are_read_as_what_they_are(data: bytes, text: str) -> None:
    assert decode_html(data) == text


@given(st.text())
def test_utf8_is_read_back(text: str) -> None:
    data = text.encode("utf-8", "replace")
    assert decode_html(data) == data.decode("utf-8").removeprefix("\ufeff")


@given(st.binary())
def test_no_bytes_fail(data: bytes) -> None:
    assert isinstance(decode_html(data), str)


def test_a_browser_and_the_parser_read_the_same() -> None:
    """A charset declared after the first 1,024 bytes, or none."""
    html = f"{LATE}<title>T</title></head><body><p>Gärten, Schäden</p></body></html>".encode()
    rendered = miolo.render_html(html)
    assert "Gärten, Schäden" in rendered.text
    assert "Gärten, Schäden" in miolo.Snapshot.from_html(html).text
