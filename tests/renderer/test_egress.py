"""Names and the proxy, each by itself on loopback."""

from __future__ import annotations

import asyncio
import struct
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address

import miolo
import pytest
from egress_hosts import NAMES, Resolver
from hypothesis import given
from hypothesis import strategies as st
from miolo.renderer.network.egress_proxy import EgressProxy, Refused, is_home_private
from miolo.renderer.network.policy import EgressPolicy
from miolo.renderer.network.relay import connect
from miolo.renderer.network.resolver import (
    MAX_NAMES,
    Names,
    NotResolvedError,
    SystemResolver,
    with_rules,
)
from miolo.renderer.page_policy import resolve_policy


def test_names_are_asked_once_and_not_without_end():
    async def scenario():
        resolver = Resolver()
        names = Names(resolver)
        found = await asyncio.gather(*(names.addresses("Rebind.Test.") for _ in range(9)))
        assert set(found) == {(ip_address("127.0.0.2"),)}
        assert resolver.asked["rebind.test"] == 1
        assert await names.addresses("[::1]") == (ip_address("::1"),)
        for number in range(MAX_NAMES + 5):
            with pytest.raises(NotResolvedError):
                await names.addresses(f"n{number}.test")
        assert sum(resolver.asked.values()) == MAX_NAMES
        await names.close()

    asyncio.run(scenario())


def test_names_that_nobody_answers_for_are_given_up(monkeypatch):
    monkeypatch.setattr("miolo.renderer.network.resolver.SECONDS", 0.05)

    async def silent(host):
        await asyncio.Event().wait()

    async def scenario():
        with pytest.raises(NotResolvedError):
            await Names(silent).addresses("slow.test")

    asyncio.run(scenario())


def test_the_system_knows_this_machine():
    async def scenario():
        resolver = SystemResolver()
        for host in ("localhost", "LOCALHOST.", "a.localhost"):
            assert all(ip_address(found).is_loopback for found in await resolver(host))
        assert await resolver("127.1") == ["127.0.0.1"]
        resolver.close()

    asyncio.run(scenario())


def test_rules_of_chromium_hold_for_names_resolved_beside_it():
    async def scenario():
        rules = (
            "--host-resolver-rules=MAP a.test public.test, MAP * ~NOTFOUND, EXCLUDE private.test"
        )
        resolve = with_rules(Resolver(), ("--other", "--host-resolver-rules=x", rules))
        assert await resolve("a.test") == NAMES["public.test"][0]
        assert await resolve("private.test") == NAMES["private.test"][0]
        with pytest.raises(NotResolvedError):
            await resolve("public.test")
        with pytest.raises(ValueError, match="heeds only"):
            with_rules(resolve, ("--host-resolver-rules=MAP a 127.0.0.1:80",))

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("url", "private", "become"),
    [
        ("http://private.test/", "named", "always"),
        ("http://public.test/", "named", "never"),
        ("http://gone.test/", "named", "never"),
        ("http://[::1]/", "named", "always"),
        ("http://[::ffff:93.184.215.14]/", "named", "never"),
        ("http://[::ffff:10.0.0.1]/", "named", "never"),
        ("http://[2002:5db8:d70e::1]/", "named", "never"),
        ("http://[64:ff9b::a00:1]/", "named", "never"),
        ("http://192.0.2.1/", "named", "never"),
        ("http://0.0.0.0/", "named", "never"),
        ("page.html", "named", "never"),
        ("http://private.test/", "never", "never"),
        ("http://public.test/", "always", "always"),
    ],
)
def test_what_a_first_page_is_decides_for_those_it_leads_to(url, private, become):
    names = {"public.test": (("93.184.215.14",),), "private.test": (("10.0.0.1",),)}
    options = miolo.RenderOptions(egress=EgressPolicy(private))
    assert asyncio.run(resolve_policy(options, url, Resolver(names))).egress.private == become


EVIL = (
    "::ffff:93.184.215.14", "::93.184.215.14", "::ffff:0:93.184.215.14", "2002:5db8:d70e::1",
    "2001:0:4136:e378:8000:63bf:a247:28f1", "64:ff9b::5db8:d70e", "64:ff9b:1::5db8:d70e",
    "192.0.2.1", "240.0.0.1", "0.0.0.0", "224.0.0.1", "2001:db8::1", "ff02::1",
)  # fmt: skip


