"""Allowed and forbidden options of requests."""

import miolo
import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from miolo.serve.requests import ExtractRequest
from pydantic import ValidationError

URL = "https://example.org/story"


def test_a_request_blocks_what_it_says_or_else_what_the_service_does():
    base = miolo.RenderOptions(block="ads")
    assert ExtractRequest(url=URL).options(base).block == ("ads",)
    request = ExtractRequest(url=URL, block=["images", "cdn.example.org"])
    assert request.options(base).block == ("cdn.example.org", "images")
    assert ExtractRequest(url=URL, block=["none"]).options(base).block == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"click": ["a["]},
        {"click": ["a"], "browser": "never"},
        {"hide": ["a"] * 21},
        {"wait_for": "a" * 1001},
        {"scroll": "top"},
        {"scroll": 101},
        {"block": ["imges"]},
        {"block": ["./list.txt"]},
        {"block": ["ads"] * 101},
        # Options that a client of the service may not set.
        {"script": "1"},
        {"headers": {}},
        {"cookies": []},
        {"proxy": "http://127.0.0.1"},
        {"storage_state": {}},
    ],
    ids=str,
)
def test_forbidden_options_are_refused(wrong):
    with pytest.raises(ValidationError):
        ExtractRequest(url=URL, **wrong)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.org/story", URL),
        (f' "{URL}" ', URL),
        ("localhost:8000/a", "http://localhost:8000/a"),
        *((url, url) for url in ("HTTP://a.test", "http://[::1]:8080/a", "http://jo@é.test?a")),
    ],
)
def test_an_address_is_read_as_on_the_command_line(text, url):
    assert ExtractRequest(url=text).url == url


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, "must be an address") for text in ("file:///etc/passwd", "/etc/passwd", "<p>a")),
        ("http://", "is not a valid address"),
        ("http://[::1", "is not a valid address"),
        ("http://127.0.0.1:99999/", "is not a valid address"),
    ],
)
def test_nothing_but_an_address_is_read(text, message):
    with pytest.raises(ValidationError, match=message):
        ExtractRequest(url=text)
