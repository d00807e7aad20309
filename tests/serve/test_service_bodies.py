"""Request bodies: how much of them is read, when, and the limits of their JSON."""

import asyncio
import json
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from miolo.serve.admission import BodyLimits, check_json, read_body
from service_doors import BEARER, GUARDED, LOCAL, door, send_request
from services import kind
from starlette.exceptions import HTTPException

JSON = {"Content-Type": "application/json"}
MEBIBYTE = 1 << 20


def many(start: bytes, part: bytes, end: bytes) -> bytes:
    return start + (MEBIBYTE - len(start + end)) // len(part) * part + end


HEAVY = {
    "unknown keys": b"{" + b",".join(b'"%05x":0' % each for each in range(95_000)) + b"}",
    "one key": many(b'{"url":0', b',"url":0', b"}"),
    "arrays": many(b"", b"[", b""),
    "objects": many(b"", b'{"a":', b""),
    "numbers": many(b'{"viewport":[0', b",0", b"]}"),
    "roles": many(b'{"html":"","include":[""', b',"a"', b"]}"),
    "digits": many(b'{"deadline":', b"1", b"}"),
    "long texts": many(b'{"html":"', b"a", b'","url":"' + 70_000 * b"b" + b'"}'),
    "white space": many(b"", b" ", b"{}"),
    "UTF-16": json.dumps({"html": 200_000 * "a"}).encode("utf-16"),
}


@pytest.mark.parametrize("body", HEAVY.values(), ids=HEAVY)
async def test_heavy_json_is_refused_before_it_is_parsed(body) -> None:
    async with door(LOCAL) as (client, _, _):
        await client.get("/healthz")
        tracemalloc.start()
        try:
            answer = await client.post("/extract", content=body, headers=JSON)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert kind(answer) == (422, "InvalidRequest")
    assert peak < 6 * len(body)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is not JSON"),
        (b"{", "the body is not JSON"),
        (b"\xff\xfe", "the body is not JSON"),
        (b'{"html": "\xff"}', "the body is not JSON"),
        (4000 * b"[", "the body is not JSON"),
        (b'{"html": "", "deadline": 1e999}', "deadline: "),
    ],
)
def test_what_is_not_json_has_one_error(body, message) -> None:
    answer = send_request(LOCAL, "POST", "/extract", content=body, headers=JSON)
    assert kind(answer) == (422, "InvalidRequest")
    assert message in answer.json()["error"]["message"]


def parts(text: str) -> tuple[list[int], int]:
    """The lengths of the strings in JSON and of the rest, counted character by character."""
    strings, outside, position = [], 0, 0
    while position < len(text):
        if text[position] != '"':
            position, outside = position + 1, outside + 1
            continue
        begun = position = position + 1
        while text[position] != '"':
            position += 2 if text[position] == "\\" else 1
        strings.append(len(text[begun:position].encode()))
        position += 1
    return strings, outside


VALUES = st.recursive(
    st.none() | st.integers() | st.text('"\\a\né', max_size=8),
    lambda inside: st.lists(inside) | st.dictionaries(st.text('"\\a', max_size=4), inside),
    max_leaves=20,
)


@given(VALUES, st.booleans(), st.integers(0, 8), st.integers(0, 40), st.integers(0, 20))
@example('\\"', False, 1, 0, 0)
def test_json_limits_match_a_count_of_characters(
    value, plain, max_strings, max_structure, max_text
) -> None:
    text = json.dumps(value, ensure_ascii=plain)
    strings, outside = parts(text)
    allowed = (
        len(strings) <= max_strings
        and outside <= max_structure
        and sum(sorted(strings)[:-1]) <= max_text
    )
    bounds = {"max_strings": max_strings, "max_structure": max_structure, "max_text": max_text}
    if allowed:
        check_json(text.encode(), **bounds)
    else:
        with pytest.raises(HTTPException):
            check_json(text.encode(), **bounds)


