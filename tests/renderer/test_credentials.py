"""Cookies and headers reach only the hosts that they are for."""

import base64
import json
import pickle

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_server import Handler, serving
from miolo.errors import ArchiveError
from miolo.renderer.network.cookies import read_cookies, read_storage_state
from miolo.renderer.network.origins import OwnHeaders, is_for_host, is_host_within

SECRET = "s3cr3t"


class Listening(Handler):
    """Records the credentials of each request; ``/leads`` redirects to the URL in its query."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        held = (self.headers.get("Cookie") or "", self.headers.get("Authorization") or "")
        self.server.__dict__["requests"].append((path, *held))
        if path == "/leads":
            self.send("", 302, {"Location": query})
        else:
            self.send(f"<p>Story<img src='/own.png'><img src='{query}/foreign.png'>")


@pytest.fixture
def sites():
    with serving(Listening) as one, serving(Listening) as other:
        yield one, other


def credentials_of(site, path: str) -> list[list[str]]:
    return [held for name, *held in site[1] if name == path]


def options(browser: str, url: str) -> miolo.RenderOptions:
    return miolo.RenderOptions(
        browser=browser,
        egress=miolo.EgressPolicy("always"),
        headers={"Authorization": SECRET},
        cookies=({"name": "kind", "value": SECRET, "url": url},),
    )


def test_a_page_gets_only_headers_for_its_own_host(stage, sites):
    one, other = sites
    foreign = other[0].replace("127.0.0.1", "localhost")
    stage.run(stage.renderer.render(f"{one[0]}/page?{foreign}", options("always", one[0])))
    assert credentials_of(one, "/page") == [[f"kind={SECRET}", SECRET]]
    assert credentials_of(one, "/own.png") == [[f"kind={SECRET}", SECRET]]
    assert credentials_of(other, "/foreign.png") == [["", ""]]


@pytest.mark.parametrize("browser", ["always", "never"])
def test_a_redirect_carries_no_header_or_cookie_to_another_host(stage, sites, browser):
    one, other = sites
    foreign = other[0].replace("127.0.0.1", "localhost")
    url = f"{one[0]}/leads?{foreign}/page"
    stage.run(stage.renderer.render(url, options(browser, one[0])))
    assert credentials_of(one, "/leads") == [[f"kind={SECRET}", SECRET]]
    assert credentials_of(other, "/page") == [["", ""]]


def test_headers_of_a_host_are_sent_only_to_its_pages(stage, sites):
    one, other = sites
    foreign = other[0].replace("127.0.0.1", "localhost")
    chosen = miolo.RenderOptions(
        browser="never",
        egress=miolo.EgressPolicy("always"),
        hosts={"127.0.0.1": {"headers": {"Authorization": SECRET}}},
    )
    for url in (f"{one[0]}/page", f"{foreign}/page"):
        stage.run(stage.renderer.render(url, chosen))
    assert credentials_of(one, "/page") == [["", SECRET]]
    assert credentials_of(other, "/page") == [["", ""]]


def test_secrets_are_in_no_repr_and_are_pickled():
    chosen = miolo.RenderOptions(
        headers={"Authorization": SECRET},
        cookies=({"name": "a", "value": SECRET, "url": "https://example.org"},),
        storage_state={
            "origins": [
                {"origin": "https://example.org", "localStorage": [{"name": "a", "value": SECRET}]}
            ]
        },
        proxy=f"http://jo:{SECRET}@127.0.0.1:1",
        hosts={"example.org": {"headers": {"A": SECRET}}},
    )
    assert SECRET not in repr(chosen)
    assert pickle.loads(pickle.dumps(chosen)) == chosen


def test_a_refused_proxy_is_reported_without_its_password():
    chosen = miolo.RenderOptions(browser="never", proxy=f"http://jo:{SECRET}@127.0.0.1:1")
    with pytest.raises(miolo.EgressRefusedError) as error:
        miolo.render_url("https://example.org/", chosen)
    assert SECRET not in f"{error.value} {error.value.url} {error.value.__dict__}"


class Proxy(Handler):
    """A proxy with a password, and all pages behind it, one of which asks for passwords, too."""

    def do_GET(self) -> None:
        expected = base64.b64encode(f"jo:{SECRET}".encode()).decode()
        self.server.__dict__["requests"].append(dict(self.headers))
        if self.headers.get("Proxy-Authorization") != f"Basic {expected}":
            self.send("", 407, {"Proxy-Authenticate": 'Basic realm="proxy"'})
        elif self.path.endswith("/asks"):
            self.send("", 401, {"WWW-Authenticate": 'Basic realm="proxy"'})
        else:
            self.send("<p id=own>Story<script>fetch('/asks').then((a) => own.append(a.status))")


@pytest.mark.parametrize("browser", ["always", "never"])
@pytest.mark.parametrize("password", [SECRET, f"no-{SECRET}"])
def test_the_password_of_a_proxy_reaches_only_the_proxy(stage, browser, password, caplog):
    with serving(Proxy) as (origin, requests):
        chosen = miolo.RenderOptions(
            browser=browser,
            egress=miolo.EgressPolicy("always"),
            proxy=origin.replace("//", f"//jo:{password}@"),
        )
        try:
            page = stage.run(stage.renderer.render("http://site.test/", chosen))
            seen = f"{page.page} {page.text}"
        except miolo.NavigationError as error:
            seen = f"{error} {error.__dict__}"
            assert "407" in seen or "proxy" in seen.lower()
    assert ("Story" in seen) == (password == SECRET)
    assert SECRET not in seen + caplog.text
    # The page's own server gets none of it, although its realm has the same name.
    assert not any("Authorization" in headers for headers in requests)


NETSCAPE = (
    "# Netscape HTTP Cookie File\n\n"
    ".example.org\tTRUE\t/\tTRUE\t1900000000\tsid\tabc\n"
    "#HttpOnly_www.example.org\tFALSE\t/a\tFALSE\t0\tname\tvalue\n"
)


def test_a_netscape_file_is_read_even_if_powershell_or_an_editor_has_rewritten_it(tmp_path):
    expected = [("sid", "abc"), ("name", "value"), ("empty", "")]
    # The last line has lost the tab before its empty value.
    text = NETSCAPE + "example.org\tFALSE\t/\tFALSE\t0\tempty\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (tmp_path / "cookies.txt").write_text(text, encoding, newline="\r\n")
        cookies = read_cookies(tmp_path / "cookies.txt")
        assert [(cookie["name"], cookie["value"]) for cookie in cookies] == expected
        first, second, _ = cookies
        assert (first["domain"], first["secure"], first["expires"]) == (".example.org", True, 1.9e9)
        expected_second = ("www.example.org", True, -1)
        assert (second["domain"], second["httpOnly"], second["expires"]) == expected_second


def test_cookies_of_an_extension_and_of_a_storage_state(tmp_path):
    rows = [
        {"name": "a", "value": "1", "domain": "example.org", "hostOnly": True, "path": "/",
         "sameSite": "unspecified", "expirationDate": 1900000000.5, "session": False},
        {"name": "b", "value": "2", "domain": ".example.org", "sameSite": "lax"},
    ]  # fmt: skip
    (tmp_path / "one.json").write_text(json.dumps(rows))
    (tmp_path / "state.json").write_text(json.dumps({"cookies": rows, "origins": []}))
    cookies = read_cookies(tmp_path / "one.json")
    assert cookies == read_cookies(tmp_path / "state.json")
    assert [row["domain"] for row in cookies] == ["example.org", ".example.org"]
    assert cookies[1]["sameSite"] == "Lax"
    assert read_storage_state(tmp_path / "state.json")["cookies"] == list(cookies)


@pytest.mark.parametrize(
    "text",
    [
        f"example.org\t{SECRET}",
        f'[{{"name": "{SECRET}"}}]',
        f'{{"cookies": "{SECRET}"}}',
        f'["{SECRET}"',
        f"a\tTRUE\t/\tTRUE\t{SECRET}\tb\tc",
        f"a\tTRUE\t/\tTRUE\tnan\tb\t{SECRET}",
        f"a\tTRUE\t/\tTRUE\t0\tb\t{SECRET};",
        f'[{{"name": "{SECRET}", "value": "1", "domain": "a", "expires": 1e999}}]',
        f'[{{"name": "{SECRET}=", "value": "1", "domain": "a"}}]',
        f"a\tTRUE\t/\tFALSE\t0\t__Secure-a\t{SECRET}",
        f'[{{"name": "a", "value": "{SECRET}\\n", "domain": "a"}}]',
    ],
)
def test_the_error_about_a_damaged_file_does_not_quote_it(tmp_path, text):
    (tmp_path / "cookies").write_text(text)
    with pytest.raises(ArchiveError) as error:
        read_cookies(tmp_path / "cookies")
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(
    ("home", "origins"),
    [
        ("https://Münch.example/a", ("https://xn--mnch-0ra.example",)),
        ("https://Straße.example/", ("https://xn--strae-oqa.example",)),
        ("https://☃.example/", ("https://xn--n3h.example",)),
        ("http://a.example:80/", ("http://a.example", "https://a.example")),
        ("https://jo@[::1]:8443/", ("https://[::1]:8443",)),
        ("data:text/html,a", ()),
    ],
)
def test_origins_are_written_as_in_the_requests_of_a_browser(home, origins):
    headers = OwnHeaders({"X-Key": "k"}, home)
    assert headers.origins() == origins
    assert all(headers.for_url(f"{origin}/b") for origin in origins)


HOSTS = st.sampled_from(["example.org", "www.example.org", "notexample.org", "org"])
PORTS = st.sampled_from(["", ":80", ":443", ":8080"])
URLS = st.builds("{}://{}{}/a".format, st.sampled_from(["http", "https"]), HOSTS, PORTS)


@given(URLS, URLS)
def test_secrets_go_only_to_their_own_host_and_never_from_https_to_http(url, home):
    def end(address):
        scheme, _, rest = address.partition("://")
        name, _, port = rest.removesuffix("/a").partition(":")
        return scheme, name, port or {"http": "80", "https": "443"}[scheme]

    (scheme, name, port), (home_scheme, home_name, home_port) = end(url), end(home)
    same = (scheme, name, port) == (home_scheme, home_name, home_port)
    upgraded = (scheme, port, home_scheme, home_port) == ("https", "443", "http", "80")
    assert is_for_host(url, home) == (same or (name == home_name and upgraded))


@given(HOSTS, HOSTS)
def test_domains_are_compared_by_whole_labels(host, name):
    labels, ends = host.split("."), name.split(".")
    assert is_host_within(host, name) == (labels[-len(ends) :] == ends)
