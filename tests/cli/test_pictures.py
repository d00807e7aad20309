"""Pictures and PDFs on the command line."""

import io
from dataclasses import replace

import miolo
import numpy as np
from newsroom.routes import ARTICLES
from PIL import Image

PROSE = "The harbour board met on Thursday to hear what the town thinks of the old horn. " * 5
PAGE = f"""<!doctype html><title>Should the foghorn sound again?</title>
<style>@media (prefers-color-scheme: dark) {{body {{background: #102030; color: #eee}}}}</style>
<nav><a href=/>Home</a> <a href=/news>News</a></nav>
<h1 id=headline>Should the foghorn sound again?</h1>{f"<p>{PROSE}</p>" * 4}
<div style="position:fixed; top:150px; left:0; right:0; height:200px; background:#ff0000">We</div>
"""


def size_of(path):
    with Image.open(path) as picture:
        return picture.size


def has_red(path):
    """Whether more than 5 % of a picture is red, with or without hatching."""
    with Image.open(path) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    return ((pixels[..., 0] > 180) & (pixels[..., 1:] < 60).all(axis=2)).mean() > 0.05


def test_extract_writes_pictures_of_the_page_and_the_article_and_a_pdf(succeed, site, tmp_path):
    page = next(iter(ARTICLES.values()))[0]
    page_file, article_file, pdf = (tmp_path / name for name in ("p.png", "a.png", "a.pdf"))
    succeed(
        "extract", site.url(page.path), "--screenshot", str(page_file),
        "--screenshot-article", str(article_file), "--pdf", str(pdf),
    )  # fmt: skip
    width, height = size_of(page_file)
    assert width > 1280
    assert size_of(article_file)[0] < 1000
    assert size_of(article_file)[1] < height
    assert pdf.read_bytes().startswith(b"%PDF-")


def test_overlays_are_hidden_where_blocks_are_drawn_and_shown_elsewhere(succeed, tmp_path):
    source, picture = tmp_path / "page.html", tmp_path / "page.png"
    source.write_text(PAGE, "utf-8")
    expected = {
        ("extract",): False,
        ("extract", "--show-overlays"): True,
        ("render", "-o", str(tmp_path / "page.miolo")): True,
        ("render", "-o", str(tmp_path / "page.miolo"), "--hide-overlays"): False,
    }
    for words, is_shown in expected.items():
        done = succeed(*words, str(source), "--screenshot", str(picture))
        assert has_red(picture) == is_shown, (words, done.stderr)


def test_a_page_is_printed_and_an_element_is_cut_out(succeed, tmp_path):
    source, snapshot = tmp_path / "page.html", tmp_path / "page.miolo"
    picture, pdf = tmp_path / "title.png", tmp_path / "page.pdf"
    source.write_text(PAGE, "utf-8")
    succeed(
        "render", str(source), "-o", str(snapshot), "--screenshot", str(picture),
        "--element", "nav ~ h1", "--pdf", str(pdf),
    )  # fmt: skip
    page = miolo.Snapshot.load(snapshot)
    (node,) = [n for n, value in page.attributes.with_attribute("id") if value == "headline"]
    x, y, width, height = page.box[node].round().astype(int)
    with Image.open(io.BytesIO(page.screenshot)) as whole, Image.open(picture) as cut:
        assert abs(cut.width - width) <= 1
        assert abs(cut.height - height) <= 1
        expected = np.asarray(whole.convert("RGB"))[int(y) + 1 : int(y) + 20, x : x + 200]
        pixels = np.asarray(cut.convert("RGB"))
        assert any((pixels[dy : dy + 19, :200] == expected).all() for dy in range(3))
    assert pdf.read_bytes().startswith(b"%PDF-")


def test_a_snapshot_is_shown_with_the_screenshot_that_its_collection_keeps(run, succeed, tmp_path):
    shown = miolo.render_html(PAGE, options=miolo.RenderOptions(screenshot=True))
    assert shown.screenshot
    file, kept = (tmp_path / kind / "ab" for kind in ("snapshots", "screenshots"))
    for folder in (file, kept):
        folder.mkdir(parents=True)
    replace(shown, screenshot=None).save(file / "abc.miolo")
    words = ("extract", str(file / "abc.miolo"), "--screenshot", str(tmp_path / "page.png"))
    lacking = run(*words)
    assert lacking.returncode == miolo.MissingScreenshotError.exit_code
    (kept / "abc.png").write_bytes(shown.screenshot)
    succeed(*words)
    assert size_of(tmp_path / "page.png")[0] > 1280
