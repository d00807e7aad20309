"""Options for tests of batches and crawls on loopback."""

from dataclasses import fields, replace

from miolo.collect.batch.batch_options import BatchOptions
from miolo.collect.batch.hosts import Politeness
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
