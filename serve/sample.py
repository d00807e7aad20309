"""The example of the API's description."""

from __future__ import annotations

__all__ = ["EXAMPLE"]

_LINE = "The tide comes in twice a day, and the town has built its hours, roads and trade on it."

EXAMPLE = f"<title>Tides</title><h1>Tides</h1><p>{_LINE}</p>"
