"""Regular expressions that are compiled when they are first used."""

import pickle
import re

import pytest
from miolo.patterns import lazy_re


@pytest.mark.parametrize("source", ["a+", b"a+"])
def test_it_does_what_a_compiled_pattern_does(source) -> None:
    lazy, compiled = lazy_re(source, re.IGNORECASE), re.compile(source, re.IGNORECASE)
    text = source[:0].join([source, source.upper()])
    assert [match.span() for match in lazy.finditer(text)] == [
        match.span() for match in compiled.finditer(text)
    ]
    assert lazy.sub(source[:1], text) == compiled.sub(source[:1], text)
    assert lazy.pattern == compiled.pattern
    assert pickle.loads(pickle.dumps(lazy)).findall(text) == compiled.findall(text)


def test_a_wrong_pattern_is_reported_when_it_is_used() -> None:
    lazy = lazy_re("(")
    with pytest.raises(re.error):
        lazy.search("")