@pytest.mark.parametrize("address", EVIL)
@pytest.mark.parametrize("beside", [(), ("127.0.0.1",)], ids=["alone", "beside a private one"])
def test_an_address_that_is_not_public_is_no_private_home(address, beside):
    """An attacker's name with such an address opened the private network to its page."""

    async def scenario():
        names = {"evil.test": ((address, *beside),), "intranet.test": (("10.0.0.7",),)}
        named = EgressPolicy("named")
        assert not await is_home_private("http://evil.test/", named, Names(Resolver(names)))
        async with egress_proxy(named, "http://evil.test/", Resolver(names)) as way:
            for victim in ("127.0.0.1", "::1", "169.254.169.254", "10.0.0.7", "intranet.test"):
                with pytest.raises(Refused):
                    await way.reachable(victim, 80)

    asyncio.run(scenario())


def test_a_private_home_reaches_private_and_public_addresses_alone():
    async def scenario():
        names = {"intranet.test": (("10.0.0.7",),)}
        async with egress_proxy(
            EgressPolicy("named"), "http://intranet.test/", Resolver(names)
        ) as way:
            for allowed in ("10.0.0.8", "::1", "93.184.215.14"):
                assert await way.reachable(allowed, 80) == [ip_address(allowed)]
            for refused in ("::ffff:10.0.0.8", "2002:a00:8::1", "0.0.0.0", "192.0.2.1"):
                with pytest.raises(Refused):
                    await way.reachable(refused, 80)

    asyncio.run(scenario())


def test_nothing_private_is_reached_unless_the_program_says_so():
    assert EgressPolicy().private == "never"
    assert miolo.RenderOptions().egress == EgressPolicy("never")


@asynccontextmanager
async def egress_proxy(egress=None, named="", resolver=None):
    ready = await EgressProxy(
        egress or EgressPolicy("named"), resolver or Resolver(), named, set()
    ).open()
    try:
        yield ready
    finally:
        await ready.close()


def request(host: bytes, port: int) -> bytes:
    return b"\x05\x01\x00\x03" + bytes((len(host),)) + host + struct.pack("!H", port)


async def asked(way, sent: bytes, greeting=b"\x05\x01\x00"):
    reader, writer = await asyncio.open_connection("127.0.0.1", way.port)
    writer.write(greeting)
    if await reader.read(2) == b"\x05\x00":
        writer.write(sent)
    return reader, writer


@asynccontextmanager
async def echoing(handle):
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def test_bytes_pass_unchanged_both_ways_and_an_end_is_half_an_end():
    async def handle(reader, writer):
        got = await reader.read()  # until the client has ended its half
        writer.write(got[::-1])
        writer.close()

    async def scenario():
        told = bytes(range(256)) * 40_000
        async with echoing(handle) as port, egress_proxy(named="http://private.test/") as way:
            reader, writer = await asked(way, request(b"private.test", port))
            assert (await reader.readexactly(10))[:2] == b"\x05\x00"
            writer.write(told)
            writer.write_eof()
            assert await reader.read() == told[::-1]
            writer.close()

    asyncio.run(scenario())


