"""The package works without modules that only some operating systems have."""

import subprocess
import sys

import pytest
from miolo.workers import system
from miolo.workers.system import chromium_paths, is_locked, lock_file

# Libraries support the actual system, so they are imported before its modules are hidden.
HIDDEN = """
import os, signal, sys
import asyncio, importlib, multiprocessing, pkgutil, subprocess
for name in ("lxml.html", "numba", "playwright.async_api", "psutil", "pyarrow", "scipy.stats",
             "sklearn.tree", "uvicorn", "fastapi", "mcp.server", "ray"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        pass
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("SIGXCPU", "SIGALRM", "SIGKILL", "setitimer"):
    if hasattr(signal, name):
        delattr(signal, name)
for name in ("geteuid", "getuid", "killpg", "setsid", "fork"):
    if hasattr(os, name):
        delattr(os, name)
"""

STATIC = """
import miolo
folders = ("collect", "cli", "debug", "evaluate", "extract", "features", "models", "output",
           "renderer", "serve")
for folder in folders:
    package = importlib.import_module(f"miolo.{folder}")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
story = "<p>" + "The harbour was rebuilt within a year by the town alone. " * 9
options = miolo.RenderOptions(browser="never")
html = f"<title>Harbour</title><article><h1>Harbour</h1>{story * 3}</article>"
page = miolo.extract_html(html, url="https://a.example/x", method="nce", options=options)
assert "rebuilt within a year" in page.text
from miolo.workers.process_limits import limit_cpu, limit_memory, unlimited_children
limit_memory(1 << 40); limit_cpu(600)
with unlimited_children():
    pass
from miolo.workers.system import is_root
assert not is_root()
print("done")
"""


def test_all_modules_work_without_system_specific_modules():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", HIDDEN + STATIC],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "done", done.stderr[-2000:]


def test_a_locked_file_is_locked_for_others(tmp_path):
    with (tmp_path / "lock").open("w") as one, (tmp_path / "lock").open("w") as other:
        lock_file(one)
        assert is_locked(tmp_path / "lock")
        with pytest.raises(OSError, match=r"."):
            lock_file(other)
    assert not is_locked(tmp_path / "lock")
    assert not is_locked(tmp_path / "none")


def test_a_file_that_is_being_checked_can_be_locked(tmp_path, monkeypatch):
    (tmp_path / "lock").touch()
    with (tmp_path / "lock").open("rb") as checked, (tmp_path / "lock").open("w") as file:
        system._lock(checked, shared=True)
        assert not is_locked(tmp_path / "lock")
        monkeypatch.setattr(system, "sleep", lambda _: checked.close())
        lock_file(file)


@pytest.mark.parametrize(
    ("system", "name"), [("darwin", "Google Chrome.app"), ("win32", "msedge.exe")]
)
def test_browsers_are_searched_for_where_each_system_installs_them(system, name, monkeypatch):
    monkeypatch.setenv("PROGRAMFILES", "/programs")
    assert any(name in str(path) for path in chromium_paths(system))
    assert not chromium_paths("linux")
