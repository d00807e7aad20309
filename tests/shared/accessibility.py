"""The accessibility rules of axe-core, applied to a page in Chromium."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# The rule for the 24 px target size of WCAG 2.2 is off by default.
OPTIONS = {"rules": {"target-size": {"enabled": True}}}


def violations(page: Page) -> list[str]:
    """Each violated rule, with the elements that violate it."""
    response = Axe().run(page, options=OPTIONS).response
    assert len(response["passes"]) > 30
    return [
        f"{rule['id']}: {[node['html'] for node in rule['nodes']]}"
        for rule in response["violations"]
    ]
