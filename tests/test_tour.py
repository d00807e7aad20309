"""The Python of the tour runs as it is printed, one snippet after the other."""

import re
from pathlib import Path

TOUR = Path(__file__).resolve().parents[1] / "docs" / "usage.md"
SITE = "http://127.0.0.1:8702"
BATCH = "miolo batch urls.txt -o news --snapshots"


def test_snippets_run_and_print_what_the_tour_shows(tmp_path, monkeypatch, capsys, stage, run):
    monkeypatch.chdir(tmp_path)
    text = TOUR.read_text("utf-8").replace(SITE, stage.site.origin)
    first, *snippets, collection = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    names: dict[str, object] = {}
    exec(first, names)
    shown = text.split("\nIt prints:\n\n```\n")[1].split("```")[0]
    assert capsys.readouterr().out == shown
    for snippet in snippets:
        exec(snippet, names)
    assert "body html/body/div/main/article/div/+ Marram lies" in capsys.readouterr().out
    assert BATCH in text
    Path("urls.txt").write_text(str(names["url"]), "utf-8")
    assert run(*BATCH.split()[1:], "--allow", "127.0.0.1").returncode == 0
    exec(collection, names)
    assert capsys.readouterr().out.startswith(str(names["url"]))
