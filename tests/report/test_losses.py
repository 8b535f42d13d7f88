"""What is lost, and what was edited: what the lines at the top of a report say of each sort of action."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.report.reading import plan
from vastplan.model.address import Address
from vastplan.model.finding import Where
from vastplan.model.plan import (
    USED,
    Action,
    Base,
    Block,
    Cause,
    DocumentEdit,
    EditSort,
    Evidence,
    FieldChange,
    Plan,
    Standing,
    Verb,
)
from vastplan.model.wording import shortened
from vastplan.report.edits import action_place, edit_line, object_words, own_edits
from vastplan.report.losses import loss_lines
from vastplan.report.review import review_line

BY_APPROVAL, IN_USE = Block("approval", "it holds data"), Block("in-use", "mounted")


def action(name: str, verb: Verb, **more: Any) -> Action:
    return Action(Address.parse(f"iad/view/{name}"), verb, "", **more)


def of(*actions: Action) -> Plan:
    return replace(plan("empty"), actions=actions)


def lines(*actions: Action) -> list[str]:
    return loss_lines(of(*actions), str, str)


def used(amount: int, **more: Any) -> dict[str, Any]:
    return {"holds_data": amount > 0, "evidence": (Evidence(USED, amount, "bytes"),), **more}


LESS = FieldChange("keep", 30, 3, Cause.DOCUMENT, fewer=True)
CASES: dict[str, tuple[tuple[Action, ...], list[str]]] = {
    "with data": ((action("a", Verb.DELETE, **used(2**40)),), ["delete iad/view/a: used 1 TiB"]),
    "with data, and not known how much": (
        (action("a", Verb.REPLACE, holds_data=True),), ["replace iad/view/a: holds data; how much is not known"],
    ),
    "with its line of the base, its blocks and its standing": (
        (action("a", Verb.DELETE, **used(1024), where=Where("x/a.yaml", 7, 1), blocked=(BY_APPROVAL, IN_USE), standing=Standing.PENDING),),
        ["delete iad/view/a (a.yaml:7 of the base): used 1 KiB; needs approval; blocked: in-use; pending before this change"],
    ),
    "without data, after what holds some": (
        (action("a", Verb.DELETE, **used(0)), action("b", Verb.DELETE, **used(1024))),
        ["delete iad/view/b: used 1 KiB", "delete 1 view: without data; iad/view/a"],
    ),
    "two without data have names": (
        tuple(action(name, Verb.DELETE) for name in "ab"), ["delete 2 views: without data; iad/view/a, iad/view/b"],
    ),
    "many without data have no names": (
        tuple(action(name, Verb.DELETE, blocked=(BY_APPROVAL,)) for name in "abc"), ["delete 3 views: without data; needs approval"],
    ),
    "eight with data are a line each": (
        tuple(action(name, Verb.DELETE, **used(1024)) for name in "abcdefgh"), [f"delete iad/view/{name}: used 1 KiB" for name in "abcdefgh"],
    ),
    "many with data are one line with their sum": (
        tuple(action(name, Verb.DELETE, **used(1024)) for name in "abcdefghi"),
        ["delete 9 views: used 1 KiB; iad/view/a, iad/view/b and 7 more"],
    ),
    "what a system deletes": (
        (action("a", Verb.UPDATE, deletes=("expiration_days",), blocked=(IN_USE, Block("limit", "too many")), **used(1024)),),
        ["update iad/view/a: its system deletes data, by expiration_days; used 1 KiB; blocked: in-use, limit"],
    ),
    "what is taken away": (
        (action("a", Verb.UPDATE, changes=(LESS,), released=("peer", "pool")), action("b", Verb.UPDATE, changes=(LESS,), released=("peer", "pool"))),
        ["iad/view/a, iad/view/b: keep: 30 → 3; no longer managed: peer, pool"],
    ),
    "what is taken away from many": (
        tuple(action(name, Verb.UPDATE, changes=(LESS,), blocked=(IN_USE,)) for name in "abc"),
        ["iad/view/a, iad/view/b and 1 more (3 views): keep: 30 → 3; blocked: in-use"],
    ),
    "a create takes nothing away": ((action("a", Verb.CREATE, changes=(replace(LESS, before=None),)),), []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_lost_is_said(name: str) -> None:
    actions, expected = CASES[name]
    assert lines(*actions) == expected


@pytest.mark.parametrize(
    ("actions", "verdict"),
    [
        ((action("a", Verb.CREATE),), "1 change can be applied, nothing is deleted."),
        ((action("a", Verb.UPDATE, changes=(LESS,)),), "1 change can be applied, 1 takes something away."),
        ((action("a", Verb.UPDATE, deletes=("x",)), action("b", Verb.UPDATE, deletes=("x",))), "2 changes can be applied, 2 make a system delete data."),
        ((action("a", Verb.UPDATE, changes=(replace(LESS, fewer=False, admits=True),)),), "1 change can be applied, 1 lets somebody in."),
        ((action("a", Verb.DELETE, **used(1024)),), "1 change can be applied, 1 to delete (1 holds data)."),
    ],
)  # fmt: skip
def test_the_verdict_calms_nobody_while_something_is_lost(actions: tuple[Action, ...], verdict: str) -> None:
    assert review_line(of(*actions)) == verdict


def edit(
    path: str, sort: EditSort = EditSort.CHANGED, before: Any = None, after: Any = None, **more: Any
) -> DocumentEdit:
    return DocumentEdit(path, sort, Where("f.yaml", 3, 1), before, after, **more)


EDITS = {
    "p: 1 TiB → 2 TiB (f.yaml:3): iad/view/a": edit("p", before="1 TiB", after="2 TiB", objects=("iad/view/a",)),
    "p: 10.0.0.0/8 → * (f.yaml:3)": edit("p", before=["10.0.0.0/8"], after=["*"]),
    "p: removes a, b; adds c (f.yaml:3)": edit("p", before=["a", "b"], after=["c"]),
    "p: ~ k: 1 → 2 (f.yaml:3)": edit("p", before={"k": 1}, after={"k": 2}),
    "p changed (f.yaml:3)": edit("p"),
    "p changed: (sensitive) (f.yaml:3)": edit("p", sensitive=True),
    "p added: 5 (f.yaml:3)": edit("p", EditSort.ADDED, after=5),
    "p removed: [a] (f.yaml:3 of the base)": edit("p", EditSort.REMOVED, before=["a"]),
    "p renamed from q (f.yaml:3)": edit("p", EditSort.RENAMED, "q", "p"),
    "p: 1 → 2 (f.yaml:3), which means the same": edit("p", before=1, after=2, same=True),
    "p: 1 → 2 (f.yaml:3): iad/view/a, iad/view/b, iad/view/c, iad/view/d": edit(
        "p", before=1, after=2, objects=tuple(f"iad/view/{name}" for name in "abcd")
    ),
    "p added (f.yaml:3): 3 views, 2 quotas on iad, pdx": edit(
        "p", EditSort.ADDED, objects=("iad/view/a", "iad/view/b", "pdx/view/a", "iad/quota/a", "pdx/quota/a")
    ),
    f"p: {shortened('x' * 300, 200)} → y (f.yaml:3)": edit("p", before="x" * 300, after="y"),
}


def test_an_edit_without_objects_has_no_words_for_them() -> None:
    assert object_words(edit("p"), str, str) == ""


@pytest.mark.parametrize("text", EDITS)
def test_an_edit_is_one_line(text: str) -> None:
    assert edit_line(EDITS[text], str, str) == text


@pytest.mark.parametrize(
    ("verb", "desired", "place"),
    [
        (Verb.UPDATE, {"a": 1}, "f.yaml:3"),
        (Verb.UPDATE, {}, "f.yaml:3"),
        (Verb.DELETE, {}, "f.yaml:3 of the base"),
        (Verb.RELEASE, {"a": 1}, "f.yaml:3"),
        (Verb.RELEASE, {}, "f.yaml:3 of the base"),
    ],
)
def test_an_action_has_its_line_and_what_is_removed_that_of_the_base(
    verb: Verb, desired: dict[str, Any], place: str
) -> None:
    assert action_place(action("a", verb, desired=desired, where=Where("x/f.yaml", 3, 1)), str) == place
    assert action_place(action("a", verb, desired=desired), str) == ""


def test_edits_that_let_in_or_lose_come_first() -> None:
    open_, gone, less = (
        action("open", Verb.UPDATE, changes=(replace(LESS, fewer=False, admits=True),)),
        action("gone", Verb.DELETE),
        action("less", Verb.UPDATE, changes=(LESS,)),
    )
    names = ("calm", "gone", "open", "nothing", "less", "deletes")
    edits = tuple(edit(name, objects=(f"iad/view/{name}",)) for name in names)
    deletes = action("deletes", Verb.UPDATE, deletes=("expiration_days",))
    made = replace(of(open_, gone, less, deletes, action("calm", Verb.CREATE)), base=Base("b", "0" * 64, edits=edits))
    assert [one.path for one in own_edits(made)] == ["gone", "open", "less", "deletes", "calm", "nothing"]
    assert own_edits(of(open_)) == []
