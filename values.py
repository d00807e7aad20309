"""Frozen dataclasses that cost little to define.

`dataclasses.dataclass` compiles up to six functions for each class, which takes a quarter of the
time of a command that extracts one page. The classes of `frozen` share all functions but
``__init__``, which is compiled when the first instance is created.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, overload

__all__ = ["frozen"]

T = TypeVar("T")

# Default of the parameters whose value a factory makes.
_NEW = object()


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, eq: bool = True, slots: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type | None = None, /, *, eq: bool = True, slots: bool = False) -> Any:
    """Make a class a frozen dataclass, as `dataclasses.dataclass(frozen=True)` does.

    Parameters
    ----------
    cls
        The class. Methods that it defines are kept.
    eq
        Whether instances with equal fields are equal.
    slots
        Whether instances have slots in place of a ``__dict__``.

    Examples
    --------
    >>> @frozen
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(1, 0)
    (Point(x=1, y=0), True)
    """

    def make(cls: type) -> type:
        # Without a docstring, `dataclass` writes the signature into it.
        cls.__doc__ = cls.__doc__ or cls.__name__
        made = dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
        # So that another frozen dataclass may inherit from it.
        made.__dict__["__dataclass_params__"].frozen = True
        own = vars(made)
        methods = {**_METHODS, **(_COMPARING if eq else {}), **(_OF_SLOTS if slots else {})}
        for name, method in methods.items():
            if name not in own:
                setattr(made, name, method)
        if "__init__" not in own:
            made.__init__ = _first_init(made)
        return made

    return make if cls is None else make(cls)


def _first_init(cls: Any) -> Callable[..., None]:
    def compile_and_run(self: Any, *values: Any, **named: Any) -> None:
        cls.__init__ = _compiled_init(cls)
        cls.__init__(self, *values, **named)

    return compile_and_run


def _compiled_init(cls: Any) -> Callable[..., None]:
    names: dict[str, Any] = {"_set": object.__setattr__, "_new": _NEW}
    places: list[str] = []
    by_name: list[str] = []
    lines: list[str] = []
    for each in fields(cls):
        name = value = each.name
        if each.default is not MISSING:
            names[f"_of_{name}"] = each.default
            default = f"=_of_{name}"
        elif each.default_factory is not MISSING:
            names[f"_of_{name}"] = each.default_factory
            default, value = "=_new", f"_of_{name}() if {name} is _new else {name}"
        else:
            default = ""
        if each.init:
            (by_name if each.kw_only else places).append(name + default)
        elif default:
            value = f"_of_{name}()" if each.default is MISSING else f"_of_{name}"
        else:
            continue
        lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    listed = ", ".join(["self", *places, *(["*", *by_name] if by_name else [])])
    exec(f"def __init__({listed}):\n " + "\n ".join(lines or ["pass"]), names)
    return names["__init__"]


def _represent(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _compared(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, each.name) for each in fields(value) if each.compare)


def _is_equal(self: Any, other: object) -> bool:
    return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    hashed = (each.compare if each.hash is None else each.hash for each in fields(self))
    pairs = zip(fields(self), hashed, strict=True)
    return hash(tuple(getattr(self, each.name) for each, is_hashed in pairs if is_hashed))


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


_METHODS: dict[str, Any] = {
    "__repr__": _represent,
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
}
_COMPARING: dict[str, Any] = {"__eq__": _is_equal, "__hash__": _hash}
_OF_SLOTS: dict[str, Any] = {"__getstate__": _state, "__setstate__": _restore}
