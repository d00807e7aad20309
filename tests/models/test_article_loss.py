"""The gradient of the loss against finite differences."""

import numpy as np
import pytest
from miolo.models.article.model import EXCLUSIVE, OUTPUTS
from miolo.models.article.training import Targets, text_and_role_loss

BLOCKS = 5


def targets(seed: int) -> Targets:
    rng = np.random.default_rng(seed)
    roles = rng.random((BLOCKS, len(EXCLUSIVE)))
    of = [rng.random(BLOCKS) for _ in range(4)]
    related = (rng.random(BLOCKS) < 0.5).astype(float)
    roles /= roles.sum(axis=1, keepdims=True)
    return Targets(roles, rng.random(BLOCKS), rng.random(BLOCKS), related, *of)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_matches_finite_differences(seed):
    rng = np.random.default_rng(seed)
    odds, truth = rng.normal(0, 2, (BLOCKS, OUTPUTS)), targets(seed)
    _, slope = text_and_role_loss(odds, truth)
    for place in np.ndindex(odds.shape):
        step = np.zeros_like(odds)
        step[place] = 1e-5
        moved = [text_and_role_loss(odds + sign * step, truth)[0] for sign in (1, -1)]
        assert slope[place] == pytest.approx((moved[0] - moved[1]) / 2e-5, rel=1e-4, abs=1e-7)


def test_large_log_odds_do_not_overflow():
    odds = np.full((BLOCKS, OUTPUTS), 1e4, np.float32)
    odds[:, ::2] *= -1
    with np.errstate(all="raise", under="ignore"):
        loss, slope = text_and_role_loss(odds, targets(0))
    assert np.isfinite(loss)
    assert np.isfinite(slope).all()
