"""Generated pictures: illustrations as SVG, thumbnails and portraits as PNG."""

import random
import struct
import zlib
from collections.abc import Callable
from functools import cache
from itertools import pairwise

WIDTH, HEIGHT = 960, 540
#: Colours of the sky, the hill and the ground in thumbnails.
THUMB_COLOURS = (
    ((168, 200, 224), (233, 214, 184), (140, 170, 205), (214, 222, 226)),
    ((112, 146, 120), (134, 150, 142), (92, 118, 140), (150, 138, 112)),
    ((74, 104, 78), (120, 96, 66), (66, 88, 110), (88, 98, 70)),
)
_Draw = Callable[[random.Random], str]


def _sky(top: str, bottom: str) -> str:
    return (
        f'<defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1"><stop stop-color="{top}"/>'
        f'<stop offset="1" stop-color="{bottom}"/></linearGradient></defs>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="url(#s)"/>'
    )


def _sun(x: int, y: int, radius: int, colour: str) -> str:
    halo = f'<circle cx="{x}" cy="{y}" r="{radius * 2}" fill="{colour}" opacity=".18"/>'
    return f'{halo}<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>'


def _ridge(rng: random.Random, base: int, height: int, colour: str) -> str:
    points = [(x, base - rng.randint(0, height)) for x in range(0, WIDTH + 121, 120)]
    path = f"M0 {HEIGHT} L0 {points[0][1]} "
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (x0 + x1) // 2
        path += f"C{middle} {y0} {middle} {y1} {x1} {y1} "
    return f'<path d="{path}L{WIDTH} {HEIGHT}Z" fill="{colour}"/>'


def _waves(rng: random.Random, top: int, colour: str, glint: str) -> str:
    out = [f'<rect y="{top}" width="{WIDTH}" height="{HEIGHT - top}" fill="{colour}"/>']
    for _ in range(70):
        y = rng.randint(top + 6, HEIGHT - 8)
        length = 10 + (y - top) // 3
        out.append(
            f'<rect x="{rng.randint(-20, WIDTH)}" y="{y}" width="{length}" height="2" rx="1"'
            f' fill="{glint}" opacity="{rng.randint(15, 55) / 100}"/>'
        )
    return "".join(out)


def _boat(x: int, y: int, size: float, hull: str, sail: str) -> str:
    return (
        f'<g transform="translate({x} {y}) scale({size})">'
        f'<path d="M-40 0H44L30 20H-28Z" fill="{hull}"/><path d="M0-4V-84L34-4Z" fill="{sail}"/>'
        f'<path d="M-4-6V-70L-28-6Z" fill="{sail}" opacity=".8"/>'
        f'<path d="M-2 0V-92" stroke="{hull}" stroke-width="3"/></g>'
    )


def _lighthouse(x: int, y: int) -> str:
    stripes = "".join(
        f'<path d="M{-19 + i} {-40 * i - 10}H{19 - i}L{18 - i} {-40 * i - 30}H{-18 + i}Z"'
        f' fill="#b8483a"/>'
        for i in range(4)
    )
    return (
        f'<g transform="translate({x} {y})"><linearGradient id="b"><stop stop-color="#fff3c4"'
        f' stop-opacity=".6"/><stop offset="1" stop-color="#fff3c4" stop-opacity="0"/>'
        f'</linearGradient><path d="M0-196L560-262V-130Z" fill="url(#b)"/>'
        f'<path d="M-22 0L-14-180H14L22 0Z" fill="#f4ece0"/>{stripes}'
        f'<rect x="-20" y="-186" width="40" height="7" fill="#2c3440"/>'
        f'<rect x="-11" y="-208" width="22" height="22" fill="#ffe9a3"/>'
        f'<path d="M-15-208L0-226L15-208Z" fill="#2c3440"/></g>'
    )


def _houses(rng: random.Random, base: int, colours: list[str], lit: str) -> str:
    out, x = [], -10
    while x < WIDTH:
        width, height = rng.randint(46, 96), rng.randint(60, 190)
        top = base - height
        out.append(
            f'<rect x="{x}" y="{top}" width="{width}" height="{height}"'
            f' fill="{rng.choice(colours)}"/>'
        )
        if rng.random() < 0.5:
            roof = f"M{x - 4} {top}L{x + width // 2} {top - 30}L{x + width + 4} {top}Z"
            out.append(f'<path d="{roof}" fill="#4a3b3a"/>')
        for wx in range(x + 10, x + width - 14, 20):
            for wy in range(top + 14, base - 20, 28):
                shine = 0.9 if rng.random() < 0.45 else 0.18
                out.append(
                    f'<rect x="{wx}" y="{wy}" width="10" height="14" fill="{lit}"'
                    f' opacity="{shine}"/>'
                )
        x += width + rng.randint(0, 6)
    return "".join(out)


