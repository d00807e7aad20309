"""Cases and systems without files, for tests of the evaluation."""

from collections.abc import Callable
from pathlib import Path

from miolo.evaluate.case import Case, Page
from miolo.evaluate.systems import Answer


def case_of(name: str = "one", text: str = "", group: str = "", **fields) -> Case:
    """A case that does not come from a file."""
    nowhere = Path("/nonexistent")
    arguments = {"set": "pages", "url": "", "source": nowhere, "saved": nowhere, **fields}
    return Case(id=name, text=text, group=group or name, **arguments)


class Spy:
    """A system that calls a function."""

    reads = "raw"

    def __init__(self, extract: Callable[[Page], Answer], name: str = "spy") -> None:
        self._extract, self.name = extract, name

    def prepare(self, page: Page) -> Callable[[], Answer]:
        return lambda: self._extract(page)
