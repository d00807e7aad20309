"""Plot of quality against time, with a point for each method, as one SVG."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

SIZE, LEFT, TOP, RIGHT, BOTTOM = (900, 560), 56, 48, 90, 44
PLOT = (SIZE[0] - LEFT - RIGHT, SIZE[1] - TOP - BOTTOM)
PAGE, SITE, PEER = "#0072b2", "#d55e00", "#5f5f5f"
LINE, LETTER, DOT = 13.0, 6.7, 5.0
"""Height of a label, width of its letters, and radius around a point, in px."""

Points = Mapping[str, tuple[float, float]]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Scale:
    """Logarithmic axes: milliseconds to the right, and the error 1 - F1 falling upwards."""

    low: float
    high: float
    bottom: float
    top: float

    @classmethod
    def of(cls, points: Points) -> Scale:
        """Axes that contain all points."""
        ms, f1 = np.array(list(points.values())).T
        low, high = np.log10(ms.min()) - 0.08, np.log10(ms.max()) + 0.2
        errors = -np.log10(1 - f1)
        return cls(low, high, errors.min() - 0.05, errors.max() + 0.08)

    def place(self, ms: float, f1: float) -> tuple[float, float]:
        """Position of a point in the picture."""
        across = (np.log10(ms) - self.low) / (self.high - self.low)
        up = (-np.log10(1 - f1) - self.bottom) / (self.top - self.bottom)
        return LEFT + PLOT[0] * across, TOP + PLOT[1] * (1 - up)

    def grid(self) -> Iterator[str]:
        """Grid lines and their labels."""
        for ms in (1, 2, 5, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000):
            if self.low <= np.log10(ms) <= self.high:
                x, _ = self.place(ms, 0.5)
                foot = TOP + PLOT[1]
                yield f'<path d="M{x:.1f} {TOP}V{foot}" stroke="#e2e2dc"/>'
                yield f'<text x="{x:.1f}" y="{foot + 18}" text-anchor="middle">{ms} ms</text>'
        for f1 in (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.97, 0.98, 0.99):
            if self.bottom <= -np.log10(1 - f1) <= self.top:
                _, y = self.place(1, f1)
                yield f'<path d="M{LEFT} {y:.1f}H{LEFT + PLOT[0]}" stroke="#e2e2dc"/>'
                yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{f1:g}</text>'


def quality_against_time(points: Points, site_methods: Collection[str]) -> str:
    """Draw the picture.

    Parameters
    ----------
    points
        Milliseconds and F1, by method.
    site_methods
        Methods that have learned from other pages of the site.
    """
    scale = Scale.of(points)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE[0]} {SIZE[1]}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{SIZE[0]}" height="{SIZE[1]}" fill="#fcfcfa"/>',
        f'<text x="{LEFT}" y="24" fill="#1c1c1c">F1 of the article on real sites, by milliseconds '
        f'a page (both scales logarithmic): <tspan fill="{PAGE}">one page</tspan>, '
        f'<tspan fill="{SITE}">learned from the site</tspan>, '
        f'<tspan fill="{PEER}">peer</tspan></text>',
        *scale.grid(),
        *_marks({name: scale.place(*point) for name, point in points.items()}, site_methods),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _marks(places: Points, site_methods: Collection[str]) -> Iterator[str]:
    """Points with their names, which cover no point and no other name."""
    obstacles: list[Box] = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in places.values()]
    for name, (x, y) in sorted(places.items(), key=lambda item: item[1][1]):
        color = PEER if name == "trafilatura" else SITE if name in site_methods else PAGE
        box = _free(x, y, LETTER * len(name), obstacles)
        obstacles.append(box)
        near, middle = (box[0] if box[0] > x else box[2]), (box[1] + box[3]) / 2
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>'
        if abs(middle - y) > 1:
            yield f'<path d="M{x:.1f} {y:.1f}L{near:.1f} {middle:.1f}" stroke="{color}"/>'
        anchor = "start" if box[0] > x else "end"
        at = f'x="{near:.1f}" y="{box[3] - 3:.1f}" text-anchor="{anchor}"'
        yield f'<text {at} fill="{color}">{name}</text>'


def _free(x: float, y: float, width: float, obstacles: list[Box]) -> Box:
    """The free place for a label that is nearest to its point, on either side."""
    places = [
        (left, y + step * LINE / 3 - LINE / 2)
        for step in sorted(range(-90, 91), key=abs)
        for left in (x + 8, x - 8 - width)
    ]
    boxes = [(left, top, left + width, top + LINE) for left, top in places]
    free = (
        box
        for box in boxes
        if not any(
            box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in obstacles
        )
    )
    return next(free, boxes[0])
