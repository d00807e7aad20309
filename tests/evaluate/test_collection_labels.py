"""Training a reader on the labels of a collection: all roles, by domain, no disputed blocks."""

from itertools import count

import miolo
import numpy as np
import pytest
from miolo.collect.labels.sheet import label_sheet
from miolo.collect.labels.store import Action, LabelStore
from miolo.evaluate.training.adaptation import adapt_reader, changes_of
from miolo.evaluate.training.labels import has_labels, read_collection
from miolo.models.article.model import Reader, shipped_reader
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


def test_custom_roles_are_learned_given_and_scored(folder, pages, run, tmp_path):
    """Paragraphs of the text labelled as prose, on four pages, are prose on the others."""
    file = tmp_path / "roles.toml"
    file.write_text('[prose]\nbase = "paragraph"\n')
    assert run("label", str(folder), "--roles", str(file)).returncode == 0
    with LabelStore(folder, create=True) as store:
        for number, page in enumerate(pages[:LABELLED], 1):
            sheet = label_sheet(page)
            chosen = [n for n, block in enumerate(sheet.blocks) if block.role == "paragraph"]
            finish(store, number, "Ada", sheet, [(block, "prose") for block in chosen])
    model = tmp_path / "own.npz"
    done = run("train", str(folder), "-o", str(model), "--custom-roles")
    assert done.returncode == 0, done.stderr
    (row,) = [line for line in done.stdout.decode().splitlines() if line.startswith("prose")]
    assert float(row.split()[-1]) > 0.8  # on pages that it was not trained on
    article = miolo.extract_snapshot(pages[-1], model=Reader.load(model))
    prose = [block.custom_role == "prose" for block in article.blocks if block.role == "paragraph"]
    assert sum(prose) > 0.8 * len(prose) > 0
    assert label_sheet(pages[-1], Reader.load(model)).blocks != label_sheet(pages[-1]).blocks
    command = ("evaluate", "--collection", str(folder), "--cache", str(tmp_path / "cache"))
    done = run(*command, "--model", str(model))
    assert done.returncode == 0, done.stderr
    assert b"\nprose " in done.stdout


def test_custom_roles_are_not_dropped_in_silence(folder, run, tmp_path):
    file = tmp_path / "roles.json"
    file.write_text('{"prose": {"base": "paragraph"}}')
    assert run("label", str(folder), "--roles", str(file)).returncode == 0
    command = ("train", str(folder), "-o", str(tmp_path / "own.npz"))
    assert b"1 custom role not learned; see --custom-roles" in run(*command).stderr
    done = run(*command, "--custom-roles")
    assert done.returncode == miolo.EmptyInputError.exit_code
    assert b"custom roles are learned from blocks with one" in done.stderr


def test_a_review_counts_in_place_of_the_labels_that_it_reviews(folder, pages):
    sheet = label_sheet(pages[0])
    with LabelStore(folder, create=True) as store:
        page = store.visit(1, "Ben", sheet, blind=False, reviews="Ada")
        for field, value in (("role", "note"), ("done", "1")):
            store.act(Action(f"review-{next(keys)}", page, "Ben", field, value, 0, 0))
    labels = read_collection(folder, pytest.fail)
    assert labels.disputed == 0
    assert ROLES[labels.pages[0].roles[0]] == "note"
    assert all(ROLES[labels.pages[0].roles[block]] == "caption" for block in bylines(sheet))
