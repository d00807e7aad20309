"""The part of a table of attacks that a run tries.

`make test` tries a sample. `make attacks`, whose profile of hypothesis is `thorough`, tries all.
"""

from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

Item = TypeVar("Item")

IS_WHOLE = settings.get_current_profile_name() == "thorough"


def sample(items: Iterable[Item], every: int) -> list[Item]:
    """One in `every` items, or all of them in a thorough run."""
    return list(items)[:: 1 if IS_WHOLE else every]
