from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo import Snapshot
from miolo.extract.pipeline import compose
from miolo.features.counts import count_texts
from miolo_research.gupta.link_lists import advertisements, containers, link_ratios
from miolo_research.gupta.method import GuptaOptions, gupta
from strategies import parents

MENU = "".join(f"<li><a href=/{n}>Part {n}</a></li>" for n in range(8))
STORY = "<p>The story has <a href=/a>a link</a> and many words of its own around it.</p>" * 3


def text(html: str, options: GuptaOptions | None = None) -> str:
    page = Snapshot.from_html(html, url="https://news.example/a")
    return compose(page, gupta(page, options), "gupta").text


def kept_texts(html: str, options: GuptaOptions | None = None) -> list[str]:
    page = Snapshot.from_html(html, url="https://news.example/a")
    nodes = np.flatnonzero(gupta(page, options).kept & page.is_text)
    return [page.text[node] for node in nodes.tolist()]


def test_link_lists_go_and_running_text_stays():
    article = text(f"<div id=all><div>Menu <ul>{MENU}</ul></div><div>{STORY}</div></div>")
    assert article.count("The story has a link") == 3
    assert "Part" not in article
    assert "Menu" not in article


def test_the_literal_form_judges_only_table_cells():
    html = f"<table><tr><td>{MENU}<td>{STORY}</table><div><a href=/>Home</a></div>"
    article = text(html, GuptaOptions.literal())
    assert "Part" not in article
    assert "The story" in article
    assert "Home" in article
    assert "Home" not in text(html)


def test_the_literal_form_removes_an_outer_cell_with_the_lists_in_it():
    html = f"<table><tr><td><table><tr><td>{MENU * 9}<td>{STORY}</table></table>"
    assert text(html, GuptaOptions.literal()) == ""
    assert "The story" in text(html)


def test_filters_of_the_first_pass_can_be_switched_individually():
    html = f"{STORY}<form><p>Your name <button>Send</button></p></form>"
    assert "Your name" not in text(html)
    assert "Your name" in text(html, GuptaOptions(forms=False))
    assert kept_texts(html)[1] == "a link"
    assert "a link" not in kept_texts(html, GuptaOptions(links=True))


@pytest.mark.parametrize(
    ("reference", "is_advertisement"),
    [
        ("https://ads.doubleclick.net/x", True),
        ("//doubleclick.net/x", True),
        ("https://notdoubleclick.net/x", False),
        ("/doubleclick.net/x", False),
        ("https://[", False),
    ],
)
def test_advertisements_are_known_by_their_hosts(reference, is_advertisement):
    page = Snapshot.from_html(
        f"<p>see <a href='{reference}'>this</a></p>", url="https://news.example/"
    )
    assert advertisements(page).any() == is_advertisement
    assert advertisements(page, ["News.Example."]).any() == (reference == "/doubleclick.net/x")


def test_advertisements_are_taken_out_of_running_text():
    html = f"{STORY}<p>And so on. <a href=https://zedo.com/1>Buy this</a> It goes on here.</p>"
    assert "Buy this" not in kept_texts(html)
    assert "Buy this" in kept_texts(html, GuptaOptions(ad_hosts=("else.example",)))


def test_nearly_emptied_containers_are_removed():
    html = f"<div>{STORY}</div><div>More: <ul>{MENU}</ul></div><div>Short one</div>"
    assert "More:" not in text(html)
    assert "Short one" in text(html)
    assert "More:" in text(html, GuptaOptions(empty_tables=False, ratio=99))


@given(parents(max_size=12), st.lists(st.booleans(), min_size=12, max_size=12))
def test_ratios_are_computed_on_what_is_left(tree, linked):
    page = Snapshot.from_html(_markup(tree, linked))
    judged, gone = containers(page), np.zeros(len(page), bool)
    ratios = link_ratios(page, count_texts(page), gone, judged, 0.5)

    def left(node: int) -> tuple[int, int]:
        if page.is_text[node]:
            count = len(page.text[node].split())
            inside = any(page.tag_name(a) == "a" for a in page.ancestors(node))
            return (count, 0) if inside else (0, count)
        rest = [left(c) for c in page.children(node) if not ratios.lists[c]]
        return sum(linked for linked, _ in rest), sum(plain for _, plain in rest)

    for node in range(len(page)):
        within, plain = left(node)
        assert (ratios.linked[node], ratios.plain[node]) == (within, plain)
        assert ratios.lists[node] == (judged[node] and within > 0.5 * plain)


def _markup(tree: list[int], linked: list[bool]) -> str:
    html = [""] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        own = "<a href=/>linked words</a>" if linked[node] else "some plain words"
        html[node] = f"<div>{own}{html[node]}</div>"
        if tree[node] >= 0:
            html[tree[node]] = html[node] + html[tree[node]]
    return html[0]


@pytest.mark.parametrize("options", [GuptaOptions(), GuptaOptions.literal()], ids=["", "literal"])
@pytest.mark.parametrize("html", ["", "<p></p>", "<p hidden>nothing to see</p>"], ids=repr)
def test_a_page_without_text_gives_a_warning(html, options):
    selection = gupta(Snapshot.from_html(html), options)
    assert not selection.kept.any()
    assert [warning.code for warning in selection.warnings] == ["no-content"]


def test_a_page_of_ten_thousand_levels():
    page = Snapshot.from_html("".join(f"<div>text {n} of as many levels" for n in range(10_000)))
    assert gupta(page).kept.any()


def test_options_are_checked():
    with pytest.raises(ValueError, match="ratio"):
        GuptaOptions(ratio=-1)
