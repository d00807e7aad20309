"""Draw the pictures of the README: a page with a block of every role, in light and dark.

    python examples/roles/draw.py [FOLDER]

Writes ``boxes-light.png`` and ``boxes-dark.png``. Fails if the reader does not find every role; the
page must then be changed.
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
                small = picture.convert("RGB").quantize(COLORS)
                small.save(folder / f"boxes-{scheme}.png", optimize=True)


if __name__ == "__main__":
    asyncio.run(draw(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
