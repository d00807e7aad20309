"""Limits on markup before it is parsed."""

import re

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.renderer.page.html_tags import (
    ATTRIBUTE,
    LARGE,
    MANY_TAGS,
    MAX_ATTRIBUTES,
    MAX_DEPTH,
    MAX_NAMES,
    MAX_OPTIONS,
    MAX_ROOTS,
    cut_attributes,
    flatten,
    limit_formatting,
    limit_markup,
    limit_names,
    limit_roots,
)


@given(st.binary(max_size=300))
def test_short_pages_are_unchanged(source):
    assert limit_markup(source) == source
    assert flatten(source) == source


PIECES = (
    *b"""<p>|<P a|<p b="c">|<br />| b="| c="<p>"|d='|=| |/|>|"|<|<!|x""".split(b"|"),
    *b"<!--|-->|--!>|<script|</script>|<style>|</style|<title>|</title>".split(b"|"),
    b" a='>'b=c" * MAX_ATTRIBUTES,
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
def test_attributes_are_cut_wherever_a_tag_begins(source):
    """The result is the same as if every tag were examined, plain or not."""
    tag = re.compile(rb"<!--|<([a-zA-Z][^\s/>]*+)((?:" + ATTRIBUTE + rb")*+)")
    comment = re.compile(rb"<!--(?:-?>|.*?--!?>)", re.DOTALL)
    ends = {b"script": rb"(?i)</script", b"style": rb"(?i)</style", b"title": rb"(?i)</title"}
    cut, place = b"", 0
    while found := tag.search(source, place):
        start, stop = found.span()
        if not found[1]:
            text = comment.match(source, start)
        else:
            attributes = re.findall(ATTRIBUTE, found[2])[:MAX_ATTRIBUTES]
            cut += source[place : found.start(2)] + b"".join(attributes)
            place = stop
            text = re.compile(ends.get(found[1].lower(), b"")).search(source, stop)
        stop = text.end() if text else len(source)
        cut += source[place:stop]
        place = stop
    assert cut_attributes(source) == cut + source[place:]


@pytest.mark.parametrize(
    "before",
    [
        "<!--a--!>",
        "<!--->",
        "<!--a--!>-->",
        "<title><script></title>",
        "<textarea><!--</textarea>",
        "<iframe><style></iframe>",
        "<svg><style></svg>",
        "<svg><title><g>",
        "<math><mrow><script>",
    ],
)
def test_attributes_are_cut_in_all_that_is_no_text(before):
    many = " ".join(f"a{k}" for k in range(2 * MAX_ATTRIBUTES))
    snapshot = miolo.Snapshot.from_html(f"{before}<g {many}>x")
    (node, _), *_ = snapshot.attributes.with_attribute("a0")
    assert len(snapshot.attributes.of(node)) == MAX_ATTRIBUTES


@pytest.mark.parametrize(
    "before",
    ["<!--a--!>", "<svg><style>", "<svg><title></svg>", "<math><script>", "<svg><desc><title>"],
)
def test_levels_are_bounded_in_all_that_is_no_text(before):
    snapshot = miolo.Snapshot.from_html(before + "<g>" * 2 * MANY_TAGS + "x")
    assert snapshot.depth.max() < 2 * MAX_DEPTH


@pytest.mark.parametrize(
    "unit",
    [
        b"<div>x",
        b"<section><ul><li>x",
        b"<span><div></span>x",
        b"<div><table></div>x",
        b"<form><div></form>x",
        b"<b><div></b>x",
        b"<!-- </div> --><div>x",
        b"<script>'</div>'</script><div>x",
    ],
)
def test_levels_are_bounded_and_no_text_is_lost(unit):
    snapshot = miolo.Snapshot.from_html(unit * (MANY_TAGS + 1))
    assert snapshot.depth.max() < 4 * MAX_DEPTH
    assert "".join(snapshot.text).count("x") == MANY_TAGS + 1


@pytest.mark.parametrize("unit", [b"<p>a", b"<ul><li>a</ul>", b"<svg><path/></svg>a", b"<br>a"])
def test_many_adjacent_elements_are_unchanged(unit):
    source = unit * 3 * MANY_TAGS
    assert flatten(source) == source


@pytest.mark.parametrize("tag", ["<b id=@>", "<b a='<@'>", "<font color='>@'>", "<B\nid=@ x"])
def test_unclosed_formatting_is_not_repeated_without_bound(tag):
    opened = "".join(tag.replace("@", str(k)) for k in range(1500))
    source = f"<p>{opened}>{'<p>x' * 1500}".encode()
    snapshot = miolo.Snapshot.from_html(source)
    assert len(snapshot) < 200 * 1500
    assert "".join(snapshot.text).count("x") >= 1500


def test_a_select_with_many_options_gets_the_attribute_multiple():
    for count in (MAX_OPTIONS, MAX_OPTIONS + 1):
        snapshot = miolo.Snapshot.from_html(f"<SELECT id=s>{'<Option>o' * count}</select><p>x")
        assert snapshot.with_tag("option").sum() == count
        (chosen,) = snapshot.with_tag("select").nonzero()[0]
        names = snapshot.attributes.of(int(chosen))
        assert names == {"id": "s"} | ({"multiple": ""} if count > MAX_OPTIONS else {})


def test_common_formatting_is_unchanged():
    source = b"<p><b class=x>a</b> <em>b</em></p>" * 3000
    assert limit_formatting(source, source.count(b"<")) == source


FILL = b"x" * LARGE


@given(st.binary(max_size=300).map(FILL.__add__))
def test_few_names_are_unchanged(source):
    assert limit_names(source) == source


def test_elements_of_further_names_become_spans():
    source = b"".join(b"<X%d id=n%d><p>x</X%d>" % (3 * (k,)) for k in range(MAX_NAMES + 5))
    for fill in (b"", FILL):
        page = miolo.Snapshot.from_html(source + fill)
        named = [name for name in page.tags if re.fullmatch(r"x\d+", name)]
        # `p` is one of the names.
        assert len(named) == (MAX_NAMES - 1 if fill else MAX_NAMES + 5)
        assert page.with_tag("span").sum() == (6 if fill else 0)
        assert "".join(page.text).count("x") >= MAX_NAMES + 5
        assert f"n{MAX_NAMES + 4}" in page.attributes.strings


def test_attributes_of_further_names_are_dropped():
    source = b"".join(b'<p a%d = "b%d">x</p>' % (k, k) for k in range(MAX_NAMES + 5)) + b"<p A0=c>y"
    for fill in (b"", FILL):
        page = miolo.Snapshot.from_html(source + fill)
        texts = page.with_tag("p").nonzero()[0].tolist()
        names = [dict(page.attributes.of(node)) for node in texts]
        assert names[:MAX_NAMES] == [{f"a{k}": f"b{k}"} for k in range(MAX_NAMES)]
        assert names[MAX_NAMES:-1] == 5 * [{}] if fill else all(names)
        assert names[-1] == {"a0": "c"}


@pytest.mark.parametrize("tag", ["html", "body", "BODY"])
def test_start_tags_of_roots_are_limited(tag):
    tags = "".join(f'<{tag} a{number}="x>">' for number in range(MAX_ROOTS + 50))
    source = f"{tags}<p>Text</p>".encode()
    limited = limit_roots(source)
    assert limited.lower().count(b"<" + tag.lower().encode()) == MAX_ROOTS
    assert limited.endswith(b"<p>Text</p>")
    assert limit_roots(limited) == limited
