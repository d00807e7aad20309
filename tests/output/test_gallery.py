"""The gallery of the documentation matches the output."""

import re
from pathlib import Path

import miolo
import pytest
from payloads import everything

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAIR = re.compile(
    r"^### (.+?)\n\n!\[.*?\]\((.+?)\)\n\n```html\n(.*?)\n```\n\n````markdown\n(.*?)\n````",
    re.MULTILINE | re.DOTALL,
)
PAGE = (DOCS / "output.md").read_text("utf-8")
GALLERY = {name: pair for name, *pair in PAIR.findall(PAGE[PAGE.index("## Gallery") :])}


@pytest.mark.parametrize("name", list(GALLERY))
def test_everything_in_the_gallery_is_written(name):
    picture, source, markdown = GALLERY[name]
    page = miolo.Snapshot.from_html(f"<body>{source}", url="https://site.example/a")
    assert everything(page).markdown == markdown
    assert (DOCS / picture).read_bytes().startswith(b"\x89PNG")
