"""A fixture with the server of the hostile pages."""

import pytest
from hostile_set import serving_hostile


@pytest.fixture(scope="module")
def hostile_origin():
    with serving_hostile() as origin:
        yield origin