def _trees(rng: random.Random, base: int, count: int, colours: list[str]) -> str:
    out = []
    for _ in range(count):
        x, y, size = rng.randint(0, WIDTH), base + rng.randint(-20, 60), rng.randint(30, 74)
        out.append(
            f'<rect x="{x - 3}" y="{y}" width="6" height="{size // 2}" fill="#5b4636"/>'
            f'<ellipse cx="{x}" cy="{y - size // 3}" rx="{size // 2}" ry="{size * 2 // 3}"'
            f' fill="{rng.choice(colours)}"/>'
        )
    return "".join(out)


def _harbour(rng: random.Random) -> str:
    return (
        _sky("#27406b", "#f3b07c")
        + _sun(640, 300, 46, "#ffd9a0")
        + _ridge(rng, 320, 60, "#5c6d8f")
        + _ridge(rng, 345, 30, "#3f4f70")
        + _waves(rng, 345, "#2f5273", "#ffd9a0")
        + _lighthouse(170, 372)
        + '<path d="M0 366Q110 350 230 372T400 404Q240 420 0 412Z" fill="#2c3440"/>'
        + _boat(520, 420, 1.0, "#3a2a2a", "#f7efe2")
        + _boat(800, 392, 0.6, "#22303f", "#e9d8bf")
        + _boat(690, 480, 1.35, "#6b2f2a", "#fbf6ec")
    )


def _hills(rng: random.Random) -> str:
    return (
        _sky("#8fb8d8", "#f2efe2")
        + _sun(210, 130, 36, "#fff4cf")
        + _ridge(rng, 330, 130, "#9fb7ae")
        + _ridge(rng, 390, 110, "#6f9277")
        + _ridge(rng, 460, 90, "#4c7354")
        + _trees(rng, 440, 26, ["#355b3d", "#426b47", "#2d4d35"])
    )


def _city(rng: random.Random) -> str:
    return (
        _sky("#1f2740", "#c9708a")
        + _sun(760, 170, 30, "#fbe3d0")
        + _houses(rng, 400, ["#3d4664", "#343c58", "#474f70"], "#ffd98a")
        + '<rect y="400" width="960" height="140" fill="#252b3d"/>'
        + "".join(
            f'<rect x="{x}" y="468" width="60" height="6" fill="#e7dcc0" opacity=".7"/>'
            for x in range(20, WIDTH, 120)
        )
    )


def _river(rng: random.Random) -> str:
    arches = "".join(
        f'<path d="M{x} 380V330Q{x + 70} 250 {x + 140} 330V380Z" fill="#7fa6b8"/>'
        for x in range(60, 860, 170)
    )
    return (
        _sky("#b9d3df", "#f6ead2")
        + _ridge(rng, 330, 120, "#87a58c")
        + _trees(rng, 310, 20, ["#5d8560", "#6f9668"])
        + '<rect y="262" width="960" height="118" fill="#a08a74"/>'
        + '<rect y="252" width="960" height="14" fill="#876f5a"/>'
        + arches
        + _waves(rng, 380, "#5f8fa6", "#ffffff")
    )


def _market(rng: random.Random) -> str:
    stalls = "".join(
        f'<g transform="translate({x} 330)"><rect x="8" width="6" height="130" fill="#6b5644"/>'
        f'<rect x="146" width="6" height="130" fill="#6b5644"/>'
        f'<path d="M0 0H160L172 34H-12Z" fill="{colour}"/>'
        f'<path d="M32 0H64L62 34H22ZM96 0H128L140 34H102Z" fill="#fff" opacity=".65"/>'
        f'<rect y="80" width="160" height="50" fill="#8d6f52"/>'
        + "".join(
            f'<circle cx="{rng.randint(10, 150)}" cy="{rng.randint(68, 82)}" r="9"'
            f' fill="{rng.choice(["#c9472f", "#e3a32b", "#6d9440", "#8d3b52"])}"/>'
            for _ in range(16)
        )
        + "</g>"
        for x, colour in ((40, "#b8483a"), (270, "#3f7a6b"), (500, "#c98a2b"), (730, "#4d6394"))
    )
    walls = _houses(rng, 400, ["#d9c3a3", "#cfae8d", "#e3d2b5", "#c79b82"], "#5d6f7d")
    ground = '<rect y="400" width="960" height="140" fill="#b7a88f"/>'
    return _sky("#a9cbe0", "#f7f0de") + walls + ground + stalls


