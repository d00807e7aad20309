"""The worker of a distributed run, without a cluster: rows, files, sites and archives."""

import pickle
from dataclasses import replace
from pathlib import Path

import jsonschema
import miolo
import pytest
from batches import LOOPBACK
from newsroom import ARTICLES
from stage import OFFLINE

pa = pytest.importorskip("pyarrow", reason="tables need the extra [collect]")

from miolo.collect.distributed import PageExtractor, PageReader, PageRecipe, extract_rows  # noqa: E402
from miolo.collect.distributed.dataset import (  # noqa: E402
    ParquetFolder,
    learn_site_group,
)
from miolo.extract.options import ExtractOptions  # noqa: E402
from miolo.output.schema import json_schema  # noqa: E402
from miolo.renderer.archives.warc import warc_records  # noqa: E402
from miolo.renderer.network.exchange import Exchange  # noqa: E402
from miolo.renderer.network.origins import learned_name  # noqa: E402

LOCAL = miolo.RenderOptions(egress=LOOPBACK)
RECIPE = PageRecipe(extract=ExtractOptions("nce"), pages=2, switches=OFFLINE, render=LOCAL)
STORIES = [page for paper in ARTICLES.values() for page in paper]

HTML = (("Content-Type", "text/html"),)
CHECK = (
    "data:text/html,<title>Just a moment...</title><p>Verify you are human."
    "<div id=challenge-stage></div>"
)


@pytest.fixture(scope="module")
def reader():
    with PageReader(RECIPE) as ready:
        yield ready


def by_url(rows):
    return {row["requested_url"]: row for row in rows}


def test_each_address_and_each_failure_is_a_row(reader, site):
    story, gone = site.url(STORIES[0]), site.url("/hostile/not-found")
    rows = list(reader.rows([story, gone, CHECK, "nonsense", None, 7]))
    row_of = by_url(rows)
    assert len(rows) == len(row_of) == 6
    for row in rows:
        jsonschema.validate(row, json_schema())
    assert STORIES[0].paragraphs[1] in row_of[story]["text"]
    assert row_of[story]["error"] is None
    assert (row_of[gone]["error"]["kind"], row_of[gone]["http_status"]) == ("NavigationError", 404)
    assert (row_of[CHECK]["error"]["kind"], row_of[CHECK]["text"]) == ("PageBlockedError", None)
    assert {row_of[odd]["error"]["kind"] for odd in ("nonsense", "", "7")} == {"NavigationError"}


def test_no_code_of_the_current_folder_runs_in_workers(tmp_path, monkeypatch):
    (tmp_path / "numpy.py").write_text("open('run', 'w')")
    monkeypatch.chdir(tmp_path)
    with PageReader(RECIPE) as own:
        (row,) = own.rows(["nonsense"])
    assert row["error"]["kind"] == "NavigationError"
    assert not (tmp_path / "run").exists()


def test_addresses_are_taken_only_when_there_is_room(reader, site):
    addresses = []

    def endless():
        while True:
            addresses.append(site.url(STORIES[len(addresses) % 3]))
            yield addresses[-1]

    rows = reader.rows(endless())
    assert [next(rows)["error"] for _ in range(3)] == [None] * 3
    assert len(addresses) <= 3 + 2 * RECIPE.pages
    rows.close()
    assert next(reader.rows([addresses[0]]))["title"] == STORIES[0].title


def test_a_missing_browser_is_an_error_and_not_a_row(monkeypatch):
    monkeypatch.setenv("MIOLO_CHROMIUM", "/nowhere")
    with pytest.raises(miolo.BrowserNotFoundError):
        list(extract_rows([{"url": "data:text/html,<p>words"}], RECIPE))


