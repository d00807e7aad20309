"""Which addresses are public, private or embed another, and which ones a policy allows."""

import pickle
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.renderer.network.ip_addresses import is_private, is_public
from miolo.renderer.network.policy import EgressPolicy


def ranges(kind, *blocks: str) -> list[tuple[int, ...]]:
    """First and last numbers of blocks of addresses."""
    return [tuple(int(kind(end)) for end in block.split(" ")) for block in blocks]


# First and last addresses of the blocks that the IANA registries do not assign to hosts of the
# public internet, including formerly reserved blocks and multicast.
FORBIDDEN_4 = ranges(
    IPv4Address,
    "0.0.0.0 0.255.255.255", "10.0.0.0 10.255.255.255", "100.64.0.0 100.127.255.255",
    "127.0.0.0 127.255.255.255", "169.254.0.0 169.254.255.255", "172.16.0.0 172.31.255.255",
    "192.0.0.0 192.0.0.255", "192.0.2.0 192.0.2.255", "192.88.99.0 192.88.99.255",
    "192.168.0.0 192.168.255.255", "198.18.0.0 198.19.255.255", "198.51.100.0 198.51.100.255",
    "203.0.113.0 203.0.113.255", "224.0.0.0 255.255.255.255",
)  # fmt: skip
FORBIDDEN_6 = ranges(
    IPv6Address,
    ":: 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2002:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
    "4000:: ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
)
NAT64 = int(IPv6Address("64:ff9b::"))


def oracle(address) -> bool:
    number = int(address)
    if address.version == 6 and number >> 32 == NAT64 >> 32:
        return oracle(IPv4Address(number & 0xFFFFFFFF))
    table = FORBIDDEN_4 if address.version == 4 else FORBIDDEN_6
    return not any(first <= number <= last for first, last in table)


EDGES_4 = [IPv4Address((e + d) % 2**32) for b in FORBIDDEN_4 for e in b for d in (-1, 0, 1)]
EDGES_6 = [IPv6Address((e + d) % 2**128) for b in FORBIDDEN_6 for e in b for d in (-1, 0, 1)]
ANY_4 = st.integers(0, 2**32 - 1).map(IPv4Address) | st.sampled_from(EDGES_4)
ANY_6 = st.integers(0, 2**128 - 1).map(IPv6Address) | st.sampled_from(EDGES_6)
GLOBAL_6 = st.integers(0x2000 << 112, (0x4000 << 112) - 1).map(IPv6Address)


@given(ANY_4 | ANY_6 | GLOBAL_6)
def test_public_addresses_are_those_outside_the_special_registries(address):
    assert is_public(address) == oracle(address)


# Private networks according to RFC 1918, 1122, 3927, 6598, 4291 and 4193.
PRIVATE_4 = ranges(
    IPv4Address,
    "10.0.0.0 10.255.255.255", "172.16.0.0 172.31.255.255", "192.168.0.0 192.168.255.255",
    "127.0.0.0 127.255.255.255", "169.254.0.0 169.254.255.255", "100.64.0.0 100.127.255.255",
)  # fmt: skip
PRIVATE_6 = ranges(
    IPv6Address,
    "::1 ::1",
    "fc00:: fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fe80:: febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
)
PRIVATE_EDGES = [IPv6Address((e + d) % 2**128) for b in PRIVATE_6 for e in b for d in (-1, 0, 1)]

# The IPv6 address that each form builds from the number of an IPv4 address.
FORMS = {
    "mapped": lambda v4: int(IPv6Address("::ffff:0:0")) + v4,
    "compatible": lambda v4: v4,
    "translated": lambda v4: int(IPv6Address("::ffff:0:0:0")) + v4,
    "NAT64": lambda v4: NAT64 + v4,
    "local NAT64": lambda v4: int(IPv6Address("64:ff9b:1::")) + v4,
    "6to4": lambda v4: int(IPv6Address("2002::1")) + (v4 << 80),
    "Teredo server": lambda v4: int(IPv6Address("2001::")) + (v4 << 64),
    "Teredo client": lambda v4: int(IPv6Address("2001::")) + (v4 ^ 0xFFFFFFFF),
    "ISATAP": lambda v4: int(IPv6Address("2606:4700::5efe:0:0")) + v4,
    "ISATAP, universal": lambda v4: int(IPv6Address("2606:4700::200:5efe:0:0")) + v4,
    "local ISATAP": lambda v4: int(IPv6Address("fe80::5efe:0:0")) + v4,
    "unique local ISATAP": lambda v4: int(IPv6Address("fd00::5efe:0:0")) + v4,
}
# Addresses of these forms are public if the address that they embed is public.
TRANSPARENT = ("NAT64", "ISATAP", "ISATAP, universal")


