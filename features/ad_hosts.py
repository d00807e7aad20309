"""Hosts of advertisements."""

from __future__ import annotations

AD_HOSTS = (
    "2mdn.net", "adform.net", "adnxs.com", "adroll.com", "adsrvr.org", "advertising.com",
    "amazon-adsystem.com", "casalemedia.com", "criteo.com", "doubleclick.net",
    "googleadservices.com", "googlesyndication.com", "media.net", "mgid.com", "moatads.com",
    "openx.net", "outbrain.com", "pubmatic.com", "revcontent.com", "rubiconproject.com",
    "sharethrough.com", "smartadserver.com", "taboola.com", "teads.tv", "zedo.com",
)  # fmt: skip
"""A few well-known hosts of advertisements; maintained lists have more."""


def is_listed(host: str, hosts: frozenset[str]) -> bool:
    """Whether a host is in a list, or a subdomain of one that is."""
    parts = host.split(".")
    return any(".".join(parts[place:]) in hosts for place in range(len(parts)))
