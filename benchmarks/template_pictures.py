"""Histograms of node areas, site by site, as one SVG: the report's figure 1."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

REPORT_BANDS = (5182.0, 12504.0, 42663.0)
"""The report's bounds of areas, CSS px²: means of the quartiles of its 40 sites."""

BINS = np.logspace(np.log10(2000), 7, 41)
PANEL, GAP, COLUMNS = (250, 96), (26, 44), 3
TEMPLATE, CONTENT = "#d55e00", "#0072b2"

Areas = tuple[NDArray[np.float64], NDArray[np.bool_]]


def area_histograms(sites: Mapping[str, Areas], path: Path) -> None:
    """Write a panel for each site: nodes by area, template and content stacked.

    Parameters
    ----------
    sites
        Areas of the nodes in px², and whether SiteLevel marks each as template, by site name.
    path
        The SVG to write.
    """
    rows = -(-len(sites) // COLUMNS)
    width = COLUMNS * (PANEL[0] + GAP[0]) + GAP[0]
    height = rows * (PANEL[1] + GAP[1]) + GAP[1]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="#fcfcfa"/>',
        f'<text x="{GAP[0]}" y="18" fill="#1c1c1c">Nodes by area, 2,000 to 10,000,000 px² '
        f'(logarithmic): <tspan fill="{TEMPLATE}">template</tspan> and '
        f'<tspan fill="{CONTENT}">content</tspan> by SiteLevel; lines: the report\'s bands</text>',
    ]
    for number, (name, areas) in enumerate(sites.items()):
        row, column = divmod(number, COLUMNS)
        left = GAP[0] + column * (PANEL[0] + GAP[0])
        top = GAP[1] + row * (PANEL[1] + GAP[1])
        parts += [f'<g transform="translate({left} {top})">', *panel(name, *areas), "</g>"]
    path.write_text("\n".join([*parts, "</svg>"]) + "\n", "utf-8")


def panel(name: str, area: NDArray[np.float64], template: NDArray[np.bool_]) -> Iterable[str]:
    marked, rest = (np.histogram(area[kind], BINS)[0] for kind in (template, ~template))
    scale, bar = PANEL[1] / max(1, int((marked + rest).max())), PANEL[0] / len(marked)
    yield f'<text y="-6" fill="#1c1c1c">{html.escape(name)}</text>'
    for k, (low, high) in enumerate(zip(marked * scale, rest * scale, strict=True)):
        for size, base, color in ((low, 0.0, TEMPLATE), (high, low, CONTENT)):
            if size > 0:
                yield (
                    f'<rect x="{k * bar:.1f}" y="{PANEL[1] - base - size:.1f}" '
                    f'width="{bar - 0.6:.1f}" height="{size:.1f}" fill="{color}"/>'
                )
    for bound in REPORT_BANDS:
        x = PANEL[0] * np.log(bound / BINS[0]) / np.log(BINS[-1] / BINS[0])
        yield f'<path d="M{x:.1f} 0V{PANEL[1]}" stroke="#8a8a8a" stroke-dasharray="3 3"/>'
    yield f'<path d="M0 {PANEL[1]}H{PANEL[0]}" stroke="#8a8a8a"/>'
