"""robots.txt (RFC 9309): the paths that crawlers must not visit."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ...errors import MissingDependencyError
from ...patterns import lazy_re
from .normal_urls import normal_url

if TYPE_CHECKING:
    from protego import Protego

AGENT = "miolo"  # product token of Miolo in robots.txt

MAX_ROBOTS = 512_000
"""Maximum number of bytes that are read; RFC 9309, 2.5, requires at least 500 KiB."""

MAX_WILDCARD_RULES = 2_000
"""Maximum number of rules with a wildcard (``*`` or ``$``) that are applied, in file order.

Each of them is matched separately against every address; rules without a wildcard are matched all
at once.
"""

UNREACHABLE = "unreachable"  # value of `Robots.reason` if robots.txt could not be read

USER_AGENT = lazy_re(r"([ \t]*user[- ]?agent[ \t]*:?[ \t]*)([^#]+)", re.I)
SITE_WIDE = lazy_re(r"\s*(site-?maps?|host)\b", re.I)
OTHERS = "none-of-these"


@dataclass(frozen=True)
class Robots:
    """The rules of one host for `AGENT`."""

    reason: str
    """Why there are no rules; empty if there are. If it is ``unavailable``, everything is allowed.
    If it is ``unreachable``, nothing is allowed until the file is requested again."""
    crawl_delay: float | None = None
    """Seconds between two visits that the site requests with `Crawl-delay` or `Request-rate`."""
    sitemaps: tuple[str, ...] = ()  # addresses of the sitemaps that the file names, in normal form
    _rules: Protego | None = None

    @classmethod
    def read(cls, url: str, status: int | None, body: bytes = b"") -> Robots:
        """Read the rules from the response to a request for robots.txt, which may be truncated.

        The status is None if there was no response, or too many redirects. Only 2xx has rules. 4xx,
        and 3xx without a target, mean that everything is allowed (RFC 9309, 2.3.1.3), 5xx and no
        response that nothing is (2.3.1.4). 429 is treated like 5xx, because an overloaded server
        must not be visited at once.
        """
        if status is None or status >= 500 or status == 429 or status < 200:
            return cls(UNREACHABLE)
        if status >= 300:
            return cls("unavailable")
        try:
            from protego import Protego
        except ImportError:
            raise MissingDependencyError.of_extra("reading robots.txt", "collect") from None
        rules = Protego.parse(_relevant(_text(body)))
        addresses = (normal_url(sitemap, url) for sitemap in rules.sitemaps)
        sitemaps = tuple(dict.fromkeys(filter(None, addresses)))
        return cls("", _delay(rules), sitemaps, rules)

    def allows(self, url: str) -> bool:
        """Whether an address of the host, in normal form, may be visited."""
        if self._rules is None:
            return self.reason == "unavailable"
        return self._rules.can_fetch(url, AGENT)


def robots_url(url: str) -> str:
    """Address of the robots.txt that applies to an address in normal form.

    >>> robots_url("https://example.org:8443/a/b?c")
    'https://example.org:8443/robots.txt'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/robots.txt"


def _text(body: bytes) -> str:
    body = body[:MAX_ROBOTS]
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    if len(body) == MAX_ROBOTS:
        # A truncated rule may forbid more than the complete one.
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    return body.decode("utf-8-sig", "replace").replace("\0", "")


def _relevant(text: str) -> str:
    """The text with one name for all other agents and a bounded number of wildcard rules.

    Protego stores each rule once per agent of its group, and a file of 500 kB may have a group with
    thousands of agents and tens of thousands of rules.
    """
    lines: list[str] = []
    wildcards, applies, in_rules = 0, False, False
    for line in text.splitlines():
        rule = line.partition("#")[0].strip()
        if match := USER_AGENT.match(line):
            name = match[2].strip().lower()
            is_ours = name == "*" or name.replace("*", "") in AGENT
            applies, in_rules = is_ours or (applies and not in_rules), False
            lines.append(line if is_ours else f"{match[1]}{OTHERS}")
            continue
        if rule and not SITE_WIDE.match(rule):
            in_rules = True
            if applies and ("*" in rule or "$" in rule):
                wildcards += 1
                if wildcards > MAX_WILDCARD_RULES:
                    continue
        lines.append(line)
    return "\n".join(lines)


def _delay(rules: Protego) -> float | None:
    """The longest delay that the rules request."""
    rate, crawl_delay = rules.request_rate(AGENT), rules.crawl_delay(AGENT)
    between = None if rate is None else rate.seconds / rate.requests
    return max((delay for delay in (crawl_delay, between) if delay is not None), default=None)
