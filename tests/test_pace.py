"""What is left to `make slow` is there."""

import argparse
from pathlib import Path

import pytest

from tests.pace import FORCED, LEFT, in_share, share


def test_each_module_and_each_test_that_is_kept_is_there() -> None:
    for module, kept in LEFT.items():
        text = (Path(__file__).parent / module).read_text(encoding="utf-8")
        for name in kept:
            assert f"def {name}(" in text, (module, name)


def test_what_is_tried_by_force_is_there() -> None:
    assert all((Path(__file__).parent / f"{module}.py").is_file() for module in FORCED)


@pytest.mark.parametrize("parts", [1, 2, 3, 4, 8, 16])
def test_each_slow_test_is_in_one_of_the_shares_and_those_of_the_kinds_in_each(parts: int) -> None:
    names = [
        f"tests/{module}.py::test[{number}]"
        for module in ("trust/test_x", "kinds/test_x", FORCED[0])
        for number in range(400)
    ]
    shares = [in_share(names, share(f"{part}/{parts}")) for part in range(1, parts + 1)]
    in_shares = {name: sum(name in taken for taken in shares) for name in names}
    assert all(count == parts for name, count in in_shares.items() if "/kinds/" in name)
    assert all(count == 1 for name, count in in_shares.items() if FORCED[0] in name)
    assert all(count >= 1 for count in in_shares.values())
    assert max(map(len, shares)) - min(map(len, shares)) <= 2  # one of each module that is not whole


def test_a_share_of_what_is_forced_is_small() -> None:
    names = [f"tests/{module}.py::test[{number}]" for module in ("trust/test_x", FORCED[0]) for number in range(1600)]
    taken = in_share(names, share("5/16"))
    assert sum("moving" in name for name in taken) == 100 and sum("trust" in name for name in taken) == 400


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="K from 1 to N"):
        share(text)
