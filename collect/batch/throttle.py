"""How many pages may be open, by what the machine can spare."""

from __future__ import annotations

import os
from time import monotonic

import psutil

__all__ = ["Throttle"]

# Below this much free memory, or above this load for each core, no page is added.
LEAST_MEMORY_SHARE = 0.05
MAX_LOAD = 6.0

LOOK_SECONDS = 1.0


class Throttle:
    """Tells when to begin no more pages for now."""

    def __init__(self) -> None:
        self._looked = float("-inf")
        self._short: str | None = None

    def short(self) -> str | None:
        """What the machine is short of: ``"memory"``, ``"load"`` or nothing."""
        if monotonic() - self._looked >= LOOK_SECONDS:
            self._looked = monotonic()
            self._short = _look()
        return self._short


def _look() -> str | None:
    memory = psutil.virtual_memory()
    if memory.available < LEAST_MEMORY_SHARE * memory.total:
        return "memory"
    if os.getloadavg()[0] > MAX_LOAD * (os.cpu_count() or 1):
        return "load"
    return None
