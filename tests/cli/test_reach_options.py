"""Rendering options on the command line and in a settings file."""

import json

import miolo
import pytest
from local_server import Handler, serving
from miolo.cli.page_sources import listed_source, typed_source
from miolo.errors import SettingsError

SECRET = "s3cr3t"
ARTICLE = "<article><h1>Harbour</h1>" + "<p>It was rebuilt within a year. " * 30
PAGE = ARTICLE.encode()


class Echo(Handler):
    def do_GET(self) -> None:
        self.server.__dict__["requests"].append({k.lower(): v for k, v in self.headers.items()})
        self.send(ARTICLE)


@pytest.fixture
def echo():
    with serving(Echo) as (url, requests):
        yield url, requests


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("example.org/story?a=b", "https://example.org/story?a=b"),
        ("bbc.co.uk", "https://bbc.co.uk"),
        ("localhost:8000", "http://localhost:8000"),
        ("LOCALHOST/x", "http://LOCALHOST/x"),
        ("127.0.0.1:80/x", "http://127.0.0.1:80/x"),
        ("README.none", "README.none"),
        ("page.html", "page.html"),
        ("notes.md", "notes.md"),
        ("folder/page.html", "folder/page.html"),
        ("-", "-"),
        ("http://example.org", "http://example.org"),
    ],
)
def test_an_address_needs_no_scheme(typed, read):
    assert typed_source(typed) == read


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("http://a.test/x", "http://a.test/x"),
        ("example.org/story", "https://example.org/story"),
        ("./page.html", "./page.html"),
        ("/tmp/page.html", "/tmp/page.html"),
        ('"./page.html"', "./page.html"),
        ("file:///tmp/a%20page.html", "/tmp/a page.html"),
        ("file:/tmp/page.html", "/tmp/page.html"),
        ("FILE://localhost/tmp/page.html", "/tmp/page.html"),
        ("page.html", None),
        ("../page.html", None),
        ("pages/1", None),
        ("~/page.html", None),
        ("2026-11-27 10:00 GET http://a.test/", None),
        ("file://evil.test/share", None),
        ("file:", None),
        ("<file://evil.test/share>", None),
        ('"file:///tmp/page.html"', "/tmp/page.html"),
        ("example.org", "https://example.org"),
    ],
)
def test_a_line_names_a_file_only_if_it_can_be_nothing_else(line, source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Neither an existing file nor its name makes a line one that names a file.
    for name in ("page.html", "example.org"):
        (tmp_path / name).write_text("<p>secret")
    if source is None:
        with pytest.raises(ValueError, match=r"no address|without a path"):
            listed_source(line, files=False)
    else:
        assert listed_source(line, files=False) == source
    if "file:" not in line.lower():
        assert listed_source(line, files=True) == typed_source(line)


def test_options_apply_to_plain_requests_and_secrets_are_not_printed(succeed, echo, tmp_path):
    url, requests = echo
    host = url.removeprefix("http://")
    (tmp_path / "cookies.txt").write_text(f"127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t{SECRET}\n")
    done = succeed(
        *("extract", host, "-f", "json", "--browser", "never", "--verbose"),
        *("--cookies", str(tmp_path / "cookies.txt"), "--header", f"X-Key: {SECRET}"),
        *("--user-agent", "Reader/1", "--locale", "pt-BR"),
    )
    (seen,) = requests
    assert seen["cookie"] == f"sid={SECRET}"
    assert seen["x-key"] == SECRET
    assert (seen["user-agent"], seen["accept-language"]) == ("Reader/1", "pt-BR")
    assert SECRET.encode() not in done.stdout + done.stderr
    assert b"root" not in done.stderr


@pytest.mark.parametrize(("expires", "is_reported"), [("1000", True), ("0", False), (None, True)])
def test_a_file_without_valid_cookies_is_reported(succeed, tmp_path, expires, is_reported):
    line = f"a.example\tFALSE\t/\tFALSE\t{expires}\tsid\tabc\n"
    (tmp_path / "cookies.txt").write_text(line if expires else "")
    words = ("extract", "-", "--browser", "never", "--cookies", str(tmp_path / "cookies.txt"))
    done = succeed(*words, stdin=PAGE)
    assert (b"no cookies that are still valid" in done.stderr) is is_reported
    assert b"valid" not in succeed(*words, "--quiet", stdin=PAGE).stderr


def test_the_command_line_overrides_settings_of_hosts_and_of_all_pages(succeed, echo, tmp_path):
    url, requests = echo
    settings = tmp_path / "miolo.toml"
    settings.write_text(
        '[render]\nbrowser = "never"\nlocale = "fr"\nuser-agent = "All/1"\n'
        f'[host."127.0.0.1"]\nuser-agent = "Host/1"\nheaders = {{ X-Key = "{SECRET}" }}\n'
    )
    words = ("extract", url, "--settings", str(settings))
    succeed(*words)
    succeed(*words, "--user-agent", "Typed/1", "--quiet")
    first, second = requests
    assert (first["user-agent"], first["accept-language"]) == ("Host/1", "fr")
    assert second["user-agent"] == "Typed/1"
    assert first["x-key"] == second["x-key"] == SECRET


def test_quiet_prints_only_errors(run, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>A word")
    words = ("render", "--browser", "never", str(page), "-o", str(tmp_path / "page.miolo"))
    assert b"saved to" in run(*words).stderr
    assert run(*words, "--quiet").stderr == b""
    assert b"neither" in run("extract", "--quiet", str(tmp_path / "none")).stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[render]\nuser_agent = 'x'", "did you mean 'user-agent'?"),
        ("[rendr]", "did you mean 'render'?"),
        ("[render]\nallow-private = true", "there is no key 'allow-private'"),
        ("[host.'a.org']\ndeadline = 3", "there is no key 'deadline'"),
        ("[render]\nclick = 'a['", "not a CSS selector"),
        ('[render]\nheaders = { X-Key = "a\\nb" }', "the header X-Key"),
        ('[render]\nuser-agent = "a\\nb"', "user-agent in [render]"),
        ("[host.'a.org']\nlocale = 'a b'", "locale in [host.\"a.org\"]: 'a b' is not"),
        ("[render]\ndeadline = inf", "at most 86,400 seconds"),
        ("[host.'a.org:x']\nlocale = 'fr'", "'a.org:x' is not the name of a host"),
        ("[host.'https://a.org']\nlocale = 'fr'", "is not the name of a host"),
        ("[render]\ncookies = 'none.txt'", "cannot be read"),
        ("[render]\nbrowser = 'never'\nclick = 'a'", "needs a browser"),
        ("[render]\nblock = 'imges'", "block in [render]: there is no choice 'imges'"),
        ("[host.'a.org']\nblock = './none.txt'", "none.txt cannot be read: no such file"),
        ("x = [", "is not TOML"),
        ("[render]\n" + "# a remark\n" * 30_000, "is larger than 262,144 bytes"),
    ],
)
def test_a_wrong_setting_is_an_error_that_names_the_valid_ones(tmp_path, text, message):
    (tmp_path / "miolo.toml").write_text(text)
    with pytest.raises(SettingsError) as error:
        miolo.load_settings(tmp_path / "miolo.toml")
    assert message in str(error.value)


