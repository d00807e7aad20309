"""Each option takes effect on the page or on its requests."""

import asyncio
import html
import json
import zoneinfo

import miolo
import pytest
from local_server import Handler, serving
from miolo.renderer import option_kinds
from miolo.renderer.browser.chromium import launch
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

SHOW_SETTINGS = """<p id=x></p><script>x.textContent = [
    innerWidth, innerHeight, navigator.userAgent, navigator.language,
    Intl.DateTimeFormat().resolvedOptions().timeZone, localStorage.getItem('name')
].join('|')</script>"""


class Echo(Handler):
    """Answers with the request's path and headers, and a script that shows settings of the page."""

    def do_GET(self):
        body = f"<pre>{html.escape(f'{self.path} {self.headers}')}</pre>{SHOW_SETTINGS}"
        self.send(body, headers={"Content-Type": "text/html; charset=utf-8"})


@pytest.fixture(scope="module")
def echo():
    with serving(Echo) as (url, _):
        yield url


STORED = {"origin": "https://a.example", "localStorage": []}


def state(origin):
    return {
        "cookies": [],
        "origins": [{"origin": origin, "localStorage": [{"name": "name", "value": "stored"}]}],
    }


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ({"viewport": (700, 500)}, "700|500|"),
        ({"user_agent": "Miolo test"}, "|Miolo test|"),
        ({"locale": "pt-BR"}, "|pt-BR|"),
        ({"timezone": "Asia/Tokyo"}, "|Asia/Tokyo|"),
        ({"headers": {"X-Trace": "seven"}}, "X-Trace: seven"),
        ({"headers": {"Connection": "close"}}, "Connection: close"),
        ({"headers": {"X-HTTP-Method": "PUT"}}, "X-HTTP-Method: PUT"),
        ({"cookies": "one"}, "Cookie: kind=one"),
        ({"storage_state": "one"}, "|stored"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_option_is_seen_by_the_page(stage, echo, options, seen):
    if "cookies" in options:
        options = {"cookies": ({"name": "kind", "value": "one", "url": echo},)}
    if "storage_state" in options:
        options = {"storage_state": state(echo)}
    assert seen in " ".join(stage.render(echo, **options).text)
    assert seen not in " ".join(stage.render(echo).text)


def test_javascript_can_be_disabled_and_requests_go_through_the_proxy(stage, echo):
    assert "|" not in "".join(stage.render(echo, javascript=False).text)
    url = "http://nowhere.invalid/story"
    assert url in "".join(stage.render(url, proxy=echo).text)


@pytest.mark.parametrize(
    ("limit", "values"),
    [
        ("seconds", (float("inf"), float("nan"), 1e9, 0, -1)),
        *((name, (0, -5)) for name in ("response_bytes", "nodes", "depth", "screenshot_pixels",
                                       "pdf_pages")),
    ],
)  # fmt: skip
def test_limits_are_positive_and_finite(limit, values):
    assert miolo.Limits(**{limit: 1})
    for value in values:
        with pytest.raises(ValueError, match=rf"{limit}: must be"):
            miolo.Limits(**{limit: value})


def test_scrolling_an_endless_page_stops_at_the_limit_of_screens(stage):
    few, more = (len(stage.render("infinite-scroll", scroll=screens)) for screens in (2, 6))
    assert few < more < 20_000


@pytest.mark.parametrize("name", ["screenshot", "pdf"])
def test_a_picture_needs_a_browser_for_every_page(name):
    with pytest.raises(ValueError, match="without a browser"):
        miolo.RenderOptions(**{"browser": "auto", name: True})
    options = miolo.RenderOptions(**{"hosts": {"a.example": {"browser": "never"}}, name: True})
    assert options.for_page("https://a.example/").browser == "always"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(
            ({"hide": (each,)}, "is not a CSS selector")
            for each in ("p::before", "p[", "a:hover::after", "", "p::valid", "p:valid(")
        ),
        *(
            ({"locale": each}, "is not a language tag")
            for each in ("", "x; y", "pt_BR", "de-DE\r\nX-Key: k", "p")
        ),
        ({"wait_for": ":nonsense("}, "selector"),
        ({"browser": "never", "click": ("a",)}, "needs a browser"),
        ({"hosts": {"example.org": {"egress": None}}}, "may differ for a host"),
        ({"browser": "nevr"}, "did you mean 'never'"),
        ({"color_scheme": "black"}, "color_scheme: there is no choice 'black'; the choices are"),
        ({"viewport": (0, 10)}, "width and a height"),
        ({"scroll": "edn"}, "number of screens"),
        ({"settle_seconds": float("nan")}, "number of seconds"),
        ({"headers": {"X-Id": 3}}, "the header X-Id is not a string"),
        ({"headers": {"X-Id": "\ud800"}}, "the header X-Id has forbidden characters"),
        ({"headers": {"Content-Length": "0"}}, "refuses to send this header: Content-Length"),
        ({"headers": {"X-HTTP-Method-Override": "put, trace"}}, "header: X-HTTP-Method-Override"),
        ({"click": None}, "click: must be a CSS selector, or a list of them"),
        ({"egress": "never"}, r"egress: must be EgressPolicy\(...\), not 'never'"),
        ({"cookies": ({"name": "a", "value": "b", "domain": "a.example"},)}, "nor a domain and a"),
        ({"proxy": "127.0.0.1:99999"}, "proxy: must be an address"),
        ({"storage_state": []}, "storage_state: must be a mapping"),
        (
            {"storage_state": {"origins": [{**STORED, "indexedDB": "a"}]}},
            "origin 1 has an indexedDB",
        ),
        ({"storage_state": {"origins": [{"origin": "a", "localStorage": []}]}}, "origin 1 is not"),
        (
            {"storage_state": {"origins": [{"origin": "https://a", "localStorage": [{}]}]}},
            "origin 1 has no localStorage",
        ),
    ],
)
def test_an_invalid_value_is_refused_before_a_page_is_visited(options, message):
    with pytest.raises(ValueError, match=message):
        miolo.RenderOptions(**options)


