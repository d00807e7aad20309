"""Generated pictures: the sun in a sky of one colour, as SVG and as PNG."""

import io
import random
from functools import cache

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 960, 540


def _colour(seed: str) -> str:
    return f"#{random.Random(seed).randrange(0x606060, 0xC0C0C0):06x}"


@cache
def svg(seed: str) -> bytes:
    """A picture whose colour depends on the seed."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_colour(seed)}"/>'
        '<circle cx="480" cy="160" r="40" fill="#fff4cf"/></svg>'
    ).encode()


@cache
def png(seed: str, width: int = 120, height: int = 80) -> bytes:
    """A small picture whose colour depends on the seed."""
    picture = Image.new("RGB", (width, height), _colour(seed))
    ImageDraw.Draw(picture).rectangle((0, height // 2, width, height), fill="#4c7354")
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def picture_url(scene: str, seed: str) -> str:
    """The address of an illustration."""
    return f"/pictures/{scene}/{seed}.svg"


def thumb_url(seed: str) -> str:
    """The address of a thumbnail."""
    return f"/thumbs/{seed}.png"
