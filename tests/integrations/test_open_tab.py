"""Tabs of the user's own browser, read through its debugging port."""

import os
import re
import signal
import subprocess
from urllib.parse import quote
from urllib.request import Request, urlopen

import miolo
import pytest
from miolo.integrations.live_page import capture_tab
from miolo.renderer.browser.chromium import find_chromium

SENTENCE = "The tide comes in twice a day, and the town has built its roads and its trade on it. "

STORY = f"data:text/html,<title>Tides</title><h1>Tides of the year</h1><p>{SENTENCE * 9}</p>"

OTHER = "data:text/html,<title>Another</title><p>Another tab"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Debugging address of a browser with two tabs."""
    profile = tmp_path_factory.mktemp("profile")
    command = [
        find_chromium().path, "--headless", "--no-sandbox", "--remote-debugging-port=0",
        f"--user-data-dir={profile}", STORY,
    ]  # fmt: skip
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if match := re.search(rb"ws://127\.0\.0\.1:(\d+)/", line):
                break
        else:
            pytest.fail("the browser does not start")
        port = match[1].decode()
        new_tab = Request(f"http://127.0.0.1:{port}/json/new?{quote(OTHER)}", method="PUT")
        with urlopen(new_tab) as answer:
            assert answer.status == 200
        try:
            yield port
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # a wrapper may have started the browser


async def test_a_tab_is_read_as_it_is_and_stays_open(browser):
    for _ in range(2):
        snapshot = await capture_tab(browser, "Tides")
        article = miolo.extract_snapshot(snapshot)
        assert article.title == "Tides of the year"
        assert snapshot.page.has_geometry
    assert "Another tab" in " ".join((await capture_tab(browser, "Another")).text)


def test_the_command_line_reads_a_tab(run, succeed, browser, tmp_path):
    read = succeed("extract", "--connect", browser, "Tides")
    assert SENTENCE.strip().encode() in read.stdout
    succeed("render", "--connect", browser, "Tides", "-o", str(tmp_path / "tab.miolo"))
    assert miolo.Snapshot.load(tmp_path / "tab.miolo").page.title == "Tides"
    report = tmp_path / "report.html"
    succeed("inspect", "--connect", browser.removeprefix("http://"), "Tides", "-o", str(report))
    assert "Tides of the year" in report.read_text("utf-8")
    assert b"no effect" not in read.stderr
    unused = run("extract", "--connect", browser, "Tides", "--device", "Pixel 7", "--within", "p")
    assert b"no effect on a tab that is open: --device\n" in unused.stderr
    wrong = run("extract", "--connect", browser, "Tides", "--archive", __file__)
    assert wrong.returncode == 2


def test_a_tab_is_added_to_the_pages_to_label(succeed, browser, tmp_path):
    for _ in range(2):  # another capture is the same page
        added = succeed("label", str(tmp_path), "--connect", browser)
        assert b"--review" in added.stderr
    ((_, url),) = miolo.Collection(tmp_path).snapshot_files()
    assert url in (STORY, OTHER)


def test_options_of_rendering_have_no_effect_on_a_snapshot(run, succeed, tmp_path):
    page = miolo.render_html("<title>Tides</title><h1>Tides</h1>" + f"<p>{SENTENCE * 9}</p>")
    saved = str(tmp_path / "page.miolo")
    page.save(saved)
    chosen = ("--device", "Pixel 7", "--timezone", "Asia/Tokyo", "--color-scheme", "dark")
    note = b"no effect on 1 saved snapshot: --device, --timezone\n"
    for words in (("extract", saved), ("render", saved, "-o", f"{saved}2.miolo"),
                  ("inspect", saved, "-o", f"{saved}.html")):  # fmt: skip
        done = succeed(*words, *chosen)
        assert note in done.stderr
    both = run("compare", saved, saved, *chosen)
    assert b"no effect on 2 saved snapshots" in both.stderr
    assert b"no effect" not in run("extract", saved, "--no-restore").stderr


async def test_what_is_not_there_is_an_error_that_says_what_to_do(browser):
    with pytest.raises(miolo.NavigationError, match="no tab whose address contains 'nothing'"):
        await capture_tab(browser, "nothing")
    with pytest.raises(miolo.NavigationError, match="--remote-debugging-port"):
        await capture_tab("http://127.0.0.1:1")
