"""Attacks on a private network: `ATTACKS` is the table, `run_attack` tries one of them."""

from dataclasses import dataclass
from time import monotonic

import miolo
from egress_attack_table import ATTACKS, EMBEDDED, LEAVING, NAMED, SCRIPTED, Attack
from egress_hosts import POLICY, Hosts, Reply
from miolo.renderer.network.policy import EgressPolicy

__all__ = [
    "ATTACKS",
    "EMBEDDED",
    "LEAVING",
    "NAMED",
    "SCRIPTED",
    "Attack",
    "Outcome",
    "attacked_hosts",
    "run_attack",
]

LIMITS = miolo.Limits(seconds=10)

MARK = "page of the public host"


@dataclass(frozen=True)
class Outcome:
    """Outcome of an attack.

    Attributes
    ----------
    held
        Whether nothing private was reached, and the page was rendered unless it had to be blocked.
    hits
        Number of connections and datagrams that the victim received.
    output
        Text of the page, or the error.
    reached
        Whether the victim was contacted, or the page shows content that it may not read.
    seconds
        Wall time.
    """

    held: bool
    hits: int
    output: str
    reached: bool
    seconds: float
    with_warnings: bool = False


def reply(hosts: Hosts, path: str) -> Reply | None:
    """The public host's reply to a path."""
    if path.startswith("/attack/"):
        attack = ATTACKS[int(path.removeprefix("/attack/"))]
        page = f"<!doctype html><title>t</title><p>{MARK}</p>{attack.page}"
        headers = tuple((name, fill(hosts, value)) for name, value in attack.headers)
        return Reply(fill(hosts, page), headers, attack.status)
    fixed = {
        "/to-victim": Reply("", (("Location", "http://VICTIM/"),), 302),
        "/shared.js": Reply("fetch('http://VICTIM/')", (("Content-Type", "text/javascript"),)),
    }
    answer = fixed.get(path, Reply("echo") if path.startswith("/echo") else None)
    if answer is None:
        return None
    headers = tuple((name, fill(hosts, value)) for name, value in answer.headers)
    return Reply(fill(hosts, answer.body), headers, answer.status)


def fill(hosts: Hosts, text: str) -> str:
    """A text with the hosts and the port filled in."""
    text = text.replace("VICTIM", f"127.0.0.1:{hosts.port}")
    return text.replace("PUBLIC", f"public.test:{hosts.port}").replace("PORT", str(hosts.port))


def attacked_hosts() -> Hosts:
    """The hosts, with the pages of the attacks."""
    hosts = Hosts(lambda path: reply(hosts, path))
    return hosts


async def run_attack(
    renderer: miolo.Renderer, hosts: Hosts, attack: Attack, egress: EgressPolicy = POLICY
) -> Outcome:
    """Try one attack.

    Parameters
    ----------
    renderer
        Renderer with the tests' own resolver.
    hosts
        Result of `attacked_hosts`.
    attack
        The attack to try.
    egress
        Egress policy of the page.
    """
    hosts.hits()
    url = attack.address or f"http://PUBLIC/attack/{ATTACKS.index(attack)}"
    started, with_warnings = monotonic(), False
    options = miolo.RenderOptions(egress=egress, limits=LIMITS)
    try:
        snapshot = await renderer.render(fill(hosts, url), options)
    except miolo.NavigationError as error:
        output, as_meant = f"{error.cause}: {error}", attack.blocked
    else:
        output = " ".join("".join(snapshot.text).split())
        with_warnings = any(warning.code == "egress" for warning in snapshot.page.warnings)
        as_meant = not attack.blocked and MARK in output
    seconds, hits = monotonic() - started, hosts.hits()
    leaked = any(secret in output for secret in ("SECRET", "root:x", "chrome://"))
    reached = bool(hits) or leaked
    return Outcome(as_meant and not reached, hits, output, reached, seconds, with_warnings)
