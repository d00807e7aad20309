"""JSON of others' files is parsed like any JSON, if it has no more values than real files have."""

import json
import zipfile

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.renderer.archives.har import HarSource
from miolo.untrusted_json import parse_json

TEXTS = st.text(alphabet=st.sampled_from('a",:[]{}\\\n\u00e9\u4e2d')) | st.text()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=20,
)


def count(value: object) -> int:
    """Number of values, keys and containers included."""
    if isinstance(value, dict):
        return 1 + sum(1 + count(each) for each in value.values())
    return 1 + sum(map(count, value)) if isinstance(value, list) else 1


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_as_many_values_as_allowed_are_parsed(value, escaped, indent):
    data = json.dumps(value, ensure_ascii=escaped, indent=indent).encode("utf-8", "surrogatepass")
    try:
        expected = json.loads(data)
    except ValueError:  # lone surrogates
        return
    # The check counts an empty container as if it had a value.
    assert parse_json(data, max_values=2 * count(value) + 1) == expected


@given(VALUES, st.booleans())
def test_more_values_are_refused(value, escaped):
    data = json.dumps([value, [], {}, ""], ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    with pytest.raises(ValueError, match="values"):
        parse_json(data, max_values=count(value) + 2)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_other_encodings_are_refused(encoding):
    with pytest.raises(ValueError, match="UTF-8"):
        parse_json('["\\"", 1]'.encode(encoding))


def test_a_byte_order_mark_is_skipped():
    assert parse_json(b"\xef\xbb\xbf[1]") == [1]


BOMB = b"[" + b"[]," * 3_000_000 + b"[]]"


@pytest.mark.parametrize("name", ["meta.json", "texts.json"])
def test_snapshots_of_too_many_values_are_refused(tmp_path, name):
    path, bomb = tmp_path / "page.miolo", tmp_path / "bomb.miolo"
    miolo.Snapshot.from_html("<p>Some words").save(path)
    with (
        zipfile.ZipFile(path) as archive,
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as forged,
    ):
        for member in archive.namelist():
            forged.writestr(member, BOMB if member == name else archive.read(member))
    assert bomb.stat().st_size < 50_000
    with pytest.raises(miolo.ArchiveError, match="more than 2,000,000 values"):
        miolo.Snapshot.load(bomb)


def test_a_har_of_too_many_values_is_refused():
    with pytest.raises(miolo.ArchiveError, match="more than 2,000,000 values"):
        HarSource(b'{"log":{"entries":' + BOMB + b"}}", lambda name: b"", "page.har")
