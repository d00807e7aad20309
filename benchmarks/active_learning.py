"""What a reader learns from pages labelled in the order of uncertainty, and from random pages.

    python benchmarks/active_learning.py
    python benchmarks/active_learning.py --begin 50 --pool 400 --judged 120 --seed 1

A first reader learns from a few pages with role labels (never those of the exam). Then 25, 50, 100
and 200 pages of a pool are labelled: those with the greatest uncertainty of the reader of the
previous step (the order of the label queue), or random ones. After each step a new reader is
trained on all pages labelled so far. It is judged on pages of domains that have no page among the
first pages or in the pool, by the F1 of the words of the text, averaged over pages, and by the
share of blocks with the right role, where boilerplate and links to other stories count as one role.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from corpus import parser
from labelling import SURROUNDINGS, labelled_cases, report, shuffle, with_snapshots
from miolo.collect.labels.sheet import mean_uncertainty
from miolo.evaluate.training.article_reader import feature_names, label_cases
from miolo.models.article.model import TEXT, Reader, probability_of
from miolo.models.article.roles import PRESETS, ROLES
from miolo.models.article.samples import UNKNOWN, LabelledPage
from miolo.models.article.training import TrainingOptions, train_reader

STEPS = (25, 50, 100, 200)

TRAINING = TrainingOptions(networks=1, epochs=6, pages=4, plain=0)


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--begin", type=int, default=50, help="pages that the first reader has")
    options.add_argument("--pool", type=int, default=400, help="pages to choose from")
    options.add_argument("--judged", type=int, default=120)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    rng = np.random.default_rng(chosen.seed)
    order = shuffle(labelled_cases(chosen), rng)
    held_back = {case.group for case in order[: chosen.judged]}
    others = [case for case in order[chosen.judged :] if case.group not in held_back]
    sample = [*order[: chosen.judged], *others[: chosen.begin + chosen.pool]]
    pages = label_cases(with_snapshots(sample), plain=False, report=report)
    test_pages = [page for page in pages if page.group in held_back]
    rest = [page for page in pages if page.group not in held_back]
    first, pool = rest[: chosen.begin], rest[chosen.begin :]
    reader = train(first)
    figures = {"pool": len(pool), "judged": len(test_pages), "0": judge(reader, test_pages)}
    for name in ("uncertainty", "random"):
        figures[name] = steps(name, reader, first, pool, test_pages, rng)
    print(json.dumps(figures))


def train(pages: Sequence[LabelledPage]) -> Reader:
    return train_reader(feature_names(), pages, TRAINING)


def steps(
    name: str,
    reader: Reader,
    first: Sequence[LabelledPage],
    pool: Sequence[LabelledPage],
    test_pages: Sequence[LabelledPage],
    rng: np.random.Generator,
) -> dict[str, dict[str, float]]:
    """Figures after each number of labelled pages."""
    left, labelled_pages, figures = list(pool), list(first), {}
    for step in STEPS:
        count = step - (len(labelled_pages) - len(first))
        rank = (
            [
                -mean_uncertainty(reader.read(page.features).roles, page.features.words)
                for page in left
            ]
            if name == "uncertainty"
            else rng.random(len(left))
        )
        order = np.argsort(rank, kind="stable").tolist()
        labelled_pages += [left[number] for number in order[:count]]
        left = [left[number] for number in sorted(order[count:])]
        reader = train(labelled_pages)
        figures[str(step)] = judge(reader, test_pages)
        report(f"{name} {step}: {figures[str(step)]}")
    return figures


def judge(reader: Reader, pages: Sequence[LabelledPage]) -> dict[str, float]:
    """Mean F1 of the words of the text, and the share of blocks with the right role."""
    scores, right, blocks = [], 0, 0
    surroundings = [ROLES.index(role) for role in SURROUNDINGS]
    for page in pages:
        roles = reader.read(page.features).roles
        answer, true = probability_of(roles, PRESETS["article"]) >= 0.5, np.isin(page.roles, TEXT)
        words = page.features.words
        both = words[answer & true].sum()
        scores.append(2 * both / max(words[answer].sum() + words[true].sum(), 1))
        prediction, is_labelled = roles.argmax(axis=1), page.roles != UNKNOWN
        same = (prediction == page.roles) | (
            np.isin(prediction, surroundings) & np.isin(page.roles, surroundings)
        )
        right += int(same[is_labelled].sum())
        blocks += int(is_labelled.sum())
    return {"f1": round(float(np.mean(scores)), 4), "roles_right": round(right / blocks, 4)}


if __name__ == "__main__":
    main()
