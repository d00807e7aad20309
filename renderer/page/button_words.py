"""What buttons say that unfold the rest of a text or refuse consent, in twenty languages.

``button_words.json`` has parts of short labels in lower case, as patterns in the syntax that Python
and JavaScript share.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["MAX_LABEL", "about_consent", "other_labels", "refusing_labels", "unfold_labels"]

MAX_LABEL = 60
"""Maximum number of characters of a label that unfolds a text."""


def unfold_labels() -> str:
    """To read, see, show or load, and the rest, the whole, or more."""
    return "|".join("|".join(words) for words in _words()["unfold"].values())


def other_labels() -> str:
    """What buttons show besides a text."""
    return "|".join(_words()["other"])


def about_consent() -> str:
    """Words for what a consent dialog is about."""
    return "|".join(_words()["consent"])


def refusing_labels() -> str:
    """Words for refusing it."""
    return "|".join(_words()["refuse"])


@cache
def _words() -> dict[str, Any]:
    return json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
