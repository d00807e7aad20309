"""Custom roles: a user's own set beside the 22 roles, and the model that gives them to blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import EmptyInputError, SettingsError
from ...names import check_names, unknown_name
from ...patterns import lazy_re
from ...renderer.settings import read_toml
from ...untrusted_json import parse_json
from ..logistic import MultinomialModel, fit_logistic
from .roles import LETTERS, ROLES

MAX_BYTES = 1 << 18
MAX_DESCRIPTION = 200

NAME = lazy_re(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
COLOUR = lazy_re(r"#[0-9a-fA-F]{6}")

KEYS = "".join(sorted(LETTERS.replace(".", "").lower()))
"""Keys that, pressed with Shift, assign custom roles: those that assign roles without it."""

STRENGTH = 0.02
"""Inverse of the strength of the penalty on the weights, of which there are many."""


@dataclass(frozen=True)
class CustomRole:
    """A role of a user's own set, which is a special case of one of the 22 roles."""

    name: str
    base: str
    """The role that its blocks have for extraction; one of `roles.ROLES`."""
    key: str
    """One of `KEYS`, which no other custom role of the set has."""
    description: str = ""
    colour: str = ""
    """Colour such as ``#c2641a``, or empty for that of the base."""


def read_custom_roles(file: Path) -> tuple[CustomRole, ...]:
    """Read a set of custom roles from TOML, or from JSON in a file with that suffix.

    Each table or object is named as its role, and has a ``base`` and optionally a ``description``,
    ``key`` and ``colour``. A role without a key gets that of its base if it is free, else the first
    free one of its name or of all. A file with an unknown key or an invalid value is a
    `SettingsError`.
    """
    try:
        if file.suffix != ".json":
            return custom_roles(read_toml(file))
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES:,} bytes")
        return custom_roles(parse_json(data))
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{file}: {error}") from None


def custom_roles(data: Any) -> tuple[CustomRole, ...]:
    """The custom roles that a table describes; an invalid one is a `ValueError`."""
    if not isinstance(data, dict) or not data:
        raise ValueError("it has no roles: name each in a table with its base")
    if len(data) > len(KEYS):
        raise ValueError(f"it has more than {len(KEYS)} roles, which is the number of keys")
    for name, fields in data.items():
        _check_role(name, fields)
    keys = _keys(data)
    return tuple(
        CustomRole(**{"name": name, **fields, "key": key})
        for (name, fields), key in zip(data.items(), keys, strict=True)
    )


def merge_custom_roles(sets: Iterable[Sequence[CustomRole]]) -> tuple[CustomRole, ...]:
    """All roles of several sets, with keys chosen anew; `SettingsError` if two bases differ."""
    table: dict[str, dict[str, str]] = {}
    for role in (role for roles in sets for role in roles):
        fields = {"base": role.base, "description": role.description, "colour": role.colour}
        if table.setdefault(role.name, fields)["base"] != role.base:
            raise SettingsError(f"{role.name} has another base in another collection")
    try:
        return custom_roles(table) if table else ()
    except ValueError as error:
        raise SettingsError(f"the custom roles of all collections: {error}") from None


def to_table(roles: Sequence[CustomRole]) -> dict[str, dict[str, str]]:
    """The table that `custom_roles` reads."""
    return {role.name: {k: v for k, v in asdict(role).items() if k != "name"} for role in roles}


def _check_role(name: str, fields: Any) -> None:
    if not NAME.fullmatch(name) or len(name) > MAX_DESCRIPTION:
        raise ValueError(f"the name {name[:40]!r} is not made of a to z, digits and hyphens")
    if name in ROLES:
        raise ValueError(f"{name} is one of the 22 roles: choose another name")
    if not isinstance(fields, dict):
        raise ValueError(f"{name} is not a table with a base")
    check_names("key", fields, ("base", "key", "description", "colour"))
    if not all(isinstance(value, str) for value in fields.values()):
        raise ValueError(f"a value of {name} is not a text")
    if "base" not in fields:
        raise ValueError(f"{name} has no base: the role that its blocks have for extraction")
    if fields["base"] not in ROLES:
        raise ValueError(f"the base of {name}: {unknown_name('role', fields['base'], ROLES)}")
    if fields.get("key") and (len(fields["key"]) > 1 or fields["key"] not in KEYS):
        raise ValueError(f"the key of {name} must be one of {', '.join(KEYS)}")
    if fields.get("colour") and not COLOUR.fullmatch(fields["colour"]):
        raise ValueError(f"the colour of {name} must be written as #c2641a")
    if len(fields.get("description", "")) > MAX_DESCRIPTION:
        raise ValueError(f"the description of {name} is longer than {MAX_DESCRIPTION} characters")


def _keys(data: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The key of each role."""
    chosen = [fields.get("key", "") for fields in data.values()]
    taken = set(filter(None, chosen))
    if len(taken) < sum(map(bool, chosen)):
        raise ValueError("two roles have the same key")
    for place, (name, fields) in enumerate(data.items()):
        if not chosen[place]:
            letter = LETTERS[ROLES.index(fields["base"])].lower()
            choices = [key for key in f"{letter}{name}{KEYS}" if key in KEYS and key not in taken]
            chosen[place] = choices[0]
            taken.add(choices[0])
    return chosen


@dataclass(frozen=True, eq=False)
class CustomRoleModel:
    """Multinomial logistic regression over what a reader computes of each block; see
    `model.Reader.custom_columns`.
    """

    roles: tuple[CustomRole, ...]
    weights: MultinomialModel
    """Its answers are none, and then the roles."""

    @classmethod
    def fit(
        cls,
        roles: tuple[CustomRole, ...],
        rows: NDArray[np.floating],
        codes: NDArray[np.integer],
    ) -> CustomRoleModel:
        """Fit a model of the roles that occur.

        `rows`: Shape (m, f). `codes`: shape (m,): index of each block's role in `roles`, -1 for
        none. If no block has a role, or none has no role, that is an `EmptyInputError`.
        """
        if (codes < 0).all() or (codes >= 0).all():
            raise EmptyInputError("custom roles are learned from blocks with one and from others")
        used = np.unique(codes[codes >= 0])
        answers = np.searchsorted(used, codes) + 1
        answers[codes < 0] = 0
        # Blocks with a custom role are few, and together weigh as much as the others.
        weight = np.ones(len(codes))
        weight[codes >= 0] = max((codes < 0).sum() / max((codes >= 0).sum(), 1), 1) ** 0.5
        weights = fit_logistic(MultinomialModel, rows, answers, weight, STRENGTH)
        return cls(tuple(roles[code] for code in used.tolist()), weights)

    def names(self, rows: NDArray[np.floating]) -> tuple[str, ...]:
        """The most probable custom role of each block, empty for none."""
        names = ("", *(role.name for role in self.roles))
        return tuple(names[code] for code in self.weights.log_odds(rows).argmax(axis=1).tolist())

    def to_json(self) -> dict[str, Any]:
        """The model as JSON values."""
        columns = tuple(map(str, range(len(self.weights.mean))))
        return {"roles": to_table(self.roles), "weights": self.weights.numbers(columns)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CustomRoleModel:
        """Read the output of `to_json`."""
        roles = custom_roles(data["roles"])
        model = cls(roles, MultinomialModel.from_numbers(data["weights"]))
        if model.weights.bias.shape != (len(roles) + 1,):
            raise ValueError("its custom roles and their weights differ in number")
        return model