def _field(rng: random.Random) -> str:
    rows = "".join(
        f'<path d="M480 300L{x} 540H{x + 44}Z" fill="#c9a94f" opacity=".8"/>'
        for x in range(-900, 1900, 110)
    )
    return (
        _sky("#7fb2d6", "#fbf3dc")
        + _sun(730, 110, 40, "#fff1b8")
        + _ridge(rng, 315, 60, "#7b9d6a")
        + '<rect y="300" width="960" height="240" fill="#a98a3c"/>'
        + rows
        + _trees(rng, 285, 8, ["#4c7354", "#5b8059"])
    )


def _hall(rng: random.Random) -> str:
    columns = "".join(
        f'<rect x="{x}" y="220" width="38" height="200" fill="#efe6d6"/>'
        f'<rect x="{x - 6}" y="212" width="50" height="12" fill="#ddd0ba"/>'
        for x in range(238, 720, 89)
    )
    return (
        _sky("#6d8fb0", "#efe3cf")
        + _trees(rng, 380, 14, ["#4c7354", "#5b8059"])
        + '<rect x="200" y="210" width="560" height="216" fill="#cbb89c"/>'
        + columns
        + '<path d="M180 212L480 100L780 212Z" fill="#dccbb0"/>'
        + '<circle cx="480" cy="170" r="26" fill="#f7f1e6" stroke="#7a6a55" stroke-width="4"/>'
        + '<path d="M480 170V152M480 170L493 177" stroke="#3c342b" stroke-width="3"/>'
        + '<rect x="160" y="420" width="640" height="18" fill="#b7a58a"/>'
        + '<rect y="438" width="960" height="102" fill="#8fa07d"/>'
    )


def _track(rng: random.Random) -> str:
    sleepers = "".join(
        f'<rect x="{480 - w}" y="{y}" width="{2 * w}" height="{5 + w // 30}" fill="#5b4a3c"/>'
        for y, w in ((310 + i * i, 14 + i * i) for i in range(1, 16))
    )
    return (
        _sky("#93a9bd", "#f1e2cf")
        + _ridge(rng, 310, 90, "#7d8f86")
        + '<rect y="300" width="960" height="240" fill="#87896f"/>'
        + '<path d="M470 300H490L760 540H200Z" fill="#a79f90"/>'
        + sleepers
        + '<path d="M474 300L290 540M486 300L670 540" stroke="#454b52" stroke-width="7"/>'
        + _trees(rng, 290, 12, ["#4f6e55", "#5f7f62"])
    )


SCENES: dict[str, _Draw] = {
    "harbour": _harbour,
    "hills": _hills,
    "city": _city,
    "river": _river,
    "market": _market,
    "field": _field,
    "hall": _hall,
    "track": _track,
}


@cache
def svg(scene: str, seed: str) -> bytes:
    """The illustration `scene`; the seed varies its details."""
    drawing = SCENES[scene](random.Random(seed))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}">{drawing}</svg>'
    ).encode()


@cache
def png(seed: str, width: int = 120, height: int = 80) -> bytes:
    """A small picture of sky, hill and ground in colours that depend on the seed."""
    rng = random.Random(seed)
    sky, hill, ground = (rng.choice(colours) for colours in THUMB_COLOURS)
    slope, foot = rng.uniform(-0.3, 0.3), rng.uniform(0.45, 0.65)
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            line = foot + slope * (x / width - 0.5)
            rows += bytes(sky if y < line * height else hill if y < height * 0.8 else ground)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def picture_url(scene: str, seed: str) -> str:
    """The address of an illustration."""
    return f"/pictures/{scene}/{seed}.svg"


def thumb_url(seed: str) -> str:
    """The address of a thumbnail."""
    return f"/thumbs/{seed}.png"
