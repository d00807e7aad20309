"""Attacks on a private network in a real Chromium never reach any part of it."""

import asyncio
import json
import subprocess

import egress_attacks as attacks
import miolo
import pytest
from egress_hosts import Resolver
from miolo.renderer.network.policy import EgressPolicy
from name_attacks import CHAINS
from name_attacks import COMMAND as NAMES
from samples import sample

CONCURRENCY = 4

# The names of the tests' resolver, for a Chromium that resolves them itself.
OPEN = ("--host-resolver-rules=MAP public.test 127.0.0.2, MAP *.test 127.0.0.1, EXCLUDE 127.0.0.1",)

REAL = ("address itself", "decimal form", "redirect 302", "meta refresh", "frame", "image",
        "fetch", "WebSocket", "worker", "beacon", "WebRTC, TURN over TCP", "rebinding")  # fmt: skip

# Attacks whose outcomes are examined further.
NEEDED = {
    "address itself", "redirect 302", "fetch", "rebinding", "name with a private address too"
}  # fmt: skip


@pytest.fixture(scope="module")
def hosts():
    with attacks.attacked_hosts() as running:
        yield running


def run_attacks(hosts, chosen, egress=attacks.POLICY, concurrency=CONCURRENCY, **about):
    """Outcomes of attacks by name, with a renderer of their own."""

    async def scenario():
        gate = asyncio.Semaphore(concurrency)
        options = miolo.RenderOptions(egress=egress)

        async with miolo.Renderer(options, **about) as renderer:

            async def one(attack):
                async with gate:
                    return attack.name, await attacks.run_attack(renderer, hosts, attack, egress)

            return dict(await asyncio.gather(*map(one, chosen)))

    return asyncio.run(scenario())


@pytest.mark.parametrize("kind", ["NAMED", "LEAVING", "EMBEDDED", "SCRIPTED"])
def test_every_attack_is_blocked(hosts, kind):
    resolver = Resolver()
    table = getattr(attacks, kind)
    chosen = [attack for attack in table if attack in sample(table, 4) or attack.name in NEEDED]
    outcomes = run_attacks(hosts, chosen, resolve=resolver)
    assert {name: outcome.output for name, outcome in outcomes.items() if not outcome.held} == {}
    # Each host name of a page is resolved once, even if a later lookup would differ.
    if kind == "SCRIPTED":
        assert resolver.lookups["rebind.test"] == resolver.lookups["mixed.test"] == 1
        assert sum(path.startswith("/echo") for path in hosts.requests) >= 6
        assert outcomes["fetch"].with_warnings
    if kind == "NAMED":
        assert "EGRESS_REFUSED" in outcomes["address itself"].output
        assert "EGRESS_REFUSED" in outcomes["redirect 302"].output


def test_names_that_lead_there_through_other_names_are_refused():
    if subprocess.run(["unshare", "--mount", "--net", "true"], check=False).returncode:
        pytest.skip("needs namespaces of its own")
    done = subprocess.run([*NAMES, "never"], capture_output=True, check=True)
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) == len(CHAINS)
    assert [name for name, *_, held in outcomes if not held] == []


def test_without_a_filter_the_attacks_reach_their_victim(hosts):
    chosen = [attack for attack in attacks.ATTACKS if attack.name in REAL]
    assert all(attack.real for attack in chosen)
    outcomes = run_attacks(hosts, chosen, EgressPolicy("always"), concurrency=1, switches=OPEN)
    assert [name for name, outcome in outcomes.items() if not outcome.hits] == []
