"""Batches on loopback, and options for tests of batches and crawls."""

import asyncio
from dataclasses import fields, replace
from pathlib import Path

from miolo.collect.batch.batch_options import BatchOptions
from miolo.collect.batch.hosts import Politeness
from miolo.collect.batch.jobs import Counts
from miolo.collect.batch.run_batch import queue_list, run_queue
from miolo.extract.options import ExtractOptions
from miolo.renderer.network.policy import EgressPolicy
from miolo.renderer.options import RenderOptions
from stage import OFFLINE

# Every page is rendered.
RENDERED = RenderOptions("always")

# The user does not name the pages of a list individually; these hosts are allowed nevertheless.
LOOPBACK = EgressPolicy("never", allowed=("127.0.0.1", "localhost"))


def batch_options(**changes) -> BatchOptions:
    """Pages of loopback are read without a browser and without delays, unless `changes` say so.

    Fields of the extraction are given in the same way.
    """
    names = [field.name for field in fields(ExtractOptions) if field.name in changes]
    extract = {"method": "nce", **{name: changes.pop(name) for name in names}}
    base = {
        "extract": ExtractOptions(**extract),
        "render": RenderOptions("never"),
        "browsers": 1,
        "politeness": Politeness(0, 8),
        "switches": OFFLINE,
    }
    chosen = BatchOptions(**{**base, **changes})
    return replace(chosen, render=replace(chosen.render, egress=LOOPBACK))


def run_batch(folder: Path, urls, options: BatchOptions | None = None) -> Counts:
    """Process a list of pages into a folder, as `miolo batch` does."""
    options = options or batch_options()
    queue_list(folder, urls, options)
    return asyncio.run(run_queue(folder, options))
