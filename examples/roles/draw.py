"""Draw the pictures of the documentation: a page with a block of every role, in light and dark.

    python examples/roles/draw.py [FOLDER]

Writes ``boxes-light.png`` and ``boxes-dark.png``, and their upper parts for the README,
``boxes-top-light.png`` and ``boxes-top-dark.png``. Fails if the reader does not find every role;
the page must then be changed.
"""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path

import miolo
from miolo.models.article.roles import ROLES
from PIL import Image

PAGE = Path(__file__).with_name("page.html")
URL = "https://ledger.example/2026/05/14/lighthouse-whisper"

# The pictures have few colours; this many are enough for the sky too.
COLORS = 256

TOP = 1195
"""Height of the upper part, in px: up to the third paragraph."""


async def draw(folder: Path) -> None:
    """Write the pictures to a folder."""
    async with miolo.Renderer() as renderer:
        for scheme in ("light", "dark"):
            options = miolo.RenderOptions(screenshot=True, hide_overlays=True, color_scheme=scheme)
            page = await renderer.render_html(PAGE.read_text("utf-8"), url=URL, options=options)
            article = miolo.extract_snapshot(page)
            if missing := set(ROLES) - {block.role for block in article.blocks}:
                sys.exit(f"no block has the role {', '.join(sorted(missing))}")
            png = miolo.annotated_screenshot(page, article, dark=scheme == "dark")
            with Image.open(io.BytesIO(png)) as picture:
                save(picture, folder / f"boxes-{scheme}.png")
                top = picture.crop((0, 0, picture.width, TOP))
                save(top, folder / f"boxes-top-{scheme}.png")


def save(picture: Image.Image, path: Path) -> None:
    """Write a picture with a small palette."""
    picture.convert("RGB").quantize(COLORS).save(path, optimize=True)


if __name__ == "__main__":
    asyncio.run(draw(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
