"""Devices that a page can be shown on: Playwright's descriptors, in ``devices.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("devices.json")
"""Written from the `devices` of Playwright: the fields of `Device`, in order, by name."""


@dataclass(frozen=True)
class Device:
    """A device as a page sees it; sizes in CSS px."""

    user_agent: str
    viewport: tuple[int, int]
    screen: tuple[int, int]
    scale: float  # device pixels per CSS px
    is_mobile: bool  # whether the viewport of a page's own `meta` element applies
    has_touch: bool


@cache
def _devices() -> Mapping[str, Device]:
    rows = json.loads(FILE.read_text("utf-8"))
    return {
        name: Device(agent, tuple(viewport), tuple(screen), *rest)
        for name, (agent, viewport, screen, *rest) in rows.items()
    }


def device_of(name: str) -> Device:
    """The device of a name."""
    return _devices()[name]


def check_device(name: str) -> None:
    """Check the name of a device."""
    if name not in _devices():
        close = get_close_matches(name, _devices(), 1, 0.4) or ["Pixel 7"]
        raise ValueError(f"{name!r} is not a device of Playwright, such as {close[0]!r}")
