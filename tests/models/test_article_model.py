"""The reader: training on few pages, files, predictions and explanations."""

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import miolo
import numpy as np
import pytest
from miolo.features.article.features import BlockFeatures, block_features
from miolo.features.blocks import article_blocks
from miolo.models.article.explanation import (
    NOTHING,
    SHOWN_FEATURES,
    VALUE,
    Contribution,
    evidence_columns,
    explain,
    sentence,
)
from miolo.models.article.model import OUTPUTS, Reader, probabilities, shipped_reader
from miolo.models.article.roles import LETTERS, PRESETS, role_set
from miolo.models.article.samples import PageTruth, label_page
from miolo.models.article.training import TrainingOptions, train_reader
from miolo.models.kinds.model import shipped_kind_model
from miolo.models.logistic import log_odds
from newsroom import ARTICLES

SMALL = TrainingOptions(epochs=30, pages=4, width=16, networks=1, plain=0)


def page(number: int) -> tuple[str, list[tuple[str, str]]]:
    """A page whose article is in paragraphs between lists of links, and the roles of its texts."""
    title = f"The story of number {number}"
    body = [f"Sentence {i} of story {number} goes on, and on, for a while here." for i in range(6)]
    links = "".join(f"<li><a href='/{i}'>Link {i}</a></li>" for i in range(8))
    paragraphs = "".join(f"<p>{text}</p>" for text in body)
    html = (
        f"<title>{title}</title><body><ul>{links}</ul><h1>{title}</h1><div>{paragraphs}</div>"
        f"<ul>{links}</ul>"
    )
    menu = [(".", f"Link {i}") for i in range(8)]
    return html, [*menu, ("T", title), *(("B", text) for text in body), *menu]


def labelled_page(number: int, truth: PageTruth | None = None):
    html, blocks = page(number)
    snapshot = miolo.Snapshot.from_html(html)
    page_truth = truth or PageTruth(blocks)
    return label_page(snapshot, page_truth, set="made", id=str(number), group=f"g{number}")


def features_of(html: str) -> BlockFeatures:
    return block_features(article_blocks(miolo.Snapshot.from_html(html)))


@pytest.fixture(scope="module")
def pages():
    return [labelled_page(number) for number in range(12)]


@pytest.fixture(scope="module")
def reader(pages) -> Reader:
    return train_reader(features_of("<p>x").names, pages, SMALL)


def test_a_trained_reader_predicts_roles(reader):
    html, blocks = page(99)
    probabilities = reader.read(features_of(html))
    answer = [LETTERS[role] for role in probabilities.roles.argmax(axis=1)]
    assert answer == [letter for letter, _ in blocks]
    np.testing.assert_allclose(probabilities.roles.sum(axis=1), 1, atol=1e-9)


def test_a_reader_learns_roles_from_another_where_only_the_text_is_known(reader):
    by_text = []
    for number in range(12):
        _, blocks = page(number)
        text = "\n".join(text for letter, text in blocks if letter == "B")
        by_text.append(labelled_page(number, PageTruth(text=text)))
    taught = [replace(each, taught=reader.read(each.features)) for each in by_text]
    student = train_reader(reader.names, taught, SMALL)
    roles = student.read(labelled_page(20).features).roles.argmax(axis=1)
    assert "".join(LETTERS[role] for role in roles) == "." * 8 + "T" + "B" * 6 + "." * 8


def test_nothing_to_learn_is_an_error(pages):
    empty = replace(pages[0], roles=np.zeros_like(pages[0].roles))
    with pytest.raises(miolo.EmptyInputError, match="no page to learn from"):
        train_reader(features_of("<p>x").names, [empty], SMALL)


def test_a_saved_reader_is_the_same_after_loading(reader, tmp_path: Path):
    replace(reader, kinds=shipped_kind_model()).save(tmp_path / "a.npz")
    again = Reader.load(tmp_path / "a.npz")
    features = features_of(page(50)[0])
    first, second = reader.read(features), again.read(features)
    # Weights are kept in half precision.
    np.testing.assert_allclose(first.roles, second.roles, atol=0.02)
    assert again.kinds is not None
    assert again.kinds.kinds == shipped_kind_model().kinds
    again.save(tmp_path / "b.npz")
    np.testing.assert_array_equal(
        Reader.load(tmp_path / "b.npz").read(features).roles, second.roles
    )


