"""Manual labels: the store against a replay of its actions, page order, agreement, damage."""

import os
import sqlite3
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from itertools import count

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.collect.labels.agreement import agreements
from miolo.collect.labels.sheet import label_sheet
from miolo.collect.labels.store import (
    FILE,
    MAX_LABELLERS,
    Action,
    LabelledPage,
    LabelStore,
    files_left_out,
    offered_roles,
)
from miolo.features.blocks import article_blocks
from miolo.models.article.roles import ROLES

HTML = "<h1>Tides</h1><div><p>The tide comes in twice a day.</p><p>It goes.</p></div><p>End</p>"
PAGE = miolo.Snapshot.from_html(HTML, url="https://tides.example/a")
SHEET = label_sheet(PAGE)

keys = count()


def act(store, page, labeller, field, value, first=0, last=0):
    store.act(Action(f"key-{next(keys)}", page, labeller, field, value, first, last))


@pytest.fixture
def store(tmp_path):
    with LabelStore(tmp_path, create=True) as store:
        store.add_pages((f"{n}.miolo", f"https://tides.example/{n}", n == 3) for n in (1, 2, 3))
        for page, uncertainty in ((1, 0.1), (2, 0.3), (3, 0.2)):
            store.set_uncertainty(page, uncertainty)
        yield store


def test_a_sheet_lists_the_blocks_of_the_page():
    assert [block.text for block in SHEET.blocks] == article_blocks(PAGE).texts
    assert {block.role for block in SHEET.blocks} <= set(ROLES)
    assert all(0 < block.probability <= 1 for block in SHEET.blocks)
    assert 0 < SHEET.uncertainty < 1
    # First the paragraphs of the div, then the whole page.
    assert SHEET.blocks[1].around == ((1, 2), (0, 3))
    assert SHEET.blocks[0].around == ((0, 3),)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("role"), st.sampled_from(ROLES), st.integers(0, 3), st.integers(0, 3)),
        st.tuples(st.just("kind"), st.sampled_from(["", "article", "broken"])),
        st.tuples(st.just("note"), st.text(max_size=5)),
        st.tuples(st.just("done"), st.sampled_from(["1", ""])),
        st.just(("undo",)),
    ),
    max_size=12,
)


@given(steps)
def test_the_state_is_the_replay_of_actions_that_were_not_undone(tmp_path_factory, steps):
    held = []
    with LabelStore(tmp_path_factory.mktemp("store"), create=True) as store:
        store.add_pages([("a.miolo", "https://tides.example/a", False)])
        page = store.visit(1, "Ada", SHEET, blind=False)
        for field, *values in steps:
            if field == "undo":
                undone = store.undo("Ada")
                assert (undone is None) == (not held)
                if held:
                    assert undone.field == held.pop()[0]
                continue
            value, first, last = [*values, 0, 0][:3]
            act(store, page, "Ada", field, value, *sorted((first, last)))
            held.append((field, value, *sorted((first, last))))
        state = store.state(page, "Ada")
        roles = [block.role for block in SHEET.blocks]
        latest = {"kind": "", "note": "", "done": ""}
        by_hand = set()
        for field, value, first, last in held:
            if field != "role":
                latest[field] = value
                continue
            for block in range(first, last + 1):
                roles[block] = value
                by_hand.add(block)
        assert list(state.roles) == roles
        assert {n for n, when in enumerate(state.times) if when is not None} == by_hand
        assert (state.kind, state.note) == (latest["kind"], latest["note"])
        assert (state.done is not None) == bool(latest["done"])
        assert [each.id for each in store.labelled_pages()] == ([page] if latest["done"] else [])


def test_an_action_that_arrives_twice_counts_once(store):
    page = store.visit(2, "Ada", SHEET, blind=False)
    for role in ("note", "caption"):
        store.act(Action("the-same-key", page, "Ada", "role", role))
    assert store.state(page, "Ada").roles[0] == "note"
    assert store.undo("Ada").value == "note"
    assert store.undo("Ada") is None


