"""Fine-tuning of the shipped reader on a user's own pages, and the resulting changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import EmptyInputError
from ...features.article.features import BlockFeatures
from ...models.article.custom_roles import CustomRole, CustomRoleModel
from ...models.article.model import TEXT, Reader, probability_of, shipped_reader
from ...models.article.roles import PRESETS, ROLES
from ...models.article.samples import UNKNOWN, LabelledPage
from ...models.article.training import TrainingOptions, group_folds, train_reader

Report = Callable[[str], None]

FOLDS = 3

# The shipped reader is adapted, not replaced, so training takes few and small steps.
ADAPTING = TrainingOptions(epochs=12, rate=5e-4, dropped=0.05, plain=0)

# With few pages each page is a step of its own; otherwise there would be too few steps to learn
# from.
STEPS, MAX_PAGES_OF_STEP = 8, 4

MAX_EXAMPLES = 10

LEAST_BLOCKS = 5
"""Minimum number of blocks of a role on the judged pages for a score."""


@dataclass(frozen=True)
class RoleScore:
    """F1 of a role, or of the text weighted by words: of the shipped reader and of own ones.

    The own readers were fine-tuned on pages of other domains. A figure is None if there are too few
    blocks or domains.
    """

    blocks: int
    shipped: float | None
    own: float | None


@dataclass(frozen=True, eq=False)
class Adaptation:
    """The shipped reader, fine-tuned on all pages, and scores on pages not used for training.

    The score of the text is weighted by words. The pages of a domain are held out together, but
    each page on its own if there is only one domain.
    """

    model: Reader
    text: RoleScore
    roles: dict[str, RoleScore]
    domains: int
    judged: int


@dataclass(frozen=True)
class Change:
    """A block that enters or leaves the text: its page's address, its text, and both roles."""

    url: str
    text: str
    before: str
    after: str
    enters: bool


@dataclass(frozen=True)
class Changes:
    """Differences between two readers on some pages.

    They are the number of blocks whose role changes, by both roles, and of those that enter or
    leave the text of the preset ``article``, with examples, the longest texts first.
    """

    pages: int
    blocks: int
    changed: Counter[tuple[str, str]]
    entering: int
    leaving: int
    examples: tuple[Change, ...]


def _ignore(line: str) -> None:
    """Report nothing."""


TRAINED_ON = "trained_on"
"""Key of the names of the training pages in the provenance of an adapted reader."""


def adapt_reader(
    pages: Sequence[LabelledPage],
    provenance: dict[str, Any],
    report: Report = _ignore,
    blind: Sequence[bool] = (),
    custom: tuple[CustomRole, ...] = (),
) -> Adaptation:
    """Fine-tune the shipped reader on labelled pages.

    All labelled blocks are used, including those whose suggested role was left unchanged. Readers
    are judged on the pages that were labelled without suggestions (`blind`) if there are any,
    because labellers who accept suggestions agree with the shipped reader. `custom` has the custom
    roles to learn, for which a model is fitted to what the adapted reader computes of each block.
    """
    if len(pages) < 2:
        raise EmptyInputError(
            "at least two labelled pages are needed, because the model is judged on pages that it "
            "was not trained on"
        )
    domains = len({page.group for page in pages})
    if domains == 1:
        pages = [replace(page, group=str(number)) for number, page in enumerate(pages)]
    provenance = {**provenance, TRAINED_ON: [Path(page.id).stem for page in pages]}
    model = replace(_adapt(pages, report, custom), provenance=provenance)
    judged = np.flatnonzero(blind).tolist() or list(range(len(pages)))
    own = _out_of_fold(pages, custom)
    scored = [pages[place] for place in judged]
    shipped = [_answer(shipped_reader(), page.features) for page in scored]
    adapted = own and [own[place] for place in judged]
    return Adaptation(model, *_scores(scored, shipped, adapted), domains, len(judged))


