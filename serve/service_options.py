"""`ServiceOptions`: how the service runs, in one frozen object."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import MioloError
from ..models.site_folder import SiteFolder
from ..renderer.network.blocking import Entries
from ..workers.system import is_root

# A browser and its Python process keep about two cores busy.
WORKERS = max(1, (os.cpu_count() or 2) // 2)

TOKEN_CHARS = 16


@dataclass(frozen=True)
class ServiceOptions:
    """How the service runs; the help of `miolo serve` describes the options."""

    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = WORKERS
    queue: int = 32
    token: str | None = field(default=None, repr=False)  # None only on loopback
    private: bool = False
    allowed: tuple[str, ...] = ()
    block: Entries | None = None
    sandbox: bool = True
    deadline: float = 60.0
    max_body: int = 8 << 20
    # Bytes that a worker and its browser may hold while they process a page. If the service's own
    # process holds more, it accepts only one request at a time.
    max_memory: int = 3 << 30
    per_address: int = 64
    log_json: bool = False
    max_pages: int = 500
    switches: tuple[str, ...] = ()
    sites: Path | None = None
    drafts: Path | None = None  # None to hold them in memory
    collection: Path | None = None
    overlap: float = 0.2
    blind: float = 0.1
    model: Path | None = None

    def check(self) -> None:
        """Reject unsafe options, and damaged files of learned sites."""
        if self.sites is not None:
            SiteFolder(self.sites).check()
        if self.token is None and not is_loopback(self.host):
            raise MioloError(
                f"{self.host} is reachable from other machines: set a token with --token-file or "
                "MIOLO_TOKEN, or listen on 127.0.0.1"
            )
        token = self.token
        if token is not None and (
            len(token) < TOKEN_CHARS or not all("!" <= c <= "~" for c in token)
        ):
            raise MioloError(
                f"the token must have at least {TOKEN_CHARS} ASCII letters, digits and symbols, "
                "and no spaces"
            )
        if self.sandbox and is_root():
            raise MioloError(
                "Chromium has no sandbox when run as root, and pages cannot be trusted: run as "
                "another user, or disable the sandbox with --no-sandbox"
            )


def is_loopback(host: str) -> bool:
    """Whether a host name or address is a loopback one."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