def test_an_action_can_arrive_after_it_was_undone(store):
    page = store.visit(2, "Ada", SHEET, blind=False)
    role, done = (Action(f"key-{field}", page, "Ada", field, value)
                  for field, value in (("role", "note"), ("done", "1")))  # fmt: skip
    # The service saved the first action, but its answer was lost.
    store.act(role)
    store.act(replace(role, undone=True), replace(done, undone=True), role)
    assert store.state(page, "Ada").roles[0] == SHEET.blocks[0].role != "note"
    assert store.state(page, "Ada").done is None
    assert store.undo("Ada") is None


def test_the_most_uncertain_page_comes_first_and_shared_pages_go_to_all(store):
    assert store.next_page("Ada") == 2
    store.visit(2, "Ada", SHEET, blind=False)
    # A page that Ada has started stays assigned to her.
    assert store.next_page("Ada") == 2
    assert store.next_page("Ben") == 3
    assert store.next_page("Ben", [3]) == 1
    assert store.next_page("Ben", [3, 1]) is None
    for page in (2, 3, 1):
        store.visit(page, "Ada", SHEET, blind=False)
        act(store, page, "Ada", "done", "1")
    assert store.next_page("Ada") is None
    # Of the pages that Ada has finished, Ben gets only the shared one.
    assert store.next_page("Ben") == 3
    assert store.next_page("Ben", [3]) is None
    assert (store.progress("Ada").done, store.progress("Ada").pages) == (3, 3)
    assert (store.progress("Ben").done, store.progress("Ben").pages) == (0, 1)


def test_a_page_without_actions_for_half_an_hour_goes_to_others_last(store):
    assert store.next_page("Ada") == 2
    store._db.execute("UPDATE pages SET held = held - 1801 WHERE id = 2")
    assert store.next_page("Ben", [3]) == 1
    assert store.next_page("Ben", [1, 3]) == 2
    assert store.next_page("Ada", [3]) is None


NAMES = ("Ada", "Ben", "Eve")
moves = st.tuples(st.sampled_from(NAMES), st.sampled_from(("next", "finish", "undo")))


@given(shared=st.lists(st.booleans(), min_size=1, max_size=5), moves=st.lists(moves, max_size=40))
def test_a_page_that_is_not_shared_is_finished_by_one_labeller(tmp_path_factory, shared, moves):
    with LabelStore(tmp_path_factory.mktemp("store"), create=True) as store:
        store.add_pages((f"{n}.miolo", "", share) for n, share in enumerate(shared))
        opened = {name: [] for name in NAMES}

        def move(name, step):
            if step == "undo":
                undone = store.undo(name)
                if undone:
                    opened[name].append(undone.page)
            elif step == "finish" and opened[name]:
                act(store, opened[name].pop(0), name, "done", "1")
            elif step == "next":
                page = store.next_page(name, opened[name])
                if page is not None:
                    sheet = replace(SHEET, content=str(page))
                    opened[name].append(store.visit(page, name, sheet, blind=False))
            progress = [store.progress(name) for name in NAMES]
            assert all(each.done <= each.pages for each in progress)

        for name, step in moves:
            move(name, step)
        # In the end, everyone labels until no page is left.
        for name in len(shared) * NAMES:
            move(name, "next")
            move(name, "finish")
        for name in NAMES:
            while opened[name]:
                move(name, "finish")
        times = Counter(page.id for page in store.labelled_pages())
        assert [times[n] for n, _ in enumerate(shared, 1)] == [3 if all_ else 1 for all_ in shared]


def test_a_clock_that_was_wrong_takes_no_page_from_the_others(store, monkeypatch):
    with monkeypatch.context() as wrong:
        wrong.setattr("time.time", lambda: 4e9)
        assert store.next_page("Ada", [3]) == 2
    assert [store.next_page("Ben", [3]), store.next_page("Ben", [1, 3])] == [1, 2]


def sheet_of(html):
    return label_sheet(miolo.Snapshot.from_html(html, url="https://tides.example/a"))