def _adapt(
    pages: Sequence[LabelledPage], report: Report, custom: tuple[CustomRole, ...] = ()
) -> Reader:
    shipped = shipped_reader()
    of_step = min(MAX_PAGES_OF_STEP, max(1, len(pages) // STEPS))
    options = replace(ADAPTING, pages=of_step)
    reader = train_reader(shipped.names, pages, options, start=shipped, report=report)
    return replace(reader, custom=_fit_custom(reader, pages, custom)) if custom else reader


def _fit_custom(
    reader: Reader, pages: Sequence[LabelledPage], custom: tuple[CustomRole, ...]
) -> CustomRoleModel:
    code_of = {role.name: code for code, role in enumerate(custom)} | {"": -1}
    rows, codes = [], []
    for page in pages:
        is_labelled = page.roles != UNKNOWN
        rows.append(reader.custom_columns(page.features)[is_labelled])
        names = page.custom or [""] * len(page)
        codes.append(np.array([code_of[name] for name in names], np.int64)[is_labelled])
    return CustomRoleModel.fit(custom, np.concatenate(rows), np.concatenate(codes))


@dataclass(frozen=True, eq=False)
class _Answer:
    """Predictions for b blocks: the most likely role, int64, whether the block is text, and its
    custom role.
    """

    roles: NDArray[np.int64]
    text: NDArray[np.bool_]
    custom: NDArray[np.str_]


def _answer(reader: Reader, features: BlockFeatures) -> _Answer:
    probabilities = reader.read(features).roles
    roles = probabilities.argmax(axis=1) if len(probabilities) else np.zeros(0, np.int64)
    is_text = probability_of(probabilities, PRESETS["article"]) >= 0.5
    return _Answer(roles, is_text, _custom(reader.custom_names(features), len(roles)))


def _custom(names: Sequence[str], blocks: int) -> NDArray[np.str_]:
    """Custom roles of blocks; those of a page without any are all empty."""
    return np.array(names or [""] * blocks, str)


def _out_of_fold(
    pages: Sequence[LabelledPage], custom: tuple[CustomRole, ...]
) -> list[_Answer] | None:
    """Answers of readers that were not fine-tuned on any page of the judged page's domain."""
    groups = [page.group for page in pages]
    if len(set(groups)) <= FOLDS:
        return None
    fold_of = group_folds(groups, FOLDS)
    readers = [
        _adapt([p for p, of in zip(pages, fold_of, strict=True) if of != fold], _ignore, custom)
        for fold in range(FOLDS)
    ]
    return [
        _answer(readers[fold], page.features)
        for page, fold in zip(pages, fold_of.tolist(), strict=True)
    ]


def _scores(
    pages: Sequence[LabelledPage], shipped: Sequence[_Answer], own: Sequence[_Answer] | None
) -> tuple[RoleScore, dict[str, RoleScore]]:
    """The score of the text, and those of the roles and custom roles."""
    roles = np.concatenate([page.roles for page in pages])
    is_labelled = roles != UNKNOWN
    true = roles[is_labelled]
    words = np.concatenate([page.features.words for page in pages])[is_labelled]

    def score(answers: Sequence[_Answer] | None, code: int | None) -> float | None:
        if answers is None:
            return None
        if code is None:
            answer = np.concatenate([each.text for each in answers])[is_labelled]
            return _f1(np.isin(true, TEXT), answer, words)
        answer = np.concatenate([each.roles for each in answers])[is_labelled]
        return _f1(true == code, answer == code, np.ones(len(true)))

    counts = {code: int((true == code).sum()) for code in sorted(set(true.tolist()))}

    def scores(code: int | None, blocks: int) -> RoleScore:
        if blocks < LEAST_BLOCKS:
            return RoleScore(blocks, None, None)
        return RoleScore(blocks, score(shipped, code), score(own, code))

    of_role = {ROLES[code]: scores(code, blocks) for code, blocks in counts.items()}
    named = np.concatenate([_custom(page.custom, len(page)) for page in pages])[is_labelled]
    for name in sorted(set(named.tolist()) - {""}):
        is_name, own_score = named == name, None
        if own is not None and is_name.sum() >= LEAST_BLOCKS:
            answer = np.concatenate([each.custom for each in own])[is_labelled]
            own_score = _f1(is_name, answer == name, np.ones(len(named)))
        of_role[name] = RoleScore(int(is_name.sum()), None, own_score)
    return scores(None, int(np.isin(true, TEXT).sum())), of_role


def _f1(true: NDArray[np.bool_], answer: NDArray[np.bool_], weight: NDArray[np.floating]) -> float:
    both = float(weight[true & answer].sum())
    return 2 * both / max(float(weight[true].sum() + weight[answer].sum()), 1e-9)


def changes_of(model: Reader, pages: Iterable[tuple[str, Sequence[str], BlockFeatures]]) -> Changes:
    """Differences between a reader and the shipped one on pages, by address, texts and features."""
    changed: Counter[tuple[str, str]] = Counter()
    moved: list[Change] = []
    count = blocks = entering = leaving = 0
    for url, texts, features in pages:
        count, blocks = count + 1, blocks + len(texts)
        before, after = _answer(shipped_reader(), features), _answer(model, features)
        for place in np.flatnonzero(before.roles != after.roles).tolist():
            changed[ROLES[before.roles[place]], ROLES[after.roles[place]]] += 1
        for place in np.flatnonzero(before.text != after.text).tolist():
            entering += bool(after.text[place])
            leaving += bool(before.text[place])
            roles = ROLES[before.roles[place]], ROLES[after.roles[place]]
            moved.append(Change(url, texts[place], *roles, bool(after.text[place])))
    moved.sort(key=lambda change: -len(change.text))
    return Changes(count, blocks, changed, entering, leaving, tuple(moved[:MAX_EXAMPLES]))
