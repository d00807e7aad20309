"""Access to the service without a browser: its routes, with a pool that has no workers."""

import json
import logging
import re
from dataclasses import replace

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.errors import UnknownRoleError
from miolo.serve.guard import refusal
from miolo.serve.logs import JsonLines, ReadableLines
from miolo.serve.problems import problem_of
from miolo.serve.service_options import ServiceOptions, is_loopback
from miolo.serve.shell import HEADERS
from miolo.workers.system import is_root
from service_doors import BEARER, GUARDED, LOCAL, TOKEN, send_request
from services import kind
from starlette.datastructures import Headers

WORK = [
    ("POST", "/extract"),
    ("POST", "/render"),
    ("POST", "/inspect"),
    ("GET", "/inspect?url=http://a.test/"),
    ("GET", "/drafts?key=a"),
    ("POST", "/drafts"),
    ("GET", "/methods"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
]


@pytest.mark.parametrize(("method", "path"), WORK)
def test_nothing_is_done_or_revealed_without_the_token(method, path) -> None:
    body = {"json": {"html": ""}} if method == "POST" else {}
    wrong = ("Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", b"Bearer \xff")
    for shown in ("", TOKEN, *wrong):
        answer = send_request(GUARDED, method, path, headers={"Authorization": shown}, **body)
        assert kind(answer) == (401, "TokenNeeded"), shown
        fault = "this is not the service's token" if shown else "a token is required"
        assert fault in answer.text
        assert answer.headers["www-authenticate"] == "Bearer"
        assert TOKEN not in answer.text
    answer = send_request(GUARDED, method, path, headers=BEARER, **body)
    assert answer.status_code in (200, 422, 504)


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/healthz", 200), ("/readyz", 503)])
def test_the_web_page_and_health_are_open(path, status) -> None:
    answer = send_request(GUARDED, "GET", path)
    assert answer.status_code == status
    assert {"x-request-id", *map(str.lower, HEADERS)} <= set(answer.headers)


REBOUND = (
    "evil.test|127.0.0.1.evil.test|[::ffff]|10.0.0.1||evil.test@127.0.0.1|"
    "evil.test:80@127.0.0.1:8080|127.0.0.1#.evil.test|127.0.0.1/.evil.test|127.0.0.1?evil.test|"
    "127.0.0.1\\.evil.test|127.0.0.1:evil.test|127.0.0.1:8080:80|127.0.0.1 evil.test|"
    "127.0.0.1,evil.test|127.0.0.1%2eevil.test|[::1]evil.test|[::1%25evil]|[127.0.0.1]|"
    "http://localhost"
).split("|")


@pytest.mark.parametrize("host", REBOUND)
def test_a_rebound_host_name_is_refused(host) -> None:
    for path in ("/", "/healthz", "/methods"):
        assert kind(send_request(LOCAL, "GET", path, headers={"Host": host})) == (403, "Forbidden")


AFTER_LOOPBACK = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1)


@given(st.sampled_from(("127.0.0.1", "localhost", "[::1]")), AFTER_LOOPBACK, st.booleans())
def test_only_a_port_may_follow_the_name_of_this_machine(name, more, before) -> None:
    host = more + name if before else name + more
    allowed = re.fullmatch(r"(127\.[0-9]+\.[0-9]+\.[0-9]+|localhost|\[::1\])(:[0-9]{0,5})?", host)
    for options in (LOCAL, replace(LOCAL, host="::1")):
        refused = refusal(options, "GET", Headers({"host": host}), is_open=True)
        assert refused or allowed or "::" in host


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8081"},
        {"Origin": "http://127.0.0.1:8080.evil.test"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize(("method", "path"), WORK)
def test_pages_of_other_sites_can_request_nothing(method, path, headers) -> None:
    body = {"json": {"html": ""}} if method == "POST" else {}
    assert kind(send_request(LOCAL, method, path, headers=headers, **body)) == (403, "Forbidden")


def test_the_page_of_the_service_can_send_requests() -> None:
    own = {"Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-origin"}
    answer = send_request(LOCAL, "POST", "/extract", headers=own, json={"html": ""})
    assert kind(answer) == (504, "PageTimeoutError")


def families(kind: type) -> list[type]:
    return [kind, *(each for below in kind.__subclasses__() for each in families(below))]


@pytest.mark.parametrize("error", families(miolo.MioloError))
def test_no_error_reveals_anything_of_the_machine(error) -> None:
    page = {"url": "https://a.test/"} if issubclass(error, miolo.RenderError) else {}
    problem = problem_of(error("cannot read /home/ada/models/x" if not page else "late", **page))
    assert problem.json["error"]["kind"] == error.__name__
    assert problem.json["error"]["url"] == page.get("url", "")
    about_request = (
        miolo.UnknownMethodError,
        UnknownRoleError,
        miolo.MissingSiteError,
        miolo.ElementNotFoundError,
        miolo.PageNotAcceptedError,
        miolo.MissingDependencyError,
    )
    if error not in about_request:
        assert "/home" not in json.dumps(problem.json)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.2", "example.org"])
def test_only_loopback_needs_no_token(host) -> None:
    with pytest.raises(miolo.MioloError, match="token"):
        ServiceOptions(host=host, sandbox=False).check()
    ServiceOptions(host=host, sandbox=False, token=TOKEN).check()


@pytest.mark.parametrize("token", ["", "short", "with a space in its midst", "ü" * 20])
def test_a_weak_token_is_refused(token) -> None:
    with pytest.raises(miolo.MioloError, match="16"):
        ServiceOptions(sandbox=False, token=token).check()
    assert "short" not in repr(ServiceOptions(token="short"))


@pytest.mark.skipif(not is_root(), reason="only root has no sandbox")
def test_root_needs_an_explicit_option_to_run_without_sandbox() -> None:
    with pytest.raises(miolo.MioloError, match="--no-sandbox"):
        ServiceOptions().check()


@given(st.ip_addresses())
def test_loopback_addresses_are_recognised(address) -> None:
    assert is_loopback(str(address)) == address.is_loopback


def test_messages_of_libraries_are_not_logged() -> None:
    record = logging.LogRecord("uvicorn.error", 40, "", 1, "GET /?SECRET", (), None)
    line = json.loads(JsonLines().format(record))
    assert (line["event"], line["logger"], line["level"]) == ("library", "uvicorn.error", "ERROR")
    for lines in (JsonLines(), ReadableLines()):
        assert "SECRET" not in lines.format(record)
        assert "uvicorn.error" in lines.format(record)
