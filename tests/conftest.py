"""Fixtures of all tests, and the order of the files."""

import pytest

pytest_plugins = ["stage", "extraction_fixtures", "web_page"]

# The files that take longest run first, so that none of them is the last one still running.
LONG = ("test_distributed_cluster.py", "test_batch.py", "test_real_sites.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in LONG)