def test_a_finished_page_that_is_captured_again_is_offered_once_more(store, tmp_path):
    file, other = tmp_path / "1.miolo", HTML.replace("twice", "once")
    PAGE.save(file)
    act(store, store.visit(1, "Ada", SHEET, blind=False), "Ada", "done", "1")
    logged: list[str] = []
    os.utime(file, (time.time() + 60,) * 2)  # copied, with the content that was labelled
    assert not files_left_out(store, logged.append)
    miolo.Snapshot.from_html(other, url="https://tides.example/a").save(file)
    os.utime(file, (time.time() + 60,) * 2)
    assert files_left_out(store, logged.append) == {"1.miolo"}
    assert "the labels of one page are left out" in logged[0]
    (page,) = store.recaptured()
    store.renew(page, sheet_of(other))
    assert not store.recaptured()
    offered = [number for number, file, _ in store.files() if file == "1.miolo"]
    assert store.state(offered[0], "Ada").done is None
    assert store.next_page("Ada", [2, 3]) in offered


def test_labels_stay_with_the_blocks_of_a_page_that_is_captured_again(store):
    menu = "<nav><ul><li>Tides</li><li>Home</li></ul></nav>"
    page = "<main><h1>Tides</h1><p>The tide comes in.</p><p>3 comments</p><p>It goes.</p></main>"
    before = sheet_of(menu + page + "<p>An advertisement</p>")
    first = store.visit(1, "Ada", before, blind=False)
    given = {"Tides": "kicker", "3 comments": "note", "An advertisement": "caption"}
    places = {block.text: number for number, block in enumerate(before.blocks)}
    for text, role in given.items():
        act(store, first, "Ada", "role", role, places[text], places[text])
    act(store, first, "Ada", "kind", "article")
    act(store, first, "Ada", "note", "a note")
    act(store, first, "Ada", "done", "1")
    # Other stories elsewhere, the heading also in the menu, and a number that has changed.
    after = sheet_of(f"<p>Tides</p>{menu}{page.replace('3 com', '4 com')}<p>Another story</p>")
    anew = store.visit(1, "Ada", after, blind=False)
    assert anew not in (1, 2, 3)
    state = store.state(anew, "Ada")
    assert (state.kind, state.note, state.done) == ("article", "a note", None)
    by_hand = {
        number: state.roles[number]
        for number, when in enumerate(state.times)
        if when is not None and state.roles[number] in given.values()
    }
    texts = [block.text for block in after.blocks]
    heading = [n for n, text in enumerate(texts) if text == "Tides"][-1]
    assert by_hand == {heading: "kicker", texts.index("4 comments"): "note"}
    assert state.unmatched == (("An advertisement", "caption"),)
    # What was taken over is not the last thing that the labeller did.
    assert store.undo("Ada") == Action(
        *store._fetch("SELECT key FROM actions WHERE page = ? AND field = 'done'", first)[0],
        first, "Ada", "done", "1", undone=True,
    )  # fmt: skip


def label_page(labeller, roles, page=1):
    count = len(roles)
    return LabelledPage(
        page, "a.miolo", "https://tides.example/a", "", labeller, 1.0, "", "",
        tuple(range(count)), ("text",) * count, ("boilerplate",) * count, tuple(roles),
        (None,) * count,
    )  # fmt: skip


two = st.lists(st.tuples(*2 * [st.sampled_from(ROLES[:4])]), min_size=1, max_size=30)


@given(two)
def test_kappa_matches_its_definition(pairs):
    left, right = zip(*pairs, strict=True)
    (pair,) = agreements([label_page("Ada", left), label_page("Ben", right)])
    assert pair.same == pytest.approx(np.mean([a == b for a, b in pairs]))
    assert [d.block for d in pair.disagreements] == [n for n, (a, b) in enumerate(pairs) if a != b]

    def kappa(one, other):
        size = len(one)
        agreed = sum(a == b for a, b in zip(one, other, strict=True)) / size
        counts = Counter(one), Counter(other)
        chance = sum(counts[0][k] * counts[1][k] for k in counts[0]) / size**2
        return None if chance == 1 else (agreed - chance) / (1 - chance)

    assert pair.kappa == pytest.approx(kappa(left, right))
    assert set(pair.of_role) == {*left, *right}
    for role, value in pair.of_role.items():
        ours = [[name == role for name in side] for side in (left, right)]
        assert value == pytest.approx(kappa(*ours))


