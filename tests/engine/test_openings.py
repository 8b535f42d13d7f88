"""By which fields of which kinds somebody is let in: a table over all kinds, so that a new field has to say it too."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml

from tests.guards.stage import planned
from tests.lab import REGISTRY_KINDS
from vastplan.engine.access.opening import action_openings, keeps_closed
from vastplan.engine.live.diff import from_nothing
from vastplan.engine.live.matches import Matches
from vastplan.engine.matching.referrers import Referrers
from vastplan.model.address import Address
from vastplan.model.plan import Action, Door, Verb
from vastplan.schema.endpoint import Update
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Marker
from vastplan.schema.opening import may_open, opens
from vastplan.schema.walk import field_table

TABLE: dict[str, dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "openings.yaml").read_text())
ONLY_READ = {"pod"} | {name for name, kind in REGISTRY_KINDS.items() if kind.endpoint.update is Update.NONE}
ONLY_MADE = {"access_rule"}  # there is no call that changes one
_NOT_SENT = (Marker.DOCUMENT, Marker.CREATE_ONLY)


def fields(kind_fields: tuple[Field, ...], inside: str = "") -> Iterator[tuple[str, Field]]:
    """What a plan may show a change of, by its path; a struct by its fields."""
    for field in kind_fields:
        if any(map(field.has, _NOT_SENT)) and field.opens is None:
            continue
        if field.shape.name == "struct":
            yield from fields(field.fields, f"{inside}{field.name}.")
        else:
            yield f"{inside}{field.name}", field


def of(kind: str, path: str) -> Field:
    return dict(fields(REGISTRY_KINDS[kind].fields))[path.removesuffix(".null")]


def opening() -> list[tuple[str, str]]:
    return [(kind, path) for kind, row in TABLE.items() for path in _listed(row)]


def _listed(row: dict[str, Any]) -> list[str]:
    return [path for how in ("opens", "any", "either") for path in row.get(how, ())]


def test_every_kind_is_in_the_table() -> None:
    assert set(TABLE) == REGISTRY_KINDS.keys() - (ONLY_READ - ONLY_MADE)


@pytest.mark.parametrize("kind", TABLE)
def test_every_field_is_in_the_table_once(kind: str) -> None:
    row = TABLE[kind]
    lets_in = {path.removesuffix(".null") for path in _listed(row)}
    paths = dict(fields(REGISTRY_KINDS[kind].fields))
    shut = {path for path in paths if any(fnmatch(path, pattern) for pattern in row["shut"])}
    assert lets_in | shut == set(paths) and not lets_in & shut
    assert not [path for path in shut if opens(paths[path], None, True) or opens(paths[path], [1], [2])]


@pytest.mark.parametrize(("kind", "path"), opening())
def test_a_field_opens_by_what_the_table_says(kind: str, path: str) -> None:
    row, field = TABLE[kind], of(kind, path)
    if path in row.get("any", ()):
        assert all(opens(field, "before", after) for after in row["any"][path])
        made = row["any"][path][0]
    else:
        before, made = row["either" if path in row.get("either", ()) else "opens"][path]
        assert opens(field, before, made) and opens(field, made, before) is (path in row.get("either", ()))
    loses = isinstance(made, list) and isinstance(before, list) and len(made) < len(before) and made
    assert opens(field, None, made, at_create=True) is (path not in row.get("later", ()) and not loses)


@pytest.mark.parametrize("kind", TABLE)
def test_an_object_opens_as_a_whole_as_the_table_says(kind: str) -> None:
    row = TABLE[kind]
    said = {"made": Door.MADE, "gone": Door.GONE}.get(row.get("whole", ""))
    made = [one for one in _openings(kind, Verb.CREATE) if one.door is not Door.UNSAID]
    gone = _openings(kind, Verb.DELETE)
    assert [one.door for one in (*made, *gone)] == ([said] if said else [])
    unsaid = {field: list(one.whom) for one in _openings(kind, Verb.CREATE) if one.fields for field in one.fields}
    assert unsaid == row.get("unsaid", {})
    assert not [one for one in _openings(kind, Verb.CREATE, dict.fromkeys(unsaid)) if one.door is Door.UNSAID]
    assert not _openings(kind, Verb.UPDATE) and not _openings(kind, Verb.RELEASE) and not _openings(kind, Verb.ADOPT)


def _openings(kind: str, verb: Verb, desired: dict[str, Any] | None = None) -> tuple[Any, ...]:
    """Those of an object of which nothing else is known."""
    matches = SimpleNamespace(kinds=REGISTRY_KINDS, match=lambda _: SimpleNamespace(live=None))
    action = Action(Address("iad", kind, "one"), verb, "", desired=desired or {})
    return action_openings(action, cast(Matches, matches), {}, Referrers())


def test_what_is_only_said_when_it_is_made_is_shown_where_it_opens() -> None:
    view: Kind = REGISTRY_KINDS["view"]
    told = {
        change.path: change for change in from_nothing(view, {"path": "/a", "create_dir": True, "create_dir_mode": 777})
    }
    assert told["create_dir_mode"].after == 777 and told["create_dir_mode"].admits
    assert "create_dir" not in told and not told["path"].admits
    assert field_table(view.fields).by_name["create_dir"].opens is None


_BINDING = {
    "metadata": {"name": "b", "uid": "b1", "annotations": {"vastplan.io/storage-class": "c"}},
    "spec": {"policyName": "p"},
}
_CLASS = {"metadata": {"name": "c", "uid": "c1"}, "provisioner": "csi.vastdata.com", "parameters": {}}
_WANTED = {"name": "c", "driver": "file"}
GOES: dict[str, tuple[dict[str, Any], bool]] = {
    "its class stays": ({"rows": [_CLASS], "owned": {"storage_class/c": "c1"}, "desired": {"storage_class/c": _WANTED}}, True),
    "its class stays, changed": (
        {"rows": [_CLASS], "owned": {"storage_class/c": "c1"}, "desired": {"storage_class/c": {**_WANTED, "labels": {"x": "y"}}}},
        True,
    ),
    "its class is a stranger's": ({"rows": [_CLASS]}, True),
    "its class goes too": ({"rows": [_CLASS], "owned": {"storage_class/c": "c1"}}, False),
    "its class is gone": ({"rows": []}, False),
    "of its class nothing is known": ({"rows": [], "unread": {"storage_class": "down"}}, True),
    "it names no class": ({"rows": [_CLASS], "binding": {**_BINDING, "metadata": {"name": "b", "uid": "b1"}}}, True),
}  # fmt: skip


@pytest.mark.parametrize("name", GOES)
def test_what_keeps_something_closed_opens_it_where_that_does_not_go_too(name: str) -> None:
    case, opened = GOES[name]
    owned = {"admission_binding/b": "b1", **case.get("owned", {})}
    rows = {"admission_binding": [case.get("binding", _BINDING)], "storage_class": case["rows"]}
    plan, _ = planned({**case, "owned": owned, "rows": rows, "consent": {"allow_delete": ["*"]}})
    (action,) = [action for action in plan.actions if action.address.kind == "admission_binding"]
    assert action.verb is Verb.DELETE
    assert [one.door for one in action.opens] == ([Door.GONE] if opened else [])


def test_what_closes_is_told_by_any_of_three_facts() -> None:
    assert {name for name, kind in REGISTRY_KINDS.items() if keeps_closed(kind)} == {
        "admission_policy", "admission_binding", "resource_quota",
    }  # fmt: skip
    nothing = SimpleNamespace(closes=(), enforces=None, fields=())
    shields = SimpleNamespace(refers=SimpleNamespace(shields=True))
    for more in ({"closes": ("a rule",)}, {"enforces": "a field"}, {"fields": (shields,)}):
        assert keeps_closed(cast(Kind, SimpleNamespace(**{**vars(nothing), **more})))
    assert not keeps_closed(cast(Kind, nothing))


def test_whether_anything_could_come_in_by_a_field() -> None:
    told = {kind: {field.name for field in of.fields if may_open(field)} for kind, of in REGISTRY_KINDS.items()}
    assert "view_policy" in told["view"] and "path" not in told["view"]  # by what it refers to
    assert "protocols" in told["view"] and "alias" in told["view"]  # by whom it lists, by what it becomes
    assert told["department"] == told["cluster"] == set()
    assert "tenant" not in told["view"] and "vip_pool" not in told["view"]


def test_a_list_that_is_left_as_it_was_opens_nothing() -> None:
    flags = dict(fields(REGISTRY_KINDS["view"].fields))["abe_protocols"]
    assert opens(flags, ["NFS", "SMB"], ["NFS"]) and opens(flags, ["NFS"], []) and opens(flags, ["NFS"], None)
    assert not opens(flags, ["NFS"], ["NFS"]) and not opens(flags, ["NFS"], ["NFS", "SMB"])
    assert opens(flags, None, []), "what it was is not known"
    policy = dict(fields(REGISTRY_KINDS["view"].fields))["view_policy"]
    assert opens(policy, "a", "b") and not opens(policy, "a", None)


def test_what_is_made_anew_in_the_same_place_lets_nobody_in_by_that() -> None:
    assert [one.door for one in _openings("access_rule", Verb.CREATE)] == [Door.MADE]
    assert not _openings("access_rule", Verb.REPLACE)
