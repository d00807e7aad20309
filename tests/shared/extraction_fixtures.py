"""Shared fixtures: a hand-made extraction, the command line, and reports opened in a browser."""

import numpy as np
import pytest
from command_line import run_command
from miolo.extract.methods.selection import Reasons, Selection, subtree
from miolo.extract.pipeline import compose
from miolo.renderer.browser.chromium import find_chromium
from miolo.workers.system import is_root
from patience import patient
from playwright.sync_api import expect, sync_playwright

expect.set_options(timeout=patient(15) * 1000)


def by_hand(snapshot):
    """An extraction that does not depend on the rules of any method."""
    ids = {name: node for node, name in snapshot.attributes.with_attribute("id")}
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
def snapshot(request, stage):
    """The test module's own page."""
    return stage.html(request.module.PAGE, screenshot=True)


@pytest.fixture(scope="module")
def extraction(snapshot):
    return by_hand(snapshot)


@pytest.fixture(scope="session")
def run():
    """Runs the command line as its users do."""

    def run(*words: str, stdin: bytes | None = None, **environment: str):
        return run_command(words, stdin, environment)

    return run


@pytest.fixture(scope="session")
def succeed(run):
    """Runs the command line, and fails unless the command succeeds."""

    def succeed(*words: str, **options):
        done = run(*words, **options)
        assert done.returncode == 0, done.stderr
        return done

    return succeed


@pytest.fixture(scope="module")
def chromium():
    """A browser that Playwright starts; while it is open, no other event loop may run."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(playwright.chromium.executable_path).path,
            chromium_sandbox=not is_root(),
        )
        yield browser
        browser.close()


@pytest.fixture
def open_report(chromium, tmp_path):
    """Opens a report from a file; checks that there were no errors and no requests."""
    contexts, errors, requests = [], [], []

    def opened(report, **options):
        (tmp_path / "report.html").write_text(report, "utf-8")
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto((tmp_path / "report.html").as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
