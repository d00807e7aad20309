"""Responses of `miolo serve` in a separate process."""

import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import jsonschema
import miolo
import pytest
from miolo.output.schema import json_schema
from miolo.serve.routes import page_files
from newsroom import ARTICLES
from patience import until
from services import held_pages, kind, serving_miolo

HTML = "<title>T</title><h1>Quiet harbour</h1>" + 5 * (
    "<p>A sentence with <a href='javascript:alert(1)'>a link</a> that goes on for a while, here."
)

FORMS = ("text", "markdown", "html", "csv", "tei", "json", "chunks")


@pytest.fixture(scope="module")
def service():
    with serving_miolo("--workers", "2", "--allow", "127.0.0.1") as running:
        yield running


@pytest.fixture(scope="module")
def alone():
    """What the library extracts from `HTML`."""
    return miolo.extract_html(HTML, url="https://page.test/a", method="nce")


def test_an_address_is_extracted_as_the_library_does(service, stage) -> None:
    url = stage.url(ARTICLES["semantic"][0].path)
    answer = service.post("/extract", url=url, method="nce")
    assert answer.headers["content-type"] == "application/json"
    options = miolo.RenderOptions(egress=miolo.EgressPolicy("named"))
    job = miolo.PageJob(url, options, extract=miolo.ExtractOptions("nce"))
    alone = stage.run(miolo.extract_page(job, stage.renderer))
    assert alone.unwrap().text
    assert answer.json() == alone.to_dict()
    jsonschema.validate(answer.json(), json_schema())


@pytest.mark.parametrize("form", FORMS)
def test_html_is_extracted_in_every_format(service, alone, form) -> None:
    body = {"html": HTML, "url": "https://page.test/a", "method": "nce"}
    answer = service.post("/extract", format=form, **body)
    assert answer.text == miolo.format_extraction(alone, form)
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_options_choose_how_the_article_is_written(service) -> None:
    page = {"html": HTML.replace("javascript:alert(1)", "/x"), "url": "https://page.test/a"}
    options = {"links": False, "images": False, "front_matter": True, "wrap": 30}
    answer = service.post("/extract", method="nce", format="markdown", **page, **options)
    alone = miolo.extract_html(page["html"], url=page["url"], method="nce")
    assert answer.text == miolo.format_extraction(alone, "markdown", miolo.WriteOptions(**options))
    assert "](" not in answer.text
    wrong = service.post("/extract", **page, chunk_size=5, chunk_overlap=5)
    assert wrong.status_code == 422


def test_a_rendered_page_is_returned_as_a_snapshot_file(service, tmp_path) -> None:
    settings = {"html": HTML, "viewport": [640, 480], "screenshot": True}
    (tmp_path / "page.miolo").write_bytes(service.post("/render", **settings).content)
    page = miolo.Snapshot.load(tmp_path / "page.miolo")
    assert page.page.viewport == (640, 480)
    assert page.screenshot
    assert "Quiet harbour" in page.text


def test_a_report_runs_its_own_scripts_and_no_others(service, stage, chromium) -> None:
    errors = []
    url = stage.url(ARTICLES["semantic"][0].path)
    page = chromium.new_page()
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    answer = page.goto(f"{service.url}/inspect?method=nce&url={quote(url, safe='')}")
    assert "'unsafe" not in answer.headers["content-security-policy"]
    assert page.evaluate("origin") == "null"
    assert page.locator("body").inner_text()
    assert page.locator("button").count() > 0
    page.evaluate("document.body.append(document.createElement('script'))")
    page.evaluate("document.querySelector('body > script:last-child').append('window.ran = 1')")
    assert page.evaluate("window.ran") is None
    page.close()
    assert [line for line in errors if "inline script" not in line] == []


def test_the_files_of_the_web_page_are_served(service) -> None:
    for path, file in page_files().items():
        answer = service.get(path)
        assert (answer.status_code, answer.content) == (200, file.body), path
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz"])
def test_monitors_may_request_headers_only(service, path) -> None:
    answer = service.client.head(service.url + path)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == service.get(path).headers["content-length"]


def test_the_service_describes_itself(service) -> None:
    methods = service.get("/methods").json()
    assert [each["name"] for each in methods] == list(miolo.METHODS)
    groups = [each["group"] for each in methods]
    assert list(dict.fromkeys(groups))[:2] == ["recommended", "from the sources"]
    assert groups == sorted(groups, key=groups.index)
    assert next(each for each in methods if each["name"] == "nce")["variants"] == ["nce:literal"]
    assert service.get("/healthz").json() == {"status": "up"}
    described = service.get("/openapi.json").json()
    assert {"/extract", "/render", "/inspect", "/metrics"} <= set(described["paths"])
    assert described["components"]["schemas"]["ExtractRequest"]["examples"]
    types = described["paths"]["/extract"]["post"]["responses"]["200"]["content"]
    for form in FORMS:
        media = service.post("/extract", html=HTML, format=form).headers["content-type"]
        assert media.partition(";")[0] in types
    assert types["application/json"]["schema"] == json_schema()
    assert len(types) == len(FORMS)
    for path in ("/docs", "/redoc", "/nothing", "/../pyproject.toml", "/%2e%2e/app.py"):
        assert kind(service.get(path)) == (404, "NotFound"), path
    assert kind(service.get("/extract")) == (405, "MethodNotAllowed")


