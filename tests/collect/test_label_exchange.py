"""Labels in the formats of other programs: export, import and damaged files."""

import json
from dataclasses import replace
from itertools import count

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.collect.labels.label_files import (
    PageRoles,
    import_labels,
    read_label_studio,
    read_role_lines,
    write_label_studio,
    write_role_lines,
)
from miolo.collect.labels.sheet import label_sheet
from miolo.collect.labels.store import Action, LabelledPage, LabelStore
from miolo.models.article.roles import LETTERS, ROLES

HTML = "<h1>Tides</h1><p>The tide comes in twice a day.</p><p>It goes as well.</p><p>End</p>"
READERS = {write_role_lines: read_role_lines, write_label_studio: read_label_studio}

keys = count()


@pytest.fixture
def folder(tmp_path):
    """A plain folder of two pages."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("a", "b"):
        page = miolo.Snapshot.from_html(HTML, url=f"https://tides.example/{name}")
        page.save(folder / f"{name}.miolo")
    return folder


def label(folder, labeller, *changes):
    """Change the roles of some blocks of the first page and mark it as done."""
    sheet = label_sheet(miolo.Snapshot.load(folder / "a.miolo"))
    with LabelStore(folder, create=True) as store:
        store.add_pages([("a.miolo", "https://tides.example/a", True)])
        page = store.visit(1, labeller, sheet, blind=True)
        for block, role in changes:
            store.act(Action(f"{next(keys):08}", page, labeller, "role", role, block, block))
        store.act(Action(f"{next(keys):08}", page, labeller, "done", "1"))


roles = st.lists(st.tuples(st.sampled_from(ROLES), st.text(max_size=8)), max_size=6)


@pytest.mark.parametrize("write", READERS)
@given(pages=st.lists(st.tuples(st.sampled_from(["Ada", "Ben"]), roles), max_size=3))
def test_labels_survive_export_and_import(write, tmp_path_factory, pages):
    written = [
        LabelledPage(
            number, f"sub/{number}.miolo", f"https://tides.example/{number}", "", labeller, 1.0,
            "", "", tuple(range(len(blocks))), tuple(text for _, text in blocks),
            ("boilerplate",) * len(blocks), tuple(role for role, _ in blocks),
            (None,) * len(blocks),
            tuple(miolo.Anchor(f"/p[{n}]", "", n, text) for n, (_, text) in enumerate(blocks)),
        )
        for number, (labeller, blocks) in enumerate(pages)
    ]  # fmt: skip
    file = write(written, tmp_path_factory.mktemp("out"))
    records = list(READERS[write](file))
    assert [(each.id, each.url, each.labeller) for each in records] == [
        (str(page.id), page.url, page.labeller) for page in written
    ]
    assert [each.blocks for each in records] == [
        tuple((LETTERS[ROLES.index(role)], text) for role, text in blocks) for _, blocks in pages
    ]
    assert [each.anchors for each in records] == [page.anchors for page in written]


@pytest.mark.parametrize(
    ("form", "name"), [("roles", "roles.jsonl"), ("label-studio", "label-studio.json")]
)
def test_labels_are_exported_from_one_collection_and_imported_into_another(
    run, folder, tmp_path, form, name
):
    label(folder, "Ada", (0, "title"), (1, "paragraph"), (2, "quotation"))
    label(folder, "Ben", (0, "title"), (1, "paragraph"))
    done = run("export", str(folder), "-o", str(tmp_path / "out"), "--labels-as", form)
    assert done.returncode == 0, done.stderr
    other = tmp_path / "other"
    other.mkdir()
    # In the other collection the page has one more block.
    page = miolo.Snapshot.from_html(f"<p>New</p>{HTML}", url="https://tides.example/a")
    page.save(other / "renamed.miolo" if form == "roles" else other / "a.miolo")
    for _ in range(2):
        done = run("label", str(other), "--import", str(tmp_path / "out" / name))
        assert done.returncode == 0, done.stderr
    assert b"labels of 2 pages imported" in done.stderr
    with LabelStore(other) as store:
        ada, ben = store.labelled_pages()
        assert (ada.labeller, ben.labeller) == ("Ada", "Ben")
        assert list(ada.roles[1:]) == ["title", "paragraph", "quotation", "boilerplate"]
        assert list(ben.roles[1:4]) == ["title", "paragraph", "boilerplate"]
        # A block without a role in the file keeps its suggestion, which belongs to nobody.
        assert [when is not None for when in ada.times] == [False, *4 * [True]]
        # A file that is imported twice counts once.
        assert store._fetch("SELECT COUNT(*) FROM actions") == [(9,)]


@pytest.mark.parametrize("has_anchors", [True, False])
def test_labels_belong_to_the_blocks_of_their_anchors_or_else_of_their_texts(folder, has_anchors):
    label(folder, "Ada", (0, "title"), (1, "paragraph"), (2, "quotation"))
    with LabelStore(folder) as store:
        (page,) = store.labelled_pages()
        (row,) = read_role_lines(write_role_lines([page], folder / "out"))
    # The other capture has the same texts, but in the reverse order.
    other = folder.parent / "other"
    other.mkdir()
    reverse = "".join(f"<p>{text}</p>" for text in page.texts[:0:-1])
    html = f"{reverse}<h1>Tides</h1>"
    miolo.Snapshot.from_html(html, url=page.url).save(other / "a.miolo")
    with LabelStore(other, create=True) as store:
        store.add_pages([("a.miolo", page.url, True)])
        row = row if has_anchors else replace(row, anchors=())
        count, missing = import_labels(other, store, [row], "")
        (there,) = store.labelled_pages()
    assert (count, missing) == (1, 0 if has_anchors else 3)
    if has_anchors:
        assert there.roles == (*page.roles[:0:-1], "title")


def test_pages_with_the_same_name_are_distinguished_by_their_addresses(tmp_path):
    with LabelStore(tmp_path, create=True) as store:
        for site in ("one", "two"):
            (tmp_path / site).mkdir()
            url = f"https://{site}.example/"
            miolo.Snapshot.from_html(HTML, url=url).save(tmp_path / site / "a.miolo")
            store.add_pages([(f"{site}/a.miolo", url, False)])
        labels = [
            PageRoles("a", f"https://{site}.example/", site, (("T", "Tides"),))
            for site in ("one", "two")
        ]
        assert import_labels(tmp_path, store, labels, "") == (2, 0)
        assert [(page.file, page.labeller) for page in store.labelled_pages()] == [
            ("one/a.miolo", "one"),
            ("two/a.miolo", "two"),
        ]


def test_labels_of_missing_pages_are_an_error(run, folder, tmp_path):
    file = tmp_path / "roles.jsonl"
    file.write_text(json.dumps({"id": "nowhere", "blocks": [["B", "text"]]}))
    done = run("label", str(folder), "--import", str(file))
    assert done.returncode == miolo.EmptyInputError.exit_code
    assert b"none of the labelled pages" in done.stderr


@pytest.mark.parametrize("read", [read_role_lines, read_label_studio])
@pytest.mark.parametrize(
    "content",
    [b"\xff", b"[1]", b"12", b'{"id": 1}', b'[{"data": {"blocks": 3}}]', b"[" * 100_000,
     b'{"id": "a", "blocks": [["Z", "no such role"]]}',
     b'[{"data": {"id": 1, "blocks": [{"text": "a"}]}, "annotations": [{"result": [{"type": '
     b'"paragraphlabels", "value": {"start": "7", "end": "7", "paragraphlabels": ["note"]}}]}]}]'],
)  # fmt: skip
def test_other_files_are_refused(read, content, tmp_path):
    (tmp_path / "file.json").write_bytes(content)
    with pytest.raises(miolo.ArchiveError):
        list(read(tmp_path / "file.json"))


def test_web_poet_fixtures_hold_the_page_and_its_expected_output(folder, run, tmp_path):
    testing = pytest.importorskip("web_poet.testing")
    serialization = pytest.importorskip("web_poet.serialization")
    web_poet = pytest.importorskip("web_poet")
    roles = ("title", "paragraph", "paragraph", "boilerplate")
    label(folder, "Ada", *enumerate(roles))
    label(folder, "Ben", (0, "kicker"))
    out = tmp_path / "fixtures"
    done = run("export", str(folder), "-o", str(out), "--labels-as", "web-poet")
    assert done.returncode == 0, done.stderr
    (path,) = out.iterdir()
    fixture = testing.Fixture(path)
    assert fixture.is_valid()
    inputs = serialization.SerializedDataFileStorage(fixture.input_path).read()
    response = serialization.deserialize_leaf(web_poet.BrowserResponse, inputs["BrowserResponse"])
    assert str(response.url) == "https://tides.example/a"
    assert response.css("p::text").getall() == [
        "The tide comes in twice a day.", "It goes as well.", "End",
    ]  # fmt: skip
    assert json.loads(fixture.output_path.read_text("utf-8")) == {
        "url": "https://tides.example/a",
        "title": "Tides",
        "text": "The tide comes in twice a day.\n\nIt goes as well.",
    }
