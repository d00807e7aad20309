"""Tests of frozen values, each of which behaves as a frozen dataclass."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest
from miolo.values import frozen


@frozen
class Value:
    one: int
    two: list[int] = field(default_factory=list)
    three: str = field(default="c", compare=False, repr=False)
    four: int = field(default=4, init=False)
    five: int = field(default=5, kw_only=True)


@dataclass(frozen=True)
class Same:
    one: int
    two: list[int] = field(default_factory=list)
    three: str = field(default="c", compare=False, repr=False)
    four: int = field(default=4, init=False)
    five: int = field(default=5, kw_only=True)


@frozen(slots=True)
class Slotted:
    one: int
    two: tuple[int, ...] = ()


@frozen(eq=False)
class Checked:
    one: int

    def __post_init__(self) -> None:
        if self.one < 0:
            raise ValueError(self.one)


@dataclass(frozen=True)
class Derived(Checked):
    two: int = 2


@pytest.mark.parametrize(
    ("values", "named"),
    [((1,), {}), ((1, [2]), {}), ((1,), {"three": "d", "five": 6}), ((), {}), ((1,), {"four": 1})],
)
def test_it_is_made_as_a_dataclass_is(values: Any, named: Any) -> None:
    try:
        expected = Same(*values, **named)
    except TypeError:
        with pytest.raises(TypeError):
            Value(*values, **named)
        return
    made = Value(*values, **named)
    assert repr(made) == repr(expected).replace("Same", "Value")
    assert [getattr(made, each.name) for each in fields(Value)] == [
        getattr(expected, each.name) for each in fields(Same)
    ]
    assert made == replace(made, three="other")
    assert made != replace(made, one=-1)
    assert made != expected


def test_nothing_can_be_set_or_deleted() -> None:
    for value in (Value(1), Slotted(1), Checked(1)):
        with pytest.raises(FrozenInstanceError):
            value.one = 2  # pyright: ignore[reportAttributeAccessIssue]
        with pytest.raises(FrozenInstanceError):
            del value.one


def test_it_is_hashed_pickled_and_derived_from() -> None:
    slotted = Slotted(1, (2,))
    assert pickle.loads(pickle.dumps(slotted)) == slotted
    assert hash(slotted) == hash(Slotted(1, (2,)))
    assert not hasattr(slotted, "__dict__")
    assert pickle.loads(pickle.dumps(Value(1, [2]))) == Value(1, [2])
    assert Checked(1) != Checked(1)
    assert Derived(1) == Derived(1, 2)
    with pytest.raises(ValueError, match="-1"):
        Derived(-1)