@pytest.mark.parametrize(
    ("page", "more", "expected"),
    [
        ("not-found", {}, (502, "NavigationError")),
        ("redirect-loop", {}, (502, "NavigationError")),
        ("pdf", {}, (422, "NotHTMLError")),
        ("hangs", {"deadline": 2}, (504, "PageTimeoutError")),
        ("client-rendered", {"method": "none"}, (422, "UnknownMethodError")),
        ("client-rendered", {"preset": "all"}, (422, "UnknownRoleError")),
        ("client-rendered", {"method": "rtdm"}, (422, "MissingSiteError")),
    ],
)
def test_a_failure_has_its_kind(service, stage, page, more, expected) -> None:
    answer = service.post("/extract", url=stage.url(page), **more)
    assert kind(answer) == expected
    error = answer.json()["error"]
    assert error["url"] == ("" if more.keys() & {"method", "preset"} else stage.url(page))
    assert "Traceback" not in answer.text
    assert str(Path(miolo.__file__).parent) not in error["message"]


def test_private_addresses_are_refused(service) -> None:
    for url in ("http://127.0.0.2:8080/", "http://169.254.169.254/x", "http://[::1]:8080/"):
        assert kind(service.post("/extract", url=url)) == (403, "EgressRefusedError"), url


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ({}, "url or html is required"),
        ({"url": "javascript:alert(1)"}, "url: "),
        ({"url": "https://a.test/" + 9000 * "a"}, "url: "),
        ({"html": "", "include": "caption"}, "include: "),
        ([], ""),
        ({"html": "", "deadlin": 3}, "no field 'deadlin'; did you mean 'deadline'?"),
        ({"html": "", "format": "markdwn"}, "format: there is no choice 'markdwn'; did you"),
        ({"html": "", "scroll": "ned"}, "scroll: must be a number of screens from 0 to 100"),
        ({"html": "", "viewport": [1]}, "viewport: must be a width and a height in CSS px"),
        ({"html": "", "deadline": 0}, "deadline: must be greater than 0"),
        ({"html": 3}, "html: must be a valid string"),
        ({"html": "", "locale": "en_US"}, "locale: 'en_US' is not a language tag"),
    ],
)
def test_invalid_requests_have_short_plain_errors(service, payload, message) -> None:
    answer = service.client.post(
        f"{service.url}/extract",
        content=json.dumps(payload),
        headers={"Content-Type": "application/json"},
    )
    assert kind(answer) == (422, "InvalidRequest")
    assert message in answer.json()["error"]["message"]
    assert len(answer.content) < 800
    assert "Value error" not in answer.text


def test_answers_are_not_mixed_up(service) -> None:
    with held_pages() as (origin, _, _), ThreadPoolExecutor(8) as threads:
        urls = [f"{origin}/page/{number}" for number in range(16)]
        bodies = [{"url": url, "method": "nce", "format": "text"} for url in urls]
        answers = list(threads.map(lambda each: service.post("/extract", **each), bodies))
    assert [answer.text.splitlines()[0] for answer in answers] == [
        f"Page /page/{number}" for number in range(16)
    ]
    assert len({answer.headers["x-request-id"] for answer in answers}) == 16


def test_requests_are_logged_and_counted(service) -> None:
    before = len(service.events("request"))
    service.post("/extract", html=f"{HTML}<p>SECRET", url="https://page.test/SECRET?SECRET")
    line = until(lambda: service.events("request")[before:])[0]
    assert (line["route"], line["status"], line["host"]) == ("/extract", 200, "page.test")
    assert line["ms"] > 0
    assert "SECRET" not in json.dumps(service.lines)
    assert service.metric("miolo_requests_total") >= len(service.events("request")) - 2
    assert service.metric("miolo_workers_ready") == 2
    assert service.metric("miolo_queue_length") == 0


def test_invalid_http_is_answered_logged_and_counted(service) -> None:
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"NONSENSE\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b"")).decode()
    head, _, body = answer.partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 400 ")
    assert json.loads(body)["error"]["kind"] == "BadRequest"
    (number,) = re.findall(r"X-Request-Id: (\w+)", head)
    (line,) = until(lambda: [each for each in service.events("request") if each["id"] == number])
    assert (line["route"], line["status"], line["kind"]) == ("other", 400, "BadRequest")
    sample = 'miolo_requests_total{kind="BadRequest",route="other",status="400"} 1.0'
    assert sample in service.get("/metrics").text
    assert not service.events("library")


def test_without_a_collection_there_is_no_queue(service) -> None:
    assert service.get("/label.html").status_code == 404
    assert service.get("/label/next?labeller=Ada").status_code == 404
