"""Words of many languages in datelines, bylines and labels, which `words.json` lists."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["alternatives", "vocabulary", "words_of"]


@cache
def vocabulary() -> dict[str, Any]:
    """The lists by name."""
    return json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))


def words_of(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(" ".join(vocabulary()[name]).split())


def alternatives(name: str) -> str:
    """Regular expression for one of the alternatives of a list."""
    return "|".join(vocabulary()["patterns"][name])
