"""The command line, as its users run it."""

import csv
import io
import json
import os
import signal
import subprocess
import sys

import miolo
import psutil
import pytest
from miolo.cli.app import COMMANDS, Commands
from miolo.collect.collections.collection import status_of
from miolo.extract.methods.registry import DEFAULT_METHOD, method_variants
from newsroom import PAGES, ROUTES
from patience import patient, remaining_processes, until

PARAGRAPHS = "".join(
    f"<p>It snowed all day in the harbour, and the trams of line {n} stood still until night.</p>"
    for n in range(9)
)
HARBOUR = "".join(
    f"<p>Ships of pier {n} waited for a thaw, while their crews repaired the nets.</p>"
    for n in range(9)
)
SNOW = (
    f"<title>Snow</title><article><h1>Snow</h1>{PARAGRAPHS}<table><tr><td>Line 4</td><td>stood"
    f"</td></tr></table><h2>The harbour</h2>{HARBOUR}</article>"
)

UNRENDERED = ("extract", "--browser", "never")


@pytest.fixture
def snow(tmp_path) -> str:
    """File of the saved snapshot of a short article."""
    file = tmp_path / "page.miolo"
    miolo.Snapshot.from_html(SNOW, url="https://ledger.example/snow").save(file)
    return str(file)


def test_extract_prints_all_that_the_author_wrote(succeed, site):
    page = PAGES["client-rendered"]
    done = succeed("extract", "--preset", "everything", site.url(page))
    text = done.stdout.decode()
    assert text.startswith(page.title)
    assert all(paragraph in text for paragraph in page.paragraphs)
    assert b"\x1b" not in done.stderr


def kept_roles(done) -> set[str]:
    return {block["role"] for block in json.loads(done.stdout)["blocks"] if block["kept"]}


def test_options_choose_what_counts_as_the_text(succeed, snow):
    words = ("extract", snow, "-f", "json")
    assert "paragraph" in kept_roles(succeed(*words))
    assert kept_roles(succeed(*words)) <= miolo.PRESETS["article"]
    alone = succeed(
        *words, "--preset", "body", "--exclude", "paragraph,list-item", "--exclude", "code"
    )
    assert kept_roles(alone) <= miolo.PRESETS["body"] - {"paragraph", "list-item", "code"}
    added = succeed(*words, "--include", "title, caption", "--exclude", "paragraph")
    assert kept_roles(added) <= (miolo.PRESETS["article"] | {"title", "caption"}) - {"paragraph"}


def test_options_choose_how_the_article_is_written(run, succeed, tmp_path):
    pages = []
    for name in ("one", "two"):
        pages.append(str(tmp_path / f"{name}.miolo"))
        source = SNOW.replace("It snowed", "<a href=/x>It</a> snowed <img src=/p.jpg alt=P>")
        miolo.Snapshot.from_html(source, url=f"https://ledger.example/{name}").save(pages[-1])
    words = ("extract", *pages, "-f", "markdown", "--front-matter", "--wrap", "40")
    done = succeed(*words, "--no-links", "--no-images", "--separator", "=====")
    first, second = done.stdout.decode().split("\n=====\n")
    assert first.startswith('---\ntitle: "Snow"\nurl: "https://ledger.example/one"\n')
    assert 'url: "https://ledger.example/two"' in second
    assert "](" not in first
    assert max(map(len, first.split("\n---\n", 1)[1].splitlines())) <= 40
    assert run("extract", *pages, "-f", "text").stdout.decode().count("\n\n---\n\n") == 1
    chunks = run("extract", pages[0], "-f", "chunks", "--chunk-size", "300").stdout.decode()
    parts = [json.loads(line) for line in chunks.splitlines()]
    assert len(parts) > 3
    assert all(len(chunk["text"]) <= 300 for chunk in parts)
    assert parts[-1]["headings"] == ["Snow", "The harbour"]
    wrong = run("extract", pages[0], "--chunk-size", "10", "--chunk-overlap", "10")
    assert wrong.returncode == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--preset", "all"),
            "there is no preset 'all'; the presets are article, body, everything",
        ),
        (
            ("--include", "caption,captions"),
            "there is no role 'captions'; did you mean 'caption'?",
        ),
        (("--exclude", "Table"), "there is no role 'Table'"),
        (("-m", "nces"), "did you mean 'nce'?"),
        (("--model", __file__, "-m", "nce"), "used by the methods auto and template, not by nce"),
    ],
)
@pytest.mark.parametrize("command", ["extract", "inspect"])
def test_unknown_choices_are_errors_before_a_browser_starts(run, command, options, message):
    done = run(command, "https://ledger.example/", *options, MIOLO_CHROMIUM="/nowhere")
    assert done.returncode == 2
    assert message in done.stderr.decode()


