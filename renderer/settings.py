"""Settings files: how pages are rendered, for all pages and for those of individual hosts.

The file is TOML. Reading it executes nothing, and no setting changes which addresses pages may
reach. Paths in it are relative to the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import ArchiveError, SettingsError
from ..names import unknown_name
from .options import OPTIONS, RenderOptions

SECTIONS = ("render", "host")
MAX_FILE = 1 << 18

# The parser takes quadratic time for a key of many parts, which are separated by dots.
MAX_DOTS = 200

KEYS = {option.key: option for option in OPTIONS.values()}
"""Options by their names in settings files."""


def load_settings(path: str | Path, base: RenderOptions | None = None) -> RenderOptions:
    """Read a settings file, such as ``miolo.toml``.

    Parameters
    ----------
    path
        The file. Its section ``[render]`` applies to all pages, and ``[host."example.org"]`` to
        those of a host and its subdomains. Both accept the keys of `OPTIONS`; ``[render]``
        also accepts ``deadline``.
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
        option = KEYS[name]
        try:
            fields[option.name] = option.kind.read(value, path.parent)
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
