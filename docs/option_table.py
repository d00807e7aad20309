"""Write the table of rendering options in `reach.md`: ``python docs/option_table.py``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from miolo.renderer.option_kinds import FLAG
from miolo.renderer.options import OPTIONS, Option

PAGE = Path(__file__).with_name("reach.md")
BEGIN, END = "<!-- options -->\n", "<!-- end of options -->"


def rows() -> Iterator[str]:
    """Lines of the table."""
    yield "| command line | `miolo.toml` | `RenderOptions` | service | what it sets |\n"
    yield "|---|---|---|---|---|\n"
    for option in OPTIONS.values():
        sent = "yes" if option.in_requests or option.name == "browser" else "no"
        cells = (f"`{usage(option)}`", f"`{option.key}`", f"`{option.name}`", sent, option.help)
        yield f"| {' | '.join(cells)} |\n"


def usage(option: Option) -> str:
    """How an option is given on the command line."""
    kind = option.kind
    if kind is FLAG:
        return f"--{'no-' if option.default else ''}{option.flag}"
    forms = {str: "TEXT", float: "NUMBER", Path: "FILE"}
    value = "\\|".join(kind.choices) or kind.placeholder or forms[kind.form]
    return f"--{option.flag} {value}"


def with_table(page: str) -> str:
    """The page with its table written anew."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + "".join(rows()) + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
    print(PAGE, file=sys.stderr)