def test_paths_of_settings_are_relative_to_their_file(tmp_path):
    (tmp_path / "script.js").write_text("document.title = 'x'")
    (tmp_path / "cookies.json").write_text(
        json.dumps([{"name": "a", "value": SECRET, "domain": "example.org"}])
    )
    (tmp_path / "miolo.toml").write_text(
        "[render]\ndeadline = 9\nscroll = 'end'\nscript = 'script.js'\ncookies = 'cookies.json'\n"
        "hide = ['.a', '.b']\n[host.'Example.org']\nproxy = 'http://127.0.0.1:1'\n"
    )
    options = miolo.load_settings(tmp_path / "miolo.toml")
    assert options.script == "document.title = 'x'"
    assert (options.limits.seconds, options.scroll, options.hide) == (9, "end", (".a", ".b"))
    assert options.cookies[0]["value"] == SECRET
    assert options.for_page("https://www.example.org/a").proxy == "http://127.0.0.1:1"
    assert options.for_page("https://example.com/").proxy is None


def test_the_help_lists_exit_codes_and_a_mistyped_option_gets_a_suggestion(run):
    assert "Exit codes" in run("--help").stdout.decode()
    done = run("extract", "--hid", ".x", "-")
    assert done.returncode == 2
    assert "--hide" in done.stderr.decode()
