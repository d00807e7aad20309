"""Area bands: nodes of similar area share one classifier.

Source: the template-detection report, table 5.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["REPORT_BANDS", "area_bands", "band_of"]

REPORT_BANDS = (5182.0, 12504.0, 42663.0)
"""The report's bounds, CSS px²: means of the quartiles of its 40 sites."""


def area_bands(sites: Iterable[ArrayLike]) -> tuple[float, float, float]:
    """Bounds between four bands: each quartile of a site's areas, averaged over the sites.

    Parameters
    ----------
    sites
        For each site, the areas of its nodes that are in the model, CSS px².
    """
    quartiles = [np.quantile(np.asarray(areas, float), (0.25, 0.5, 0.75)) for areas in sites]
    first, second, third = np.mean(quartiles, axis=0).tolist()
    return first, second, third


def band_of(areas: ArrayLike, bands: tuple[float, ...]) -> NDArray[np.int64]:
    """Band of each area, int64: 0 below the first bound; the last band is unbounded."""
    return np.searchsorted(np.asarray(bands, float), np.asarray(areas, float), side="right")
