"""Generated pictures: landscapes as SVG, thumbnails and portraits as PNG."""

import io
import random
from functools import cache
from itertools import pairwise

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 960, 540
#: Colours of the sky from top to bottom, of the sun, and of ridges from the horizon to the front.
SCENES = {
    "harbour": ("#27406b", "#f3b07c", "#ffd9a0", "#5c6d8f", "#3f4f70", "#2f5273"),
    "hills": ("#8fb8d8", "#f2efe2", "#fff4cf", "#9fb7ae", "#6f9277", "#4c7354"),
    "city": ("#1f2740", "#c9708a", "#fbe3d0", "#474f70", "#343c58", "#252b3d"),
    "river": ("#b9d3df", "#f6ead2", "#fff4cf", "#87a58c", "#a08a74", "#5f8fa6"),
    "market": ("#a9cbe0", "#f7f0de", "#fff1b8", "#c79b82", "#b8483a", "#b7a88f"),
    "field": ("#7fb2d6", "#fbf3dc", "#fff1b8", "#7b9d6a", "#c9a94f", "#a98a3c"),
    "hall": ("#6d8fb0", "#efe3cf", "#f7f1e6", "#4c7354", "#cbb89c", "#8fa07d"),
    "track": ("#93a9bd", "#f1e2cf", "#f7f1e6", "#7d8f86", "#87896f", "#5b4a3c"),
}
#: Colours of the sky, the hill and the ground in thumbnails.
THUMB_COLOURS = (
    ((168, 200, 224), (233, 214, 184), (140, 170, 205), (214, 222, 226)),
    ((112, 146, 120), (134, 150, 142), (92, 118, 140), (150, 138, 112)),
    ((74, 104, 78), (120, 96, 66), (66, 88, 110), (88, 98, 70)),
)


def _ridge(rng: random.Random, base: int, height: int, colour: str) -> str:
    points = [(x, base - rng.randint(0, height)) for x in range(0, WIDTH + 121, 120)]
    path = f"M0 {HEIGHT} L0 {points[0][1]} "
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (x0 + x1) // 2
        path += f"C{middle} {y0} {middle} {y1} {x1} {y1} "
    return f'<path d="{path}L{WIDTH} {HEIGHT}Z" fill="{colour}"/>'


@cache
def svg(scene: str, seed: str) -> bytes:
    """The landscape `scene`; the seed varies its details."""
    rng = random.Random(seed)
    top, bottom, sun, *ridges = SCENES[scene]
    hills = "".join(_ridge(rng, 330 + 65 * n, 110, colour) for n, colour in enumerate(ridges))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}">'
        f'<defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1"><stop stop-color="{top}"/>'
        f'<stop offset="1" stop-color="{bottom}"/></linearGradient></defs>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="url(#s)"/>'
        f'<circle cx="{rng.randint(150, 800)}" cy="160" r="40" fill="{sun}"/>{hills}</svg>'
    ).encode()


@cache
def png(seed: str, width: int = 120, height: int = 80) -> bytes:
    """A small picture of sky, hill and ground in colours that depend on the seed."""
    rng = random.Random(seed)
    sky, hill, ground = (rng.choice(colours) for colours in THUMB_COLOURS)
    left, right = (height * rng.uniform(0.3, 0.75) for _ in range(2))
    picture = Image.new("RGB", (width, height), sky)
    draw = ImageDraw.Draw(picture)
    draw.polygon([(0, left), (width, right), (width, height), (0, height)], fill=hill)
    draw.rectangle((0, int(0.8 * height), width, height), fill=ground)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def picture_url(scene: str, seed: str) -> str:
    """The address of an illustration."""
    return f"/pictures/{scene}/{seed}.svg"


def thumb_url(seed: str) -> str:
    """The address of a thumbnail."""
    return f"/thumbs/{seed}.png"
