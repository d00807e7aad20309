"""SiteLevel: its rules against a quadratic recount, its properties and its files."""

import json
import math

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.hashes import has_content, subtree_hashes
from miolo.features.words import collapse
from miolo.models.templates.sitelevel import SiteLevel
from miolo.renderer.page.tree import subtree_sums

MENU = "<nav><a href=/>Home</a> <a href=/news>News</a> <img src=/logo.png></nav>"
FOOT = "<footer><p>Written by the people of the town, printed at the harbour</p></footer>"


def page(body: str, number: int = 0, folder: str = "") -> miolo.Snapshot:
    url = f"https://example.org/{folder}{number}"
    return miolo.Snapshot.from_html(f"<body>{MENU}<main>{body}</main>{FOOT}", url=url)


def learn_level(pages, **options) -> SiteLevel:
    level = SiteLevel(**options)
    for each in pages:
        level.add(each)
    return level


def site_of(bodies, **options) -> tuple[SiteLevel, list[miolo.Snapshot]]:
    pages = [page(body, number) for number, body in enumerate(bodies)]
    return learn_level(pages, **options), pages


# Small pages of few words, so that content repeats by chance within and across pages.
blocks = st.lists(
    st.sampled_from("<p>one|<p>two|<div><p>one</div>|<a href=/x>one</a>|<br>|<ul><li>a".split("|")),
    min_size=1,
    max_size=5,
).map("".join)
sites = st.lists(blocks, min_size=2, max_size=6)


def key(snapshot, node):
    """The value of a node that `hashing="structure"` compares."""
    tag = snapshot.tag_name(node)
    if tag == "#text":
        return collapse(snapshot.text[node])
    leads = tuple(snapshot.attributes.get(node, name) for name in ("href", "src"))
    return (tag, leads, tuple(key(snapshot, child) for child in snapshot.children(node)))


def text_key(snapshot, node):
    texts = map(collapse, snapshot.text[node : snapshot.end[node]])
    return [text for text in texts if text]


@pytest.mark.parametrize(("hashing", "key_of"), [("structure", key), ("text", text_key)])
@given(body=blocks)
def test_hashes_are_equal_exactly_where_subtrees_are(hashing, key_of, body):
    snapshot = page(body)
    hashes = subtree_hashes(snapshot, hashing).tolist()
    keys = [key_of(snapshot, node) for node in range(len(snapshot))]
    for i in range(len(snapshot)):
        for j in range(i):
            assert (hashes[i] == hashes[j]) == (keys[i] == keys[j])


def test_each_hashing_distinguishes_what_it_should():
    def same(hashing, one, two, folder=""):
        a, b = (subtree_hashes(p, hashing)[0] for p in (page(one), page(two, 0, folder)))
        return a == b

    spaced, classed = "<p> one\n two</p>", "<p class=x>one two</p>"
    assert same("structure", "<p>one two</p>", spaced)
    assert same("structure", "<p>one two</p>", classed)
    assert not same("html", "<p>one two</p>", classed)
    assert not same("html", "<p>one two</p>", spaced)
    assert same("text", "<p>one two</p>", "<div>one two</div>")
    assert not same("text", "<p>one two</p>", "<p>two one</p>")
    assert not same("structure", "<b>a</b><i>b</i>", "<i>b</i><b>a</b>")
    assert not same("structure", "<a href=/1>a</a>", "<a href=/2>a</a>")
    # The same menu on a page in a folder below, and a link to a place on the page itself.
    assert same("structure", "<a href=x>a</a>", "<a href=../x>a</a>", "folder/")
    assert same("structure", "<a href=#top>a</a>", "<a href=#top>a</a>", "folder/")


def recount(pages, share, cover):
    """The rules applied naively: every node is compared with every node of every page."""
    needed = max(2, math.ceil(share * len(pages)))
    labels = []
    for snapshot in pages:
        content = has_content(snapshot)
        markup = subtree_sums(snapshot.html_chars, snapshot.end)

        def is_repeated(node, snapshot=snapshot, content=content):
            if not content[node]:
                return False
            mine = key(snapshot, node)
            count = sum(
                any(has_content(p)[i] and key(p, i) == mine for i in range(len(p))) for p in pages
            )
            return count >= needed

        marks, covered = {}, {}
        for node in reversed(range(len(snapshot))):
            inside = sum(covered[child] for child in snapshot.children(node))
            marks[node] = is_repeated(node) or bool(inside and inside >= cover * markup[node])
            covered[node] = markup[node] if marks[node] else inside
        labels.append([marks[node] for node in range(len(snapshot))])
    return labels


@given(sites, st.sampled_from([0.1, 0.5, 1.0]), st.sampled_from([0.3, 0.85, 1.0]))
def test_labels_equal_a_recount(bodies, share, cover):
    pages = [page(body, number) for number, body in enumerate(bodies)]
    site = SiteLevel(share, cover)
    pages = [snapshot for snapshot in pages if site.add(snapshot)]
    ours = [site.label(snapshot).template.tolist() for snapshot in pages]
    assert ours == recount(pages, share, cover)


def test_the_same_page_counts_once():
    site, pages = site_of(["<p>one", "<p>two"])
    assert not site.add(pages[0])
    assert not site.add(page("<p>one", 7))  # under another address
    assert not site.add(page("<p>one, a little later", 0))  # at another time
    assert site.add(page("<p>three", 8))
    assert len(site) == 3


def test_a_learned_level_survives_json():
    site, pages = site_of(["<p>one", "<p>two", "<p>three"], share=0.5, hashing="text")
    saved = json.dumps(site.to_json())
    again = SiteLevel.from_json(json.loads(saved))
    assert json.dumps(again.to_json()) == saved
    assert (again.label(pages[1]).pages == site.label(pages[1]).pages).all()
    assert not again.add(pages[0])
