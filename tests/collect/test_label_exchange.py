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
    read_role_lines,
    write_role_lines,
)
from miolo.collect.labels.label_studio import read_label_studio, write_label_studio
from miolo.collect.labels.sheet import label_sheet
from miolo.collect.labels.store import Action, LabelledPage, LabelStore
from miolo.models.article.custom_roles import custom_roles
from miolo.models.article.roles import LETTERS, ROLES

HTML = "<h1>Tides</h1><p>The tide comes in twice a day.</p><p>It goes as well.</p><p>End</p>"

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


CUSTOM = custom_roles({"ingredient": {"base": "list-item"}, "offer": {"base": "boilerplate"}})


def label(folder, labeller, *changes, name="a"):
    """Change the roles of some blocks of a page and mark it as done."""
    sheet = label_sheet(miolo.Snapshot.load(folder / f"{name}.miolo"))
    with LabelStore(folder, create=True) as store:
        store.add_pages([(f"{name}.miolo", f"https://tides.example/{name}", True)])
        store.use_custom_roles(CUSTOM)
        (number,) = (page for page, file, _ in store.files() if file == f"{name}.miolo")
        page = store.visit(number, labeller, sheet, blind=True)
        for block, role in changes:
            store.act(Action(f"{next(keys):08}", page, labeller, "role", role, block, block))
        store.act(Action(f"{next(keys):08}", page, labeller, "done", "1"))


roles = st.lists(st.tuples(st.sampled_from(ROLES), st.text(max_size=8)), max_size=6)


@given(pages=st.lists(st.tuples(st.sampled_from(["Ada", "Ben"]), roles), max_size=3))
def test_labels_survive_export_and_import(tmp_path_factory, pages):
    written = [
        LabelledPage(
            number, f"sub/{number}.miolo", f"https://tides.example/{number}", "", labeller, 1.0,
            "", "a note", tuple(range(len(blocks))), tuple(text for _, text in blocks),
            ("boilerplate",) * len(blocks), tuple(role for role, _ in blocks),
            (None,) * len(blocks),
            tuple(miolo.Anchor(f"/p[{n}]", "", n, text) for n, (_, text) in enumerate(blocks)),
            custom=tuple("offer" if role == "note" else "" for role, _ in blocks),
            comments=tuple(f"{role}?" for role, _ in blocks), reviews="Carl",
        )
        for number, (labeller, blocks) in enumerate(pages)
    ]  # fmt: skip
    file = write_role_lines(written, tmp_path_factory.mktemp("out"))
    records = list(read_role_lines(file))
    assert [(each.id, each.url, each.labeller, each.reviews) for each in records] == [
        (str(page.id), page.url, page.labeller, "Carl") for page in written
    ]
    assert [each.blocks for each in records] == [
        tuple((LETTERS[ROLES.index(role)], text) for role, text in blocks) for _, blocks in pages
    ]
    for record, page in zip(records, written, strict=True):
        assert (record.anchors, record.comments, record.note) == (
            page.anchors, page.comments, page.note
        )  # fmt: skip
        assert record.custom == (page.custom if any(page.custom) else ())


pieces = st.lists(
    st.tuples(
        st.sampled_from(["<p>%s</p>", "<div>%s", "<li><b>%s</b> and", "<td>%s", "%s<br>"]),
        st.text("ab 𝒳<&\u0301", min_size=1, max_size=5).filter(str.strip),
        st.sampled_from(["paragraph", "title", "boilerplate", "ingredient"]),
    ),
    min_size=1, max_size=6,
)  # fmt: skip


@given(pieces)
def test_html_labels_return_to_their_blocks(tmp_path_factory, pieces):
    """Whatever the markup, each block of the HTML gets back its label."""
    folder = tmp_path_factory.mktemp("pages")
    body = "".join(
        markup % text.replace("&", "&amp;").replace("<", "&lt;") for markup, text, _ in pieces
    )
    page = miolo.Snapshot.from_html(f"<table>{body}</table>{body}", url="https://tides.example/a")
    page.save(folder / "a.miolo")
    names = [name for _, _, name in pieces]
    changes = [(n, names[n % len(names)]) for n, _ in enumerate(label_sheet(page).blocks)]
    label(folder, "Ada", *changes)
    with LabelStore(folder) as store:
        (labels,) = store.labelled_pages()
    file, missing = write_label_studio([labels], folder, folder / "out", CUSTOM)
    (row,) = read_label_studio(file)
    back = [row.name_of(block) for block in range(len(row.blocks))]
    assert (missing, back) == (0, list(labels.names))
    assert [text for _, text in row.blocks] == list(labels.texts)


def region(start, first, end, last, label):
    value = {"start": start, "startOffset": first, "end": end, "endOffset": last}
    return {"type": "hypertextlabels", "value": {**value, "hypertextlabels": [label]}}


def test_a_block_has_the_label_of_a_region_with_half_of_its_text(folder):
    paragraph = "/p[1]/text()[1]"
    regions = [
        region("/h1[1]/text()[1]", 0, paragraph, 5, "title"),  # "The t" is a small part
        region("/p[2]/text()[1]", 4, "/p[3]/text()[1]", 3, "note"),
    ]
    task = {
        "data": {"html": HTML, "url": "https://tides.example/a"},
        "annotations": [{"result": regions, "completed_by": {"email": "ada@tides.example"}}],
    }
    file = folder.parent / "project.json"
    file.write_text(json.dumps([task]))
    with LabelStore(folder, create=True) as store:
        store.add_pages([("a.miolo", "https://tides.example/a", True)])
        assert import_labels(folder, store, read_label_studio(file), "") == (1, 0)
        (page,) = store.labelled_pages()
    assert page.labeller == "ada@tides.example"
    assert page.roles == ("title", "boilerplate", "note", "note")


