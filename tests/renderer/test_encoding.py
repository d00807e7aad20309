"""Encodings of pages: decoding of bytes with and without a header, and encoding as UTF-8."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_server import answering
from miolo.renderer.page.encoding import decode_html, decode_page, encode_html
from stage import codes


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
        (
            '<?xml version="1.0" encoding="gb2312"?><p>新'.encode("gb2312"),
            '<?xml version="1.0" encoding="gb2312"?><p>新',
        ),
        (
            "<?xml version='1.0'?><META content='text/html; charset=big5' x><p>新".encode("big5"),
            "<?xml version='1.0'?><META content='text/html; charset=big5' x><p>新",
        ),
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
        ("ü".encode(), "martian", "ü"),
    ],
)
def test_the_header_takes_precedence_over_the_page_but_not_over_the_byte_order_mark(
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


RUSSIAN = "Старый причал чинят: доски крепкие, а гвозди нет, их делали для заборов. "
JAPANESE = "古い桟橋の釘を交換へ。板は丈夫だが釘は垣根のために作られていた。"
CHINESE = "旧码头的钉子要换了，木板很结实，但是钉子是为篱笆做的。"
TRADITIONAL = "舊碼頭的釘子要換了,木板很結實,但是釘子是為籬笆做的。"
FRENCH = "Le vieux quai a été réparé après l’été, où les clous étaient déjà rouillés. "
POLISH = "Gwoździe są słabe, a deski mocne. Żółte łódki płyną w dół rzeki, gdzieś daleko. "
CONTRADICTIONS = [
    (RUSSIAN, "cp1251", "utf-8"), (RUSSIAN, "cp1251", ""), (RUSSIAN, "cp1251", "iso-8859-1"),
    (RUSSIAN, "koi8-r", "utf-8"), (RUSSIAN, "utf-8", "iso-8859-1"), (FRENCH, "utf-8", "latin1"),
    (FRENCH, "cp1252", "utf-8"), (POLISH, "cp1250", ""), (POLISH, "iso8859-2", "utf-8"),
    (JAPANESE, "shift_jis", ""), (JAPANESE, "euc_jp", "utf-8"), (JAPANESE, "iso2022_jp", ""),
    (JAPANESE, "iso2022_jp", "utf-8"), (JAPANESE, "euc_jp", "shift_jis"),
    (RUSSIAN, "koi8-r", "windows-1251"), (RUSSIAN, "cp1251", "koi8-r"),
    (TRADITIONAL, "big5", "gb2312"), (CHINESE, "gb18030", "utf-8"),
    (CHINESE, "utf-8", "gb2312"), (CHINESE, "big5", ""),
]  # fmt: skip


def page_of(text: str, encoding: str, declared: str) -> bytes:
    text = text.encode(encoding, "ignore").decode(encoding) * 3
    meta = f'<meta charset="{declared}">' if declared else ""
    markup = f"<html lang=en><head>{meta}<title>{text[:20]}</title><main><p>{text}</main>"
    return markup.encode(encoding)


@pytest.mark.parametrize(("text", "encoding", "declared"), CONTRADICTIONS)
@pytest.mark.parametrize("by_header", [False, True])
def test_bytes_outweigh_a_declaration_that_they_contradict(
    text: str, encoding: str, declared: str, by_header: bool
) -> None:
    data = page_of(text, encoding, "" if by_header else declared)
    page = decode_page(data, declared if by_header else "")
    assert page.text == data.decode(encoding)
    warned = [each.code for each in page.warnings]
    assert warned == (["encoding"] if declared and encoding != "utf-8" else [])


def test_a_browser_reads_the_same_bytes_alike(stage) -> None:
    pages = {f"/p{number}": page_of(*each) for number, each in enumerate(CONTRADICTIONS)}
    with answering(pages) as (root, _):
        for number, (text, encoding, declared) in enumerate(CONTRADICTIONS):
            snapshot = stage.render(f"{root}/p{number}")
            assert snapshot.page.title, (encoding, declared)
            whole = text.encode(encoding, "ignore").decode(encoding).strip()
            assert whole in "".join(snapshot.text)
            assert ("encoding" in codes(snapshot)) == bool(declared), (encoding, declared)


@given(st.text())
def test_utf8_is_read_back(text: str) -> None:
    data = text.encode("utf-8", "replace")
    assert decode_html(data) == data.decode("utf-8").removeprefix("\ufeff")


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_pages_are_encoded_as_utf8_of_their_text(data: bytes) -> None:
    for source in (data, b"\xef\xbb\xbf" + data, b"\xff\xfe" + data, decode_html(data)):
        text = source if isinstance(source, str) else decode_html(source)
        assert encode_html(source)[0] == text.removeprefix("\ufeff").encode("utf-8", "replace")
