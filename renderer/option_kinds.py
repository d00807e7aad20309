"""Kinds of rendering options: what their values are, and how they are written as text.

No message about a header or a proxy quotes its value, which may be secret.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..names import check_names
from ..patterns import lazy_re
from .devices import check_device
from .network.blocking import read_block
from .network.cookies import check_cookies, check_storage_state, read_cookies, read_storage_state
from .network.origins import PROXY_PORTS, whole_proxy

LOCALE = lazy_re("[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}")

SIDES = 50, 10_000
"""Minimum and maximum of the width and the height of a window, CSS px."""

WINDOW = f"must be a width and a height in CSS px, each from {SIDES[0]} to {SIDES[1]:,}"

FORMER_NAME = "US/Pacific"  # a name of a time zone that only full lists contain

# Pseudo-classes that Chromium knows and soupsieve does not.
UNKNOWN_CLASSES = lazy_re(r"(?<!:):(modal|valid|invalid|user-valid|state\([\w-]+\))(?![\w(-])")

XPATH = ("/", "./", "(", "id(")  # how an XPath begins, and no CSS selector does

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
    # Converts what a caller gives to a value of `RenderOptions`; raises a `ValueError`, or an error
    # of a file.
    convert: Callable[[Any], Any]
    placeholder: str = ""  # in the help
    choices: tuple[str, ...] = ()  # the values, if there are only a few

    def read(self, value: Any, folder: Path) -> Any:
        """Convert what the command line or a settings file gives, with paths in a folder."""
        if self is BLOCK:
            return read_block(
                ",".join(map(str, value)) if isinstance(value, list) else value, folder
            )
        if self.form is not Path:
            return self.convert(value)
        if not isinstance(value, (str, Path)):
            raise ValueError("must be a string")
        return self.convert(folder / value)


def choice_of(choices: tuple[str, ...]) -> Kind:
    """A kind with a few values."""

    def convert(value: Any) -> str:
        check_names("choice", [str(value)], choices)
        return value

    return Kind(str, convert, choices=choices)


def _text_kind(check: Callable[[str], object], placeholder: str = "") -> Kind:
    """A kind with the texts for which a check raises no `ValueError`."""

    def convert(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError("must be a string")
        check(value)
        return value

    return Kind(str, convert, placeholder)


def _file_kind(read: Callable[[Path], Any], check: Callable[[Any], None]) -> Kind:
    """A kind with values that a check accepts, or that are read from a file."""

    def convert(value: Any) -> Any:
        value = read(Path(value)) if isinstance(value, (str, Path)) else value
        check(value)
        return value

    return Kind(Path, convert)


def _selectors_kind(check: Callable[[str], object], what: str) -> Kind:
    """A kind with lists of selectors, or a single one, that a check accepts."""

    def convert(value: Any) -> tuple[str, ...]:
        selectors = (value,) if isinstance(value, str) else value
        is_list = isinstance(selectors, Collection) and not isinstance(selectors, Mapping)
        if not is_list or not all(isinstance(each, str) for each in selectors):
            raise ValueError(f"must be {what}, or a list of them")
        for selector in selectors:
            check(selector)
        return tuple(selectors)

    return Kind(list[str], convert, "SELECTOR")


def check_type(value: Any, kind: type, name: str) -> None:
    """Check a field whose values are of a type of this package."""
    if not isinstance(value, kind):
        raise ValueError(f"{name}: must be {kind.__name__}(...), not {value!r}")


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _seconds(value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (is_number and value >= 0):
        raise ValueError("must be a number of seconds")
    return float(value)


def _viewport(value: Any) -> tuple[int, int]:
    sizes = [*map(_whole_number, value.split("x"))] if isinstance(value, str) else value
    is_pair = isinstance(sizes, (tuple, list)) and len(sizes) == 2
    low, high = SIDES
    if not is_pair or not all(isinstance(each, int) and low <= each <= high for each in sizes):
        raise ValueError(f"{WINDOW}, such as 1280x1024")
    return sizes[0], sizes[1]


def _scroll(value: Any) -> Any:
    screens = _whole_number(value)
    is_number = isinstance(screens, int) and not isinstance(screens, bool) and screens >= 0
    if not (is_number or screens == "end"):
        raise ValueError("must be a number of screens, or end")
    return screens


def _whole_number(value: Any) -> Any:
    """The number that a text is; anything else as it is."""
    is_number = isinstance(value, str) and value.isascii() and value.isdecimal()
    return int(value[:9]) if is_number else value


def _script(value: Any) -> str:
    if not isinstance(value, Path):
        return value
    try:
        with value.open("rb") as opened:
            script = opened.read(MAX_SCRIPT + 1)
        text = script.decode("utf-8", "ignore" if len(script) > MAX_SCRIPT else "strict")
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "it is not UTF-8"
        raise ValueError(f"{value} cannot be read: {cause}") from None
    if len(script) > MAX_SCRIPT:
        raise ValueError(f"{value} is larger than {MAX_SCRIPT:,} bytes")
    return text


def _check_locale(locale: str) -> None:
    if not LOCALE.fullmatch(locale):
        raise ValueError(f"{locale!r} is not a language tag such as pt-BR")


def _check_timezone(timezone: str) -> None:
    names = _timezones()
    if names and timezone not in names:
        close = get_close_matches(timezone, sorted(names), 1, 0.4) or ["Europe/Paris"]
        raise ValueError(f"{timezone!r} is not the name of a time zone such as {close[0]}")


@cache
def _timezones() -> frozenset[str]:
    """Names of time zones; none if this machine has no full list of them."""
    from zoneinfo import available_timezones

    names = available_timezones()
    # Debian and Ubuntu have moved former names, which Chromium knows, to a package of their own.
    is_full = FORMER_NAME in names
    return frozenset(names - {"localtime"}) if is_full else frozenset()


def _check_user_agent(user_agent: str) -> None:
    if FORBIDDEN.search(user_agent):
        raise ValueError("has forbidden characters")


def _headers(value: Any) -> Mapping[str, str]:
    headers = dict(map(_header, value)) if isinstance(value, list) else value
    if not isinstance(headers, Mapping):
        raise ValueError("must be a mapping of names to values")
    for name, text in headers.items():
        if not isinstance(name, str) or not TOKEN.fullmatch(name):
            raise ValueError("the name of a header may not contain spaces or other separators")
        if not isinstance(text, str):
            raise ValueError(f"the value of the header {name} is not a string")
        if FORBIDDEN.search(text):
            raise ValueError(f"the value of the header {name} has forbidden characters")
        if name.lower() == "host":
            raise ValueError("the header Host is that of the page's address")
        if not _is_sendable(name.lower(), text):
            raise ValueError(f"Chromium refuses to send this header: {name}")
    return dict(headers)  # options are pickled for other processes


def _header(line: Any) -> tuple[str, str]:
    name, _, value = (part.strip() for part in str(line).partition(":"))
    if not (name and value):
        raise ValueError("a header must have the form NAME: VALUE")
    return name, value


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


def check_selector(selector: str) -> None:
    """Check that a CSS selector is valid."""
    import soupsieve

    try:
        soupsieve.compile(UNKNOWN_CLASSES.sub(":hover", selector))
    # soupsieve has no pseudo-elements.
    except (soupsieve.SelectorSyntaxError, NotImplementedError) as error:
        message = str(error).splitlines()[0]
        raise ValueError(f"{selector!r} is not a CSS selector: {message}") from None


FLAG = Kind(bool, _flag)
SECONDS = Kind(float, _seconds)
VIEWPORT = Kind(str, _viewport, "WIDTHxHEIGHT")
SCROLL = Kind(str, _scroll, "SCREENS")
AGENT = _text_kind(_check_user_agent)
LANGUAGE = _text_kind(_check_locale)
DEVICE = _text_kind(check_device, "NAME")
TIMEZONE = _text_kind(_check_timezone)
PROXY = _text_kind(_check_proxy)
SELECTOR = _text_kind(lambda text: check_selector(text) if text else None, "SELECTOR")
SELECTORS = _selectors_kind(check_selector, "a CSS selector")
SCOPE = _selectors_kind(compiled_scope, "a CSS selector or an XPath")
BLOCK = Kind(list[str], read_block, "WHAT")
HEADERS = Kind(list[str], _headers, "HEADER")
SCRIPT = Kind(Path, _script)
COOKIES = _file_kind(read_cookies, check_cookies)
STORAGE_STATE = _file_kind(read_storage_state, check_storage_state)
