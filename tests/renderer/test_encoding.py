"""Encodings of pages: decoding of bytes with and without a header, and encoding as UTF-8."""

import miolo
import pytest
from bs4 import dammit
from hypothesis import given
from hypothesis import strategies as st
from miolo.renderer.page.encoding import decode_html, encode_html

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
        # No page that declares its encoding in ASCII is in UTF-16.
        (b"<meta charset=utf-16><p>caf\xe9 \x93so\x94", "<meta charset=utf-16><p>café “so”"),
        # A letter is cut in two if a text is truncated or two texts are joined. A byte order mark
        # takes precedence over the rest.
        (
            "Grüße, Schäden, Wälder, Öl, höher, süß \u2026".encode()[:-1],
            "Grüße, Schäden, Wälder, Öl, höher, süß \ufffd",
        ),
        (b"\xef\xbb\xbf\xc3\xbc\xff", "ü\ufffd"),
        (b"", ""),
    ],
)
def test_bytes_are_decoded_by_their_encoding(data: bytes, text: str) -> None:
    assert decode_html(data) == text


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ('<meta charset="utf-8">Вечер'.encode("koi8-r"), "KOI8-R", '<meta charset="utf-8">Вечер'),
        (b"\xef\xbb\xbf\xc3\xbc", "koi8-r", "ü"),
        (b"\x93so\x94", "ISO-8859-1", "“so”"),
        (b"\xff \xc3\xbc", "utf-8", "\ufffd ü"),
        ("ü".encode(), "martian", "ü"),
    ],
)
def test_the_header_takes_precedence_over_all_but_the_byte_order_mark(
    data: bytes, charset: str, text: str
) -> None:
    assert decode_html(data, charset) == text


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("shift_jis", "cp932", "髙橋さんは①番、㈱三井です。"),
        ("windows-31j", "cp932", "髙橋さんは①番、㈱三井です。"),
        ("x-sjis", "cp932", "髙橋さんは①番、㈱三井です。"),
        ("gb2312", "gb18030", "朱镕基總理說"),
        ("x-gbk", "gb18030", "𠮷 €"),
        ("euc-kr", "cp949", "똠방각하 펲시콜라"),
        ("big5", "big5hkscs", "香港嘅街坊喺度"),
        ("iso-8859-9", "cp1254", "“İstanbul” – 5 €"),
        ("tis-620", "cp874", "“ไทย” – …"),
        ("windows-874", "cp874", "“ไทย” – …"),
        ("x-mac-cyrillic", "mac-cyrillic", "Привет"),
    ],
)
def test_encodings_are_read_as_the_supersets_that_browsers_use(
    label: str, encoding: str, text: str
) -> None:
    page = f'<meta charset="{label}"><p>{text * 3}'
    data = page.encode(encoding)
    assert decode_html(data) == decode_html(data, label) == page


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("shift_jis", "東京の天気は晴れです。"),
        ("euc-jp", "東京の天気は晴れです。"),
        ("gbk", "总理在德国访问时说"),
    ],
)
def test_a_declared_encoding_counts_if_a_character_is_damaged(encoding: str, text: str) -> None:
    page = f'<meta charset="{encoding}"><p>{text * 5}'
    data = page.encode(encoding)
    assert decode_html(data[:-1]) == page[:-1] + "\ufffd"
    assert decode_html(data + b"\xff</p>").startswith(page)


NO_BROWSERS = ["undefined", "idna", "punycode", "unicode_escape", "utf-7", "hex", "rot13", "\0"]


@pytest.mark.parametrize("name", NO_BROWSERS)
def test_codecs_unknown_to_browsers_are_ignored(name: str) -> None:
    page = f'<meta charset="{name}">'.encode() + b"<p>+ADw-b\\x3c \x93so\x94"
    text = page.decode("windows-1252")
    assert decode_html(page, name) == decode_html(page) == text


def test_an_encoding_is_guessed_from_the_beginning_of_a_page() -> None:
    sizes = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dammit, "_chardet_dammit", lambda data: sizes.append(len(data)))
        assert decode_html(b"<p>caf\xe9 " * 100_000).startswith("<p>café ")
    assert 0 < max(sizes) < 100_000


@given(st.text())
def test_utf8_is_read_back(text: str) -> None:
    data = text.encode("utf-8", "replace")
    assert decode_html(data) == data.decode("utf-8").removeprefix("\ufeff")


@given(st.binary())
def test_any_bytes_can_be_decoded(data: bytes) -> None:
    assert isinstance(decode_html(data), str)


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_pages_are_encoded_as_utf8_of_their_text(data: bytes) -> None:
    for source in (data, b"\xef\xbb\xbf" + data, b"\xff\xfe" + data, decode_html(data)):
        text = source if isinstance(source, str) else decode_html(source)
        assert encode_html(source) == text.removeprefix("\ufeff").encode("utf-8", "replace")


def test_a_byte_order_mark_that_was_decoded_is_no_text() -> None:
    assert encode_html("\ufeff<p>ü") == "<p>ü".encode()


def test_the_browser_and_the_parser_read_the_same_text() -> None:
    """The page declares no charset, and its first 1,024 bytes are ASCII."""
    html = f"{LATE}<title>T</title></head><body><p>Gärten, Schäden</p></body></html>".encode()
    rendered = miolo.render_html(html)
    assert "Gärten, Schäden" in rendered.text
    assert "Gärten, Schäden" in miolo.Snapshot.from_html(html).text