class HeldBody:
    """A body whose first part is sent at once and whose last byte waits until it is released."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.requested, self.kept, self.released = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def __aiter__(self):
        self.requested.set()
        yield self._body[:-1]
        self.kept.set()
        await self.released.wait()
        yield self._body[-1:]


@pytest.mark.parametrize(
    ("options", "stopping", "expected"),
    [
        (replace(LOCAL, queue=0), False, (429, "Busy")),
        (LOCAL, True, (503, "Stopping")),
        (GUARDED, False, (401, "TokenNeeded")),
    ],
)
async def test_refused_clients_are_answered_before_their_body_is_read(
    options, stopping, expected
) -> None:
    body = HeldBody(b'{"html": ""}')
    async with door(options) as (client, admission, _):
        admission.stopping = stopping
        answer = await client.post("/extract", content=body, headers=JSON)
        assert kind(answer) == expected
        assert not body.requested.is_set()


# A service short of memory accepts one request at a time.
@pytest.mark.parametrize("options", [replace(LOCAL, queue=1), replace(LOCAL, max_memory=1)])
async def test_an_incoming_body_takes_a_place(options) -> None:
    async with door(options) as (client, admission, _):
        body = HeldBody(b'{"html": ""}')
        first = asyncio.create_task(client.post("/extract", content=body, headers=JSON))
        await body.kept.wait()
        assert kind(await client.post("/extract", json={"html": ""})) == (429, "Busy")
        idle = asyncio.create_task(admission.until_idle())
        body.released.set()
        assert kind(await first) == (504, "PageTimeoutError")
        await idle
        later = await client.post("/extract", json={"html": ""})
        assert kind(later) == (504, "PageTimeoutError")


async def test_the_total_size_of_bodies_is_bounded() -> None:
    async with door(replace(LOCAL, max_body=100_000)) as (client, _, metrics):
        bodies = [HeldBody(b'{"html": "'.ljust(99_998, b"a") + b'"}') for _ in range(4)]
        calls = [
            asyncio.create_task(client.post("/extract", content=body, headers=JSON))
            for body in bodies
        ]
        await asyncio.gather(*(body.kept.wait() for body in bodies))
        refused = await client.post("/extract", json={"html": 70_000 * "a"})
        assert kind(refused) == (429, "Busy")
        assert int(refused.headers["retry-after"]) >= 1
        assert b"miolo_refused_total 1.0" in metrics.to_text()
        small = await client.post("/extract", json={"html": 60_000 * "a"})
        assert kind(small) == (504, "PageTimeoutError")
        for body in bodies:
            body.released.set()
        answers = await asyncio.gather(*calls)
        assert {kind(answer) for answer in answers} == {(504, "PageTimeoutError")}
        later = await client.post("/extract", json={"html": 70_000 * "a"})
        assert kind(later) == (504, "PageTimeoutError")


@pytest.mark.parametrize("limits", [BodyLimits(9, seconds=0.05), BodyLimits(9, stall_seconds=0.05)])
async def test_a_stalled_body_is_not_waited_for(limits) -> None:
    with pytest.raises(HTTPException) as error:
        await read_body(asyncio.Event().wait, limits, lambda _: None)  # type: ignore[arg-type]
    assert error.value.status_code == 408


async def test_a_client_that_disconnects_during_its_body_has_its_own_status() -> None:
    async def gone() -> dict:
        return {"type": "http.disconnect"}

    with pytest.raises(HTTPException) as error:
        await read_body(gone, BodyLimits(9), lambda _: None)
    assert error.value.status_code == 499


async def in_pieces(data: bytes):
    for start in range(0, len(data), 1000):
        yield data[start : start + 1000]


@pytest.mark.parametrize(("length", "status"), [(4000, 504), (6000, 413), (60_000, 413)])
def test_a_body_is_counted_as_it_arrives(length, status) -> None:
    body = json.dumps({"html": length * "a"}).encode()
    options = replace(GUARDED, max_body=5000)
    for content in (body, in_pieces(body)):
        answer = send_request(
            options, "POST", "/extract", headers={**JSON, **BEARER}, content=content
        )
        assert answer.status_code == status
