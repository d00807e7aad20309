"""The user's own headers, such as an authorization, which are sent to one host and no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .origins import is_for_host, plain_origin

__all__ = ["OwnHeaders"]


@dataclass(frozen=True)
class OwnHeaders:
    """Headers for the host of a URL.

    Attributes
    ----------
    headers
        Values of the headers by name.
    home
        The URL.
    """

    headers: Mapping[str, str] = field(repr=False)
    home: str

    def for_url(self, url: str) -> dict[str, str]:
        """The headers to send with a request for a URL; none if it goes to another host."""
        return dict(self.headers) if is_for_host(url, self.home) else {}

    def origins(self) -> tuple[str, ...]:
        """Origins that the headers are for; headers for http may also be sent over https."""
        origin = plain_origin(self.home)
        if origin is None:
            return ()
        return tuple(dict.fromkeys((origin, origin.replace("http:", "https:", 1))))
