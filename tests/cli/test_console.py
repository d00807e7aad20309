"""Errors as the command line prints them."""

import pickle

import miolo
import pytest
from miolo.cli.console import HINTS, counted, error_text


@pytest.mark.parametrize("lacks", HINTS)
def test_an_error_is_printed_with_the_option_that_helps(lacks: str) -> None:
    error = pickle.loads(pickle.dumps(miolo.EmptyInputError("the message", lacks=lacks)))
    assert (str(error), error_text(error)) == ("the message", f"the message ({HINTS[lacks]})")


def test_a_count_of_one_is_in_the_singular() -> None:
    assert [counted(number, "page") for number in (0, 1, 1200)] == [
        "0 pages",
        "1 page",
        "1,200 pages",
    ]
