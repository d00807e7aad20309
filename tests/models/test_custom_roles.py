"""Custom roles: their files, and what is learned of them."""

import json

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.collect.labels.sheet import label_sheet
from miolo.collect.labels.store import Action, LabelStore
from miolo.errors import MioloError, SettingsError
from miolo.models.article.custom_roles import (
    KEYS,
    CustomRoleModel,
    custom_roles,
    merge_custom_roles,
    read_custom_roles,
    to_table,
)
from miolo.models.article.roles import ROLES

names = st.from_regex(r"[a-z]{1,8}(-[a-z0-9]{1,4})?", fullmatch=True).filter(
    lambda name: name not in ROLES
)
tables = st.dictionaries(
    names,
    st.fixed_dictionaries(
        {"base": st.sampled_from(ROLES)},
        optional={"description": st.text(max_size=20), "colour": st.just("#C2641a")},
    ),
    min_size=1,
    max_size=len(KEYS),
)


@given(tables)
def test_every_role_has_a_key_of_its_own_and_survives_a_file(tmp_path_factory, table):
    roles = custom_roles(table)
    assert [role.name for role in roles] == list(table)
    assert len({role.key for role in roles} & set(KEYS)) == len(roles)
    file = tmp_path_factory.mktemp("roles") / "roles.json"
    file.write_text(json.dumps(to_table(roles)))
    assert read_custom_roles(file) == roles
    assert {role.name for role in merge_custom_roles([roles, roles])} == set(table)


def test_the_key_of_the_base_is_preferred():
    roles = custom_roles({
        "ingredient": {"base": "list-item"}, "step": {"base": "list-item"},
        "tip": {"base": "note", "key": "i"},
    })  # fmt: skip
    assert [role.key for role in roles] == ["l", "s", "i"]


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("", "has no roles"),
        ("[tip", "not TOML"),
        ("tip = 3", "tip is not a table"),
        ("[tip]", "tip has no base"),
        ('[tip]\nbase = "lits-item"', "did you mean 'list-item'"),
        ('[tip]\nbase = "note"\ncolor = "#ff0000"', "did you mean 'colour'"),
        ('[tip]\nbase = "note"\ncolour = "red"', "the colour of tip"),
        ('[tip]\nbase = "note"\nkey = "j"', "the key of tip"),
        ('[tip]\nbase = "note"\ndescription = 3', "is not a text"),
        ('[note]\nbase = "note"', "choose another name"),
        ('["<b>"]\nbase = "note"', "is not made of"),
        ('[a]\nbase = "note"\nkey = "i"\n[b]\nbase = "note"\nkey = "i"', "the same key"),
    ],
)
def test_the_error_of_a_file_names_the_cause(tmp_path, content, cause):
    file = tmp_path / "roles.toml"
    file.write_text(content)
    with pytest.raises(SettingsError, match=cause) as caught:
        read_custom_roles(file)
    assert str(file) in str(caught.value)


def test_collections_with_other_bases_are_not_trained_together():
    sets = [custom_roles({"tip": {"base": base}}) for base in ("note", "side-box")]
    with pytest.raises(SettingsError, match="tip has another base"):
        merge_custom_roles(sets)


@given(st.integers(0, 2**32 - 1))
def test_a_model_gives_the_roles_that_it_was_fitted_to(seed):
    rng = np.random.default_rng(seed)
    centres = 4 * np.eye(3, 6)
    codes = rng.integers(-1, 2, 90)
    codes[:3] = -1, 0, 1
    rows = centres[codes + 1] + rng.normal(0, 0.3, (90, 6))
    roles = custom_roles({"tip": {"base": "note"}, "step": {"base": "list-item"}})
    model = CustomRoleModel.fit(roles, rows, codes)
    again = CustomRoleModel.from_json(json.loads(json.dumps(model.to_json())))
    wanted = tuple(("", "tip", "step")[code + 1] for code in codes)
    assert model.names(rows) == again.names(rows) == wanted


def test_roles_that_labels_have_stay_in_the_collection(tmp_path):
    page = miolo.Snapshot.from_html("<p>Knead the dough.</p>", url="https://bread.example/")
    step, tip = custom_roles({"step": {"base": "list-item"}, "tip": {"base": "note"}})
    with LabelStore(tmp_path, create=True) as store:
        store.add_pages([("a.miolo", page.page.url, True)])
        store.use_custom_roles((step, tip))
        number = store.visit(1, "Ada", label_sheet(page), blind=False)
        store.act(Action("a-step", number, "Ada", "role", "step"))
        with pytest.raises(MioloError, match="have the custom role step"):
            store.use_custom_roles((tip,))
        store.use_custom_roles((step,))
    with LabelStore(tmp_path) as store:
        assert store.custom_roles() == (step,)
        state = store.state(number, "Ada")
    assert (state.names, state.roles, state.custom) == (("step",), ("list-item",), ("step",))
