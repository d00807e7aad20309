"""Web archives on the command line."""

import json

import miolo
import pytest
from newsroom import PAGES, NewsSite

PAGE = PAGES["client-rendered"]


@pytest.fixture(scope="module")
def recording(run, tmp_path_factory):
    """The archive, the snapshot and the address of a page whose site is no longer served."""
    folder = tmp_path_factory.mktemp("recorded")
    archive, saved = folder / "page.wacz", folder / "page.miolo"
    with NewsSite() as site:
        url = site.url(PAGE)
        done = run("render", url, "-o", str(saved), "--record", str(archive))
    assert done.returncode == 0, done.stderr
    return archive, saved, url


def test_a_recorded_page_renders_again(succeed, recording, tmp_path):
    archive, saved, url = recording
    again = tmp_path / "again.miolo"
    succeed("render", url, "-o", str(again), "--archive", str(archive))
    one, two = miolo.Snapshot.load(saved), miolo.Snapshot.load(again)
    assert one.page.content_hash == two.page.content_hash
    assert (one.box == two.box).all()


def test_all_pages_of_an_archive_are_extracted(succeed, recording):
    archive, _, url = recording
    done = succeed("extract", "--archive", str(archive), "--method", "nce", "--format", "json")
    articles = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["url"], one["title"]) for one in articles] == [(url, PAGE.title)]


def test_an_archive_without_pages_is_an_error(run, tmp_path):
    archive = tmp_path / "empty.har"
    archive.write_text('{"log": {"version": "1.2", "entries": []}}')
    done = run("extract", "--archive", str(archive))
    assert done.returncode == miolo.EmptyInputError.exit_code
    assert b"has no pages" in done.stderr


def test_missing_archive_entries_are_reported(run, recording, site, tmp_path):
    archive, _, _ = recording
    report = tmp_path / "report.html"
    done = run("inspect", site.url(PAGE), "--archive", str(archive), "-o", str(report))
    assert done.returncode == miolo.NavigationError.exit_code
    assert b"not in the archive" in done.stderr
    assert not report.exists()
