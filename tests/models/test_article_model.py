"""The article model: training on little, files, decisions."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.article.blocks import article_blocks
from miolo.features.article.features import block_features
from miolo.models.article.context import context_features, context_names
from miolo.models.article.conventions import CONVENTIONS, Convention
from miolo.models.article.decision import LONG, without_repeats
from miolo.models.article.model import ArticleModel, shipped_article_model
from miolo.models.article.samples import Sample, label
from miolo.models.article.training import (
    TrainingOptions,
    learn_judge,
    train_article,
    train_general,
)
from miolo.models.kinds.model import shipped_kind_model
from numpy.typing import NDArray

SMALL = TrainingOptions(trees=8, leaves=5, context_trees=5, context_leaves=4, folds=2)


def page(number: int) -> tuple[str, str]:
    """A page whose article is in paragraphs between lists of links, and its truth."""
    body = [f"Sentence {i} of story {number} goes on, and on, for a while here." for i in range(6)]
    links = "".join(f"<li><a href='/{i}'>Link {i}</a></li>" for i in range(8))
    paragraphs = "".join(f"<p>{text}</p>" for text in body)
    html = f"<title>Story {number}</title><body><ul>{links}</ul><div>{paragraphs}</div><ul>{links}"
    return html, "\n".join(body)


@pytest.fixture(scope="module")
def samples():
    pages = [page(number) for number in range(12)]
    return [
        label(miolo.Snapshot.from_html(html), truth, set="made", group=f"g{number}")
        for number, (html, truth) in enumerate(pages)
    ]


@pytest.fixture(scope="module")
def model(samples) -> ArticleModel:
    names = block_features(article_blocks(miolo.Snapshot.from_html("<p>x"))).names
    return train_article(names, samples[:8], train_general(samples[8:], SMALL), SMALL)


def test_labels_are_the_paragraphs(samples) -> None:
    assert all(sample.body.sum() == 6 and sample.explained == 1 for sample in samples)


def test_a_trained_model_finds_the_article(model: ArticleModel) -> None:
    html, truth = page(99)
    blocks = article_blocks(miolo.Snapshot.from_html(html))
    judged = model.judge(block_features(blocks))
    said = [text for text, body in zip(blocks.texts, judged.body, strict=True) if body]
    assert "\n".join(said) == truth


def test_training_is_deterministic(samples, model: ArticleModel) -> None:
    again = train_article(model.names, samples[:8], train_general(samples[8:], SMALL), SMALL)
    features = block_features(article_blocks(miolo.Snapshot.from_html(page(50)[0])))
    np.testing.assert_array_equal(
        model.judge(features).probability, again.judge(features).probability
    )


def with_facts(number: int) -> tuple[str, list[str]]:
    """A page with a table in its article, which one convention counts as its text."""
    facts = [f"Fact {i} of story {number}" for i in range(4)]
    table = "".join(f"<tr><td>{fact}</td></tr>" for fact in facts)
    return page(number)[0].replace("</p></div>", f"</p><table>{table}</table></div>"), facts


def with_facts_labelled(number: int, convention: Convention) -> Sample:
    html, facts = with_facts(number)
    truth = "\n".join([page(number)[1], *(facts if convention != "news" else ())])
    snapshot = miolo.Snapshot.from_html(html)
    return label(snapshot, truth, set="made", group=f"g{number}", convention=convention)


def log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(probability / (1 - probability))


def test_a_convention_is_told_from_the_other(model: ArticleModel) -> None:
    target = [with_facts_labelled(n, convention) for n in range(16) for convention in CONVENTIONS]
    learned = train_article(model.names, target, None, replace(SMALL, trees=20, features=1.0))
    blocks = article_blocks(miolo.Snapshot.from_html(with_facts(99)[0]))
    features = block_features(blocks)
    counts = {c: int(learned.judge(features, c).body.sum()) for c in CONVENTIONS}
    assert counts == {"news": 6, "full": 10, "page": 10}
    odds = {c: log_odds(learned.judge(features, c).probability) for c in CONVENTIONS}
    both = learned.judge_by_shares(features, {"news": 1.0, "full": 3.0})
    by_hand = (odds["news"] + 3 * odds["full"]) / 4
    np.testing.assert_allclose(log_odds(both.probability), by_hand, atol=1e-9)
    assert int(both.body.sum()) == 10


def test_a_convention_that_was_not_learned_is_told(model: ArticleModel) -> None:
    features = block_features(article_blocks(miolo.Snapshot.from_html("<p>x")))
    with pytest.raises(miolo.NoPages, match="page"):
        model.judge(features, "page")
    with pytest.raises(miolo.NoPages, match="'page' or 'full'"):
        model.judge_by_shares(features, {"page": 1.0, "full": 1.0})
    np.testing.assert_array_equal(
        model.judge_by_shares(features, {"page": 1.0, "news": 0.1}).probability,
        model.judge(features, "news").probability,
    )


def test_a_lesson_that_models_share_is_learned_once(model: ArticleModel) -> None:
    pages = [with_facts_labelled(n, convention) for n in range(8) for convention in CONVENTIONS]
    taught: list[int] = []

    @cache
    def learn(lesson, pages, general, options):
        taught.append(len(pages))
        return learn_judge(lesson, pages, general, options)

    def trained(number: int) -> ArticleModel:
        """Without a page of news."""
        gone = f"g{number}"
        kept = [page for page in pages if page.convention == "page" or page.group != gone]
        return train_article(model.names, kept, None, SMALL, learn=learn)

    first, second = trained(1), trained(2)
    assert taught == [14, 8, 14]
    assert first.judges["page"] is second.judges["page"]
    assert first.judges["news"] is first.judges["full"] is not second.judges["news"]


def test_a_truth_that_breaks_off_is_doubted(samples, model: ArticleModel) -> None:
    body = samples[0].body.copy()
    body[np.flatnonzero(body)[2:]] = False
    broken = replace(samples[0], body=body)
    options = replace(SMALL, trees=40, features=1.0)
    assert train_article(model.names, samples, None, options).provenance["doubted"] == {"news": 0}
    target = [broken, *samples[1:]]
    assert train_article(model.names, target, None, options).provenance["doubted"] == {"news": 1}


def test_a_file_says_the_same(model: ArticleModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model.npz")
    again = ArticleModel.load(tmp_path / "model.npz")
    features = block_features(article_blocks(miolo.Snapshot.from_html(page(50)[0])))
    np.testing.assert_array_equal(
        model.judge(features).probability, again.judge(features).probability
    )
    assert (again.names, again.threshold) == (model.names, model.threshold)


def test_a_file_keeps_what_tells_kinds(model: ArticleModel, tmp_path: Path) -> None:
    kinds = shipped_kind_model()
    replace(model, kinds=kinds).save(tmp_path / "model.npz")
    again = ArticleModel.load(tmp_path / "model.npz").kinds
    assert again is not None
    assert (again.features, again.kinds) == (kinds.features, kinds.kinds)
    np.testing.assert_array_equal(again.weights, kinds.weights)
    model.save(tmp_path / "model.npz")
    assert ArticleModel.load(tmp_path / "model.npz").kinds is None


@pytest.mark.parametrize("data", [b"", b"no model", b"PK\x03\x04 torn"])
def test_a_damaged_file_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "model.npz").write_bytes(data)
    with pytest.raises(miolo.ArchiveError):
        ArticleModel.load(tmp_path / "model.npz")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(miolo.ArchiveError):
        ArticleModel.load(tmp_path / "none.npz")


def test_what_moved_a_block_adds_up(model: ArticleModel) -> None:
    features = block_features(article_blocks(miolo.Snapshot.from_html(page(7)[0])))
    judged = model.judge(features)
    assert model.general is not None
    forests = [model.judges["news"].own, model.general]
    means = [f.baseline[0] + f.value[f.roots].sum(dtype=float) for f in forests]
    odds = [forest.log_odds(features.values) for forest in forests]
    np.testing.assert_allclose(
        np.mean(means) + judged.moved.sum(axis=1), np.mean(odds, axis=0), atol=1e-5
    )


def test_other_features_are_refused(model: ArticleModel) -> None:
    features = block_features(article_blocks(miolo.Snapshot.from_html("<p>x")))
    with pytest.raises(ValueError, match="other features"):
        replace(model, names=model.names[1:]).judge(features)


def test_the_shipped_model_fits_the_features() -> None:
    features = block_features(article_blocks(miolo.Snapshot.from_html("<p>x")))
    assert shipped_article_model().names == features.names
    assert shipped_article_model().provenance["pages"]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from((2, LONG)), st.booleans())),
)
def test_long_texts_are_said_once(blocks: list[tuple[str, int, bool]]) -> None:
    texts = [text for text, _, _ in blocks]
    words = np.array([count for _, count, _ in blocks], float)
    body = np.array([kept for _, _, kept in blocks], bool)
    kept = without_repeats(texts, words, body)
    assert not (kept & ~body).any()
    for i, (text, count, was) in enumerate(blocks):
        before = any(t == text and k and w >= LONG for t, w, k in blocks[:i])
        assert kept[i] == (was and not (count >= LONG and before))


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 50), st.integers(0, 3))))
def test_context_is_finite_and_of_others(blocks: list[tuple[float, int, int]]) -> None:
    p = np.array([b[0] for b in blocks], float)
    words = np.array([b[1] for b in blocks], float)
    group = np.array([b[2] for b in blocks], np.int64)
    found = context_features(p, words, {"kind": group})
    names = context_names({"kind": group})
    assert found.shape == (len(blocks), len(names))
    steps = [name.startswith("neighbour") for name in names]
    assert np.isfinite(found[:, ~np.array(steps)]).all()
    mean = found[:, names.index("kind mean")]
    for i in range(len(blocks)):
        others = [p[j] for j in range(len(blocks)) if j != i and group[j] == group[i]]
        assert mean[i] == pytest.approx(np.mean(others) if others else -1, abs=1e-5)
