"""Extraction on many machines: Ray Data reads addresses, actors extract, results are Parquet files.

`extract_rows` does the same for Dask, Spark or a pool of processes. See ``docs/scale.md``.
"""

from .dataset import PageExtractor, Written, extract_dataset, extract_to_parquet, learn_sites
from .page_reader import PageReader, PageRecipe, extract_rows

__all__ = [
    "PageExtractor",
    "PageReader",
    "PageRecipe",
    "Written",
    "extract_dataset",
    "extract_rows",
    "extract_to_parquet",
    "learn_sites",
]
