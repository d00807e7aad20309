"""Errors as the command line prints them."""

import pickle

import miolo
import pytest
from miolo.cli.console import counted, error_text


@pytest.mark.parametrize(
    ("lacks", "hint"),
    [
        ("column", "--column NAME"),
        ("labels", "`miolo label --review`"),
        ("screenshot", "`miolo render --screenshot`"),
        ("snapshots", "--snapshots"),
        ("wrappers", "`miolo learn`"),
    ],
)
def test_an_error_is_printed_with_the_option_that_helps(lacks: str, hint: str) -> None:
    error = pickle.loads(pickle.dumps(miolo.EmptyInputError("the message", lacks=lacks)))
    assert str(error) == "the message"
    assert error_text(error).startswith("the message (")
    assert hint in error_text(error)


def test_a_count_of_one_is_in_the_singular() -> None:
    assert [counted(number, "page") for number in (0, 1, 1200)] == [
        "0 pages",
        "1 page",
        "1,200 pages",
    ]