HOST = {"domain": "a.example", "path": "/"}
COOKIES = [
    {**HOST},
    {**HOST, "domain": ".a.example", "expires": None, "sameSite": None, "secure": None},
    {**HOST, "name": "__Host-a", "secure": True},
    {"name": "__Host-a", "url": "https://a.example/story"},
    {**HOST, "name": "a b", "value": 'a=b, "c"'},
    {**HOST, "value": ""},
    {**HOST, "sameSite": "lax"},
    {**HOST, "expires": -5},
    {**HOST, "expires": 253_402_300_800},
    {**HOST, "url": "https://a.example/"},
    {"url": "https://a.example/", "path": "/a"},
    {"url": "about:blank"},
    {**HOST, "domain": ""},
    {**HOST, "name": "a=b"},
    {**HOST, "value": "a\tb"},
    {**HOST, "name": "__Secure-a"},
    {**HOST, "name": "__host-a", "path": "/a", "secure": True},
    {"name": "__Host-a", "url": "https://a.example/a/b"},
]


def test_cookies_that_chromium_refuses_are_refused_before_a_page_is_visited():
    async def is_accepted(browser, cookie):
        context = await browser.new_context()
        try:
            await context.add_cookies([cookie])
        except PlaywrightError:
            return False
        finally:
            await context.close()
        return True

    async def verdicts(cookies):
        async with async_playwright() as playwright:
            browser = await launch(playwright)
            return [await is_accepted(browser, cookie) for cookie in cookies]

    def is_valid(cookie):
        try:
            miolo.RenderOptions(cookies=(cookie,))
        except ValueError:
            return False
        return True

    cookies = [{"name": "a", "value": "1", **cookie} for cookie in COOKIES]
    accepted = asyncio.run(verdicts(cookies))
    assert [is_valid(cookie) for cookie in cookies] == accepted
    assert (accepted.count(True), accepted.count(False)) == (6, 12)


@pytest.fixture
def list_of_time_zones(tmp_path):
    def write(*names):
        for name in names:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(b"TZif")
        zoneinfo.reset_tzpath([str(tmp_path)])
        option_kinds._timezones.cache_clear()

    yield write
    zoneinfo.reset_tzpath()
    option_kinds._timezones.cache_clear()


@pytest.mark.parametrize("name", ["Mars/Base", "", "europe/paris", "localtime"])
def test_an_unknown_time_zone_is_refused(list_of_time_zones, name):
    list_of_time_zones("Europe/Paris", "US/Pacific", "localtime")
    with pytest.raises(ValueError, match="is not the name of a time zone"):
        miolo.RenderOptions(timezone=name)
    with pytest.raises(ValueError, match="is not the name of a time zone"):
        miolo.RenderOptions(hosts={"a.example": {"timezone": name}})


def test_databases_of_a_storage_state_are_restored_in_the_window_of_the_device(stage, echo):
    record = {"key": 1, "valueEncoded": {"d": "2001-02-03T00:00:00.000Z"}}
    table = {"name": "days", "autoIncrement": False, "records": [record], "indexes": []}
    database = {"name": "kept", "version": 3, "stores": [table]}
    (own,) = state(echo)["origins"]
    page = stage.render(
        echo,
        storage_state={"cookies": [], "origins": [{**own, "indexedDB": [database]}]},
        device="Pixel 7",
        script="""const request = indexedDB.open('kept');
            await new Promise((done) => { request.onsuccess = done });
            const read = request.result.transaction('days').objectStore('days').get(1);
            await new Promise((done) => { read.onsuccess = done });
            x.append('|' + read.result.getFullYear() + '|' + screen.width);""",
    )
    assert "|stored|2001|412" in "".join(page.text)


def test_the_file_of_a_storage_state_is_read_at_once(stage, echo, tmp_path):
    file = tmp_path / "state.json"
    file.write_text(json.dumps(state(echo)))
    for path in (file, str(file)):
        options = miolo.RenderOptions(storage_state=path, egress=miolo.EgressPolicy("named"))
        assert options.storage_state == state(echo)
    of_host = miolo.RenderOptions(
        hosts={"127.0.0.1": {"storage_state": file}}, egress=miolo.EgressPolicy("named")
    )
    file.unlink()
    for each in (options, of_host):
        assert "|stored" in " ".join(stage.run(stage.renderer.render(echo, each)).text)
    with pytest.raises(FileNotFoundError):
        miolo.RenderOptions(storage_state=file)


@pytest.mark.parametrize("name", ["münchen.example", "MÜNCHEN.example.", "xn--mnchen-3ya.example"])
@pytest.mark.parametrize("host", ["münchen.example", "www.xn--mnchen-3ya.example"])
def test_fields_of_a_host_apply_in_any_spelling_of_its_name(name, host):
    options = miolo.RenderOptions(hosts={name: {"scroll": 2}})
    assert options.for_page(f"https://{host}/").scroll == 2


@pytest.mark.parametrize(
    ("fields", "browser"),
    [
        ({}, "never"),
        ({"scroll": 2}, "never"),
        ({"browser": "never"}, "never"),
        ({"browser": "auto"}, "auto"),
        ({"click": ("a",)}, "always"),
    ],
)
def test_a_browser_may_be_used_for_a_single_host(fields, browser):
    options = miolo.RenderOptions(browser="never", hosts={"a.example": fields})
    assert options.for_page("https://a.example/").browser == browser