def test_a_page_without_a_text_has_its_own_exit_code(run):
    page = b"<title>Summer</title><img src=a.png><img src=b.png>"
    done = run("extract", "-", "-f", "json", stdin=page)
    assert done.returncode == 27
    assert b"no text was found" in done.stderr
    assert done.stderr.count(b"2 pictures") == 1
    written = json.loads(done.stdout)
    assert (written["title"], written["error"]["kind"]) == ("Summer", "EmptyPageError")


def test_a_file_and_standard_input_can_have_an_address(run, tmp_path):
    html = f"<p>{'Words of an article. ' * 20}<a href=b>there</a>".encode()
    file = tmp_path / "a.html"
    file.write_bytes(html)
    for source, url in ((str(file), "https://example.org/a/"), ("-", "example.org/a/")):
        done = run("extract", source, "--url", url, "-f", "markdown", stdin=html)
        assert b"[there](https://example.org/a/b)" in done.stdout


def test_several_sources_formats_and_files(run, site, tmp_path):
    pages = [PAGES["chinese"], PAGES["short-article"]]
    output, picture = tmp_path / "out.jsonl", tmp_path / "page.png"
    done = run(
        "extract", *(site.url(p) for p in pages), site.url(ROUTES["not-found"]),
        "--format", "json", "--output", str(output), "--screenshot", str(picture),
    )  # fmt: skip
    assert done.returncode == miolo.NavigationError.exit_code
    lines = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    assert [line["title"] for line in lines] == [p.title for p in pages]
    assert {p.name for p in tmp_path.glob("*.png")} == {"page-1.png", "page-2.png"}
    assert b"404" in done.stderr


def test_standard_input_files_and_saved_snapshots(succeed, site, tmp_path):
    html = b"<title>A title</title><p>From standard input</p>"
    assert b"From standard input" in succeed(*UNRENDERED, "-", "--method", "nce", stdin=html).stdout
    (tmp_path / "page.html").write_bytes(html)
    done = succeed("extract", str(tmp_path / "page.html"), "--method", "nce")
    assert b"From standard input" in done.stdout
    saved = tmp_path / "page.miolo"
    succeed("render", site.url(PAGES["chinese"]), "-o", str(saved))
    done = succeed("extract", str(saved), MIOLO_CHROMIUM="/nowhere")
    assert PAGES["chinese"].title in done.stdout.decode()


def test_a_source_is_never_the_output(run, tmp_path):
    names = ("a.html", "b.html")
    for name in names:
        (tmp_path / name).write_text(SNOW)
    (tmp_path / "link.html").symlink_to(tmp_path / "b.html")
    sources = [str(tmp_path / name) for name in names]
    done = run("extract", *sources, "-o", str(tmp_path / "link.html"), MIOLO_CHROMIUM="/nowhere")
    assert done.returncode == 2
    assert b"overwritten" in done.stderr
    assert {(tmp_path / name).read_text() for name in names} == {SNOW}


