"""Quality against time, a point for each method, as one SVG."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

SIZE, LEFT, TOP, RIGHT, BOTTOM = (900, 520), 56, 48, 150, 44
PLOT = (SIZE[0] - LEFT - RIGHT, SIZE[1] - TOP - BOTTOM)
PAGE, SITE, PEER = "#0072b2", "#d55e00", "#5f5f5f"
LINE = 14
"""Height of a label, px."""

Points = Mapping[str, tuple[float, float]]


def quality_against_time(points: Points, site_methods: Collection[str]) -> str:
    """The picture.

    Parameters
    ----------
    points
        Milliseconds and F1, by method.
    site_methods
        Those that have learned from other pages of the site.
    """
    low = np.floor(np.log10(min(ms for ms, _ in points.values())) * 2) / 2
    high = np.ceil(np.log10(max(ms for ms, _ in points.values())) * 2) / 2
    bottom = np.floor(min(f1 for _, f1 in points.values()) * 10) / 10

    def place(ms: float, f1: float) -> tuple[float, float]:
        across = (np.log10(ms) - low) / (high - low)
        return LEFT + PLOT[0] * across, TOP + PLOT[1] * (1 - (f1 - bottom) / (1 - bottom))

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE[0]} {SIZE[1]}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{SIZE[0]}" height="{SIZE[1]}" fill="#fcfcfa"/>',
        f'<text x="{LEFT}" y="24" fill="#1c1c1c">F1 of the article on real sites, by milliseconds '
        f'a page (logarithmic): <tspan fill="{PAGE}">one page</tspan>, '
        f'<tspan fill="{SITE}">learned from the site</tspan>, '
        f'<tspan fill="{PEER}">peer</tspan></text>',
        *_grid(place, low, high, bottom),
        *_marks({name: place(*point) for name, point in points.items()}, site_methods),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _grid(place, low: float, high: float, bottom: float) -> Iterator[str]:
    for ms in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        if low <= np.log10(ms) <= high:
            x, _ = place(ms, 1)
            yield f'<path d="M{x:.1f} {TOP}V{TOP + PLOT[1]}" stroke="#e2e2dc"/>'
            yield f'<text x="{x:.1f}" y="{TOP + PLOT[1] + 18}" text-anchor="middle">{ms} ms</text>'
    for tenth in range(round(bottom * 10), 11):
        _, y = place(10**low, tenth / 10)
        yield f'<path d="M{LEFT} {y:.1f}H{LEFT + PLOT[0]}" stroke="#e2e2dc"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tenth / 10:.1f}</text>'


def _marks(places: Points, site_methods: Collection[str]) -> Iterator[str]:
    """Points with their names; names that would lie on each other move apart."""
    taken: list[tuple[float, float, float]] = []
    for name, (x, y) in sorted(places.items(), key=lambda item: item[1][1]):
        color = PEER if name == "trafilatura" else SITE if name in site_methods else PAGE
        at = _free(x + 8, y + 4, 6.6 * len(name), taken)
        taken.append((x + 8, at, 6.6 * len(name)))
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>'
        if abs(at - y - 4) > 1:
            yield f'<path d="M{x + 3:.1f} {y:.1f}L{x + 8:.1f} {at - 4:.1f}" stroke="{color}"/>'
        yield f'<text x="{x + 9:.1f}" y="{at:.1f}" fill="{color}">{name}</text>'


def _free(x: float, y: float, width: float, taken: list[tuple[float, float, float]]) -> float:
    """The height nearest to a wished one at which a label hides no other."""
    for step in range(60):
        for at in (y - step * LINE / 2, y + step * LINE / 2):
            if not any(
                abs(at - other_y) < LINE and x < other_x + other_width and other_x < x + width
                for other_x, other_y, other_width in taken
            ):
                return at
    return y