def test_the_shipped_reader_is_not_copied_into_pickles():
    assert pickle.loads(pickle.dumps(shipped_reader())) is shipped_reader()
    article = miolo.extract_snapshot(miolo.Snapshot.from_html(page(0)[0]))
    pickled = pickle.dumps(article)
    assert len(pickled) < 200_000
    code = (
        "import pickle, sys\n"
        "article = pickle.load(sys.stdin.buffer)\n"
        "print(ascii([block.reason for block in article.blocks]))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickled, capture_output=True)
    assert done.stdout.decode().strip() == ascii([block.reason for block in article.blocks])


def test_weights_of_other_shapes_are_refused(reader, tmp_path: Path):
    weights = reader.networks[0] | {"0.taps": reader.networks[0]["0.taps"][1:]}
    replace(reader, networks=(weights,)).save(tmp_path / "a.npz")
    with pytest.raises(miolo.ArchiveError, match=r"0\.taps"):
        Reader.load(tmp_path / "a.npz")


def test_other_features_are_refused(reader):
    with pytest.raises(ValueError, match="other features"):
        replace(reader, names=reader.names[1:]).read(features_of("<p>x"))


@pytest.mark.parametrize("text", [PRESETS["article"], frozenset({"title", "related"})])
def test_slopes_of_the_log_odds_match_finite_differences(text):
    rng = np.random.default_rng(6)
    outputs, step = rng.normal(size=(1, 30, OUTPUTS)), 1e-5 * rng.normal(size=(1, 30, OUTPUTS))

    def read(outputs):
        return log_odds(probabilities(outputs).of_text(text, 0.7))

    moved = (read(outputs + step) - read(outputs - step)) / 2
    by_slope = (probabilities(outputs).slopes(text, 0.7) * step[0]).sum(axis=1)
    np.testing.assert_allclose(moved, by_slope, rtol=1e-4, atol=1e-10)


def test_contributions_add_up_to_the_judgement():
    features, text = features_of(page(7)[0]), PRESETS["article"]
    reader = shipped_reader()
    explanation = explain(reader, features, text, 0.9)
    probability = np.clip(reader.read(features).of_text(text, 0.9), 1e-6, 1 - 1e-6)
    np.testing.assert_allclose(
        explanation.base + explanation.moved.sum(axis=1),
        np.log(probability / (1 - probability)),
        atol=1e-3,
    )
    rows = zip(explanation.contributions(), explanation.namings(), strict=True)
    for contributions, naming in rows:
        assert [abs(each.log_odds) for each in contributions] == sorted(
            (abs(each.log_odds) for each in contributions), reverse=True
        )
        words = sentence("kept as paragraph", contributions, naming)
        assert words.startswith("kept as paragraph")


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("links", 0.0, "none of its text in links"),
        ("links", 0.001, "under 1% of its text in links"),
        ("copies", 0.0, "none of its text seen before on the page"),
        ("copies", 1.0, "100% of its text seen before on the page"),
        ("declarations", 0.0, "not the declared title"),
        ("look", 0.0, "the usual font size"),
        ("pictures", 1.0, "1 block below a picture"),
        ("pictures", 2.0, "2 blocks below a picture"),
        ("length", np.log1p(1), "1 word"),
    ],
)
def test_a_sentence_names_a_value_as_a_reader_would(kind, value, words):
    evidence = [Contribution(kind, value, 1.0)]
    assert sentence("kept as note", evidence, {kind: VALUE}) == f"kept as note: {words}"
    undecided = sentence("kept as note", evidence, {kind: VALUE}, decided=False)
    assert undecided == f"kept as note – in favour: {words}"


@pytest.mark.parametrize("paper", ARTICLES)
def test_changing_the_named_evidence_changes_the_probability_as_named(stage, paper):
    """Without the evidence that a sentence names, the block alone is less (or more) likely text."""
    (story,) = stage.articles(ARTICLES[paper][:1])
    features = block_features(article_blocks(story))
    text, reader = PRESETS["article"], shipped_reader()
    explanation, values = explain(reader, features, text, 0.9), reader.standardise(features)
    columns = evidence_columns(reader.columns)

    def log_odds(of):
        read = reader.read_standardised(features, of).of_text(text, 0.9)
        sure = np.clip(read, 1e-6, 1 - 1e-6)
        return np.log(sure / (1 - sure))

    whole, named = log_odds(values), 0
    rows = zip(explanation.contributions(), explanation.namings(), strict=True)
    for block, (contributions, naming) in enumerate(rows):
        for each in contributions:
            if naming[each.feature] == NOTHING or each.feature == "words":
                continue
            changed = values.copy()
            changed[block, columns[each.feature]] = 0
            assert (whole - log_odds(changed))[block] * each.log_odds > 0, each
            named += 1
            if naming[each.feature] == VALUE:
                changed = values.copy()
                changed[block, reader.columns.index(SHOWN_FEATURES[each.feature])] = 0
                assert (whole - log_odds(changed))[block] * each.log_odds > 0, each
    assert named


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"preset": "all"}, "there is no preset 'all'"),
        ({"include": ["captions"]}, "there is no role 'captions'"),
        ({"exclude": ["x"]}, "there is no role 'x'"),
        ({"include": "caption"}, "are lists of roles"),
        ({"exclude": "caption"}, "are lists of roles"),
        ({"preset": "body", "exclude": PRESETS["body"]}, "no role is left"),
    ],
)
def test_unknown_roles_are_an_error(arguments, message):
    with pytest.raises(miolo.UnknownRoleError, match=message):
        role_set(**arguments)
