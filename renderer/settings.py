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
from ..names import check_names
from .options import OPTIONS, RenderOptions

SECTIONS = ("render", "host")
MAX_FILE = 1 << 18

# The parser takes quadratic time for a key of many parts, which are separated by dots.
MAX_DOTS = 200

KEYS = {option.key: option for option in OPTIONS.values()}
"""Options by their names in settings files."""


def load_settings(path: str | Path, base: RenderOptions | None = None) -> RenderOptions:
    """Read a settings file, such as ``miolo.toml``.

    Its section ``[render]`` applies to all pages, and ``[host."example.org"]`` to those of a host
    and its subdomains. Both accept the keys of `OPTIONS`; ``[render]`` also accepts ``deadline``.
    `base` has the options for everything that the file does not set. A file that is not TOML, or
    contains an unknown key or an invalid value, is a `SettingsError`.

    Examples
    --------
    >>> options = load_settings("miolo.toml")  # doctest: +SKIP
    >>> page = render_url("https://example.org/story", options)  # doctest: +SKIP
    """
    path = Path(path)
    data = read_toml(path)
    try:
        return _options(data, path.parent, base or RenderOptions())
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from None


def read_toml(path: Path) -> dict[str, Any]:
    """The values of a small TOML file; one that is not is a `SettingsError`."""
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


def _options(data: Mapping[str, Any], folder: Path, base: RenderOptions) -> RenderOptions:
    check_names("section", data, SECTIONS)
    render = dict(_table(data.get("render", {}), "render"))
    check_names("key", render, (*KEYS, "deadline"))
    seconds = render.pop("deadline", base.limits.seconds)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
        raise ValueError("deadline must be a number of seconds")
    hosts = {
        name.lower(): _fields(_table(keys, name), f'host."{name}"', folder)
        for name, keys in _table(data.get("host", {}), "host").items()
    }
    limits = replace(base.limits, seconds=float(seconds))
    return replace(base, **_fields(render, "render", folder), limits=limits, hosts=hosts)


def _table(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not a section")
    return value


def _fields(keys: Mapping[str, Any], section: str, folder: Path) -> dict[str, Any]:
    check_names("key", keys, KEYS)
    fields: dict[str, Any] = {}
    for name, value in keys.items():
        option = KEYS[name]
        try:
            fields[option.name] = option.kind.read(value, folder)
        except (ValueError, ArchiveError, OSError) as error:
            is_of_file = isinstance(error, OSError)  # the settings are wrong: they name the file
            cause = f"{error.filename} cannot be read: {error.strerror}" if is_of_file else error
            raise ValueError(f"{name} in [{section}]: {cause}") from None
    return fields
