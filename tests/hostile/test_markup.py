"""Every sequence of bytes is read as a page, with and without a browser."""

import miolo
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from miolo.renderer.network.source_kinds import source_kind
from miolo.renderer.page.snapshot import Snapshot

PIECES = (
    "<p>", "</p>", "<div", ">", "<!--", "-->", "<script>", "</script>", "<table>", "<tr>", "<td>",
    "<svg>", "<math>", "<template>", "</template>", "<select>", "<option>", "<frameset>", "<b>",
    "</b>", "<a href='//['>", "<base href='http://['>", "&amp", "&#0;", "&#xd800;", "<![CDATA[",
    "]]>", "<?xml", "<plaintext>", "<title>", "<textarea>", "<noscript>", "</body>", "</html>",
    "<html lang=", "<body>", "<head>", "<br/>", "<meta charset=utf-7>", "<iframe srcdoc='<p>'>",
    "\0", "\ufeff", "\u202e", "\ud800", "x", " ", "\r", "=", '"', "'", "<xml:lang>", "<p a:b=c>",
    "<form><form>", "<caption>", "<col>", "<isindex>", "<image>", "<li hidden>", "<p style='",
    "<script type=application/ld+json>{", "<meta name=a content=b>", "<ruby><rt>", "<object>",
)  # fmt: skip
soups = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def holds_together(page: Snapshot) -> None:
    n = len(page)
    assert n >= 1
    assert page.parent[0] == -1
    assert (page.parent[1:] < np.arange(1, n)).all()
    assert (page.parent[1:] >= 0).all()
    assert (page.end > np.arange(n)).all()
    assert page.end.max() == n
    assert len(page.text) == n == len(page.box)
    assert np.isfinite(page.box).all()


@given(soups)
def test_any_markup_is_read_and_extracted(source):
    page = Snapshot.from_html(source, url="https://page.invalid/")
    holds_together(page)
    for method in ("nce:literal", "semantic", "template"):
        extraction = miolo.extract_snapshot(page, method)
        assert isinstance(extraction.markdown, str)


@given(st.binary(max_size=400), st.sampled_from(("", "utf-16", "shift_jis", "no-such")))
def test_any_bytes_are_read_whatever_they_declare(data, name):
    declaration = f'<meta charset="{name}">' if name else ""
    holds_together(Snapshot.from_html(declaration.encode() + data))


def may_be_a_page(source):
    """Whether content is rendered: that of a binary file is refused."""
    data = source if isinstance(source, bytes) else source.encode("utf-8", "replace")
    return source_kind(data) is None


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(source=(soups | st.binary(max_size=300)).filter(may_be_a_page))
def test_any_markup_and_any_bytes_are_rendered(stage, source):
    holds_together(stage.html(source, limits=miolo.Limits(seconds=10), wait="dom"))


@pytest.mark.parametrize(
    "source",
    [
        "", " ", "\0<p>", "<", "<!", "<!--", "<!doctype", "</", "<a", "<a b='", "&", "\ufeff",
        "<?xml version='1.0' encoding='utf-16'?><html>", "<html><frameset></html>",
        "<script>document.documentElement.remove()</script>",
        "<script>document.replaceChild(document.createElement('template'),"
        "document.documentElement)</script>",
        "<script>document.replaceChild(document.createElementNS('a:b', 'c:d'),"
        "document.documentElement)</script>",
    ],
)  # fmt: skip
def test_odd_documents_are_rendered(stage, source):
    holds_together(stage.html(source, limits=miolo.Limits(seconds=10), wait="dom"))