def test_the_number_of_labellers_is_limited(store):
    for number in range(MAX_LABELLERS):
        store.visit(3, f"Ada {number}", SHEET, blind=False)
    with pytest.raises(miolo.MioloError, match=r"50 labellers.*use one of their names"):
        store.visit(3, "Ben", SHEET, blind=False)
    assert store.visit(2, "Ada 7", SHEET, blind=False) == 2


def test_a_lock_that_another_program_holds_is_no_damage(store, tmp_path, monkeypatch):
    monkeypatch.setattr("miolo.collect.labels.store.BUSY_SECONDS", 0.0)
    with closing(sqlite3.connect(tmp_path / FILE)) as other, LabelStore(tmp_path, create=True) as s:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(miolo.StorageError, match="locked"):
            s.set_uncertainty(1, 0.5)
        other.rollback()
        s.set_uncertainty(1, 0.5)


def test_damaged_labels_are_refused(tmp_path):
    with pytest.raises(miolo.EmptyInputError, match="no labels yet"):
        LabelStore(tmp_path)
    with LabelStore(tmp_path, create=True) as store:
        store._db.execute("PRAGMA user_version = 99")
    with pytest.raises(miolo.ArchiveError, match="version 99"):
        LabelStore(tmp_path)
    for file in tmp_path.glob(f"{FILE}*"):
        file.unlink()
    (tmp_path / FILE).write_bytes(b"no database at all" * 100)
    with pytest.raises(miolo.ArchiveError, match="cannot be read"):
        LabelStore(tmp_path)


def story(number, byline="p"):
    html = (
        f"<header><{byline} class=by>Word {number}</{byline}><p class=ad>Our offers</p></header>"
        f"<main><p>Story {number} begins.</p><p>And ends {number}.</p></main>"
    )
    return label_sheet(miolo.Snapshot.from_html(html, url=f"https://tides.example/{number}"))


def test_corrections_of_a_template_are_offered_applied_and_undone_as_one_step(store):
    pages = [store.visit(n, "Ada", story(n), blind=False) for n in (1, 2, 3)]
    act(store, pages[0], "Ada", "role", "byline", 0, 0)
    act(store, pages[0], "Ada", "role", "note", 3, 3)
    assert offered_roles(store.state(pages[1], "Ada"), store.site_pages(pages[1], "Ada")) == {}
    act(store, pages[0], "Ada", "done", "1")
    before = store.state(pages[1], "Ada")
    offers = offered_roles(before, store.site_pages(pages[1], "Ada"))
    # The paragraphs of the first page have two roles, and their texts are not repeated.
    assert offers == {0: "byline"}
    act(store, pages[1], "Ada", "role", "caption", 1, 1)
    store.apply(pages[1], "Ada", {**offers, 2: "quotation"})
    state = store.state(pages[1], "Ada")
    assert state.roles[:3] == ("byline", "caption", "quotation")
    assert state.applied == (True, False, True, False)
    assert offered_roles(state, store.site_pages(pages[1], "Ada")) == {}
    # Nobody else is offered Ada's labels.
    store.visit(2, "Ben", story(2), blind=False)
    assert store.site_pages(pages[1], "Ben") == []
    store.undo("Ada")
    state = store.state(pages[1], "Ada")
    assert (state.roles[0], state.roles[1], state.roles[2]) == (
        before.roles[0], "caption", before.roles[2],
    )  # fmt: skip
    assert not any(state.applied)


reviewing = st.lists(
    st.one_of(
        st.tuples(st.just("role"), st.sampled_from(ROLES), st.integers(0, 3), st.integers(0, 3)),
        st.tuples(st.just("kind"), st.sampled_from(["", "article", "forum"])),
        st.tuples(st.just("comment"), st.text(max_size=5), st.integers(0, 3)),
        st.just(("undo",)),
    ),
    max_size=8,
)


