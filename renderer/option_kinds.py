"""Kinds of rendering options: how their values are written in files and on the command line.

A wrong value is refused before a page is visited. The messages about headers and proxies quote none
of their values, which may be secret.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..names import unknown_name
from ..patterns import lazy_re
from .devices import check_device
from .network.blocking import Entries, read_block
from .network.cookies import check_cookies, check_storage_state, read_cookies, read_storage_state
from .network.origins import PROXY_PORTS, whole_proxy

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

MAX_SCRIPT = 10 << 20


@dataclass(frozen=True)
class Kind:
    """Values of a rendering option."""

    form: Any  # on the command line: `str`, `bool`, `float`, `Path` or `list[str]`
    # Converts a value of a settings file or of the command line to that of `RenderOptions`, given
    # the folder to which paths are relative; raises a `ValueError` or an error of a file.
    read: Callable[[Any, Path], Any]
    # Raises a `ValueError` if a value of `RenderOptions` is invalid.
    check: Callable[[Any], None] = lambda _: None
    placeholder: str = ""  # in the help
    choices: tuple[str, ...] = ()  # the values, if there are only a few


def choice_of(choices: tuple[str, ...]) -> Kind:
    """A kind with a few values."""
    return Kind(str, _text, partial(_check_choice, choices=choices), choices=choices)


def _text(value: Any, folder: Path) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def _headers(value: Any, folder: Path) -> dict[str, str]:
    if isinstance(value, list):
        return dict(map(_header, value))
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError("must be a table of names and strings")
    return value


def _header(line: Any) -> tuple[str, str]:
    name, _, value = (part.strip() for part in str(line).partition(":"))
    if not (name and value):
        raise ValueError("a header must have the form NAME: VALUE")
    return name, value


def _block(value: Any, folder: Path) -> Entries:
    if not isinstance(value, (str, list)):
        raise ValueError("must be a string or a list of strings")
    entries = value if isinstance(value, str) else ",".join(map(str, value))
    return read_block(entries, folder)


def _selectors(value: Any, folder: Path, what: str = "a CSS selector") -> tuple[str, ...]:
    selectors = (value,) if isinstance(value, str) else value if isinstance(value, list) else ()
    if not selectors or not all(isinstance(each, str) for each in selectors):
        raise ValueError(f"must be {what}, or a list of them")
    return tuple(selectors)


def _viewport(value: Any, folder: Path) -> tuple[int, int]:
    width, _, height = value.partition("x") if isinstance(value, str) else ("", "", "")
    sizes = [int(each) if each.isascii() and each.isdecimal() else 0 for each in (width, height)]
    if not all(10 <= size < 100_000 for size in sizes):
        raise ValueError("must be a width and a height, such as 1280x1024")
    return sizes[0], sizes[1]


def _scroll(value: Any, folder: Path) -> Any:
    is_number = isinstance(value, str) and value.isascii() and value.isdecimal()
    return int(value) if is_number else value


def _script(value: Any, folder: Path) -> str:
    file = folder / _path(value, folder)
    try:
        with file.open("rb") as opened:
            script = opened.read(MAX_SCRIPT + 1)
        text = script.decode("utf-8", "ignore" if len(script) > MAX_SCRIPT else "strict")
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "it is not UTF-8"
        raise ValueError(f"{file} cannot be read: {cause}") from None
    if len(script) > MAX_SCRIPT:
        raise ValueError(f"{file} is larger than {MAX_SCRIPT:,} bytes")
    return text


def _path(value: Any, folder: Path) -> Path:
    return folder / (value if isinstance(value, Path) else _text(value, folder))


def _check_flag(value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")


def _check_choice(value: Any, choices: Collection[str]) -> None:
    if value not in choices:
        raise ValueError(unknown_name("choice", str(value), choices))


def check_type(value: Any, kind: type, name: str) -> None:
    """Check a field whose values are of a type of this package."""
    if not isinstance(value, kind):
        raise ValueError(f"{name}: must be {kind.__name__}(...), not {value!r}")


def _check_viewport(viewport: Any) -> None:
    sizes = viewport if isinstance(viewport, (tuple, list)) else ()
    if len(sizes) != 2 or not all(isinstance(each, int) and each > 0 for each in sizes):
        raise ValueError("must be a width and a height in CSS px, as in (1280, 1024)")


def _check_scroll(scroll: Any) -> None:
    is_number = isinstance(scroll, int) and not isinstance(scroll, bool) and scroll >= 0
    if not (is_number or scroll == "end"):
        raise ValueError("must be a number of screens, or end")


def _check_seconds(seconds: Any) -> None:
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
        close = get_close_matches(timezone, sorted(names), 1, 0.4) or ["Europe/Paris"]
        raise ValueError(f"{timezone!r} is not the name of a time zone such as {close[0]}")


@cache
def _timezones() -> frozenset[str]:
    from zoneinfo import available_timezones

    names = available_timezones()
    # Debian and Ubuntu have moved former names, which Chromium knows, to a package of their own.
    is_full = FORMER_NAME in names
    return frozenset(names - {"localtime"}) if is_full else frozenset()


def _check_user_agent(user_agent: str) -> None:
    if FORBIDDEN.search(user_agent):
        raise ValueError("has forbidden characters")


def _check_headers(headers: Mapping[str, str]) -> None:
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


def _check_proxy(proxy: str) -> None:
    if not proxy:
        return
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
    """The function that evaluates a CSS selector or an XPath on a tree of lxml."""
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


def _check_selector_list(selectors: Collection[str]) -> None:
    if isinstance(selectors, str):
        raise ValueError("must be a list of CSS selectors, not a single one")
    check_selectors(*selectors)


def check_selectors(*selectors: str) -> None:
    """Check that CSS selectors are valid."""
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


SELECTOR_OR_XPATH = "a CSS selector or an XPath"

FLAG = Kind(bool, lambda value, folder: value, _check_flag)
SECONDS = Kind(
    float, lambda value, folder: float(value) if type(value) is int else value, _check_seconds
)
VIEWPORT = Kind(str, _viewport, _check_viewport, "WIDTHxHEIGHT")
SCROLL = Kind(str, _scroll, _check_scroll, "SCREENS")
AGENT = Kind(str, _text, _check_user_agent)
LANGUAGE = Kind(str, _text, check_locale)
DEVICE = Kind(str, _text, check_device, "NAME")
TIMEZONE = Kind(str, _text, check_timezone)
PROXY = Kind(str, _text, _check_proxy)
SELECTOR = Kind(str, _text, lambda text: check_selectors(*filter(None, [text])), "SELECTOR")
SELECTORS = Kind(list[str], _selectors, _check_selector_list, "SELECTOR")
SCOPE = Kind(list[str], partial(_selectors, what=SELECTOR_OR_XPATH), check_scope, "SELECTOR")
BLOCK = Kind(list[str], _block, placeholder="WHAT")
HEADERS = Kind(list[str], _headers, _check_headers, "HEADER")
SCRIPT = Kind(Path, _script)
COOKIES = Kind(Path, lambda value, folder: read_cookies(_path(value, folder)), check_cookies)
STORAGE_STATE = Kind(
    Path, lambda value, folder: read_storage_state(_path(value, folder)), check_storage_state
)
