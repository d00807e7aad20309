"""Cases without files, for tests of the evaluation."""

from pathlib import Path

from miolo.evaluate.case import Case


def case_of(name: str = "one", text: str = "", group: str = "", **fields) -> Case:
    """A case that does not come from a file."""
    nowhere = Path("/nonexistent")
    arguments = {"set": "pages", "url": "", "source": nowhere, "saved": nowhere, **fields}
    return Case(id=name, text=text, group=group or name, **arguments)