@given(st.lists(st.sampled_from(ROLES), min_size=4, max_size=4), st.booleans(), reviewing)
def test_a_review_starts_from_the_labels_and_knows_what_it_changes(
    tmp_path_factory, given_roles, blind, steps
):
    folder = tmp_path_factory.mktemp("store")
    with LabelStore(folder, create=True) as store:
        store.add_pages([("a.miolo", "https://tides.example/a", False)])
        page = store.visit(1, "Ada", SHEET, blind=blind)
        for block, role in enumerate(given_roles):
            act(store, page, "Ada", "role", role, block, block)
        act(store, page, "Ada", "comment", "really?", 2, 2)
        act(store, page, "Ada", "kind", "article")
        assert store.next_page("Ben", review=True) is None
        act(store, page, "Ada", "done", "1")
        assert store.next_page("Ben") is None
        assert store.next_page("Ben", review=True) == page
        assert store.next_page("Cem", review=True) is None  # Ben has it
        store.visit(page, "Ben", SHEET, blind=False, reviews=store.labeller_to_review(page, "Ben"))
        # What Ada does now does not change what Ben sees.
        act(store, page, "Ada", "role", "embed", 0, 3)
        roles, comments = [list(given_roles)], [["", "", "really?", ""]]
        kinds, held = ["article"], 0
        for field, *values in steps:
            if field == "undo":
                assert (store.undo("Ben") is None) == (held == 0)
                held = max(0, held - 1)
                for log in (roles, comments, kinds):
                    del log[held + 1 :]
                continue
            value, first, last = [*values, *values[1:2], 0, 0][:3]
            act(store, page, "Ben", field, value, *sorted((first, last)))
            roles.append(list(roles[-1]))
            comments.append(list(comments[-1]))
            kinds.append(value if field == "kind" else kinds[-1])
            for block in range(min(first, last), max(first, last) + 1):
                if field == "role":
                    roles[-1][block] = value
                elif field == "comment":
                    comments[-1][block] = value
            held += 1
        act(store, page, "Ben", "done", "1")
    with LabelStore(folder) as store:  # as after a restart
        state = store.state(page, "Ben")
        assert (list(state.names), list(state.comments), state.kind) == (
            roles[-1], comments[-1], kinds[-1]
        )  # fmt: skip
        assert (state.reviews, state.reviewed, state.blind) == ("Ada", tuple(given_roles), blind)
        different = [n for n in range(4) if roles[-1][n] != given_roles[n]]
        assert list(state.changed) == different
        number = len(different) + (kinds[-1] != "article")
        ((listed,), _) = store.list_pages("Cem", "reviewed", "", "", 9)
        assert listed.changed == number
        assert len(store.list_pages("Cem", "changed", "", "", 9)[0]) == (number > 0)
        counts = store.counts()
        assert (counts.labelled, counts.reviewed, counts.changed) == (1, 1, int(number > 0))
        assert (listed.comments > 0) == (counts.commented == 1)
        assert [[each.labeller for each in page] for page in store.final_pages()] == [["Ben"]]
        assert agreements(store.labelled_pages()) == []
        assert store.progress("Ben", review=True).done == 1
        assert store.next_page("Ben", review=True) is None
        assert store.labeller_to_review(page, "Ada") == ""


def test_a_review_goes_with_the_page_when_it_is_captured_again(store):
    page = store.visit(1, "Ada", SHEET, blind=False)
    act(store, page, "Ada", "role", "note", 1, 1)
    act(store, page, "Ada", "done", "1")
    store.visit(page, "Ben", SHEET, blind=False, reviews="Ada")
    act(store, page, "Ben", "role", "caption", 2, 2)
    act(store, page, "Ben", "comment", "a caption", 2, 2)
    act(store, page, "Ben", "done", "1")
    later = label_sheet(miolo.Snapshot.from_html(f"<p>New</p>{HTML}", url=PAGE.page.url))
    number = store.visit(page, "Ben", later, blind=False)
    state = store.state(number, "Ben")
    assert (state.reviews, state.done) == ("Ada", None)
    assert state.names[2:4] == ("note", "caption")
    assert [block for block in state.changed if block] == [3]
    assert state.comments[3] == "a caption"
