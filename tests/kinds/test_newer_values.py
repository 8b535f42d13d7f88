"""A value that a newer version brought, in one live object: it shows as itself, and nothing else is touched by it."""

from __future__ import annotations

import copy
import typing
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from tests.force import by_force
from tests.kinds.cases import Case
from tests.kinds.test_kinds import CASES, FEW, made
from tests.kinds.test_kinds import lab as lab
from tests.lab import Lab, full_registry
from vastplan.engine.live import observe, read
from vastplan.model.plan import Plan
from vastplan.schema.codec import at, decode_row, item_id
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Row
from vastplan.schema.rows import put

NEWER = "NEWER_X"
KINDS = full_registry().kinds
OURS = {
    ("admission_policy", "rule"),
    ("admission_policy", "sources"),
}  # vastplan's own words in the expressions that are there
Change = Callable[[Row], None]
Place = tuple[str, tuple[str, ...]]  # the field, and where it is on the wire ("*" is each item of a list)


def enums(model: type[BaseModel], fields: tuple[Field, ...], prefix: Place = ("", ())) -> Iterator[Place]:
    """The fields of a kind that take one of some words, or a list of them."""
    for field in fields:
        annotation = model.model_fields[field.name].annotation
        name, wire = f"{prefix[0]}{field.name}", (*prefix[1], *field.read_at)
        if field.readable and wire and any(isinstance(word, str) for word in literals(annotation)):
            yield name, wire
        for inner in models(annotation):
            if field.fields and field.readable:
                items = ("*",) if field.shape.name in ("list", "set", "list-map") else ()
                yield from enums(inner, field.fields, (f"{name}.", (*wire, *items)))


def literals(annotation: Any) -> Iterator[Any]:
    """The words of a type, its unions and its items, but not those of models in it."""
    if typing.get_origin(annotation) is typing.Literal:
        yield from typing.get_args(annotation)
    for inner in typing.get_args(annotation):
        yield from literals(inner)


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in typing.get_args(annotation):
        yield from models(inner)


def newer(row: Any, wire: tuple[str, ...]) -> None:
    """Put the newer value there: for a word, into a list, or as one more switch that is on."""
    step, rest = wire[0], wire[1:]
    if step == "*":
        for item in row if isinstance(row, list) else ():
            newer(item, rest)
    elif rest:
        if rest[0] != "*":
            row[step] = row.get(step) or {}
        newer(row.get(step), rest)
    elif isinstance(row.get(step), list):
        row[step].append(NEWER)
    elif isinstance(row.get(step), dict):
        row[step][NEWER] = True
    else:
        row[step] = NEWER


def planned(lab: Lab, case: Case, monkeypatch: pytest.MonkeyPatch, id: str, change: Change) -> Plan:
    """A plan that reads one object changed."""
    reader = observe.live_reader

    def changed(site: str, kind: Kind, example: Row, provider: Any) -> Callable[[Row], Any]:
        of_row = reader(site, kind, example, provider)

        def live(row: Row) -> Any:
            if kind.name == case.kind and item_id(kind.endpoint, row) == id:
                row = copy.deepcopy(row)
                change(row)
            return of_row(row)

        return live

    with monkeypatch.context() as patched:
        patched.setattr(read, "live_reader", changed)
        return lab.plan()


@pytest.mark.slow
@pytest.mark.parametrize("case", by_force(CASES, *FEW, "vast.view_policy.yaml", "vast.view.yaml"), ids=str)
def test_only_its_own_field_differs(lab: Lab, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    made(lab, case)
    kind = KINDS[case.kind]
    there = lab.live(case.address)
    assert there is not None
    for name, wire in (place for place in enums(kind.model, kind.fields) if (kind.name, place[0]) not in OURS):
        plan = planned(lab, case, monkeypatch, there.id, lambda row, wire=wire: newer(row, wire))  # type: ignore[misc]
        assert not plan.unknown, (name, plan.unknown)
        assert {str(action.address) for action in plan.actions} <= {case.address}, (name, plan.actions)
        moved = [change for action in plan.actions for change in action.changes]
        assert all(change.path == name or name.startswith(f"{change.path}.") for change in moved), (name, moved)
        assert all(NEWER in str(change.before) for change in moved), (name, moved)
        if name in case.get("entry", {}):
            # of what is made once it is said, and nothing is made anew
            said = any(one.code == "VP350" and name in one.message for one in plan.findings)
            assert moved or (kind.once is not None and said), f"{name}: nobody sees that it is not as desired"
    for path in [*([kind.states.path] if kind.states else []), *(fact.path for fact in kind.metrics if fact.ones)]:
        plan = planned(lab, case, monkeypatch, there.id, lambda row, path=path: put(row, path, NEWER))  # type: ignore[misc]
        assert (plan.unknown, plan.actions) == ((), ()), path


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS.values() if kind.system != "kubernetes"], ids=lambda kind: kind.name
)
def test_what_has_another_form_stays_as_it_is(kind: Kind) -> None:
    """Where a newer version has a word for an object, or a list for a word; Kubernetes refuses what its types have not."""
    for field in kind.fields:
        for raw in (NEWER, [NEWER], [[NEWER]], {"newer": NEWER}, [{"newer": NEWER}], 7, True):
            if field.readable and field.read_at:
                decode_row(kind, {field.read_at[0]: raw})


def test_a_pool_with_a_newer_permission_is_neither_lost_nor_taken_for_open() -> None:
    row = {"permission_per_vip_pool": {"1": "RW", "2": NEWER, "3": "RO"}}
    values = decode_row(KINDS["view_policy"], row)
    assert (values["vip_pools"], values["vip_pools_read_only"]) == ([1, f"2 ({NEWER})"], [3])
    finish = KINDS["view_policy"].finish_encode
    assert finish is not None
    changed = {"permission_per_vip_pool": {"RW": values["vip_pools"], "RO": [3, 4]}}  # somebody else's list goes along
    assert finish(changed, values) == {
        "vip_pools": [1, 3, 4, 2],
        "permission_per_vip_pool": {"1": "RW", "2": NEWER, "3": "RO", "4": "RO"},
    }


def test_memory_in_a_newer_unit_is_told_and_goes_back_as_it_was() -> None:
    memory = {"deserved": 2, "limit": -1, "units": "Qib"}
    values = decode_row(KINDS["project"], {"resources": [{"nodePool": {"name": "default"}, "memory": memory}]})
    assert values["node_pools"]["default"]["memory"] == {"deserved": "2 Qib", "limit": -1}
    finish = KINDS["project"].finish_encode
    assert finish is not None
    body = finish({"resources": [{"gpu": {"deserved": 1}, "memory": {"deserved": "2 Qib", "limit": -1}}]}, values)
    assert at(body, ("resources",)) == [{"gpu": {"deserved": 1}}]