def test_sources_that_all_fail_are_named_once_and_keep_an_earlier_result(run, tmp_path):
    output = tmp_path / "article.txt"
    output.write_text("An earlier result")
    missing = [str(tmp_path / name) for name in ("a.none", "b.none")]
    done = run("extract", *missing, "-o", str(output))
    assert done.returncode == miolo.NavigationError.exit_code
    lines = done.stderr.decode().splitlines()
    assert [line.count(source) for line, source in zip(lines, missing, strict=True)] == [1, 1]
    assert output.read_text() == "An earlier result"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("extrct",), 2, "'extract'"),
        (("compare", "-", "-"), 2, "standard input"),
        (("extract", "-", "-"), 2, "standard input"),
        (("extract", "http://["), 5, "is not a valid address"),
        (("extract", "-", "--site", "/nowhere"), 2, "does not exist"),
        (("extract", "-", "--model", "/nowhere"), 2, "does not exist"),
        (("extract", os.path.dirname(__file__)), 5, "is a folder"),
        (("extract", "no-such-file"), 5, "neither a file nor an address"),
        (("extract", "ftp://example.org/x"), 5, "http"),
        (("extract", "-f", "docx", "-"), 2, "docx"),
        (("extract", "--viewport", "big", "-"), 2, "1280x1024"),
        (("extract", "--deadline", "inf", "-"), 2, "86400"),
        (("extract", "--header", "X-Key", "-"), 2, "NAME: VALUE"),
        (("extract", "--header", "X Key: 1", "-"), 2, "may not contain spaces"),
        (("extract", "--header", "Host: b.example", "-"), 2, "Host"),
        (("extract",), 2, "SOURCE is missing"),
        (("render", "http://x.invalid/", "--record", "page.zip"), 2, ".warc.gz"),
        (("extract", "--archive", "/dev/null"), 10, "/dev/null"),
        (("extract", "--archive", "/nowhere.warc"), 2, "does not exist"),
        (("batch", "-", "-o", "no-folder", "--browser", "auto", "--screenshots"), 2, "always"),
        (("serve", "--deadline", "inf"), 2, "86400"),
        (("mcp", "--deadline", "inf"), 2, "86400"),
        (
            ("batch", "-", "-o", "no-folder", "--min-confidence", "1.1"),
            2,
            "less than or equal to 1",
        ),
    ],
)
def test_errors_are_printed_on_one_line_with_their_own_exit_codes(run, words, code, message):
    done = run(*words, stdin=b"<p>x", MIOLO_CHROMIUM="/nowhere")
    assert done.returncode == code
    assert message in " ".join(done.stderr.decode().split())
    assert "Traceback" not in done.stderr.decode()


def test_doctor_and_install_list_what_is_installed(run, succeed):
    done = succeed("doctor")
    for subject in ("chromium", "sandbox", "CJK fonts", "shared memory", "playwright", "numba"):
        assert subject in done.stdout.decode()
    assert run("doctor", MIOLO_CHROMIUM="/nowhere").returncode == 3
    # Nothing is downloaded if a Chromium works.
    assert run("install").stdout.startswith(b"ok  chromium")
    assert miolo.__version__ in run("--version").stdout.decode()


HEAVY = {"numpy", "scipy", "sklearn", "numba", "playwright", "lxml", "bs4", "PIL"}


# Shows the help of each command in turn, and prints the modules that are imported by then.
HELP = """
import sys
from miolo.cli.app import app
for name in ("", *sys.argv[1:]):
    app([*name.split(), "--help"], standalone_mode=False)
    print("modules", name or "miolo", *sys.modules)
"""


def test_help_imports_no_heavy_module_and_no_other_command():
    command = [sys.executable, "-c", HELP, *COMMANDS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("modules ")]
    assert [name for _, name, *modules in lines if HEAVY.intersection(modules)] == []
    assert {name for name in lines[0] if name.startswith("miolo.cli.")} == {
        "miolo.cli.app",
        "miolo.cli.console",
    }
    assert len(lines) == 1 + len(COMMANDS)


def test_the_list_of_commands_matches_their_help():
    abouts = {name: Commands()[name].help.splitlines()[0] for name in COMMANDS}
    assert abouts == {name: about for name, (_, about) in COMMANDS.items()}


