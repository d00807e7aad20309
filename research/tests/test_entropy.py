"""InfoDiscoverer's entropies against the published formula."""

from __future__ import annotations

import json
import math
from collections import Counter

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.block_sets import Cut
from miolo.features.terms import terms
from miolo_research.infodiscoverer.entropy import (
    UNIT,
    TermPages,
    boundary,
    spread_of,
    stems,
    term_entropy,
)

words = st.lists(st.sampled_from("harbour ferry library captain bridge".split()), max_size=6)
sites = st.lists(st.lists(words, min_size=1, max_size=4), min_size=2, max_size=5)


def page(blocks, number):
    body = "".join(f"<p>{' '.join(block)}</p>" for block in blocks)
    url = f"https://example.org/{number}"
    return miolo.Snapshot.from_html(f"<html lang=xx><body>{body}<p>n{number}</p>", url=url)


def learn(pages, **options):
    term_pages = TermPages(**options)
    for each in pages:
        term_pages.add(each)
    return term_pages


def printed_entropy(counts):
    """H = - sum w log_n w."""
    total = sum(counts)
    shares = [count / total for count in counts if count]
    return -sum(share * math.log(share, len(counts)) for share in shares)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=30).filter(any))
def test_the_entropy_of_a_term_matches_the_published_formula(counts):
    spread = sum(map(spread_of, counts)) / UNIT
    entropy = term_entropy(sum(counts), spread, len(counts))
    assert 0 <= entropy <= 1
    assert entropy == pytest.approx(printed_entropy(counts), abs=1e-4)


def test_a_term_of_one_page_has_no_entropy_and_a_uniform_one_has_the_most():
    for count in (1, 3, 50):
        assert term_entropy(count, spread_of(count) / UNIT, 9) == pytest.approx(0, abs=1e-5)
        assert term_entropy(9 * count, 9 * spread_of(count) / UNIT, 9) == pytest.approx(1, abs=1e-5)
    assert term_entropy(0, 0, 9) == term_entropy(5, 0, 1) == 0


@given(sites)
def test_blocks_have_the_mean_entropy_of_their_terms(site):
    pages = [page(blocks, number) for number, blocks in enumerate(site)]
    term_pages = learn(pages)
    counts = [Counter(terms(" ".join(snapshot.text))) for snapshot in pages]
    for snapshot in pages:
        entropies = term_pages.judge(snapshot)
        texts = entropies.blocks.texts(snapshot)
        for text, entropy in zip(texts, entropies.entropy, strict=True):
            each = [printed_entropy([count[term] for count in counts]) for term in set(terms(text))]
            assert entropy == pytest.approx(sum(each) / len(each), abs=1e-4)


@given(sites, st.randoms(use_true_random=False), st.integers(1, 6))
def test_the_order_of_pages_is_irrelevant_with_any_limit(site, chance, max_size):
    pages = [page(blocks, number) for number, blocks in enumerate(site)]
    bounds = {"max_terms": max_size, "sampled": 2}
    one = learn(pages, **bounds)
    two = learn(chance.sample(pages, len(pages)), **bounds)
    assert one.to_json() == two.to_json()
    assert len(one.spreads) <= max_size
    assert (one.judge(pages[0]).entropy == two.judge(pages[0]).entropy).all()
    assert one.boundary() == two.boundary()


def test_an_unlearned_page_counts_as_one_page():
    pages = [page([["ferry", "bridge"], [f"story{n}"]], n) for n in range(4)]
    whole, part = learn(pages), learn(pages[:3])
    assert part.judge(pages[3]).entropy == pytest.approx(whole.judge(pages[3]).entropy)
    assert part.judge(pages[3], own=False).entropy[0] == pytest.approx(1)
    assert len(part) == 3


def test_blocks_may_be_cut_by_tags():
    html = "<table><tr><td>the ferry<table><tr><td>a bridge</table></table>"
    cut = Cut(("table",), nested="all")
    term_pages = learn([miolo.Snapshot.from_html(html)], cut=cut)
    assert term_pages.judge(miolo.Snapshot.from_html(html)).terms.tolist() == [2, 2]


def test_the_boundary_is_raised_until_no_block_is_added():
    entropies = np.array([0.15, 0.25, 0.95])
    sizes = np.array([10, 10, 10])
    assert boundary(entropies, sizes) == pytest.approx(0.3)
    assert boundary(entropies, sizes, start=0.9) == 1
    assert boundary(entropies, sizes, growth=0.5) == pytest.approx(0.2)
    spread = np.linspace(0.05, 0.95, 10)
    assert boundary(spread, np.ones(10, int)) == 1
    assert boundary(spread, np.ones(10, int), highest=0.9) == 0.9
    assert boundary(np.zeros(0), np.zeros(0, int)) == 1


def test_stems():
    assert stems(["stories", "story"], "en-GB") == stems(["story", "stories"], "en_US")
    assert stems(["stories"], "xx") == ["stories"] == stems(["stories"], "")


def test_term_pages_survive_json_and_foreign_json_is_refused():
    term_pages = learn([page([["ferry"], ["ferry", "bridge"]], n) for n in range(3)], stemmed=False)
    saved = json.dumps(term_pages.to_json())
    again = TermPages.from_json(json.loads(saved))
    assert json.dumps(again.to_json()) == saved
    assert (
        again.judge(page([["ferry"]], 9)).entropy == term_pages.judge(page([["ferry"]], 9)).entropy
    ).all()
    for foreign in ({}, {**json.loads(saved), "terms": {"ferry": [1, 99]}}, {"cut": 7}):
        with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
            TermPages.from_json(foreign)