@pytest.mark.parametrize(
    ("form", "name"), [("roles", "roles.jsonl"), ("label-studio", "label-studio.json")]
)
def test_labels_are_exported_from_one_collection_and_imported_into_another(
    run, succeed, folder, tmp_path, form, name
):
    label(folder, "Ada", (0, "title"), (1, "paragraph"), (2, "ingredient"))
    label(folder, "Ben", (0, "title"), (1, "paragraph"))
    succeed("export", str(folder), "-o", str(tmp_path / "out"), "--labels-as", form)
    other = tmp_path / "other"
    other.mkdir()
    # In the other collection the page has one more block.
    page = miolo.Snapshot.from_html(f"<p>New</p>{HTML}", url="https://tides.example/a")
    page.save(other / "renamed.miolo" if form == "roles" else other / "a.miolo")
    refused = run("label", str(other), "--import", str(tmp_path / "out" / name))
    assert refused.returncode == miolo.ArchiveError.exit_code
    assert b"custom role ingredient" in refused.stderr
    roles = tmp_path / "roles.toml"
    roles.write_text('[ingredient]\nbase = "list-item"\n')
    for _ in range(2):
        done = succeed(
            "label", str(other), "--import", str(tmp_path / "out" / name), "--roles", str(roles)
        )
    assert b"2 sets of page labels imported" in done.stderr
    with LabelStore(other) as store:
        ada, ben = store.labelled_pages()
        assert (ada.labeller, ben.labeller) == ("Ada", "Ben")
        assert list(ada.names[1:]) == ["title", "paragraph", "ingredient", "boilerplate"]
        assert ada.roles[3] == "list-item"
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
    assert b"none of the pages that the file has labels of" in done.stderr


@pytest.mark.parametrize("read", [read_role_lines, read_label_studio])
@pytest.mark.parametrize(
    "content",
    [b"\xff", b"[1]", b"12", b'{"id": 1}', b'[{"data": {"blocks": 3}}]', b"[" * 100_000,
     b'{"id": "a", "blocks": [["Z", "no such role"]]}',
     b'[{"data": {"html": "<p>a"}, "annotations": [{"result": [{"type": "hypertextlabels", "value":'
     b' {"start": "/p[7]/text()[1]", "startOffset": 0, "end": "/p[1]/text()[1]", "endOffset": 1, '
     b'"hypertextlabels": ["note"]}}]}]}]'],
)  # fmt: skip
def test_other_files_are_refused(read, content, tmp_path):
    (tmp_path / "file.json").write_bytes(content)
    with pytest.raises(miolo.ArchiveError):
        list(read(tmp_path / "file.json"))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("https://news.example/1", "it is not JSON"),
        ('{"id": "b"}', "there is no 'blocks'"),
        ('{"id": "b", "blocks": 3}', "a value has another type"),
    ],
)
def test_the_line_that_has_no_role_labels_is_named(tmp_path, line, fault):
    file = tmp_path / "urls.txt"
    file.write_text(f'{{"id": "a", "blocks": []}}\n{line}\n')
    with pytest.raises(miolo.ArchiveError, match=rf"labels \(line 2: {fault}\)"):
        list(read_role_lines(file))


def test_web_poet_fixtures_hold_the_page_and_its_expected_output(folder, succeed, tmp_path):
    testing = pytest.importorskip("web_poet.testing")
    serialization = pytest.importorskip("web_poet.serialization")
    web_poet = pytest.importorskip("web_poet")
    roles = ("title", "paragraph", "paragraph", "boilerplate")
    label(folder, "Ada", *enumerate(roles))
    label(folder, "Ben", (0, "kicker"))
    out = tmp_path / "fixtures"
    succeed("export", str(folder), "-o", str(out), "--labels-as", "web-poet")
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


def test_site_maps_select_the_labelled_elements(folder, succeed, tmp_path):
    """By selectors that match as in a browser, where a tag also matches elements with classes."""
    html = "<h1>Tides %s</h1><div class=story><p>In.</p><p>Out.</p></div><p class=ad>Buy %s.</p>"
    roles = ("title", "paragraph", "paragraph", "offer")
    for name in "12":
        page = miolo.Snapshot.from_html(html % (name, name), url=f"https://tides.example/{name}")
        page.save(folder / f"{name}.miolo")
        label(folder, "Ada", *enumerate(roles), name=name)
    done = succeed(
        "export", str(folder), "-o", str(tmp_path / "maps"), "--labels-as", "web-scraper"
    )
    site_map = json.loads((tmp_path / "maps" / "tides-example.json").read_text())
    assert site_map["startUrl"] == ["https://tides.example/1", "https://tides.example/2"]
    fields = {each["id"]: (each["type"], each["selector"]) for each in site_map["selectors"]}
    assert fields == {
        "title": ("SelectorText", "h1"),
        "paragraph": ("SelectorGroup", "div.story > p"),
        "offer": ("SelectorText", "p.ad"),
    }
    assert b"offer\tp.ad (F1 1.00)" in done.stdout
