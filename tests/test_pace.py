"""What is left to `make slow` is there."""

import argparse
from pathlib import Path

import pytest

from tests.pace import LEFT, is_in_share, share


def test_each_module_and_each_test_that_is_kept_is_there() -> None:
    for module, kept in LEFT.items():
        text = (Path(__file__).parent / module).read_text(encoding="utf-8")
        for name in kept:
            assert f"def {name}(" in text, (module, name)


def test_each_slow_test_is_in_one_of_the_shares_and_those_of_the_kinds_in_each() -> None:
    names = [f"tests/{folder}/test_x.py::test[{number}]" for folder in ("trust", "kinds") for number in range(40)]
    shares = [{name for name in names if is_in_share(name, share(text))} for text in ("1/2", "2/2")]
    assert shares[0] | shares[1] == set(names)
    assert shares[0] & shares[1] == {name for name in names if "/kinds/" in name}
    assert all(len(taken) > 50 for taken in shares)


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="K from 1 to N"):
        share(text)