@given(ANY_4 | ANY_6 | GLOBAL_6 | st.sampled_from(PRIVATE_EDGES))
def test_private_addresses_are_exactly_those_of_the_private_networks(address):
    table = PRIVATE_4 if address.version == 4 else PRIVATE_6
    assert is_private(address) == any(first <= int(address) <= last for first, last in table)
    assert not (is_private(address) and is_public(address))


@pytest.mark.parametrize("form", FORMS)
@given(inner=ANY_4)
def test_an_address_that_embeds_another_is_never_private(form, inner):
    address = IPv6Address(FORMS[form](int(inner)))
    if address in (IPv6Address("::"), IPv6Address("::1")):
        return
    assert not is_private(address)
    assert is_public(address) == (form in TRANSPARENT and is_public(inner))


def test_an_address_with_a_scope_is_never_public():
    assert is_public(IPv6Address("2606:4700::1"))
    assert not is_public(IPv6Address("2606:4700::1%eth0"))
    assert not is_public(IPv6Address("fe80::1%1"))
    assert is_private(IPv6Address("fe80::1%1"))
    assert not is_private(IPv6Address("::ffff:10.0.0.1%1"))


@pytest.mark.parametrize(
    ("entry", "host", "port", "address", "allowed"),
    [
        ("wiki.corp", "wiki.corp", 80, "10.0.0.1", True),
        ("wiki.corp", "WIKI.corp.", 80, "10.0.0.1", True),
        ("wiki.corp", "a.wiki.corp", 80, "10.0.0.1", False),
        ("wiki.corp:81", "wiki.corp", 80, "10.0.0.1", False),
        ("wiki.corp:81", "wiki.corp", 81, "10.0.0.1", True),
        ("bücher.corp", "xn--bcher-kva.corp", 80, "10.0.0.1", True),
        ("10.0.0.0/8", "any.corp", 80, "10.9.0.1", True),
        ("10.0.0.0/8", "any.corp", 80, "::ffff:10.9.0.1", True),
        ("10.0.0.0/8", "any.corp", 80, "11.9.0.1", False),
        ("127.0.0.1:8000", "127.0.0.1", 8000, "127.0.0.1", True),
        ("127.0.0.1:8000", "127.0.0.1", 8001, "127.0.0.1", False),
        ("[::1]:8000", "localhost", 8000, "::1", True),
        ("::1", "localhost", 1, "::1", True),
    ],
)
def test_the_list_allows_the_addresses_that_it_names(entry, host, port, address, allowed):
    assert EgressPolicy(allowed=(entry,)).allows(host, port, ip_address(address)) is allowed


@pytest.mark.parametrize(
    "entry", ["", "http://a", "a b", "a/b", "u@h", "h:port", "h:99999", "[::1"]
)
def test_entries_that_name_no_host_are_refused(entry):
    with pytest.raises(ValueError, match="is not a host"):
        EgressPolicy(allowed=(entry,))


def test_values_of_other_types_and_names_are_refused():
    with pytest.raises(ValueError, match="allowed must be a list"):
        EgressPolicy(allowed="wiki.corp")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="did you mean 'named'"):
        EgressPolicy("name")  # pyright: ignore[reportArgumentType]


@given(st.text(max_size=20))
def test_any_entry_is_read_or_refused(entry):
    try:
        egress = EgressPolicy(allowed=(entry,))
    except ValueError:
        return
    assert not EgressPolicy().allows(entry, 80, None)
    assert pickle.loads(pickle.dumps(egress)) == egress


def test_links_and_lists_get_no_private_address():
    assert EgressPolicy("named", ("a",)).for_unnamed() == EgressPolicy("never", ("a",))
    assert EgressPolicy("always").for_unnamed() == EgressPolicy("always")
    linked = EgressPolicy("named", ("a",), home="http://intranet.test/")
    assert linked.for_unnamed() == linked
