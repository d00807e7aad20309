"""robots.txt by RFC 9309: the paths that crawlers are to leave alone."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ...errors import MissingDependencyError
from .addresses import normal_url

if TYPE_CHECKING:
    from protego import Protego

__all__ = [
    "AGENT",
    "MAX_REDIRECTS",
    "MAX_ROBOTS",
    "MAX_WILDCARD_RULES",
    "UNREACHABLE",
    "Robots",
    "robots_url",
]

AGENT = "miolo"
"""The name that rules for Miolo alone are under."""

MAX_ROBOTS = 512_000
"""Bytes that are read; the RFC (2.5) requires at least 500 KiB."""

MAX_WILDCARD_RULES = 2_000
"""Rules with a wildcard (``*`` or ``$``) that are applied, in the order of the file.

Each of them is tried on every page; rules without a wildcard are tried all at once.
"""

UNREACHABLE = "unreachable"
"""Reason of `Robots` that could not be read."""

MAX_REDIRECTS = 5
"""Redirects that are followed (2.3.1.2), to other hosts as well."""


USER_AGENT = re.compile(r"([ \t]*user[- ]?agent[ \t]*:?[ \t]*)([^#]+)", re.I)
SITE_WIDE = re.compile(r"\s*(site-?maps?|host)\b", re.I)
OTHERS = "none-of-these"


@dataclass(frozen=True)
class Robots:
    """The rules of one host, for one agent.

    Attributes
    ----------
    reason
        Why there are no rules: ``unavailable``, and all is allowed, or ``unreachable``, and
        nothing is until the file is requested again; empty where there are.
    crawl_delay
        Seconds between two visits that the site requests, `Crawl-delay` or `Request-rate`,
        as it stands there; None if it does not.
    sitemaps
        Addresses in normal form.
    """

    reason: str
    agent: str = AGENT
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    _rules: Protego | None = None

    @classmethod
    def read(cls, url: str, status: int | None, body: bytes = b"", *, agent: str = AGENT) -> Robots:
        """Rules by the answer to the request for robots.txt.

        Parameters
        ----------
        url
            Address of the file, after redirects.
        status
            HTTP status in the end; None where there was no answer. A redirect means that
            there were more than `MAX_REDIRECTS`.
        body
            As it came, in any encoding, unpacked; only the beginning may have come.
        agent
            Product token that rules are looked for under, besides ``*``.

        Returns
        -------
        Without rules unless the status is 2xx. 3xx and 4xx mean that all is allowed
        (2.3.1.2, 2.3.1.3), 5xx and no answer that nothing is (2.3.1.4). 429 counts with the
        latter: a server that has too much to do is not to be visited at once.

        Raises
        ------
        MissingDependencyError
            Protego or ada-url is not installed.
        """
        if status is None or status >= 500 or status == 429 or status < 200:
            return cls(UNREACHABLE, agent)
        if status >= 300:
            return cls("unavailable", agent)
        rules = _parse(_for_agent(_text(body), agent))
        addresses = (normal_url(sitemap, url) for sitemap in rules.sitemaps)
        sitemaps = tuple(dict.fromkeys(filter(None, addresses)))
        return cls("", agent, _delay(rules, agent), sitemaps, rules)

    def allows(self, url: str) -> bool:
        """Whether an address of the host, in normal form, may be visited."""
        if self._rules is None:
            return self.reason == "unavailable"
        return self._rules.can_fetch(url, self.agent)


def robots_url(url: str) -> str:
    """Address of the robots.txt that an address in normal form is under.

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
        # Half a rule may forbid more than the whole.
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    return body.decode("utf-8-sig", "replace").replace("\0", "")


def _for_agent(text: str, agent: str) -> str:
    """The text with one name for all other agents, and a bounded number of wildcard rules.

    Each rule is kept once for each agent of its group: a file of 500 kB may name thousands
    above ten thousands of rules.
    """
    lines: list[str] = []
    wildcards, applies, in_rules = 0, False, False
    for line in text.splitlines():
        rule = line.partition("#")[0].strip()
        if match := USER_AGENT.match(line):
            name = match[2].strip().lower()
            is_ours = name == "*" or name.replace("*", "") in agent.lower()
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


def _delay(rules: Protego, agent: str) -> float | None:
    """The longest pause that the rules request."""
    rate, crawl_delay = rules.request_rate(agent), rules.crawl_delay(agent)
    between = None if rate is None else rate.seconds / rate.requests
    return max((delay for delay in (crawl_delay, between) if delay is not None), default=None)


def _parse(text: str) -> Protego:
    try:
        from protego import Protego
    except ImportError:
        raise MissingDependencyError(
            "robots.txt needs Protego: pip install 'miolo[collect]'"
        ) from None
    return Protego.parse(text)
