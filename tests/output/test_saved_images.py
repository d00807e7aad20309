"""Pictures saved beside an article: which ones, under which policy, and how they are linked."""

import asyncio
import gzip
import os

import miolo
import pytest
from command_line import run_command
from local_server import Handler, serving
from miolo.output.saved_images import ImageLimits, save_images
from newsroom.pictures import png

PROSE = "The council met on Thursday and put off the vote on the bridge, said the mayor. " * 3
LOCAL = miolo.RenderOptions(egress=miolo.EgressPolicy("always"))

ANSWERS = {
    "/a.png": (200, {}, png("a")),
    "/same.png": (200, {}, png("a")),
    "/named-wrong.gif": (200, {"Content-Type": "text/html"}, png("b")),
    "/photo.jpg": (200, {}, b"\xff\xd8\xff\xe0" + bytes(500)),
    "/moving.gif": (200, {}, b"GIF89a" + bytes(50)),
    "/small.webp": (200, {}, b"RIFF\x10\0\0\0WEBPVP8 " + bytes(50)),
    "/small.avif": (200, {}, b"\0\0\0\x1cftypavif" + bytes(50)),
    "/drawing.svg": (200, {"Content-Type": "image/svg+xml"}, b"<svg><script>1</script></svg>"),
    "/page.png": (200, {}, b"<html>not a picture</html>"),
    "/missing.png": (404, {}, png("missing")),
    "/long.png": (200, {}, png("long") + bytes(200_000)),
    "/bomb.png": (200, {"Content-Encoding": "gzip"}, gzip.compress(png("bomb") + bytes(9_000_000))),
}


class Pictures(Handler):
    def do_GET(self):
        status, headers, body = ANSWERS.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def origin():
    with serving(Pictures) as (origin, _):
        yield origin


def article(origin: str, *paths: str, url: str = "") -> miolo.Extraction:
    pictures = "".join(
        f"<p>Item {number}: {PROSE}<img src='{path}' alt='{path}'></p>"
        for number, path in enumerate(paths)
    )
    page = f"<title>Bridge</title><article><h1>Bridge</h1>{pictures}</article>"
    return miolo.extract_snapshot(miolo.Snapshot.from_html(page, url=url or f"{origin}/story"))


def save(extraction, folder, options=LOCAL, **limits):
    limits = ImageLimits(**limits)
    return asyncio.run(save_images(extraction, folder, options=options, limits=limits))


def test_files_are_named_by_content_and_type(origin, tmp_path):
    paths = ["/a.png", "/same.png", "/named-wrong.gif", "/photo.jpg", "/moving.gif"]
    paths += ["/small.webp", "/small.avif"]
    saved = save(article(origin, *paths), tmp_path / "new" / "folder")
    assert not saved.warnings
    assert list(saved.files) == [origin + path for path in paths]
    names = list(saved.files.values())
    assert names[0] == names[1] != names[2]
    suffixes = [name.rpartition(".")[2] for name in names]
    assert suffixes == ["png", "png", "png", "jpg", "gif", "webp", "avif"]
    for path, name in zip(paths, names, strict=True):
        assert (tmp_path / "new" / "folder" / name).read_bytes() == ANSWERS[path][2]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/drawing.svg", "not a PNG"),
        ("/page.png", "not a PNG"),
        ("/missing.png", "status 404"),
        ("/long.png", "larger than"),
        ("/bomb.png", "larger than"),
    ],
)
def test_pictures_that_are_not_saved_keep_their_address_and_have_a_warning(
    origin, path, reason, tmp_path
):
    extraction = article(origin, path, "/a.png")
    saved = save(extraction, tmp_path, bytes=100_000)
    assert list(saved.files) == [f"{origin}/a.png"]
    (warning,) = saved.warnings
    assert warning.code == "image"
    assert path in warning.message
    assert reason in warning.message
    written = miolo.format_extraction(
        extraction, "markdown", miolo.WriteOptions(image_paths=saved.files)
    )
    assert f"({origin}{path})" in written
    assert f"({saved.files[f'{origin}/a.png']})" in written


def test_the_total_size_of_pictures_is_bounded(origin, tmp_path):
    extraction = article(origin, "/a.png", "/named-wrong.gif", "/photo.jpg")
    few = save(extraction, tmp_path / "few", count=1)
    assert (len(few.files), len(few.warnings)) == (1, 2)
    limits = {"total_bytes": len(ANSWERS["/a.png"][2]), "concurrency": 1}
    small = save(extraction, tmp_path / "small", **limits)
    assert (len(small.files), len(small.warnings)) == (1, 2)
    # Concurrent downloads share the same total, whichever finishes first.
    at_once = save(extraction, tmp_path / "at_once", total_bytes=limits["total_bytes"])
    assert len(at_once.files) <= 1
    late = save(extraction, tmp_path / "late", total_seconds=0)
    assert (late.files, len(late.warnings)) == ({}, 3)


def test_a_folder_that_cannot_be_written_is_an_error(origin, tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OSError, match="taken"):
        save(article(origin, "/a.png", "/photo.jpg"), tmp_path / "taken")


@pytest.mark.parametrize("private", ["never", "named"])
def test_a_public_page_has_no_private_picture(origin, private, tmp_path):
    extraction = article(origin, f"{origin}/a.png", url="http://192.0.2.7/story")
    options = miolo.RenderOptions(egress=miolo.EgressPolicy(private))
    saved = save(extraction, tmp_path, options)
    assert not saved.files
    assert len(saved.warnings) == 1


def test_a_private_page_that_was_named_has_its_pictures(origin, tmp_path):
    options = miolo.RenderOptions(egress=miolo.EgressPolicy("named"))
    assert save(article(origin, "/a.png"), tmp_path, options).files


def test_the_command_links_to_the_files_relative_to_its_output(origin, tmp_path):
    page, output = tmp_path / "page.miolo", tmp_path / "out" / "story.md"
    output.parent.mkdir()
    html = f"<article><h1>Bridge</h1><p>{PROSE}<img src=/a.png><img src=/missing.png></p></article>"
    miolo.Snapshot.from_html(html, url=f"{origin}/story").save(page)
    words = ["extract", str(page), "--images", str(tmp_path / "the pictures")]
    allowed = ["--allow", origin.partition("//")[2]]
    written = [*words, *allowed, "-f", "markdown", "-o", str(output)]
    done = run_command(written, None, dict(os.environ))
    assert done.returncode == 0, done.stderr
    (saved,) = (tmp_path / "the pictures").iterdir()
    text = output.read_text("utf-8")
    assert f"(../the%20pictures/{saved.name})" in text
    assert f"({origin}/missing.png)" in text
    assert b"status 404" in done.stderr
    assert run_command(words, None, dict(os.environ)).returncode == 2  # text has no pictures
