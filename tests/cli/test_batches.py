"""`miolo batch`, `crawl` and `status` on the command line: notes, summaries and errors."""

from __future__ import annotations


def test_a_folder_without_a_collection_has_no_status(run, tmp_path):
    (tmp_path / "notes.txt").write_text("not a collection")
    done = run("status", str(tmp_path))
    assert done.returncode == 14
    assert not done.stdout
    assert b"neither the state of a run (state.sqlite) nor snapshots (*.miolo)" in done.stderr
