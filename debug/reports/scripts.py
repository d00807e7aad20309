"""Scripts and styles that the reports and the web page share, as modules or as one script.

The web page loads the modules as they are. A report contains one classic script, which also runs
from a file. Modules therefore import only by name and from their own folder, with one line per
import; they export only declarations; and no two of them declare the same name.
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
    """Join a module and all its imports to one classic script, each after those that it needs."""
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
