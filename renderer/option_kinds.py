"""Kinds of rendering options: how their values are written in files and on the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .network.blocking import Entries, read_block
from .network.cookies import (
    check_cookies,
    check_storage_state,
    read_cookies,
    read_storage_state,
)
from .option_checks import (
    check_choice,
    check_headers,
    check_locale,
    check_proxy_address,
    check_scope,
    check_scroll,
    check_seconds,
    check_selector_list,
    check_selectors,
    check_timezone,
    check_user_agent,
    check_viewport,
)

__all__ = [
    "AGENT",
    "BLOCK",
    "COOKIES",
    "FLAG",
    "HEADERS",
    "LANGUAGE",
    "PROXY",
    "SCOPE",
    "SCRIPT",
    "SCROLL",
    "SECONDS",
    "SELECTOR",
    "SELECTORS",
    "STORAGE_STATE",
    "TIMEZONE",
    "VIEWPORT",
    "Kind",
    "choice_of",
]

MAX_SCRIPT = 10 << 20


def _accept(_: Any) -> None:
    pass


@dataclass(frozen=True)
class Kind:
    """Values of a rendering option.

    Attributes
    ----------
    form
        Type of a value on the command line: `str`, `bool`, `float`, `Path` or ``list[str]``.
    read
        Converts a value of a settings file or of the command line to that of `RenderOptions`, given
        the folder to which paths are relative. Raises a `ValueError`, an `ArchiveError` or an
        `OSError` if it cannot.
    check
        Raises a `ValueError` if a value of `RenderOptions` is invalid.
    placeholder
        Placeholder of a value in the help; empty for that of the form.
    choices
        The values, if there are only a few.
    """

    form: Any
    read: Callable[[Any, Path], Any]
    check: Callable[[Any], None] = _accept
    placeholder: str = ""
    choices: tuple[str, ...] = ()


def choice_of(choices: tuple[str, ...]) -> Kind:
    """A kind with a few values."""
    return Kind(str, _text, partial(check_choice, choices=choices), choices=choices)


def _text(value: Any, folder: Path) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def _flag(value: Any, folder: Path) -> bool:
    _check_flag(value)
    return value


def _number(value: Any, folder: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("must be a number")
    return float(value)


def _headers(value: Any, folder: Path) -> dict[str, str]:
    if isinstance(value, list):
        return dict(map(_header, value))
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError("must be a table of names and strings")
    return value


def _header(line: Any) -> tuple[str, str]:
    name, _, value = (part.strip() for part in str(line).partition(":"))
    if not (name and value):
        raise ValueError("a header must have the form NAME: VALUE")
    return name, value


def _block(value: Any, folder: Path) -> Entries:
    if not isinstance(value, (str, list)):
        raise ValueError("must be a string or a list of strings")
    entries = value if isinstance(value, str) else ",".join(map(str, value))
    return read_block(entries, folder)


def _selectors(value: Any, folder: Path) -> tuple[str, ...]:
    selectors = (value,) if isinstance(value, str) else value if isinstance(value, list) else ()
    if not selectors or not all(isinstance(each, str) for each in selectors):
        raise ValueError("must be a CSS selector, or a list of them")
    return tuple(selectors)


def _scope(value: Any, folder: Path) -> tuple[str, ...]:
    try:
        return _selectors(value, folder)
    except ValueError:
        raise ValueError("must be a CSS selector or an XPath, or a list of them") from None


def _selector(value: Any, folder: Path) -> str:
    (selector,) = _selectors(_text(value, folder), folder)
    return selector


def _viewport(value: Any, folder: Path) -> tuple[int, int]:
    width, _, height = value.partition("x") if isinstance(value, str) else ("", "", "")
    sizes = [int(each) if each.isascii() and each.isdecimal() else 0 for each in (width, height)]
    if not all(10 <= size < 100_000 for size in sizes):
        raise ValueError("must be a width and a height, such as 1280x1024")
    return sizes[0], sizes[1]


def _scroll(value: Any, folder: Path) -> Any:
    is_number = isinstance(value, str) and value.isascii() and value.isdecimal()
    return int(value) if is_number else value


def _script(value: Any, folder: Path) -> str:
    file = folder / _path(value, folder)
    try:
        with file.open("rb") as opened:
            script = opened.read(MAX_SCRIPT + 1)
        text = script.decode("utf-8", "ignore" if len(script) > MAX_SCRIPT else "strict")
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "it is not UTF-8"
        raise ValueError(f"{file} cannot be read: {cause}") from None
    if len(script) > MAX_SCRIPT:
        raise ValueError(f"{file} is larger than {MAX_SCRIPT:,} bytes")
    return text


def _path(value: Any, folder: Path) -> Path:
    return folder / (value if isinstance(value, Path) else _text(value, folder))


def _check_flag(value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")


def _check_proxy(value: str) -> None:
    if value:
        check_proxy_address(value)


def _check_selector(value: str) -> None:
    if value:
        check_selectors(value)


FLAG = Kind(bool, _flag, _check_flag)
SECONDS = Kind(float, _number, check_seconds)
VIEWPORT = Kind(str, _viewport, check_viewport, "WIDTHxHEIGHT")
SCROLL = Kind(str, _scroll, check_scroll, "SCREENS")
AGENT = Kind(str, _text, check_user_agent)
LANGUAGE = Kind(str, _text, check_locale)
TIMEZONE = Kind(str, _text, check_timezone)
PROXY = Kind(str, _text, _check_proxy)
SELECTOR = Kind(str, _selector, _check_selector, "SELECTOR")
SELECTORS = Kind(list[str], _selectors, check_selector_list, "SELECTOR")
SCOPE = Kind(list[str], _scope, check_scope, "SELECTOR")
BLOCK = Kind(list[str], _block, placeholder="WHAT")
HEADERS = Kind(list[str], _headers, check_headers, "HEADER")
SCRIPT = Kind(Path, _script)
COOKIES = Kind(Path, lambda value, folder: read_cookies(_path(value, folder)), check_cookies)
STORAGE_STATE = Kind(
    Path, lambda value, folder: read_storage_state(_path(value, folder)), check_storage_state
)
