"""Settings files: how pages are rendered, for all pages and for those of individual hosts.

The file is TOML. Reading it executes nothing, and no setting changes which addresses pages may
reach. Paths in it are relative to the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import ArchiveError, SettingsError
from ..names import unknown_name
from .network.blocking import Entries, read_block
from .network.cookies import read_cookies, read_storage_state
from .option_checks import check_scroll
from .options import CHECKS, HOST_FIELDS, RenderOptions

__all__ = ["KEYS", "load_settings", "read_script", "read_scroll", "read_viewport"]

SECTIONS = ("render", "host")
MAX_FILE = 1 << 18
MAX_SCRIPT = 10 << 20

# The parser takes quadratic time for a key of many parts, which are separated by dots.
MAX_DOTS = 200


@dataclass(frozen=True)
class Key:
    """A key of a settings file.

    Attributes
    ----------
    field
        The field of `RenderOptions` that it sets.
    read
        Converts the key's value to the field's, given the folder of the file. Raises a
        `ValueError` if the value is invalid.
    """

    field: str
    read: Callable[[Any, Path], Any]


def load_settings(path: str | Path, base: RenderOptions | None = None) -> RenderOptions:
    """Read a settings file, such as ``miolo.toml``.

    Parameters
    ----------
    path
        The file. Its section ``[render]`` applies to all pages, and ``[host."example.org"]`` to
        those of a host and its subdomains. Both accept the keys of `KEYS`; ``[render]`` also
        accepts ``deadline``.
    base
        Options for everything that the file does not set.

    Raises
    ------
    SettingsError
        The file is not TOML, or contains an unknown key or an invalid value.
    OSError
        The file cannot be opened.

    Examples
    --------
    >>> options = load_settings("miolo.toml")  # doctest: +SKIP
    >>> page = render_url("https://example.org/story", options)  # doctest: +SKIP
    """
    path, base = Path(path), base or RenderOptions()
    data = _read(path)
    _check_names(data, SECTIONS, path, "section")
    hosts = _table(data.get("host", {}), path, "host")
    render = dict(_table(data.get("render", {}), path, "render"))
    seconds = _seconds(render.pop("deadline", base.limits.seconds), path)
    try:
        return replace(
            base,
            **_fields(render, path, "render"),
            limits=replace(base.limits, seconds=seconds),
            hosts={
                name.lower(): _fields(_table(keys, path, name), path, f'host."{name}"')
                for name, keys in hosts.items()
            },
        )
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from None


def _read(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        content = file.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise SettingsError(f"{path} is larger than {MAX_FILE:,} bytes")
    if any(line.count(b".") > MAX_DOTS for line in content.splitlines()):
        raise SettingsError(f"{path} has a line with more than {MAX_DOTS} dots")
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        # The message gives the line and the column, but not their content.
        raise SettingsError(f"{path} is not TOML: {error}") from None


def _table(value: Any, path: Path, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise SettingsError(f"{path}: {name} is not a section")
    return value


def _check_names(names: Mapping[str, Any], choices: Any, path: Path, kind: str) -> None:
    for name in names:
        if name not in choices:
            raise SettingsError(f"{path}: {unknown_name(kind, name, choices)}")


def _fields(keys: Mapping[str, Any], path: Path, section: str) -> dict[str, Any]:
    choices = (*KEYS, "deadline") if section == "render" else KEYS
    _check_names(keys, choices, path, "key")
    fields: dict[str, Any] = {}
    for name, value in keys.items():
        key = KEYS[name]
        try:
            fields[key.field] = key.read(value, path.parent)
            if key.field in CHECKS:
                CHECKS[key.field](fields[key.field])
        except OSError as error:  # the settings are wrong: they name the file
            cause = f"{error.filename} cannot be read: {error.strerror}"
            raise SettingsError(f"{path}: {name} in [{section}]: {cause}") from None
        except (ValueError, ArchiveError) as error:
            raise SettingsError(f"{path}: {name} in [{section}]: {error}") from None
    return fields


def _seconds(value: Any, path: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise SettingsError(f"{path}: deadline must be a number of seconds")
    return float(value)


def _text(value: Any, folder: Path) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def _flag(value: Any, folder: Path) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _headers(value: Any, folder: Path) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError("must be a table of names and strings")
    return value


def _block(value: Any, folder: Path) -> Entries:
    if not isinstance(value, (str, list)):
        raise ValueError("must be a string or a list of strings")
    return read_block(value, folder)


def _selectors(value: Any, folder: Path) -> tuple[str, ...]:
    selectors = (
        (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else ()
    )
    if not selectors or not all(isinstance(each, str) for each in selectors):
        raise ValueError("must be a CSS selector, or a list of them")
    return selectors


def _selector(value: Any, folder: Path) -> str:
    (selector,) = _selectors(_text(value, folder), folder)
    return selector


def _number(value: Any, folder: Path) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("must be a number")
    return float(value)


def _dark(value: Any, folder: Path) -> str:
    return "dark" if _flag(value, folder) else "light"


def read_viewport(value: Any, folder: Path = Path()) -> tuple[int, int]:
    """Read width and height, such as ``"1280x1024"``."""
    width, _, height = value.partition("x") if isinstance(value, str) else ("", "", "")
    sizes = [int(each) if each.isascii() and each.isdecimal() else 0 for each in (width, height)]
    if not all(10 <= size < 100_000 for size in sizes):
        raise ValueError("must be a width and a height, such as 1280x1024")
    return sizes[0], sizes[1]


def read_scroll(value: Any, folder: Path = Path()) -> Any:
    """Read a number of screens, or ``"end"``."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    check_scroll(value)
    return value


def read_script(value: Any, folder: Path = Path()) -> str:
    """Read a JavaScript file; it is only ever run in pages."""
    file = folder / _text(value, folder)
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


KEYS: Mapping[str, Key] = {
    "browser": Key("browser", _text),
    "viewport": Key("viewport", read_viewport),
    "scripts": Key("javascript", _flag),
    "user-agent": Key("user_agent", _text),
    "locale": Key("locale", _text),
    "timezone": Key("timezone", _text),
    "block": Key("block", _block),
    "headers": Key("headers", _headers),
    "cookies": Key("cookies", lambda value, folder: read_cookies(folder / _text(value, folder))),
    "storage-state": Key(
        "storage_state", lambda value, folder: read_storage_state(folder / _text(value, folder))
    ),
    "proxy": Key("proxy", _text),
    "wait": Key("wait", _text),
    "settle-seconds": Key("settle_seconds", _number),
    "restore": Key("restore", _flag),
    "expand": Key("expand", _flag),
    "wait-for": Key("wait_for", _selector),
    "dismiss-consent": Key("dismiss_consent", _flag),
    "click": Key("click", _selectors),
    "script": Key("script", read_script),
    "scroll": Key("scroll", read_scroll),
    "hide": Key("hide", _selectors),
    "dark": Key("color_scheme", _dark),
}
"""Keys of the sections by name; the names are those of the command-line options."""

assert {key.field for key in KEYS.values()} <= HOST_FIELDS
