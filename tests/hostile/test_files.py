"""Loading a tampered file gives a typed error or a consistent page, in bounded memory."""

import io
import json
import resource
import zipfile
from functools import partial
from pathlib import Path
from shutil import copy

import miolo
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from miolo.collect.labels.label_files import read_role_lines
from miolo.collect.labels.label_studio import read_label_studio
from miolo.evaluate.site_sets import site_table
from miolo.evaluate.training.labels import read_corrections
from miolo.evaluate.training.template_model import train_files
from miolo.extract.learn_site import learn_site
from miolo.models.article.model import Reader
from miolo.models.kinds.model import KindModel
from miolo.models.rendering.rendering_model import RenderingModel
from miolo.models.site import Site
from miolo.models.templates.model import OURS, TemplateModel
from miolo.renderer.archives.open_archive import open_archive
from miolo.renderer.network.cookies import read_cookies, read_storage_state

MODELS = Path(miolo.__file__).parent / "models"
HTML = "<html lang=en><title>T</title><p class=a>Some words</p><ul><li>one<li>two</ul>"
PAGES = [
    miolo.Snapshot.from_html(f"{HTML}<p>{word}</p>", url=f"https://page.invalid/{word}")
    for word in ("north", "south", "east")
]


def save_site(path: Path) -> None:
    learn_site(PAGES).save(path)


KINDS = {
    "snapshot": (lambda path: PAGES[0].save(path), miolo.Snapshot.load),
    "site": (save_site, Site.load),
    "reader": (partial(copy, MODELS / "article" / "reader.npz"), Reader.load),
    "template": (partial(copy, MODELS / "templates" / "template.json"), TemplateModel.load),
    "kinds": (partial(copy, MODELS / "kinds" / "kinds.json"), KindModel.load),
}


@pytest.fixture(scope="module", params=list(KINDS))
def kind(request, tmp_path_factory):
    save, load = KINDS[request.param]
    path = tmp_path_factory.mktemp("whole") / request.param
    save(path)
    return path, load


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_tampered_snapshots_are_refused_or_read(kind, tmp_path, data):
    path, load = kind
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        how = data.draw(st.sampled_from(("flip", "cut", "grow", "swap")))
        if how == "flip":
            content[place] ^= data.draw(st.integers(1, 255))
        elif how == "cut":
            del content[place : place + data.draw(st.integers(1, 100))]
            content = content or bytearray(b"x")
        elif how == "grow":
            content[place:place] = data.draw(st.binary(min_size=1, max_size=40))
        else:
            content[place : place + 1] = data.draw(
                st.sampled_from((b"-1", b"1e999", b"null", b"["))
            )
    damaged = tmp_path / "damaged"
    damaged.write_bytes(content)
    try:
        load(damaged)
    except miolo.ArchiveError as error:
        message = str(error)
    else:
        return  # no check covers some bytes, such as a date in the ZIP's directory
    assert str(damaged) in message


READERS = {
    "snapshot": miolo.Snapshot.load,
    "site": Site.load,
    "reader": Reader.load,
    "template": TemplateModel.load,
    "kinds": KindModel.load,
    "rendering": RenderingModel.load,
    "collection": miolo.Collection,
    "archive": open_archive,
    "settings": miolo.load_settings,
    "cookies": read_cookies,
    "storage state": read_storage_state,
    "roles": lambda path: list(read_role_lines(path)),
    "compressed roles": lambda path: list(read_role_lines(path.with_suffix(".xz"))),
    "Label Studio": lambda path: list(read_label_studio(path)),
    "corrections": read_corrections,
    "labelled nodes": lambda path: train_files([path], OURS, {}),
    "sites": site_table,
}


@pytest.mark.parametrize("name", READERS)
def test_a_missing_file_is_the_error_of_the_system_for_every_reader(tmp_path, name):
    with pytest.raises(FileNotFoundError) as caught:
        READERS[name](tmp_path / "none")
    assert str(tmp_path / "none") in str(caught.value)
    (tmp_path / "folder").mkdir()
    if name not in ("collection", "sites", "compressed roles"):
        with pytest.raises(IsADirectoryError):
            READERS[name](tmp_path / "folder")


