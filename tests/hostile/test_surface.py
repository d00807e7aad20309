"""Files and inputs that others may have made, and machines that lack what a browser needs."""

import resource
import subprocess
import sys
from functools import partial

import pytest
from jumping_clock import COMPILER, clock_set_back_by
from patience import patient, until
from samples import sample
from services import held_pages
from surface_attacks import LARGE, SURFACE, run_attack


@pytest.mark.parametrize("name", sample(sorted(SURFACE.keys() - LARGE), 4))
def test_an_attack_ends_with_a_value_or_a_typed_error(name, tmp_path):
    run_attack(name, tmp_path)


def extract(folder, environment=None, **limits):
    page = folder / "page.html"
    page.write_text("<h1>Tides</h1><p>The tide comes in twice a day.")
    return subprocess.run(
        [sys.executable, "-m", "miolo", "extract", str(page), "-m", "nce"],
        env=environment,
        capture_output=True,
        check=False,
        **limits,
    )


def test_too_few_open_files_are_named(tmp_path):
    limit = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (64, 64))
    done = extract(tmp_path, preexec_fn=limit)
    assert done.returncode
    assert b"may open only 64 files, but a browser needs at least 128" in done.stderr
    assert b"ulimit -n" in done.stderr


def test_a_missing_temporary_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    done = extract(tmp_path)
    assert done.returncode
    assert b"none (No such file or directory): set TMPDIR" in done.stderr


@pytest.mark.skipif(COMPILER is None, reason="needs a compiler")
def test_a_run_does_not_wait_for_a_clock_that_was_set_back(tmp_path):
    clock = tmp_path / "clock"
    words = ["batch", tmp_path / "list.txt", "-o", tmp_path / "out", "-m", "nce"]
    words += ["--browser", "never", "--delay", "0.5", "--allow-private"]
    with held_pages() as (origin, requests, _):
        (tmp_path / "list.txt").write_text("".join(f"{origin}/{n}\n" for n in range(5)))
        with subprocess.Popen(
            [sys.executable, "-m", "miolo", *words],
            env=clock_set_back_by(clock),
            stderr=subprocess.DEVNULL,
        ) as run:
            until(lambda: len(requests) > 2)
            clock.touch()
            try:
                assert run.wait(patient(30)) == 0
            finally:
                run.kill()
