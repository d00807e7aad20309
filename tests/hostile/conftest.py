"""The hostile pages' server, and a renderer that meets one after the other."""

from __future__ import annotations

import pytest
from hostile_set import serving_hostile


@pytest.fixture(scope="module")
def hostile_origin():
    with serving_hostile() as origin:
        yield origin