def test_methods_are_listed(run):
    lines = run("methods").stdout.decode().splitlines()
    groups = [line for line in lines if line and not line.startswith(" ")]
    assert groups[:2] == ["recommended:", "from the sources:"]
    names = [line.split()[0] for line in lines if line.startswith(" ")]
    variants = list(method_variants())
    assert names[: len(variants)] == variants
    assert names[0] == DEFAULT_METHOD


@pytest.mark.usefixtures("handles_ctrl_c")
@pytest.mark.parametrize("command", ["extract", "batch", "crawl"])
def test_ctrl_c_leaves_nothing_behind(site, tmp_path, command: str):
    url = site.url(ROUTES["hangs"])
    (tmp_path / "urls.txt").write_text(url, "utf-8")
    out = ["-o", str(tmp_path / "out")]
    arguments = {
        "extract": [url],
        "batch": [str(tmp_path / "urls.txt"), "--browser", "always", "--allow-private", *out],
        "crawl": [url, *out],
    }
    asked = len(site.requests)
    owner = subprocess.Popen(
        [sys.executable, "-m", "miolo", command, *arguments[command]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until(lambda: len(site.requests) > asked)
    children = psutil.Process(owner.pid).children(recursive=True)
    os.killpg(owner.pid, signal.SIGINT)
    _, errors = owner.communicate(timeout=patient(30))
    assert owner.returncode == 130
    assert b"Traceback" not in errors
    assert (b"run the same command again" in errors) == (command != "extract")
    if command != "extract":
        assert status_of(miolo.Collection(tmp_path / "out")).is_interrupted
    assert not remaining_processes(children)


ENTRIES = "".join(
    f"<li><a href=/{n}>The {n}th story of the harbour, told again</a> <time>2024-03-{n}</time>"
    for n in range(11, 19)
)
LIST = f"<title>Archive</title><nav><a href=/>Home</a></nav><main><ul>{ENTRIES}</ul></main>"


def test_records_are_rows(succeed):
    done = succeed(*UNRENDERED, "-", "-m", "records", "-f", "csv", stdin=LIST.encode())
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert [row["title"][:8] for row in rows] == [f"The {n}th" for n in range(11, 19)]
    assert rows[0]["url"].endswith("/11")
    assert rows[0]["date"] == "2024-03-11"
    done = succeed(*UNRENDERED, "-", "-m", "records", "-f", "json", stdin=LIST.encode())
    assert json.loads(done.stdout)["records"]["rows"] == [dict(row) for row in rows]
    done = succeed(*UNRENDERED, "-", "-m", "records", "-f", "csv", stdin=b"<p>Only this.")
    assert done.stdout.strip() == b""
    assert b"no-records" in done.stderr


def test_two_pages_are_compared(succeed, tmp_path):
    before, after = tmp_path / "a.html", tmp_path / "b.html"
    before.write_text("<h1>Snow</h1><p>It snowed all day.<p>The trams stood still.")
    after.write_text("<h1>Snow</h1><p>It snowed all night.<p>The trams stood still.")
    done = succeed("compare", "--browser", "never", str(before), str(after))
    assert b"It snowed all day." in done.stdout
    assert b"The trams" not in done.stdout
    done = succeed("compare", "--browser", "never", str(before), str(after), "-f", "json")
    assert [change["kind"] for change in json.loads(done.stdout)["changes"]] == ["text"]
    report = tmp_path / "pair.html"
    for browser in ("always", "never"):
        pages = (str(before), str(after))
        succeed("inspect", *pages, "--browser", browser, "-o", str(report))
    assert "It snowed all night." in report.read_text()


# Replaces a step of the extraction by code that never releases the interpreter lock.
STUCK = """
import re
from miolo.cli import page_sources
from miolo.extract import pipeline
page_sources.GRACE_SECONDS = 1.0
pipeline.compose = lambda *values, **named: re.match("(a+)+$", 64 * "a" + "b")
"""


def test_an_extraction_that_never_returns_is_a_timeout(snow, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(STUCK)
    path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
    words = ("-m", "miolo", "extract", snow, "-m", "nce", "--deadline", "1")
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, env=environment, timeout=patient(60)
    )
    assert done.returncode == 1
    assert b"Timeout" in done.stderr
