"""How the browser identifies itself: as the same Chromium does with a window.

Without a window Chromium calls itself HeadlessChrome, in the user agent with its full version, and
in the brands of its client hints. Nothing else is changed.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ...patterns import lazy_re
from ..network.origins import host_of, is_host_within

# The version without a window is complete, and with one reduced to its first number.
HEADLESS = lazy_re(r"\bHeadlessChrome/((\d+)[\d.]*)")

# The user agent of a Chromium, not of a browser that adds its own name or of any other program.
CHROMIUM = lazy_re(
    r"Mozilla/5\.0 \((?P<system>[^()]*)\) AppleWebKit/537\.36 \(KHTML, like Gecko\) "
    r"Chrome/(?P<version>(?P<major>\d{1,4})(?:\.\d+){0,3})(?P<mobile> Mobile)? Safari/537\.36"
)

# Names of systems in client hints, by a part of the user agent. Android names Linux, too.
SYSTEMS = {
    "Android": "Android", "Windows": "Windows", "Macintosh": "macOS", "CrOS": "Chrome OS",
    "Linux": "Linux",
}  # fmt: skip

# Chromium adds an invented brand, whose spelling, version and place depend on the version, so that
# servers do not rely on a list of brands (`GetGreasedUserAgentBrandVersion` and `ShuffleBrandList`
# in Chromium's user_agent_utils.cc).
GREASE = (" ", "(", ":", "-", ".", "/", ")", ";", "=", "?", "_")
GREASE_VERSIONS = ("8", "99", "24")


@dataclass(frozen=True)
class Identity:
    """What the browser says that it is; `metadata` has its client hints, in the protocol's form."""

    user_agent: str
    metadata: Mapping[str, Any] | None = None

    @property
    def override(self) -> dict[str, Any]:
        """Parameters of the protocol's `Emulation.setUserAgentOverride`."""
        hints = {"userAgentMetadata": dict(self.metadata)} if self.metadata else {}
        return {"userAgent": self.user_agent, **hints}

    def headers(self, url: str) -> dict[str, str]:
        """Headers of a plain request: the user agent, and the hints that every request has.

        As in Chromium, hints are sent only over https or to this machine.
        """
        own = {"User-Agent": self.user_agent}
        host = host_of(url)
        is_local = host == "::1" or host.startswith("127.") or is_host_within(host, "localhost")
        is_trustworthy = is_local or urlsplit(url).scheme.lower() == "https"
        if self.metadata is None or not is_trustworthy:
            return own
        brands = ", ".join(
            f'"{each["brand"]}";v="{each["version"]}"' for each in self.metadata["brands"]
        )
        return own | {
            "Sec-CH-UA": brands,
            "Sec-CH-UA-Mobile": "?1" if self.metadata["mobile"] else "?0",
            "Sec-CH-UA-Platform": f'"{self.metadata["platform"]}"',
        }


def window_identity(user_agent: str) -> Identity:
    """How a browser identifies itself with a window, from its user agent without one.

    >>> agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
    >>> own = window_identity(f"{agent} HeadlessChrome/156.0.8078.108 Safari/537.36")
    >>> own.user_agent.removeprefix(agent)
    ' Chrome/156.0.0.0 Safari/537.36'
    """
    match = HEADLESS.search(user_agent)
    if match is None:
        return custom_identity(user_agent)
    own = custom_identity(HEADLESS.sub(r"Chrome/\2.0.0.0", user_agent))
    if own.metadata is None:
        return own
    version = platform.mac_ver()[0] if own.metadata["platform"] == "macOS" else ""
    machine = "arm" if platform.machine().lower() in ("arm64", "aarch64") else "x86"
    full = _hints(match[1], {**own.metadata, "architecture": machine, "platformVersion": version})
    return Identity(own.user_agent, full)


def custom_identity(user_agent: str) -> Identity:
    """The identity for a user agent of the user's, whose client hints do not contradict it.

    Only the brands of Chromium itself are known. Other programs send no hints.
    """
    match = CHROMIUM.fullmatch(user_agent)
    system = next((SYSTEMS[part] for part in SYSTEMS if match and part in match["system"]), None)
    if match is None or system is None:
        return Identity(user_agent)
    facts = {
        "platform": system,
        "platformVersion": "",
        "architecture": "" if system == "Android" else "x86",
        "model": "",
        "mobile": bool(match["mobile"]),
    }
    return Identity(user_agent, _hints(match["version"], facts))


def _hints(version: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Client hints of a Chromium's version."""
    return {
        **facts,
        "brands": _brands(version, version.partition(".")[0], short=True),
        "fullVersionList": _brands(version, version, short=False),
        "fullVersion": version,
    }


def _brands(version: str, shown: str, *, short: bool) -> list[dict[str, str]]:
    seed = int(version.partition(".")[0])
    first, second = (GREASE[(seed + step) % len(GREASE)] for step in (0, 1))
    grease = GREASE_VERSIONS[seed % len(GREASE_VERSIONS)]
    brands = [
        {"brand": f"Not{first}A{second}Brand", "version": grease if short else f"{grease}.0.0.0"},
        {"brand": "Chromium", "version": shown},
    ]
    return brands if seed % 2 == 0 else brands[::-1]
