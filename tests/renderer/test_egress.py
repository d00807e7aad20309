"""Resolution of names and the egress proxy, each tested separately on loopback."""

import asyncio
import struct
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address

import miolo
import pytest
from egress_hosts import NAMES, Resolver
from miolo.renderer.network.egress_proxy import AddressRefusedError, EgressProxy, private_home
from miolo.renderer.network.policy import EgressPolicy
from miolo.renderer.network.resolver import MAX_NAMES, Names, NotResolvedError, with_rules
from miolo.renderer.network.socks import connect
from miolo.renderer.options import resolve_policy
from patience import until_async


async def test_names_are_resolved_once_and_their_number_is_limited():
    resolver = Resolver()
    names = Names(resolver)
    answers = await asyncio.gather(*(names.addresses("Rebind.Test.") for _ in range(9)))
    assert set(answers) == {(ip_address("127.0.0.2"),)}
    assert resolver.lookups["rebind.test"] == 1
    assert await names.addresses("[::1]") == (ip_address("::1"),)
    for number in range(MAX_NAMES + 5):
        with pytest.raises(NotResolvedError):
            await names.addresses(f"n{number}.test")
    assert sum(resolver.lookups.values()) == MAX_NAMES
    await names.close()


async def test_a_lookup_without_an_answer_times_out(monkeypatch):
    monkeypatch.setattr("miolo.renderer.network.resolver.SECONDS", 0.05)

    async def silent(host):
        await asyncio.Event().wait()

    with pytest.raises(NotResolvedError):
        await Names(silent).addresses("slow.test")


async def test_host_resolver_rules_of_chromium_apply_outside_of_it():
    rules = "--host-resolver-rules=MAP a.test public.test, MAP * ~NOTFOUND, EXCLUDE private.test"
    resolve = with_rules(Resolver(), ("--other", "--host-resolver-rules=x", rules))
    assert await resolve("a.test") == NAMES["public.test"][0]
    assert await resolve("private.test") == NAMES["private.test"][0]
    with pytest.raises(NotResolvedError):
        await resolve("public.test")
    with pytest.raises(ValueError, match="supports only"):
        with_rules(resolve, ("--host-resolver-rules=MAP a 127.0.0.1:80",))


@pytest.mark.parametrize(
    ("url", "private", "become"),
    [
        ("http://private.test/", "named", "named"),
        ("http://public.test/", "named", "never"),
        ("http://evil.test/", "named", "never"),
        ("http://gone.test/", "named", "never"),
        ("http://[::1]/", "named", "named"),
        ("http://[::ffff:127.0.0.1]/", "named", "never"),
        ("page.html", "named", "never"),
        ("http://private.test/", "never", "never"),
        ("http://public.test/", "always", "always"),
    ],
)
def test_the_first_page_decides_what_later_pages_may_reach(url, private, become):
    names = {
        "public.test": (("93.184.215.14",),),
        "private.test": (("10.0.0.1",),),
        "evil.test": (("::ffff:93.184.215.14",),),
    }
    granted = []
    options = miolo.RenderOptions(egress=EgressPolicy(private))
    work = resolve_policy(
        options, url, Resolver(names), on_grant=lambda *home: granted.append(home)
    )
    egress = asyncio.run(work).egress
    assert egress.private == become
    assert egress.home == (url if become == "named" else None)
    assert len(granted) == (become == "named")


# Addresses that are neither public nor private: each form that embeds an IPv4 address, and
# reserved addresses.
NEITHER = (
    "::ffff:93.184.215.14", "::ffff:127.0.0.1", "::93.184.215.14", "::127.0.0.1",
    "::ffff:0:93.184.215.14", "2002:5db8:d70e::1", "2002:7f00:1::1",
    "2001:0:5db8:d70e::1", "2001:0:4136:e378:8000:63bf:a247:28f1", "64:ff9b::127.0.0.1",
    "64:ff9b:1::93.184.215.14", "64:ff9b:1::127.0.0.1", "fe80::5efe:93.184.215.14",
    "192.0.2.1", "0.0.0.0", "224.0.0.1", "240.0.0.1", "::", "2001:db8::1", "ff02::1",
)  # fmt: skip
VICTIMS = ("127.0.0.1", "::1", "10.0.0.7", "169.254.169.254", "intranet.test", "::ffff:10.0.0.7")


@pytest.mark.parametrize("beside", [(), ("127.0.0.1",)], ids=["alone", "beside-private"])
@pytest.mark.parametrize("address", [*NEITHER, "64:ff9b::93.184.215.14"])
async def test_a_home_with_an_address_that_is_not_private_grants_nothing(address, beside):
    """The attacker's name has such an address, and the page's script requests private services."""
    names = {"evil.test": ((address, *beside),), "intranet.test": (("10.0.0.7",),)}
    urls = ["http://evil.test/"]
    if not beside:
        urls.append(f"http://[{address}]/" if ":" in address else f"http://{address}/")

    for url in urls:
        assert not await private_home(url, EgressPolicy("named"), Names(Resolver(names)))
        async with egress_proxy(EgressPolicy("named"), url, Resolver(names)) as way:
            for victim in VICTIMS:
                with pytest.raises(AddressRefusedError):
                    await way.reachable(victim, 80)