def test_a_file_is_not_a_collection(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        miolo.Collection(tmp_path / "file")


def npy(array: np.ndarray, shape: tuple[int, ...] | None = None) -> bytes:
    """Content of an array's file, whose header may declare a different shape."""
    file = io.BytesIO()
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": shape or array.shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + array.tobytes()


def forge(path: Path, target: Path, **members: bytes) -> Path:
    changed = {name.replace("__", "."): content for name, content in members.items()}
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, changed.pop(info.filename, None) or old.read(info))
        for name, content in changed.items():
            new.writestr(name, content)
    return target


@pytest.fixture
def snapshot_file(tmp_path):
    path = tmp_path / "page.miolo"
    PAGES[0].save(path)
    return path


NODES = len(PAGES[0])
HUGE = np.full((NODES, 4), 3e38, np.float32)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.mark.parametrize(
    "members",
    [
        {"meta__json": b"[]"},
        {"meta__json": b"{}"},
        {"meta__json": b'{"format": "miolo-snapshot", "version": 99}'},
        {"meta__json": b"[" * 100_000},
        {"texts__json": b'{"text": [1], "attributes": []}'},
        {"parent__npy": b"\x93NUMPY\x01\x00"},
        {"parent__npy": npy(np.array([-1, 0, 1, 0, 1, *[0] * (NODES - 5)], np.int32))},
        {"parent__npy": npy(np.zeros(4, np.int32), (10**12,))},
        {"parent__npy": npy(np.zeros(4, np.int32), (-4,))},
        {"parent__npy": npy(np.zeros(4, np.int32), (2**40, 2**40))},
        {"parent__npy": npy(np.full(NODES, 3, np.int32))},
        {"parent__npy": npy(np.arange(NODES, dtype=np.int32))},
        {"parent__npy": npy(np.zeros(NODES, np.float64))},
        {"parent__npy": npy(np.zeros(NODES, "<U9"))},
        {"tag__npy": npy(np.full(NODES, -1, np.int16))},
        {"frame__npy": npy(np.full(NODES, 99, np.int16))},
        {"box__npy": npy(np.full((NODES, 4), np.nan, np.float32))},
        {"box__npy": npy(HUGE)},
        {"box__npy": npy(np.full((NODES, 4), -1, np.float32))},
        {"box__npy": npy(np.zeros((4, NODES), np.float32))},
        {"attribute_start__npy": npy(np.full(NODES + 1, 7, np.int32))},
        {"attribute_name__npy": npy(np.full(2, 10**9, np.int32))},
        {"screenshot__png": b"no picture"},
        {"screenshot__png": PNG + (60_000).to_bytes(4, "big") * 2},
        {"meta__json": b'{"format": "miolo-snapshot", "version": 1, "page": 1}'},
    ],
)
def test_a_forged_snapshot_is_refused(snapshot_file, tmp_path, members):
    with pytest.raises(miolo.ArchiveError):
        miolo.Snapshot.load(forge(snapshot_file, tmp_path / "forged", **members))


def test_members_with_paths_outside_the_folder_are_never_written(snapshot_file, tmp_path):
    target = forge(snapshot_file, tmp_path / "forged", **{"../../outside": b"x"})
    assert miolo.Snapshot.load(target).text == PAGES[0].text
    assert not (tmp_path.parent.parent / "outside").exists()


@pytest.mark.parametrize("load", [miolo.Snapshot.load, Reader.load])
def test_a_zip_bomb_is_refused_in_bounded_memory(tmp_path, load):
    path = tmp_path / "bomb"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in range(3):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                for _ in range(400):
                    member.write(bytes(1 << 20))
    with pytest.raises(miolo.ArchiveError):
        load(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@pytest.mark.parametrize(
    "change",
    [
        {"wrappers": [{"pattern": 1}]},
        {"wrappers": 7},
        {"level": []},
        {"parts": {"auto": []}},
        {"parts": ["auto"]},
        {"options": {"labels": [["x"]]}},
        {"recent": None},
        {"version": 10**400},
        *({"level": {"size": pages}} for pages in (10**30, 1e999, -1)),
    ],
)
def test_a_forged_site_is_refused(tmp_path, change):
    path = tmp_path / "site.json"
    save_site(path)
    data = json.loads(path.read_text())
    for name, value in change.items():
        data[name] = {**data[name], **value} if isinstance(value, dict) else value
    path.write_text(json.dumps(data))
    with pytest.raises(miolo.ArchiveError):
        Site.load(path)
