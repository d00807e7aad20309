"""Headers of the user's, such as an authorization: they are for one host, and sent to no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..origins import is_for_host, origin_of

__all__ = ["OwnHeaders"]


@dataclass(frozen=True)
class OwnHeaders:
    """Headers for the host of an address.

    Attributes
    ----------
    headers
        By their names.
    home
        The address.
    """

    headers: Mapping[str, str] = field(repr=False)
    home: str

    def for_url(self, url: str) -> dict[str, str]:
        """The headers that are sent with a request; none with one to another host."""
        return dict(self.headers) if is_for_host(url, self.home) else {}

    def origins(self) -> tuple[str, ...]:
        """Origins that the headers are for: headers for http may go to https, too."""
        origin = origin_of(self.home)
        if origin is None:
            return ()
        secure = origin.removesuffix(":80").replace("http:", "https:", 1)
        return tuple(dict.fromkeys((origin, secure)))
