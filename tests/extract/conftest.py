"""What these tests share: an extraction made by hand, and the command line."""

from __future__ import annotations

import os
import subprocess
import sys

import miolo
import numpy as np
import pytest
from miolo.extract.article import compose
from miolo.extract.selection import Reasons, Selection, subtree


def by_hand(snapshot):
    """An extraction that depends on no method's rules."""
    ids = {name: node for node, name in snapshot.attributes.having("id")}
    kept, comments = (np.zeros(len(snapshot), bool) for _ in range(2))
    reasons = Reasons(len(snapshot), "outside of it")
    comments[subtree(snapshot, ids["talk"])] = True
    kept[subtree(snapshot, ids["story"])] = True
    kept &= ~comments
    reasons.give(kept, "inside of it: density 0.00 ≤ 0.4")
    reasons.give(ids["story"], "the separator node")
    chosen = Selection(
        kept=kept,
        scores=kept.astype(np.float32),
        reason=reasons.codes,
        reasons=reasons.table,
        comments=comments,
        title=ids["headline"],
        marks={"separator": ids["story"], "comments": ids["talk"]},
    )
    return compose(snapshot, chosen, "by-hand")


@pytest.fixture(scope="module")
def snapshot(request):
    """The test module's own page."""
    return miolo.render_html(request.module.PAGE, options=miolo.RenderOptions(screenshot=True))


@pytest.fixture(scope="module")
def extraction(snapshot):
    return by_hand(snapshot)


@pytest.fixture(scope="session")
def run():
    """Runs the command line as its users do."""

    def run(*words: str, stdin: bytes | None = None, **environment: str):
        return subprocess.run(
            [sys.executable, "-m", "miolo", *words],
            input=stdin,
            capture_output=True,
            timeout=120,
            env={**os.environ, **environment},
        )

    return run
