"""Fixtures of all tests, and the order of the files."""

import asyncio
import inspect

import pytest

pytest_plugins = ["stage", "extraction_fixtures", "web_page"]

# The files that take longest run first, so that none of them is the last one still running.
LONG = ("test_distributed_cluster.py", "test_batch.py", "test_real_sites.py")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an asynchronous test in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in LONG)