def test_a_recipe_and_an_extractor_can_be_pickled(site):
    recipe = PageRecipe(
        render=miolo.RenderOptions(headers={"X-A": "b"}, egress=LOOPBACK),
        extract=ExtractOptions("nce"),
    )
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    extractor = PageExtractor(RECIPE)
    list(extractor({"url": ["data:text/html,<p>words"]}))
    copy = pickle.loads(pickle.dumps(extractor))
    extractor.close()
    (table,) = copy(pa.table({"url": [site.url(STORIES[0])]}))
    copy.close()
    assert table["title"].to_pylist() == [STORIES[0].title]


def test_a_folder_holds_only_complete_files(tmp_path):
    folder, schema = ParquetFolder(tmp_path / "out"), pa.schema([("requested_url", pa.string())])
    table = pa.table({"requested_url": ["a", "b"]})

    def fail_midway():
        yield table
        raise RuntimeError("the actor is lost")

    with pytest.raises(RuntimeError):
        folder.write("one.parquet", schema, fail_midway())
    assert not folder.has("one.parquet")
    folder.write("one.parquet", schema, [table])
    folder.write("one.parquet", schema, [table])
    folder.clear_drafts()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["one.parquet"]
    (read,) = folder.columns(["requested_url"])
    assert read == table


@pytest.mark.parametrize("damaged", [b"", b"PAR1", b"not a table at all"])
def test_a_damaged_file_is_reported(tmp_path, damaged):
    (tmp_path / "two.parquet").write_bytes(damaged)
    with pytest.raises(miolo.ArchiveError, match=r"two\.parquet"):
        list(ParquetFolder(tmp_path).columns(["requested_url"]))


@pytest.fixture(scope="module")
def saved_pages(reader, site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    rows = [{"url": site.url(page)} for page in ARTICLES["semantic"][:4]]
    return list(extract_rows(rows, replace(RECIPE, snapshots=folder)))


def test_a_site_is_learned_and_its_pages_are_read_with_it(saved_pages, tmp_path, site):
    group = pa.table(
        {
            "site": [learned_name(site.url("/"))] * 5,
            "url": [row["url"] for row in saved_pages] + [site.url("/torn")],
            "snapshot": [Path(row["snapshot"]).read_bytes() for row in saved_pages] + [b"torn"],
        }
    )
    (site_row,) = learn_site_group(group, tmp_path, 200).to_pylist()
    assert (site_row["pages"], site_row["damaged"], site_row["error"]) == (4, 1, None)
    recipe = replace(RECIPE, extract=ExtractOptions("sitelevel"), sites=tmp_path)
    (row,) = extract_rows([{"url": saved_pages[0]["url"]}], recipe)
    assert row["method"] == "sitelevel"
    assert row["error"] is None
    (lost,) = extract_rows([{"url": "data:text/html,<p>words"}], recipe)
    assert lost["error"]["kind"] == "MissingSiteError"


def test_each_page_of_an_archive_and_each_damaged_archive_is_a_row(tmp_path):
    pytest.importorskip("warcio", reason="WARC files need warcio")
    html = f"<title>Gone</title><h1>Gone</h1><p>{'Some words of a page long gone. ' * 30}</p>"
    pages = {f"http://gone.invalid/{number}": html for number in range(3)}
    exchanges = [Exchange(url, 200, HTML, page.encode()) for url, page in pages.items()]
    (tmp_path / "whole.warc.gz").write_bytes(warc_records(exchanges))
    (tmp_path / "torn.warc.gz").write_bytes(b"no archive")
    recipe = replace(RECIPE, archives=True, column="path")
    names = ("whole.warc.gz", "torn.warc.gz", "missing.warc.gz")
    row_of = by_url(extract_rows(({"path": str(tmp_path / name)} for name in names), recipe))
    assert {url for url, row in row_of.items() if row["error"] is None} == set(pages)
    assert "words of a page long gone" in row_of["http://gone.invalid/1"]["text"]
    for name in names[1:]:
        assert row_of[str(tmp_path / name)]["error"]["kind"] == "ArchiveError"