async def test_a_private_home_grants_only_private_and_public_addresses():
    names = {"intranet.test": (("10.0.0.7", "fd00::7"),)}

    async with egress_proxy(EgressPolicy("named"), "http://intranet.test/", Resolver(names)) as way:
        for address in ("10.0.0.8", "192.168.0.1", "::1", "fe80::1", "93.184.215.14"):
            assert await way.reachable(address, 80) == [ip_address(address)]
        for address in NEITHER:
            with pytest.raises(AddressRefusedError):
                await way.reachable(address, 80)


@pytest.mark.parametrize(
    ("answers", "linked", "reached"),
    [
        ((("10.0.0.7",),), "http://intranet.test/2", True),
        ((("10.0.0.7",),), "http://127.0.0.1/", True),
        ((("10.0.0.7",),), "http://public.test/", False),
        # The home was private when the user named it, but no longer is (DNS rebinding).
        ((("10.0.0.7",), ("93.184.215.14",)), "http://intranet.test/2", False),
        ((("10.0.0.7",), ("93.184.215.14",)), "http://127.0.0.1/", False),
    ],
)
async def test_a_linked_page_needs_a_private_host_and_a_private_home(answers, linked, reached):
    resolver = Resolver({"intranet.test": answers, "public.test": (("93.184.215.14",),)})

    first = miolo.RenderOptions(egress=EgressPolicy("named"))
    egress = (await resolve_policy(first, "http://intranet.test/", resolver)).egress
    async with egress_proxy(egress, linked, resolver) as way:
        if reached:
            assert await way.reachable("10.0.0.8", 80)
            return
        with pytest.raises(AddressRefusedError):
            await way.reachable("10.0.0.8", 80)


@asynccontextmanager
async def egress_proxy(egress=None, named="", resolver=None):
    chosen = egress or EgressPolicy("named")
    ready = await EgressProxy(chosen, resolver or Resolver(), named, set()).open()
    try:
        yield ready
    finally:
        await ready.close()


def request(host: bytes, port: int) -> bytes:
    return b"\x05\x01\x00\x03" + bytes((len(host),)) + host + struct.pack("!H", port)


async def open_connection(way, sent: bytes, greeting=b"\x05\x01\x00"):
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


async def test_bytes_pass_unchanged_both_ways_and_each_half_closes_separately():
    async def handle(reader, writer):
        got = await reader.read()  # until the client has closed its half
        writer.write(got[::-1])
        writer.close()

    sent = bytes(range(256)) * 40_000
    async with echoing(handle) as port, egress_proxy(named="http://private.test/") as way:
        reader, writer = await open_connection(way, request(b"private.test", port))
        assert (await reader.readexactly(10))[:2] == b"\x05\x00"
        writer.write(sent)
        writer.write_eof()
        assert await reader.read() == sent[::-1]
        writer.close()


async def test_data_is_not_buffered_for_a_client_that_does_not_read():
    sent, seen = 0, -1

    def is_blocked() -> bool:
        nonlocal seen
        seen, before = sent, seen
        return seen == before

    async def handle(reader, writer):
        nonlocal sent
        try:
            while sent < 200 << 20:
                writer.write(bytes(1 << 16))
                sent += 1 << 16
                await writer.drain()
        except ConnectionError:
            pass

    async with echoing(handle) as port, egress_proxy(EgressPolicy("never", ("127.0.0.1",))) as way:
        reader, writer = await open_connection(way, request(b"127.0.0.1", port))
        await reader.readexactly(10)
        writer.transport.pause_reading()
        await until_async(is_blocked)
        assert 0 < sent < 100 << 20
        writer.close()


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
async def test_invalid_requests_end_the_connection(greeting, sent):
    async with egress_proxy() as way:
        reader, writer = await asyncio.open_connection("127.0.0.1", way.port)
        with suppress(ConnectionError):
            writer.write(greeting)
            if await reader.read(2) == b"\x05\x00":
                writer.write(sent)
            assert b"\x05\x00\x00" not in await reader.read()
        writer.close()


async def test_no_page_can_use_the_proxy_of_another():
    ports: set[int] = set()
    one, other = [
        EgressProxy(EgressPolicy("named"), Resolver(), "http://private.test/", ports)
        for _ in range(2)
    ]
    await one.open()
    await other.open()
    assert await one.reachable("127.0.0.1", 1)
    with pytest.raises(AddressRefusedError):
        await one.reachable("127.0.0.1", other.port)
    await one.close()
    await other.close()
    assert not ports


async def test_the_first_answering_address_is_used():
    async with echoing(lambda reader, writer: writer.close()) as port:
        dead = [ip_address("127.0.0.9"), ip_address("::1")]
        side = await connect([*dead, ip_address("127.0.0.1")], port)
        assert side.transport.get_extra_info("peername") == ("127.0.0.1", port)
        side.reset()
    with pytest.raises(ConnectionRefusedError):
        await connect(dead[:1], port)