def test_who_does_not_read_is_not_written_for():
    sent = 0

    async def handle(reader, writer):
        nonlocal sent
        try:
            while sent < 200 << 20:
                writer.write(bytes(1 << 16))
                sent += 1 << 16
                await writer.drain()
        except ConnectionError:
            pass

    async def scenario():
        async with (
            echoing(handle) as port,
            egress_proxy(EgressPolicy("never", ("127.0.0.1",))) as way,
        ):
            reader, writer = await asked(way, request(b"127.0.0.1", port))
            await reader.readexactly(10)
            writer.transport.pause_reading()
            before = -1
            while sent != before:
                before = sent
                await asyncio.sleep(0.2)  # until the sender is held up
            assert 0 < sent < 100 << 20
            writer.close()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("host", "code", "cause"),
    [
        (b"private.test", 2, "EGRESS_REFUSED"),
        (b"gone.test", 4, "ERR_NAME_NOT_RESOLVED"),
        (b"public.test", 5, "ERR_CONNECTION_REFUSED"),
    ],
)
def test_the_cause_of_a_failure_is_kept(host, code, cause):
    async def scenario():
        async with egress_proxy(EgressPolicy("never", ("127.0.0.2",))) as way:
            reader, writer = await asked(way, request(host, 1))
            assert (await reader.read())[:2] == bytes((5, code))
            assert way.last_failure.cause == cause
            assert len(way.warnings()) == (code == 2)
            writer.close()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("greeting", "sent"),
    [
        (b"\x04\x01\x00\x50\x7f\x00\x00\x01\x00", b""),
        (b"GET / HTTP/1.1\r\n\r\n", b""),
        (b"\x05\x01\x02", b""),
        (b"\x05\x01\x00", b"\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50"),
        (b"\x05\x01\x00", b"\x05\x03\x00\x01\x7f\x00\x00\x01\x00\x50"),
        (b"\x05\x01\x00", b"\x05\x01\x00\x09\x7f\x00\x00\x01\x00\x50"),
        (b"\x05\x01\x00", b"\x05\x01\x00\x03\x00\x00\x50\x00\x00"),
        (b"\x05\x01\x00", bytes(600)),
        (b"\x05\x01\x00", request(b"public.test", 1) + b"too early"),
    ],
)
def test_what_no_browser_says_ends_the_connection(greeting, sent):
    async def scenario():
        async with egress_proxy() as way:
            reader, writer = await asyncio.open_connection("127.0.0.1", way.port)
            with suppress(ConnectionError):
                writer.write(greeting)
                if await reader.read(2) == b"\x05\x00":
                    writer.write(sent)
                assert b"\x05\x00\x00" not in await reader.read()
            writer.close()

    asyncio.run(scenario())


@given(st.lists(st.binary(max_size=300), max_size=6))
def test_any_bytes_end_in_no_connection(pieces):
    async def scenario():
        async with egress_proxy(EgressPolicy("never"), resolver=Resolver({})) as way:
            reader, writer = await asyncio.open_connection("127.0.0.1", way.port)
            with suppress(ConnectionError):
                for piece in pieces:
                    writer.write(piece)
                    await writer.drain()
                writer.write_eof()
                answer = await reader.read()
                assert answer[2:4] != b"\x05\x00"
            writer.close()

    asyncio.run(scenario())


def test_closing_leaves_nothing_open():
    async def handle(reader, writer):
        with suppress(ConnectionError):
            assert await reader.read() == b""
        writer.close()

    async def scenario():
        before = asyncio.all_tasks()
        async with echoing(handle) as port:
            async with egress_proxy(EgressPolicy("never", ("127.0.0.1",))) as way:
                reader, writer = await asked(way, request(b"127.0.0.1", port))
                await reader.readexactly(10)
                idle = await asyncio.open_connection("127.0.0.1", way.port)
            for stream, end in ((reader, writer), idle):
                with suppress(ConnectionError):
                    assert await stream.read() == b""
                end.close()
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", way.port)
        return asyncio.all_tasks() - before

    assert all(task.done() for task in asyncio.run(scenario()))


def test_no_page_speaks_to_the_way_out_of_another():
    async def scenario():
        ports: set[int] = set()
        one, other = [
            EgressProxy(EgressPolicy("named"), Resolver(), "http://private.test/", ports)
            for _ in range(2)
        ]
        await one.open()
        await other.open()
        assert await one.reachable("127.0.0.1", 1)
        with pytest.raises(Refused):
            await one.reachable("127.0.0.1", other.port)
        await one.close()
        await other.close()
        assert not ports

    asyncio.run(scenario())


def test_the_first_address_that_answers_is_taken():
    async def scenario():
        async with echoing(lambda reader, writer: writer.close()) as port:
            dead = [ip_address("127.0.0.9"), ip_address("::1")]
            side = await connect([*dead, ip_address("127.0.0.1")], port)
            assert side.transport.get_extra_info("peername") == ("127.0.0.1", port)
            side.reset()
        with pytest.raises(ConnectionRefusedError):
            await connect(dead[:1], port)

    asyncio.run(scenario())
