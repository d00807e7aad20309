"""Drafts of the web page: saved, loaded and limited in size."""

import pytest
from miolo.serve.drafts import LEAST_BYTES, MAX_DRAFT_CHARS, MAX_KEY_CHARS, Drafts
from service_doors import LOCAL, door, send_request
from services import kind


def test_the_last_draft_of_a_page_is_found(tmp_path) -> None:
    for path in (None, tmp_path / "drafts.sqlite"):
        with Drafts(path) as drafts:
            drafts.save("a", "first")
            drafts.save("a", "second\0 ü")
            drafts.save("b", "")
            assert [drafts.load(key) for key in "abc"] == ["second\0 ü", "", None]
    with Drafts(tmp_path / "drafts.sqlite") as drafts:
        assert drafts.load("a") == "second\0 ü"


def test_the_oldest_drafts_are_deleted_beyond_the_limit() -> None:
    with Drafts(max_bytes=4 * LEAST_BYTES) as drafts:
        for number in range(6):
            drafts.save(str(number), "small")
        assert [bool(drafts.load(str(number))) for number in range(6)] == 2 * [False] + 4 * [True]
        drafts.save("large", "ü" * LEAST_BYTES)
        assert [bool(drafts.load(key)) for key in ("3", "4", "5", "large")] == [False] + 3 * [True]
        drafts.save("too large", 5 * LEAST_BYTES * "x")
        assert drafts.load("too large") is None


async def test_the_service_saves_and_loads() -> None:
    async with door(LOCAL) as (client, _, _):
        draft = {"key": "url http://a.test/?a=b&c", "text": '{"a":"\\ud800"}'}
        assert (await client.post("/drafts", json=draft)).status_code == 204
        for key, text in ((draft["key"], draft["text"]), ("another", None)):
            assert (await client.get("/drafts", params={"key": key})).json()["text"] == text


@pytest.mark.parametrize(
    "draft",
    [
        {"key": "", "text": ""},
        {"key": "a"},
        {"key": "a", "text": 1},
        {"key": "a", "text": "", "more": ""},
        {"key": "a" * (MAX_KEY_CHARS + 1), "text": ""},
        {"key": "a", "text": "x" * (MAX_DRAFT_CHARS + 1)},
    ],
)
def test_invalid_drafts_are_refused(draft) -> None:
    assert kind(send_request(LOCAL, "POST", "/drafts", json=draft))[0] in (422, 400)
    body = b'{"key":"a","text":"\\ud800"}'
    headers = {"Content-Type": "application/json"}
    assert kind(send_request(LOCAL, "POST", "/drafts", content=body, headers=headers))[0] == 422
