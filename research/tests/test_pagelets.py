"""Pagelets against the published queue, shingles against sets, and shared pagelets."""

from __future__ import annotations

import json
from collections import deque

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.words import words
from miolo_research.pagelets.regions import PageletOptions, PageletPages, pagelet_roots
from miolo_research.shingles import band_hashes, keep_smallest, sketches

LINK = "<a href=/a>a</a>"
parts = st.recursive(
    st.sampled_from([LINK, "<p>one two three</p>", "text", f"<b>{LINK}</b>"]),
    lambda inner: st.lists(inner, min_size=1, max_size=4).map(
        lambda children: f"<div>{''.join(children)}</div>"
    ),
    max_leaves=12,
)


def page(body, number=0):
    return miolo.Snapshot.from_html(
        f"<body data-page={number}>{body}", url=f"https://example.org/{number}"
    )


def learn(pages, options=None, **bounds):
    pagelet_pages = PageletPages(options, **bounds)
    for each in pages:
        pagelet_pages.add(each)
    return pagelet_pages


def links_of(snapshot, node):
    return sum(snapshot.tag_name(i) == "a" for i in range(node, int(snapshot.end[node])))


def queue_order(snapshot, min_size):
    """Roots of the pagelets, by the queue of the source."""
    roots, queue = [], deque([0])
    while queue:
        node = queue.popleft()
        children = snapshot.children(node)
        if any(links_of(snapshot, child) >= min_size for child in children):
            queue.extend(children)
        else:
            roots.append(node)
    return sorted(roots)


@given(parts, st.integers(1, 4))
def test_pagelets_match_the_queue_algorithm(body, min_size):
    snapshot = page(body)
    roots = pagelet_roots(snapshot, min_size).tolist()
    assert roots == queue_order(snapshot, min_size)
    covered = [node for root in roots for node in range(root, int(snapshot.end[root]))]
    assert len(covered) == len(set(covered))
    # Every link and every text is in a pagelet.
    assert {n for n in range(len(snapshot)) if not snapshot.children(n)} <= set(covered)
    of = learn([]).judge(snapshot).of
    if min_size == 3:
        assert np.flatnonzero(of >= 0).tolist() == covered


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=7), max_size=5))
def test_sketches_are_minima_over_sets_of_runs(texts):
    sketched = sketches(texts, width=3, hashes=4)
    assert sketched.shape == (len(texts), 4)
    runs = [{tuple(t[i : i + 3]) for i in range(max(1, len(t) - 2))} for t in texts]
    alone = {run: sketches([run], 3, 4)[0] for text_runs in runs for run in text_runs}
    for row, text_runs in zip(sketched, runs, strict=True):
        assert (row == np.min([alone[run] for run in text_runs], axis=0)).all()


def test_the_share_of_equal_min_hashes_estimates_the_jaccard_similarity():
    first = [f"w{n}" for n in range(400)]
    second = first[:300] + [f"v{n}" for n in range(100)]
    one, two = sketches([first, second], width=1, hashes=1000)
    assert np.mean(one == two) == pytest.approx(300 / 500, abs=0.06)


def test_bands():
    rows = np.array([[1, 2, 3, 4], [1, 2, 3, 5], [1, 9, 9, 9]], np.uint64)
    bands = band_hashes(rows, 2)
    assert bands.shape == (3, 2)
    assert (bands[0] == bands[1]).tolist() == [True, False]
    assert not (bands[0] == bands[2]).any()
    with pytest.raises(ValueError, match="without words"):
        sketches([["a"], []])


def test_a_bounded_table_keeps_the_smallest():
    table = dict.fromkeys((5, 1, 4, 2), 0)
    keep_smallest(table, 2, int)
    assert sorted(table) == [1, 2]


sites = st.lists(parts, min_size=2, max_size=5)


def texts_of(snapshot, root):
    text = " ".join(snapshot.text[root : snapshot.end[root]])
    return tuple(words(text.casefold()))


@given(sites, st.randoms(use_true_random=False))
def test_pages_that_share_a_pagelet_are_counted(bodies, chance):
    pages = [page(body, number) for number, body in enumerate(bodies)]
    pagelet_pages = learn(pages)
    shuffled = learn(chance.sample(pages, len(pages)))
    assert pagelet_pages.to_json() == shuffled.to_json()
    for snapshot in pages:
        labels = pagelet_pages.judge(snapshot)
        assert (labels.pages == shuffled.judge(snapshot).pages).all()
        for place, root in enumerate(labels.roots.tolist()):
            own_words = texts_of(snapshot, root)
            assert labels.compared[place] == bool(own_words)
            same = sum(
                any(texts_of(p, r) == own_words for r in pagelet_roots(p).tolist())
                for p in pages
                if p is not snapshot and own_words
            )
            # Equal texts share all shingles; similar ones may share some.
            assert same <= labels.pages[place] <= len(pages) - 1
        assert (labels.linked <= labels.pages).all()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8))
def test_global_templates_are_components_of_more_than_one_page(edges):
    def body(number):
        links = "".join(f"<a href=/{to}>x</a>" for start, to in edges if start == number)
        return f"<p>all of them have this</p><div>own{number} {links}</div><nav>{LINK * 3}</nav>"

    pages = [page(body(number), number) for number in range(6)]
    linked = {frozenset(edge) for edge in edges if len(set(edge)) == 2}
    pagelet_pages = learn(pages)
    for number, snapshot in enumerate(pages):
        labels = pagelet_pages.judge(snapshot)
        shared = labels.linked[labels.pages == 5]
        component, grown = {number}, True
        while grown:
            more = {n for n in range(6) if any(frozenset((n, c)) in linked for c in component)}
            grown = not more <= component
            component |= more
        assert (len(component) > 1) == bool(shared.any())


def test_identical_pages_share_everything_and_others_nothing():
    same = [page("<p>one two three four five</p>" + LINK * 3, n) for n in range(3)]
    labels = learn(same).judge(same[0])
    assert labels.pages[labels.compared].tolist() == [2] * labels.compared.sum()
    apart = [page(" ".join(f"w{n}v{i}" for i in range(20)), n) for n in range(3)]
    assert not learn(apart).judge(apart[0]).pages.any()


def test_shingles_are_bounded_and_survive_json():
    pages = [page(f"<p>story {n} <p>all of them{LINK * 3}", n) for n in range(4)]
    assert len(learn(pages, max_shingles=3).holders) == 3
    pagelet_pages = learn(pages, PageletOptions(min_links=2, rows=8))
    saved = json.dumps(pagelet_pages.to_json())
    again = PageletPages.from_json(json.loads(saved))
    assert json.dumps(again.to_json()) == saved
    assert (again.judge(pages[0]).pages == pagelet_pages.judge(pages[0]).pages).all()
    for foreign in ({}, {**json.loads(saved), "shingles_by_pages": {"ff": ["1"]}}, {"options": 3}):
        with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
            PageletPages.from_json(foreign)
