"""The same world gives the same bytes, however it is read; and a change of one object changes the lines of that one alone."""

from __future__ import annotations

import contextlib
import difflib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.force import by_force
from tests.importing.round_trip import Desk
from tests.importing.worlds import Brownfield, Yard
from vastplan.sim.store import Row, Store

SITES = ("iad", "pdx")
Lines = dict[str, list[str]]


def imported(
    folder: Path, seed: int, change: Callable[[Brownfield], None] = lambda _: None, *,
    made: Callable[[], AbstractContextManager[Any]] = nullcontext, read: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> Lines:  # fmt: skip
    """The lines of each file that a world gives, once something was done to it; `made` and `read` are the circumstances of either."""
    yard = Yard(folder / "yard", SITES)
    with made():
        change(Brownfield(yard, seed))
    with yard.running(), read():
        desk = Desk.of(yard, folder / "lab")
        desk.imports()
        return {name: content.decode().splitlines() for name, content in desk.written().items()}


def moved(before: Lines, after: Lines) -> tuple[list[str], list[str]]:
    """The lines that are gone, and those that are new."""
    gone, new = list[str](), list[str]()
    for name in sorted(before.keys() | after.keys()):
        for line in difflib.ndiff(before.get(name, []), after.get(name, [])):
            if line[:2] == "- ":
                gone.append(line[2:])
            if line[:2] == "+ ":
                new.append(line[2:])
    return gone, new


@contextlib.contextmanager
def backwards() -> Iterator[None]:
    """Every system answers its rows from the last to the first."""
    rows = Store.rows

    def reversed_rows(self: Store, collection: str) -> tuple[Row, ...]:
        return tuple(rows(self, collection)[::-1])

    with patch.object(Store, "rows", reversed_rows):
        yield


@contextlib.contextmanager
def other_ids() -> Iterator[None]:
    """What is made has other ids, and the later one not always the higher."""
    following, given = Store.next, Counter[tuple[int, str]]()

    def numbered(self: Store, counter: str, start: int = 1) -> int:
        following(self, counter, start)
        given[id(self), counter] += 1
        return 9000 - 7 * given[id(self), counter]

    with patch.object(Store, "next", numbered):
        yield


@contextlib.contextmanager
def one_a_page() -> Iterator[None]:
    """Every page has one row."""
    with contextlib.ExitStack() as stack:
        for system in ("vast", "kubernetes", "runai"):
            stack.enter_context(patch(f"vastplan.systems.{system}.client.PAGE", 1))
        yield


@pytest.mark.slow
@pytest.mark.parametrize("seed", by_force([1, 6]))
def test_how_it_is_read_says_nothing(seed: int, tmp_path: Path) -> None:
    usual = imported(tmp_path / "usual", seed)
    assert usual
    assert imported(tmp_path / "backwards", seed, read=backwards) == usual
    assert imported(tmp_path / "paged", seed, read=one_a_page) == usual


@pytest.mark.slow
@pytest.mark.parametrize("seed", by_force([1, 6]))
def test_ids_say_nothing(seed: int, tmp_path: Path) -> None:
    assert imported(tmp_path / "others", seed, made=other_ids) == imported(tmp_path / "usual", seed)


def schedules(*names: str) -> Callable[[Brownfield], None]:
    """Schedules beside all that is there, and a tenant so named."""

    def make(world: Brownfield) -> None:
        for name in names:
            frames = [{"every": "1h", "start-at": "2026-11-22 00:00:00", "keep-local": f"{len(name)}d"}]
            body = {"name": name, "clone_type": "LOCAL", "frames": frames, "prefix": name}
            assert world.call("iad", "vast", "POST", "/api/v5/protectionpolicies/", body).status == 201
            made = world.call("iad", "vast", "POST", "/api/v5/tenants/", {"name": f"of {name}"})
            assert made.status == 201
            policy = {"name": f"policy of {name}", "flavor": "NFS", "tenant_id": made.body["id"]}
            assert world.call("iad", "vast", "POST", "/api/v5/viewpolicies/", policy).status == 201

    return make


def test_what_goes_takes_its_lines_along_and_no_other(tmp_path: Path) -> None:
    before = imported(tmp_path / "before", 6, schedules("zz first", "zz then", "zz last"))
    after = imported(tmp_path / "after", 6, schedules("zz first", "zz last"))
    gone, new = moved(before, after)
    assert new == []
    assert [line for line in gone if "zz then" in line and "policy" in line]
    assert "tenant-of-zz-then.yaml" in before.keys() - after.keys()
    assert all("zz then" in line for line in gone if line not in before["tenant-of-zz-then.yaml"]), gone


@pytest.mark.slow
def test_a_new_name_is_new_in_its_own_lines_alone(tmp_path: Path) -> None:
    before = imported(tmp_path / "before", 6, schedules("zz first", "zz then", "zz last"))
    after = imported(tmp_path / "after", 6, schedules("zz first", "zz some", "zz last"))
    gone, new = moved(before, after)
    ours = before["tenant-of-zz-then.yaml"], after["tenant-of-zz-some.yaml"]
    assert all("zz then" in line for line in gone if line not in ours[0]), gone
    assert [line.replace("zz then", "zz some") for line in ours[0]] == ours[1]
    assert sorted(line.replace("zz then", "zz some") for line in gone) == sorted(new)
