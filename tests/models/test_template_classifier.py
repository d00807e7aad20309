"""The banded classifier as a scikit-learn estimator, and the regression of each band."""

import numpy as np
import pytest
from miolo.models.templates.model import REPORT_BANDS, area_bands, band_of
from miolo.models.templates.template_training import BandedLogisticRegression
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [BandedLogisticRegression(), BandedLogisticRegression(bands=(0.0,), balanced=True)]
)
def test_the_classifier_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_bands_are_quartiles_averaged_over_sites():
    assert area_bands([[1, 2, 3, 4, 5], [11, 12, 13, 14, 15]]) == (7, 8, 9)


def rows(count=600, seed=3):
    chance = np.random.default_rng(seed)
    area = 10 ** chance.uniform(3.4, 6, count)
    features = chance.normal(size=(count, 3)) * (1, 10, 100)
    # Each band has a different rule from its neighbours.
    which = band_of(area, REPORT_BANDS) % 3
    noise = chance.normal(scale=0.3, size=count)
    label = features[np.arange(count), which] / np.array([1, 10, 100])[which] + noise > 0
    return np.column_stack([area, features]), label


def test_each_band_is_a_regression_of_its_own():
    X, y = rows()
    ours = BandedLogisticRegression(REPORT_BANDS).fit(X, y).predict_proba(X)[:, 1]
    band = band_of(X[:, 0], REPORT_BANDS)
    for number in range(4):
        own = X[band == number, 1:]
        peer = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        peer.fit(own, y[band == number])
        expected = peer.predict_proba(own)[:, 1]
        assert ours[band == number] == pytest.approx(expected, abs=1e-6)


def test_a_band_of_one_class_predicts_its_smoothed_frequency():
    X, y = rows()
    y[band_of(X[:, 0], REPORT_BANDS) == 2] = True
    fitted = BandedLogisticRegression(REPORT_BANDS).fit(X, y)
    in_band = band_of(X[:, 0], REPORT_BANDS) == 2
    count = int(in_band.sum())
    assert fitted.predict_proba(X[in_band])[:, 1] == pytest.approx((count + 1) / (count + 2))


def test_sample_weights_are_equivalent_to_repeated_rows():
    X, y = rows(120)
    twice = np.where(np.arange(len(X)) < 40, 2, 1)
    weighted = BandedLogisticRegression().fit(X, y, sample_weight=twice)
    repeated = BandedLogisticRegression().fit(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X), abs=1e-4)
