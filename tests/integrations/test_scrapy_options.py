"""Render options of Scrapy requests."""

import string
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo import Limits, RenderOptions
from miolo.renderer.network.policy import proxy_login, proxy_server

scrapy = pytest.importorskip("scrapy", reason="Scrapy is not installed")

from miolo.integrations.scrapy import DEFAULTS, request_options  # noqa: E402

URL = "https://example.org/news/1"


def options_of(options=None, **fields):
    request = scrapy.Request(URL, **fields)
    return request_options(request, options or RenderOptions(), auth_encoding="latin-1")


def test_a_request_with_the_defaults_of_scrapy_does_not_change_the_options():
    common = {"Accept-Encoding": "gzip", "Referer": URL, "Host": "example.org"}
    headers = {**DEFAULTS, **common, "Connection": "keep-alive", "X-Removed": None}
    options = RenderOptions(user_agent="own/1", headers={"Accept-Language": "pt"})
    made = options_of(options, headers=headers, meta={"download_timeout": 180.0})
    assert made == options.for_page(URL)
    assert made.headers == {"Accept-Language": "pt"}


def test_values_of_a_request_replace_those_of_the_options_and_of_its_host():
    options = RenderOptions(
        headers={"x-key": "old", "X-Other": "1"},
        cookies=(
            {"name": "session", "value": "old", "domain": ".example.org", "path": "/"},
            {"name": "session", "value": "elsewhere", "url": "https://example.com/"},
        ),
        storage_state={
            "cookies": [{"name": "session", "value": "old", "domain": "example.org", "path": "/"}],
            "origins": [],
        },
        proxy="http://old:1",
        limits=Limits(seconds=20),
        hosts={"example.org": {"user_agent": "old/1"}},
    )
    made = options_of(
        options,
        headers={
            "X-Key": "new",
            "User-Agent": "new/1",
            "Cookie": ["session=1", "session=2; b=c=d"],
        },
        meta={"proxy": "http://new:1", "download_timeout": 5},
    )
    assert made.headers == {"X-Other": "1", "X-Key": "new"}
    assert made.user_agent == "new/1"
    assert made.proxy == "http://new:1"
    assert made.limits == Limits(seconds=5)
    assert made.cookies == (
        options.cookies[1],
        {"name": "session", "value": "1", "url": "https://example.org/"},
        {"name": "b", "value": "c=d", "url": "https://example.org/"},
    )
    assert made.storage_state == {"cookies": [], "origins": []}
    assert made.for_page(URL) == made


def test_headers_for_another_host_do_not_reach_that_of_the_request():
    options = RenderOptions(headers={"X-Key": "secret"}, headers_for="https://example.com/")
    made = options_of(options, headers={"X-Own": "1"})
    assert (made.headers, made.headers_for) == ({"X-Own": "1"}, URL)
    assert options_of(options).headers_for == "https://example.com/"


@pytest.mark.parametrize(
    "fields",
    [
        {"headers": {"Host": "example.com"}},
        {"headers": {"X-Key": "a\nb"}},
        {"headers": {"X-Key": b"\xff"}},
        {"headers": {"Cookie": "a=\x01"}},
        {"headers": {"Proxy-Authorization": "Bearer abc"}, "meta": {"proxy": "http://a:1"}},
        {"meta": {"proxy": "ftp://a"}},
    ],
)
def test_a_request_that_no_page_can_be_opened_with_is_refused(fields):
    with pytest.raises(ValueError, match=r"."):
        options_of(**fields)


@given(st.text(string.printable.replace(":", "")), st.text(string.printable))
def test_the_proxy_gets_the_user_name_and_password_of_the_request(user, password):
    credentials = b64encode(f"{user}:{password}".encode("latin-1")).decode()
    made = options_of(
        headers={"Proxy-Authorization": f"Basic {credentials}"}, meta={"proxy": "http://proxy:3128"}
    )
    assert proxy_server(made.proxy or "") == "http://proxy:3128"
    assert proxy_login(made.proxy or "") == {"username": user, "password": password}
