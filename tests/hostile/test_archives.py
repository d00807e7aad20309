"""Tampered archives and snapshots raise only typed errors, quickly and in bounded memory."""

import resource
import time
from contextlib import suppress

import miolo
import pytest
from hostile_set.archives import ARCHIVES, Form, tampered_file, whole_archives
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SECONDS = 5.0
MAX_GROWTH_KB = 400_000


@pytest.fixture(scope="module")
def forms(tmp_path_factory) -> dict[str, Form]:
    return whole_archives(tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize("name", ARCHIVES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_tampered_files_are_read_or_refused(forms, tmp_path, name, data):
    form = forms[name]
    path = tmp_path / f"a.{name}"
    path.write_bytes(tampered_file(data.draw, form))
    started, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with suppress(miolo.MioloError):
        form.use(path)
    assert time.process_time() - started < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MAX_GROWTH_KB
