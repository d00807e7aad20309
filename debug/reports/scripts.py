"""Scripts and styles that the reports and the web page share: modules, or one script of them.

The web page loads the modules as they are. A report holds one classic script, which also runs
from a file; so modules import by name from their own folder alone, a line an import, export
declarations only, and no two of them declare the same name.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["VIEW_FILES", "one_script"]

HERE = Path(__file__).parent

VIEW_FILES: dict[str, Path] = {
    "reports.css": HERE / "reports.css",
    **{
        path.name: path
        for path in sorted((HERE / "view").iterdir())
        if path.suffix in (".js", ".css")
    },
}
"""Files to serve beside the web page, by name."""

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:const|function|class) )", re.MULTILINE)


def one_script(entry: str) -> str:
    """A module and all that it imports as one classic script, each before those that need it."""
    sources: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        name = waiting[-1]
        source = VIEW_FILES[name].read_text("utf-8")
        missing = [other for other in IMPORT.findall(source) if other not in sources]
        if missing:
            waiting += missing
            continue
        sources[waiting.pop()] = EXPORT.sub("", IMPORT.sub("", source))
    return '"use strict";\n' + "\n".join(sources.values())
