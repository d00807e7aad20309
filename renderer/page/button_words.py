"""What buttons say that unfold the rest of a text or refuse consent, in twenty languages.

``button_words.json`` has parts of short labels in lower case, as patterns in the syntax that Python
and JavaScript share.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import chain
from pathlib import Path

MAX_LABEL = 60  # maximum number of characters of a label that unfolds a text


@cache
def button_words(about: str) -> str:
    """Words in all languages, as one pattern.

    ``"unfold"``: to read, see, show or load, and the rest, the whole, or more; ``"other"``: what
    buttons show besides a text; ``"consent"``: what a consent dialog is about; ``"refuse"``:
    refusing it.
    """
    words = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))[about]
    return "|".join(chain.from_iterable(words.values()) if about == "unfold" else words)
