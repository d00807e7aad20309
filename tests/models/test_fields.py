import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.models.fields.ranker import FieldRankers, fit_ranker, shipped_rankers

ROWS = st.lists(
    st.dictionaries(
        st.sampled_from([*shipped_rankers().rankers["date"].columns[:9], "unknown"]),
        st.floats(-1e6, 1e6),
    ),
    max_size=5,
)


@given(ROWS)
def test_every_value_has_a_probability_and_unknown_features_do_not_count(rows):
    ranker = shipped_rankers().rankers["date"]
    known = [{k: v for k, v in row.items() if k != "unknown"} for row in rows]
    probabilities = ranker.rank(rows)
    assert probabilities.shape == (len(rows),)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert probabilities.tolist() == ranker.rank(known).tolist()


def test_a_fitted_ranker_prefers_what_was_right_and_is_saved(tmp_path):
    pages = [[({"declared": 1.0}, True, 1.0), ({"shown": 1.0, "late": 1.0}, False, 0.0)]] * 20
    ranker = fit_ranker(pages, bound=0.4)
    assert ranker.columns == ("declared", "late", "shown")
    right, wrong = ranker.rank([{"declared": 1.0}, {"shown": 1.0}])
    assert right > 0.5 > wrong
    file = tmp_path / "fields.json"
    FieldRankers({"date": ranker}, {"data": "none"}).save(file)
    again = FieldRankers.load(file)
    assert (again.rankers["date"].bound, again.provenance) == (0.4, {"data": "none"})
    assert again.rankers["date"].rank([{"shown": 1.0}])[0] == pytest.approx(wrong)
