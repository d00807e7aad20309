"""Corrected labels: from a click in the web page to a trained model, and damaged files."""

import base64
import json

import miolo
import pytest
from miolo.evaluate.training.labels import (
    BlockLabel,
    CorrectedPage,
    corrected_page,
    correction_files,
    read_corrections,
)
from miolo.features.blocks import article_blocks
from miolo.models.article.model import Reader
from miolo.models.article.roles import ROLES
from newsroom import ARTICLES
from playwright.sync_api import expect
from services import serving_miolo

HTML = "<h1>Tides</h1><p>The tide comes in twice a day.</p><p>It goes as well.</p>"


@pytest.fixture
def content(tmp_path):
    """Corrections of a small page, as the web page writes them."""
    page = miolo.Snapshot.from_html(HTML, url="https://tides.example/a")
    page.save(tmp_path / "page.miolo")
    first = article_blocks(page).first.tolist()
    roles = ("title", "paragraph", "boilerplate")
    return {
        "format": "miolo-corrections",
        "version": 2,
        "method": "auto",
        "url": "https://tides.example/a",
        "labels": [
            {"node": node, "role": role, "by_hand": role == "boilerplate"}
            for node, role in zip(first, roles, strict=True)
        ],
        "snapshot": base64.b64encode((tmp_path / "page.miolo").read_bytes()).decode(),
    }


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "a.corrections.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return read_corrections(path)

    return read


def test_labels_are_those_of_the_blocks(read, content):
    page = read(content)
    assert [label.role for label in page.labels] == ["title", "paragraph", "boilerplate"]
    assert [label.by_hand for label in page.labels] == [False, False, True]
    labelled = corrected_page(page)
    assert [ROLES[role] for role in labelled.roles] == ["title", "paragraph", "boilerplate"]
    assert (labelled.group, labelled.explained) == ("tides.example", 1.0)


def test_manual_labels_win_where_a_block_has_two(read):
    page = miolo.Snapshot.from_html("<p>One <b>two</b> three</p>")
    (nodes,) = article_blocks(page).node_lists()
    content = zip(
        nodes, ("boilerplate", "paragraph", "boilerplate"), (False, True, False), strict=True
    )
    corrected = CorrectedPage(page, "nce", tuple(BlockLabel(*label) for label in content))
    assert [ROLES[role] for role in corrected_page(corrected).roles] == ["paragraph"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a corrections file of version"),
        ({"version": 1}, "not a corrections file of version"),
        ({"snapshot": "%%%"}, "the snapshot is damaged"),
        ({"snapshot": None}, "the snapshot is damaged"),
        ({"snapshot": base64.b64encode(b"PK no zip").decode()}, "the snapshot is damaged"),
        ({"labels": None}, "does not contain corrections"),
        ({"labels": [{"node": 1}]}, "does not contain corrections"),
        ({"labels": [{"node": True, "role": "paragraph", "by_hand": True}]}, "a label is damaged"),
        ({"labels": [{"node": 1, "role": [], "by_hand": True}]}, "a label is damaged"),
        ({"labels": [{"node": 0, "role": "paragraph", "by_hand": True}]}, "node 0 is not a text"),
        ({"labels": [{"node": -1, "role": "paragraph", "by_hand": True}]}, "node -1 is not a text"),
        ({"labels": [{"node": 10**30, "role": "paragraph", "by_hand": True}]}, "is not a text"),
    ],
)
def test_damaged_corrections_are_refused(read, content, change, message):
    with pytest.raises(miolo.ArchiveError, match=message):
        read(content | change)


def test_a_block_with_two_labels_is_refused(read, content):
    with pytest.raises(miolo.ArchiveError, match="labelled twice"):
        read(content | {"labels": content["labels"] * 2})


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b"\xff\xfe", b"[]", b'"text"', b"12"])
def test_other_files_are_refused(read, content):
    with pytest.raises(miolo.ArchiveError):
        read(content)


def test_a_correction_by_click_trains_a_model(chromium, site, run, tmp_path):
    """Three pages exclude their first paragraph, and a model is trained on them."""
    name = next(iter(ARTICLES))
    urls = [site.url(story.path) for story in ARTICLES[name]][:3]
    folder = tmp_path / "corrected"
    folder.mkdir()
    with serving_miolo("--workers", "1", "--allow-private") as service:
        page = chromium.new_page()
        page.goto(service.url)
        for url in urls:
            page.get_by_label("Address of a page").fill(url)
            page.get_by_role("button", name="Inspect").click()
            expect(page.get_by_role("status")).to_contain_text("kept by auto")
            page.get_by_role("button", name="Click to correct").click()
            page.locator(".box.k-paragraph").first.click()
            with page.expect_download() as download:
                page.get_by_role("button", name="Export 1 correction").click()
            exported = download.value.suggested_filename
            assert exported.endswith(".corrections.json")
            download.value.save_as(folder / exported)
        page.close()
    assert len(list(folder.iterdir())) == 3
    corrected = [read_corrections(path) for path in correction_files([folder])]
    assert [sum(label.by_hand for label in one.labels) for one in corrected] == [1, 1, 1]
    model = tmp_path / "own.npz"
    done = run("train", str(folder), "-o", str(model))
    assert done.returncode == 0, done.stderr
    assert b"3 pages with 3 roles set by hand" in done.stderr
    assert Reader.load(model).provenance["command"].startswith("miolo train")
