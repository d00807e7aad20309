"""Counts, links, blocks, overlays and records of full pages and of small ones."""

import miolo
import numpy as np
import pytest
from miolo.features.blocks import article_blocks
from miolo.features.counts import count_nodes, count_texts
from miolo.features.links import absolute_url, intra_site_mask, join_url, link_mask
from miolo.features.overlays import overlay_mask, overlay_roots
from miolo.features.readable import readable_texts
from miolo.features.record import record_columns
from miolo.features.words import count_chars, count_words
from miolo.renderer.network.origins import site_of
from miolo.renderer.page.markup import outer_html
from newsroom import ARTICLES


@pytest.fixture(scope="module", params=["semantic", "divsoup", "tables"])
def page(request, stage):
    return stage.render(ARTICLES[request.param][1].path)


def test_counts_equal_a_naive_recount(page):
    counts, readable = count_texts(page), readable_texts(page)
    links = link_mask(page)
    for node in range(len(page)):
        inside = [i for i in range(node, int(page.end[node])) if readable[i]]
        linked = [i for i in inside if any(links[a] for a in page.ancestors(i))]
        assert counts.chars[node] == sum(count_chars(page.text[i]) for i in inside)
        assert counts.link_chars[node] == sum(count_chars(page.text[i]) for i in linked)
        assert counts.words[node] == sum(count_words(page.text[i]) for i in inside)
        assert counts.link_words[node] == sum(count_words(page.text[i]) for i in linked)
    density = counts.density()
    assert ((density >= 0) & (density <= 1)).all()


def test_records_of_the_report(page):
    counts = count_nodes(page)
    columns = record_columns(page, counts)
    node = int(np.flatnonzero(page.with_tag("a"))[0])
    record = {name: column[node] for name, column in columns.items()}
    assert record["tag"] == "a"
    assert record["html"] == outer_html(page, node)
    assert record["own_links"] == record["links"] == 1
    assert record["words"] == record["linked_words"] == count_words(record["anchor_text"])
    assert record["level"] == len(page.ancestors(node))
    assert (record["x"], record["width"]) == (page.box[node, 0], page.box[node, 2])
    assert (columns["parent"][0], columns["links"][0]) == (-1, counts.links[0])
    for each in range(len(page)):
        assert list(columns["children"][each]) == page.children(each)
        words = columns["text"][each], columns["anchor_text"][each]
        assert tuple(map(count_words, words)) == (
            counts.text.words[each],
            counts.text.link_words[each],
        )


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://news.example.co.uk/a", "example.co.uk"),
        ("http://EXAMPLE.com:8080/", "example.com"),
        ("http://www.bücher.xn--p1ai/", "bücher.xn--p1ai"),
        ("http://a.b.xn--55qx5d.cn/", "b.xn--55qx5d.cn"),
        ("http://a.b.xn--zzzzzz99999/", "b.xn--zzzzzz99999"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("mailto:a@example.com", None),
        ("javascript:void(0)", None),
        ("http://[", None),
    ],
)
def test_sites(url, site):
    assert site_of(url) == site


def test_addresses_follow_the_base_and_exclude_scripts():
    page = miolo.Snapshot.from_html(
        "<base href='https://example.org/dir/'><a href=x>1</a><a href='javascript:x'>2</a>"
        "<a href='http://['>3</a><a name=y>4</a><a href='https://sub.example.org/'>5</a>"
        "<a href='https://elsewhere.net/'>6</a>",
        url="https://www.example.org/a",
    )
    addresses = [
        absolute_url(page, node, href) for node, href in page.attributes.with_attribute("href")
    ]
    assert addresses[1:4] == ["https://example.org/dir/x", None, None]
    assert link_mask(page).sum() == 5
    assert intra_site_mask(page).sum() == 2


def test_backslashes_in_the_path_of_an_address_are_slashes():
    assert join_url("https://example.org/a/b", "\\c\\d?e=\\f") == "https://example.org/c/d?e=\\f"
    assert join_url("https://example.org/", "https:\\\\example.net\\c") == "https://example.net/c"


def test_a_banner_is_a_layer_and_an_app_shell_is_the_page(stage):
    banner = stage.render("consent-banner")
    (root,) = [r for r in overlay_roots(banner) if banner.box[r, 3] > 100]
    words = " ".join(banner.text[root : banner.end[root]])
    assert "cookies" in words.lower() or "consent" in words.lower()
    shell = stage.render("fixed-app-shell")
    hidden = overlay_mask(shell) & shell.is_text
    assert hidden.sum() < 0.5 * shell.is_text.sum()


def test_text_that_waits_for_a_script_is_read(stage):
    long = "A sentence that is there but has no opacity. " * 20
    page = stage.html(f"<nav>menu</nav><div style='opacity:0'><p>{long}</p></div>")
    assert readable_texts(page).sum() == 2
    shown = stage.html(f"<p>{long}</p><p style='opacity:0'>hidden</p>")
    assert readable_texts(shown).sum() == 1


@pytest.mark.parametrize("words", ["The sea was calm that night", "a boat of oak", "Not now"])
def test_words_of_an_animated_sentence_are_no_icons(words):
    spans = " ".join(f"<span class=w aria-hidden=true>{word}</span>" for word in words.split())
    icons = "<span class=i aria-hidden=true>star</span>" * 3 + "<p><i class=i aria-hidden=true>menu"
    page = miolo.Snapshot.from_html(f"<p aria-label='{words}'>{spans}</p><p>{icons}")
    read = "".join(page.text[node] for node in readable_texts(page).nonzero()[0].tolist())
    assert read == words


def test_text_of_placeholders_is_left_out(stage):
    clear = "color: transparent"
    page = stage.html(
        f"<p style='{clear}'>a place</p><p>text</p>"
        f"<p style='{clear}; text-shadow: 0 0 4px #000'>blurred</p>"
        f"<h2 style='{clear}; background: linear-gradient(red, blue); background-clip: text'>"
        "<span>coloured</span></h2>"
    )
    assert article_blocks(page).texts == ["text", "blurred", "coloured"]
    assert all(page.text[node] != "a place" for node in readable_texts(page).nonzero()[0])
