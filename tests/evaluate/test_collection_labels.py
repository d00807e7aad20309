"""Training a reader on the labels of a collection: all roles, by domain, no disputed blocks."""

from itertools import count

import numpy as np
import pytest
from miolo.collect.labels.sheet import label_sheet
from miolo.collect.labels.store import Action, LabelStore
from miolo.evaluate.training.adaptation import adapt_reader, changes_of
from miolo.evaluate.training.labels import has_labels, read_collection
from miolo.models.article.model import shipped_reader
from miolo.models.article.roles import ROLES
from miolo.models.article.samples import UNKNOWN
from newsroom import ARTICLES

STORIES = next(iter(ARTICLES.values()))[:7]
LABELLED = 5

keys = count()


def finish(store, number, labeller, sheet, changes=(), *, blind=False, **more):
    """Open a page as a labeller, assign roles to some blocks and mark the page as done."""
    page = store.visit(number, labeller, sheet, blind=blind)
    steps = [("role", role, block) for block, role in changes]
    steps += [(field, value, 0) for field, value in more.items()]
    for field, value, block in [*steps, ("done", "1", 0)]:
        store.act(Action(f"key-{next(keys)}", page, labeller, field, value, block, block))


def bylines(sheet):
    return [number for number, block in enumerate(sheet.blocks) if block.role == "byline"]


@pytest.fixture(scope="module")
def pages(stage):
    return stage.articles(STORIES)


@pytest.fixture
def folder(pages, tmp_path):
    """A folder of pages: five label their bylines as captions, and two have no labels."""
    for number, page in enumerate(pages):
        page.save(tmp_path / f"{number}.miolo")
    with LabelStore(tmp_path, create=True) as store:
        store.add_pages((f"{n}.miolo", page.page.url, True) for n, page in enumerate(pages))
        for number, page in enumerate(pages[:LABELLED], 1):
            sheet = label_sheet(page)
            assert bylines(sheet)
            changes = [(block, "caption") for block in bylines(sheet)]
            finish(store, number, "Ada", sheet, changes)
    return tmp_path


def test_a_reader_learns_from_the_labels(folder, pages):
    assert has_labels(folder)
    labels = read_collection(folder, pytest.fail)
    assert len(labels.pages) == LABELLED
    assert labels.by_hand == sum(len(bylines(label_sheet(page))) for page in pages[:LABELLED])
    assert labels.disputed == 0
    assert [url for url, _, _ in labels.others] == [page.page.url for page in pages[LABELLED:]]
    for page, labelled in zip(pages, labels.pages, strict=False):
        sheet = label_sheet(page)
        expected = [block.role for block in sheet.blocks]
        for block in bylines(sheet):
            expected[block] = "caption"
        assert [ROLES[role] for role in labelled.roles] == expected
        assert labelled.explained == 1


def test_nothing_is_learned_from_disputed_blocks(folder, pages):
    sheet = label_sheet(pages[0])
    with LabelStore(folder, create=True) as store:
        finish(store, 1, "Ben", sheet, [(0, "note")])
    labels = read_collection(folder, pytest.fail)
    differing = {0, *bylines(sheet)}
    assert labels.disputed == len(differing)
    assert set(np.flatnonzero(labels.pages[0].roles == UNKNOWN)) == differing


def test_pages_labelled_without_suggestions_are_scored(folder, pages, run):
    """On these alone, out of fold, and with a dash where a role has too few blocks."""
    with LabelStore(folder, create=True) as store:
        sheet = label_sheet(pages[-1])
        changes = [(number, block.role) for number, block in enumerate(sheet.blocks)]
        finish(store, len(pages), "Ada", sheet, changes, blind=True)
    labels = read_collection(folder, pytest.fail)
    assert labels.blind == (False,) * LABELLED + (True,)
    adaptation = adapt_reader(labels.pages, {}, blind=labels.blind)
    # The labels are the suggestions of the shipped reader.
    assert (adaptation.judged, adaptation.text.shipped) == (1, 1.0)
    assert adaptation.text.own is not None
    assert (adaptation.roles["title"].blocks, adaptation.roles["title"].shipped) == (1, None)
    done = run("evaluate", "--collection", str(folder), "--cache", str(folder / "cache"))
    assert done.returncode == 0, done.stderr
    assert b"1 of 6 pages labelled without suggestions" in done.stderr
    assert b"caption" in done.stdout


def test_all_roles_are_learned(folder, pages):
    """Bylines labelled as captions become captions on unlabelled pages."""
    labels = read_collection(folder, pytest.fail)
    adaptation = adapt_reader(labels.pages, {})
    assert adaptation.judged == LABELLED
    assert adaptation.roles["caption"].own > adaptation.roles["caption"].shipped
    changes = changes_of(adaptation.model, labels.others)
    for page, (_, _, features) in zip(pages[LABELLED:], labels.others, strict=True):
        answer = adaptation.model.read(features).roles.argmax(axis=1)
        for block in bylines(label_sheet(page)):
            assert ROLES[answer[block]] == "caption"
    assert changes.changed["byline", "caption"] == sum(
        len(bylines(label_sheet(page))) for page in pages[LABELLED:]
    )
    assert changes_of(shipped_reader(), labels.others).changed.total() == 0
