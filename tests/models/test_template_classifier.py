"""Training of template models: the regression of each band of areas."""

import numpy as np
import pytest
from miolo.models.templates.model import OURS, REPORT, SiteRows, area_bands, band_of, train_template
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def site(count=600, seed=3):
    chance = np.random.default_rng(seed)
    area = 10 ** chance.uniform(3.4, 6, count)
    features = chance.normal(size=(count, 3)) * (1, 10, 100)
    # Each band has a different rule from its neighbours.
    which = band_of(area, area_bands([area])) % 3
    noise = chance.normal(scale=0.3, size=count)
    label = features[np.arange(count), which] / np.array([1, 10, 100])[which] + noise > 0
    return SiteRows("site", area, features, label)


def test_each_band_is_a_regression_of_its_own():
    rows = site()
    ours = train_template([rows], REPORT).probabilities(rows.area, rows.features)
    band = band_of(rows.area, area_bands([rows.area]))
    for number in range(4):
        own = rows.features[band == number]
        peer = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        peer.fit(own, rows.template[band == number])
        expected = peer.predict_proba(own)[:, 1]
        assert ours[band == number] == pytest.approx(expected, abs=1e-6)


def test_a_band_of_one_class_predicts_its_smoothed_frequency():
    rows = site()
    in_band = band_of(rows.area, area_bands([rows.area])) == 2
    rows.template[in_band] = True
    fitted = train_template([rows], REPORT).probabilities(rows.area, rows.features)
    count = int(in_band.sum())
    assert fitted[in_band] == pytest.approx((count + 1) / (count + 2))


def test_labels_of_one_class_cannot_be_trained_on():
    rows = site(20)
    rows.template[:] = True
    with pytest.raises(ValueError, match="all template"):
        train_template([rows], OURS)
