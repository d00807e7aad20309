"""Checks of the values of `RenderOptions`, so that a wrong one is refused before a page is visited.

The messages about headers and proxies quote none of their values, which may be
secret.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

from ..names import unknown_name
from ..patterns import lazy_re
from .network.origins import PROXY_PORTS, whole_proxy

__all__ = [
    "check_choice",
    "check_headers",
    "check_locale",
    "check_proxy_address",
    "check_scope",
    "check_scroll",
    "check_seconds",
    "check_selector_list",
    "check_selectors",
    "check_timezone",
    "check_type",
    "check_user_agent",
    "check_viewport",
    "compiled_scope",
]

LOCALE = lazy_re("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}")

# A name of a time zone that only full lists contain.
FORMER_NAME = "US/Pacific"

# Pseudo-classes that Chromium knows and soupsieve does not.
UNKNOWN_CLASSES = lazy_re(r"(?<!:):(modal|valid|invalid|user-valid|state\([\w-]+\))(?![\w(-])")

# How an XPath begins, and no CSS selector does.
XPATH = ("/", "./", "(", "id(")

# The name of a header (RFC 9110, 5.6.2), and characters that may not be in its value.
TOKEN = lazy_re(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
FORBIDDEN = lazy_re(r"[\x00\r\n\ud800-\udfff]")

# Headers with which Chromium sends no request, whatever their value.
UNSENDABLE = lazy_re(
    "content-length|cookie2|keep-alive|set-cookie|te|trailer|transfer-encoding|upgrade|proxy-.*"
)
METHOD_OVERRIDES = frozenset(("x-http-method", "x-http-method-override", "x-method-override"))


def check_choice(value: Any, choices: Collection[str]) -> None:
    """Check a field that has one of a few values."""
    if value not in choices:
        raise ValueError(unknown_name("choice", str(value), choices))


def check_type(value: Any, kind: type, name: str) -> None:
    """Check a field whose values are of a type of this package."""
    if not isinstance(value, kind):
        raise ValueError(f"{name}: must be {kind.__name__}(...), not {value!r}")


def check_viewport(viewport: Any) -> None:
    """Check the size of a viewport."""
    sizes = viewport if isinstance(viewport, (tuple, list)) else ()
    if len(sizes) != 2 or not all(isinstance(each, int) and each > 0 for each in sizes):
        raise ValueError("must be a width and a height in CSS px, as in (1280, 1024)")


def check_scroll(scroll: Any) -> None:
    """Check a number of screens."""
    is_number = isinstance(scroll, int) and not isinstance(scroll, bool) and scroll >= 0
    if not (is_number or scroll == "end"):
        raise ValueError("must be a number of screens, or end")


def check_seconds(seconds: Any) -> None:
    """Check a time in seconds."""
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not (is_number and seconds >= 0):
        raise ValueError("must be a number of seconds")


def check_locale(locale: str) -> None:
    """Check a language tag."""
    if not LOCALE.fullmatch(locale):
        raise ValueError(f"{locale!r} is not a language tag such as pt-BR")


def check_timezone(timezone: str) -> None:
    """Check the name of a time zone, if this machine has a full list of them."""
    names = _timezones()
    if names and timezone not in names:
        raise ValueError(f"{timezone!r} is not the name of a time zone such as Europe/Paris")


@cache
def _timezones() -> frozenset[str]:
    from zoneinfo import available_timezones

    names = available_timezones()
    # Debian and Ubuntu have moved former names, which Chromium knows, to a package of their own.
    is_full = FORMER_NAME in names
    return frozenset(names - {"localtime"}) if is_full else frozenset()


def check_user_agent(user_agent: str) -> None:
    """Check a user agent."""
    if FORBIDDEN.search(user_agent):
        raise ValueError("has forbidden characters")


def check_headers(headers: Mapping[str, str]) -> None:
    """Check names and values of HTTP headers.

    Raises
    ------
    ValueError
        One of them cannot be sent.
    """
    if not isinstance(headers, Mapping):
        raise ValueError("must be a mapping of names to values")
    for name, value in headers.items():
        if not TOKEN.fullmatch(name):
            raise ValueError("the name of a header may not contain spaces or other separators")
        if not isinstance(value, str):
            raise ValueError(f"the value of the header {name} is not a string")
        if FORBIDDEN.search(value):
            raise ValueError(f"the value of the header {name} has forbidden characters")
        if name.lower() == "host":
            raise ValueError("the header Host is that of the page's address")
        if not _is_sendable(name.lower(), value):
            raise ValueError(f"Chromium refuses to send this header: {name}")


def _is_sendable(name: str, value: str) -> bool:
    """Whether Chromium sends requests with a header, whose name is in lower case."""
    items = {item.strip().lower() for item in value.split(",")}
    if name == "connection":
        return items <= {"", "close", "keep-alive"}
    if name in METHOD_OVERRIDES:
        return items.isdisjoint({"connect", "trace", "track"})
    return not UNSENDABLE.fullmatch(name)


def check_proxy_address(proxy: str) -> None:
    """Check the address of a proxy."""
    try:
        parts = urlsplit(whole_proxy(proxy))
        is_valid = parts.scheme in PROXY_PORTS and parts.hostname and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        raise ValueError("must be an address such as http://127.0.0.1:3128")


def check_scope(selectors: Collection[str]) -> None:
    """Check a field that has a list of CSS selectors and XPaths."""
    if isinstance(selectors, str):
        raise ValueError("must be a list of CSS selectors or XPaths, not a single one")
    for selector in selectors:
        compiled_scope(selector)


@lru_cache(256)
def compiled_scope(selector: str) -> Callable[[Any], Any]:
    """The function that evaluates a CSS selector or an XPath on a tree of lxml.

    Raises
    ------
    ValueError
        The text is neither.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]
    from lxml.cssselect import CSSSelector, SelectorError

    try:
        if selector.lstrip().startswith(XPATH):
            return etree.XPath(selector)
        return CSSSelector(selector, translator="html")
    except (SelectorError, etree.XPathError, ValueError) as error:
        message = str(error) or type(error).__name__
        raise ValueError(
            f"{selector!r} is neither a CSS selector nor an XPath: {message}"
        ) from None


def check_selector_list(selectors: Collection[str]) -> None:
    """Check a field that has a list of CSS selectors."""
    if isinstance(selectors, str):
        raise ValueError("must be a list of CSS selectors, not a single one")
    check_selectors(*selectors)


def check_selectors(*selectors: str) -> None:
    """Check that CSS selectors are valid.

    Raises
    ------
    ValueError
        One of them is not.
    """
    if not selectors:
        return
    import soupsieve

    for selector in selectors:
        try:
            soupsieve.compile(UNKNOWN_CLASSES.sub(":hover", selector))
        # soupsieve has no pseudo-elements.
        except (soupsieve.SelectorSyntaxError, NotImplementedError) as error:
            message = str(error).splitlines()[0]
            raise ValueError(f"{selector!r} is not a CSS selector: {message}") from None
