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
from vastplan.engine.access.opening import action_openings, adopted_openings, keeps_closed
from vastplan.engine.live.diff import from_nothing
from vastplan.engine.live.matches import Matches
from vastplan.engine.matching.referrers import Referrers
from vastplan.kinds.kubernetes._rules import closed_class
from vastplan.model.address import Address
from vastplan.model.plan import Access, Action, Cause, Door, FieldChange, Verb
from vastplan.schema.endpoint import Update
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Marker
from vastplan.schema.opening import access_by, admitted_items, let_in, may_open, opens
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


def test_a_rule_that_is_replaced_by_one_of_somebody_else_lets_that_one_in() -> None:
    values = {
        "subject_type": "group",
        "role": {"$existing": "iad/role/engineer"},
        "scope": {"$existing": "iad/project/p"},
        "scope_type": "project",
    }
    row = {"id": 9, "subjectId": "grp", "subjectType": "group", "roleId": 2, "scopeId": "4", "scopeType": "project"}
    rows = {
        "project": [{"id": "4", "name": "p", "status": {}}],
        "role": [{"id": 2, "name": "engineer"}],
        "access_rule": [row],
    }
    case = {"rows": rows, "owned": {"access_rule/a": 9}, "consent": {"allow_delete": ["*"]}}
    (action,) = planned({**case, "desired": {"access_rule/a": {**values, "subject": "eve"}}})[0].actions
    assert (action.verb, [one.door for one in action.opens]) == (Verb.REPLACE, [Door.MADE])


ROWS: dict[str, Any] = {
    "tenant": [{"id": 1, "name": "t"}],
    "vip_pool": [{"id": 7, "name": "v", "tenant_id": 1}, {"id": 8, "name": "w", "tenant_id": 1}],
}
POLICY = {"id": 5, "name": "p", "tenant_id": 1, "permission_per_vip_pool": {}}
V, W = ({"$existing": f"iad/vip_pool/{name}"} for name in "vw")


def policy_change(live: dict[str, Any], desired: dict[str, Any]) -> dict[str, tuple[bool, Access]]:
    """By changed field of a policy, whether it lets somebody in, and by what."""
    values = {"name": "p", "tenant": {"$existing": "iad/tenant/t"}, **desired}
    case = {
        "rows": {**ROWS, "view_policy": [{**POLICY, **live}]},
        "owned": {"view_policy/p": 5},
        "desired": {"view_policy/p": values},
    }
    (action,) = planned({**case, "consent": {"allow_narrow": ["*"]}})[0].actions
    return {change.path: (change.admits, change.access) for change in action.changes}


IN, OUT, LOSS = (True, Access.CLIENTS), (False, Access.CLIENTS), (True, Access.LOSS)
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "fewer of the same addresses": ({"nfs_read_write": ["10.0.0.0/8"]}, {"nfs_read_write": ["10.1.0.0/16"]}, {"nfs_read_write": OUT}),
    "the same addresses, written otherwise": (
        {"nfs_read_write": ["10.0.0.0/8", "@staff"]}, {"nfs_read_write": ["10.0.0.0/9", "10.128.0.0/9", "@staff"]}, {"nfs_read_write": OUT},
    ),
    "a pattern inside a network": ({"nfs_read_write": ["10.0.0.0/8"]}, {"nfs_read_write": ["10.*.0.5"]}, {"nfs_read_write": OUT}),
    "a group of hosts of everybody": ({"nfs_read_write": ["*"]}, {"nfs_read_write": ["@staff"]}, {"nfs_read_write": OUT}),
    "one address more": ({"nfs_read_write": ["10.0.0.0/9"]}, {"nfs_read_write": ["10.0.0.0/8"]}, {"nfs_read_write": IN}),
    "from writing to reading": (
        {"nfs_read_write": ["10.0.0.1"], "nfs_read_only": []}, {"nfs_read_write": [], "nfs_read_only": ["10.0.0.1"]},
        {"nfs_read_write": OUT, "nfs_read_only": OUT},
    ),
    "from reading to writing": (
        {"nfs_read_write": [], "nfs_read_only": ["10.0.0.1"]}, {"nfs_read_write": ["10.0.0.1"], "nfs_read_only": []},
        {"nfs_read_write": IN, "nfs_read_only": LOSS},
    ),
    "no longer only reading, in a network that writes": (
        {"nfs_read_write": ["10.0.0.0/8"], "nfs_read_only": ["10.9.0.0/16"]}, {"nfs_read_only": []}, {"nfs_read_only": LOSS},
    ),
    "no longer reading, elsewhere": (
        {"nfs_read_write": ["10.0.0.0/8"], "nfs_read_only": ["11.0.0.1"]}, {"nfs_read_only": []}, {"nfs_read_only": OUT},
    ),
    "no longer squashed": (
        {"nfs_no_squash": ["*"], "nfs_root_squash": ["10.0.0.1"]}, {"nfs_root_squash": []}, {"nfs_root_squash": LOSS},
    ),
    "no longer refused": (
        {"nfs_read_write": ["10.0.0.0/8", "~10.0.0.9"]}, {"nfs_read_write": ["10.0.0.0/8"]}, {"nfs_read_write": LOSS},
    ),
    "from one pool to reading by another": (
        {"permission_per_vip_pool": {"7": "RW"}}, {"vip_pools": [], "vip_pools_read_only": [W]},
        {"vip_pools": OUT, "vip_pools_read_only": IN},
    ),
    "from reading by one pool to all pools": ({"permission_per_vip_pool": {"7": "RO"}}, {"vip_pools_read_only": []}, {"vip_pools_read_only": IN}),
    "from all pools to reading by one": ({}, {"vip_pools_read_only": [V]}, {"vip_pools_read_only": OUT}),
    "from one pool to all": ({"permission_per_vip_pool": {"7": "RW"}}, {"vip_pools": []}, {"vip_pools": IN}),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_whom_a_policy_lets_in_is_judged_with_all_of_its_lists(name: str) -> None:
    live, desired, told = CHANGES[name]
    assert policy_change(live, desired) == told


def view_openings(
    view: dict[str, Any], desired: dict[str, Any], **rows: Any
) -> tuple[dict[str, bool], list[tuple[str, ...]]]:
    """By changed field of a view, whether it lets somebody in; and whom, by its policy."""
    closed: dict[str, Any] = {
        "nfs_read_write": [],
        "nfs_read_only": [],
        "smb_read_write": [],
        "smb_read_only": [],
        "read_write": [],
        "read_only": [],
    }
    p = {**POLICY, **closed, "nfs_read_write": ["10.0.0.0/24"], "nfs_enforce_tls": True}
    q = {
        **p,
        "id": 6,
        "name": "q",
        "nfs_read_write": ["10.0.0.0/23"],
        "nfs_enforce_tls": False,
        "smb_read_write": ["*"],
        "nfs_no_squash": ["10.0.0.1"],
    }
    case: dict[str, Any] = {
        "rows": {**ROWS, "view_policy": [p, q], "view": [{"id": 3, "path": "/a", "tenant_id": 1, "policy_id": 5, "protocols": ["NFS"], **view}]},
        "owned": {"view/a": 3}, "consent": {"allow_narrow": ["*"]}, **rows,
        "desired": {"view/a": {"path": "/a", "tenant": {"$existing": "iad/tenant/t"}, **desired}},
    }  # fmt: skip
    (action,) = [one for one in planned(case)[0].actions if one.address.kind == "view"]
    assert {one.door for one in action.opens if one.door is not Door.UNSAID} <= {Door.REFERRED}
    return {change.path: change.admits for change in action.changes}, [
        one.whom for one in action.opens if one.door is Door.REFERRED
    ]


P, Q, NONE = ({"view_policy": {"$existing": f"iad/view_policy/{name}"}} for name in ("p", "q", "none"))


def test_a_view_that_gets_another_policy_lets_in_whom_that_one_lets_in() -> None:
    more = ("nfs_read_write 10.0.1.0/24", "nfs_no_squash 10.0.0.1", "nfs_enforce_tls false")
    assert view_openings({}, Q) == ({"view_policy": True}, [more])
    assert view_openings({"policy_id": 6}, P) == ({"view_policy": False}, [])
    assert view_openings({}, NONE) == ({"view_policy": True}, []), "nobody knows whom it lets in"
    assert view_openings({"protocols": ["SMB"]}, Q) == ({"view_policy": True}, [("smb_read_write *",)]), (
        "of its protocols"
    )


def test_a_view_that_gets_a_protocol_lets_in_whom_its_policy_lets_in_by_it() -> None:
    smb = {"protocols": ["NFS", "SMB"]}
    assert view_openings({}, {**P, **smb}) == ({"protocols": False}, []), "its policy lets in nobody by SMB"
    assert view_openings({"policy_id": 6}, {**Q, **smb}) == ({"protocols": True}, [("smb_read_write *",)])
    both = ("nfs_read_write 10.0.1.0/24", "nfs_no_squash 10.0.0.1", "nfs_enforce_tls false", "smb_read_write *")
    changes, whom = view_openings({}, {**Q, **smb})
    assert changes == {"view_policy": True, "protocols": True} and [sorted(one) for one in whom] == [sorted(both)]
    assert view_openings({}, {**P, "protocols": ["NFS", "DATABASE"]}) == ({"protocols": True}, []), (
        "no list of hosts is for it"
    )
    assert view_openings({"policy_id": 99}, smb) == ({"protocols": True}, [])


def test_whom_a_new_protocol_lets_in_is_said_though_the_policy_before_let_them_in_too() -> None:
    """Nobody came in by the protocol that the view did not have."""
    p, q = (
        {**POLICY, "id": key, "name": name, "nfs_read_write": [], "read_write": [], "smb_read_write": ["*"]}
        for key, name in ((5, "p"), (6, "q"))
    )
    rows = {
        **ROWS,
        "view_policy": [p, q],
        "view": [{"id": 3, "path": "/a", "tenant_id": 1, "policy_id": 5, "protocols": ["NFS"]}],
    }
    changes, whom = view_openings({}, {**Q, "protocols": ["NFS", "SMB"]}, rows=rows)
    assert (changes, whom) == ({"view_policy": True, "protocols": True}, [("smb_read_write *",)])


def test_a_protocol_that_lets_in_nobody_is_not_named_beside_a_policy_that_does() -> None:
    p = {
        **POLICY,
        "nfs_read_write": [],
        "read_write": [],
        "smb_read_write": [],
        "nfs_read_only": [],
        "smb_read_only": [],
        "read_only": [],
    }
    q = {**p, "id": 6, "name": "q", "nfs_read_write": ["10.0.0.1"]}
    rows = {
        **ROWS,
        "view_policy": [p, q],
        "view": [{"id": 3, "path": "/a", "tenant_id": 1, "policy_id": 5, "protocols": ["NFS"]}],
    }
    case: dict[str, Any] = {
        "rows": rows, "owned": {"view/a": 3}, "consent": {"allow_narrow": ["*"]},
        "desired": {"view/a": {"path": "/a", "tenant": {"$existing": "iad/tenant/t"}, "protocols": ["NFS", "SMB"], **Q}},
    }  # fmt: skip
    (action,) = [one for one in planned(case)[0].actions if one.address.kind == "view"]
    (opening,) = [one for one in action.opens if one.door is Door.REFERRED]
    assert opening.fields == ("view_policy", "q", "view_policy")


def test_a_policy_that_closes_an_existing_class_keeps_all_of_its_changes() -> None:
    policy = {
        "name": "vp",
        "storage_class": {"$existing": "iad/storage_class/c"},
        "namespaces": [],
        "open": False,
        "rule": "as vastplan writes it",
    }
    (action,) = planned({"rows": {"storage_class": [_CLASS]}, "desired": {"admission_policy/vp": policy}})[0].actions
    assert {change.path: change.admits for change in action.changes} == dict.fromkeys(policy, False)


def test_a_policy_that_nothing_enforces_opens_nothing_when_it_goes() -> None:
    policy = {"metadata": {"name": "p", "uid": "p1"}, "spec": closed_class("c", ["a"], False)}
    rows = {"storage_class": [_CLASS], "admission_policy": [policy]}
    audit = {**_BINDING, "spec": {"policyName": "p", "validationActions": ["Audit"]}}
    deny = {**_BINDING, "spec": {"policyName": "p", "validationActions": ["Deny"]}}
    for binding, doors in ((audit, []), (deny, [Door.GONE])):
        case = {
            "rows": {**rows, "admission_binding": [binding]},
            "owned": {"admission_policy/p": "p1"},
            "consent": {"allow_delete": ["*"]},
        }
        (action,) = [one for one in planned(case)[0].actions if one.address.kind == "admission_policy"]
        assert [one.door for one in action.opens] == doors


def test_what_an_object_gives_that_is_replaced_is_said_only_of_a_grant() -> None:
    """What gives somebody access to something is another grant when it is replaced; a key stays that of its user."""
    changes = (FieldChange("user", "eve", "kim", Cause.DOCUMENT, replaces=True),)
    action = Action(Address("iad", "s3_key", "one"), Verb.REPLACE, "", changes=changes)
    matches = SimpleNamespace(kinds=REGISTRY_KINDS, match=lambda _: SimpleNamespace(live=None))
    assert not action_openings(action, cast(Matches, matches), {}, Referrers())


def test_an_item_of_a_list_is_a_text_or_the_address_of_a_reference() -> None:
    items = ["a", {"$ref": "iad/tenant/t"}, {"$existing": "iad/tenant/u"}, {"user": "eve"}, {"$ref": "a", "more": 1}, 5]
    assert admitted_items(items) == [
        "a",
        "iad/tenant/t",
        "iad/tenant/u",
        '{"user": "eve"}',
        '{"$ref": "a", "more": 1}',
        "5",
    ]


def test_a_list_that_was_open_to_all_lets_in_nobody_new() -> None:
    pools = of("view_policy", "vip_pools")
    assert let_in(pools, {"name": "p", "vip_pools": []}, {"vip_pools": [V]}) == []


def test_a_new_view_lets_in_whom_its_policy_lets_in() -> None:
    made, whom = view_openings({}, {**Q, "path": "/b", "protocols": ["NFS"]}, owned={})
    assert (made["view_policy"], made["protocols"], whom) == (True, True, [("nfs_read_write 10.0.0.0/23",)])
    new = {"view_policy/n": {"name": "n", "tenant": {"$existing": "iad/tenant/t"}, "smb_read_write": []}}
    desired = {
        **new,
        "view/b": {
            "path": "/b",
            "tenant": {"$existing": "iad/tenant/t"},
            "protocols": ["SMB"],
            "view_policy": {"$ref": "iad/view_policy/n"},
        },
    }
    plan, _ = planned({"rows": ROWS, "desired": desired})
    (view,) = [one for one in plan.actions if one.address.kind == "view"]
    assert [one.whom for one in view.opens] == [("read_write *",)], "what the document leaves out is open"


def test_what_the_system_lets_in_already_is_said_with_all_of_its_values() -> None:
    values = {"name": "p", "nfs_no_squash": ["10.12.0.0/24"], "nfs_read_only": [], "smb_directory_mode": "0755"}
    found = list(adopted_openings(REGISTRY_KINDS["view_policy"], values, ["nfs_no_squash", "nfs_read_only"]))
    assert [(one.door, one.fields, one.whom) for one in found] == [
        (Door.ADOPTED, ("nfs_no_squash",), ("10.12.0.0/24",))
    ]
    assert not list(adopted_openings(REGISTRY_KINDS["view_policy"], values, []))


def test_a_new_policy_that_lists_pools_for_reading_is_not_open_to_all_pools() -> None:
    policy = {"name": "p", "tenant": {"$existing": "iad/tenant/t"}, "vip_pools_read_only": [V]}
    (action,) = planned({"rows": ROWS, "desired": {"view_policy/p": policy}})[0].actions
    assert [one.fields for one in action.opens if not one.whom and one.door is Door.UNSAID] == []


def test_what_a_binding_no_longer_denies_is_a_loss() -> None:
    actions = dict(fields(REGISTRY_KINDS["admission_binding"].fields))["validation_actions"]
    assert access_by(actions, ["Deny"], ["Audit"]) is Access.LOSS


def test_of_many_hosts_of_a_policy_the_first_twelve_are_said() -> None:
    hosts = [f"10.7.0.{number}" for number in range(10, 24)]
    rows = {"view_policy": [{**POLICY, "id": 6, "name": "q", "smb_read_write": hosts, "read_write": []}]}
    view = {"path": "/b", "tenant": {"$existing": "iad/tenant/t"}, "protocols": ["SMB"], **Q}
    (action,) = planned({"rows": {**ROWS, **rows}, "desired": {"view/b": view}})[0].actions
    assert [one.whom for one in action.opens] == [(f"smb_read_write {', '.join(hosts[:12])} and 2 more",)]


def test_a_view_that_loses_a_protocol_lets_in_nobody() -> None:
    everybody = {**POLICY, "read_write": ["*"], "nfs_read_write": ["*"], "smb_read_write": ["*"]}
    both = {"protocols": ["NFS", "SMB"]}
    changes, whom = view_openings(both, {"protocols": ["NFS"]}, rows={**ROWS, "view_policy": [everybody],
        "view": [{"id": 3, "path": "/a", "tenant_id": 1, "policy_id": 5, **both}]})  # fmt: skip
    assert (changes, whom) == ({"protocols": False}, [])


def test_the_tenant_of_a_policy_is_none_of_its_clients() -> None:
    p = {**POLICY, "nfs_read_write": ["10.0.0.1"], "read_write": []}
    rows = {**ROWS, "view_policy": [p, {**p, "id": 6, "name": "q", "tenant_id": None}],
            "view": [{"id": 3, "path": "/a", "tenant_id": 1, "policy_id": 5, "protocols": ["NFS"]}]}  # fmt: skip
    assert view_openings({}, Q, rows=rows) == ({"view_policy": False}, [])


def test_that_a_policy_opens_all_pools_is_said_once() -> None:
    p = {**POLICY, "nfs_read_write": ["10.0.0.1"], "read_write": [], "permission_per_vip_pool": {"7": "RW"}}
    rows = {**ROWS, "view_policy": [p, {**p, "id": 6, "name": "q", "permission_per_vip_pool": {}}],
            "view": [{"id": 3, "path": "/a", "tenant_id": 1, "policy_id": 5, "protocols": ["NFS"]}]}  # fmt: skip
    assert view_openings({}, Q, rows=rows) == ({"view_policy": True}, [("vip_pools everybody",)])
    rows["view_policy"] = [p, {**p, "id": 6, "name": "q", "permission_per_vip_pool": {"7": "RW", "8": "RO"}}]
    assert view_openings({}, Q, rows=rows) == ({"view_policy": True}, [("vip_pools_read_only iad/vip_pool/w",)])


def test_a_new_view_without_protocols_lets_in_by_the_one_that_the_system_assumes() -> None:
    made, whom = view_openings({}, {**Q, "path": "/b"}, owned={})
    assert (made["view_policy"], whom) == (True, [("nfs_read_write 10.0.0.0/23",)])


def test_by_what_a_value_lets_in() -> None:
    alias = dict(fields(REGISTRY_KINDS["view"].fields))["alias"]
    assert access_by(alias, None, "/a") is Access.CLIENTS


def test_a_protocol_of_a_view_whose_policy_before_is_not_known_stands_by_itself() -> None:
    changes, whom = view_openings({"policy_id": 99}, {**Q, "protocols": ["NFS", "SMB"]})
    assert (changes, whom) == ({"view_policy": True, "protocols": True}, [])


def test_a_change_names_the_owner_of_hosts_that_another_tenant_lists() -> None:
    u = {"name": "u", "client_ip_ranges": ["10.2.0.1 - 10.2.0.9"]}
    policy = {
        "name": "p",
        "tenant": {"$existing": "iad/tenant/t"},
        "nfs_read_write": ["10.1.0.1", "10.2.0.0/16", "10.3.0.1"],
    }
    rows = {**ROWS, "view_policy": [{**POLICY, "nfs_read_write": []}]}
    plan, _ = planned(
        {"rows": rows, "desired": {"tenant/u": u, "view_policy/p": policy}, "owned": {"view_policy/p": 5}}
    )
    (change,) = [change for action in plan.actions for change in action.changes if change.path == "nfs_read_write"]
    assert change.whose == {"10.2.0.0/16": "u"}


SHORT = {"frames": [{"every": 86400, "keep_local": 3 * 86400}]}


def schedule(key: int, name: str, keep: str) -> dict[str, Any]:
    return {
        "id": key,
        "name": name,
        "frames": [{"every": "1D", "keep-local": keep}],
        "clone_type": "LOCAL",
        "prefix": name,
    }


@pytest.mark.parametrize(
    ("before", "after", "made", "fewer"),
    [
        ("long", "short", {}, True),
        ("short", "long", {}, False),
        ("long", "same", {}, False),
        (
            "long",
            "new",
            {"protection_policy/new": {"name": "new", "prefix": "n", "clone_type": "LOCAL", **SHORT}},
            True,
        ),
        ("long", "unknown", {}, False),
        ("gone", "short", {}, False),
    ],
)
def test_another_target_that_keeps_less_takes_something_away(
    before: str, after: str, made: dict[str, Any], fewer: bool
) -> None:
    schedules = [schedule(9, "long", "30D"), schedule(8, "short", "3D"), schedule(7, "same", "30D")]
    keys = {row["name"]: row["id"] for row in schedules}
    path = {"id": 3, "name": "p", "source_dir": "/a/", "tenant_id": 1, "protection_policy_id": keys.get(before, 99), "role": "SOURCE",
            "state": "Active", "enabled": True, "capabilities": "LOCAL_BACKUP"}  # fmt: skip
    target = "$ref" if made else "$existing"
    values = {"name": "p", "source_dir": "/a", "tenant": {"$existing": "iad/tenant/t"}}
    case = {
        "rows": {"tenant": [{"id": 1, "name": "t"}], "protection_policy": schedules, "protected_path": [path]},
        "owned": {"protected_path/p": 3},
        "desired": {
            **made,
            "protected_path/p": {**values, "protection_policy": {target: f"iad/protection_policy/{after}"}},
        },
    }
    action = next((one for one in planned(case)[0].actions if one.address.kind == "protected_path"), None)
    changes = {change.path: change.fewer for change in action.changes} if action is not None else {}
    assert changes.get("protection_policy", False) is fewer


def test_a_field_that_only_closes_lets_in_an_empty_list() -> None:
    for field in (of("view_policy", "nfs_read_write"), of("view_policy", "nfs_no_squash")):
        assert let_in(field, {field.name: ["*"]}, {field.name: []}) == []
        assert let_in(field, {field.name: ["10.0.0.1"]}, {field.name: ["10.0.0.1"]}) == []


REFUSING = [
    (kind.name, field)
    for kind in REGISTRY_KINDS.values()
    for field in kind.fields
    if field.admits is not None and field.admits.refuses
]


def test_who_stays_refused_is_not_let_in() -> None:
    assert REFUSING
    for _, field in REFUSING:
        assert field.admits is not None
        no = field.admits.refuses
        assert let_in(field, {field.name: [f"{no}a", f"{no}b"]}, {field.name: [f"{no}a"]}) == ["b"]


def test_a_policy_of_no_tenant_has_no_neighbours() -> None:
    policy = {"name": "p", "flavor": "NFS", "nfs_read_write": ["10.1.0.0/16"]}
    theirs = {"name": "q", "flavor": "NFS", "nfs_read_write": ["10.1.0.0/16"], "tenant": {"$existing": "iad/tenant/t"}}
    made, _ = planned({"rows": ROWS, "desired": {"view_policy/p": policy, "view_policy/q": theirs}})
    whose = {
        action.address.name: [change.whose for change in action.changes if change.whose] for action in made.actions
    }
    assert whose == {"p": [], "q": []}


def test_whose_hosts_they_are_is_said_of_those_that_are_added() -> None:
    tenants = [{"id": 1, "name": "t"}, {"id": 2, "name": "u"}]
    row = {**POLICY, "nfs_read_write": ["10.1.0.0/16"]}
    desired = {
        f"view_policy/{name}": {"name": name, "tenant": {"$existing": f"iad/tenant/{tenant}"}, "nfs_read_write": hosts}
        for name, tenant, hosts in (
            ("p", "t", ["10.1.0.0/16", "10.2.0.0/16"]),
            ("q", "u", ["10.1.0.0/16", "10.2.0.0/16"]),
        )
    }
    case = {
        "rows": {**ROWS, "tenant": tenants, "view_policy": [row]},
        "owned": {"view_policy/p": 5},
        "desired": desired,
    }
    (action,) = [one for one in planned(case)[0].actions if one.address.name == "p"]
    assert [change.whose for change in action.changes if change.path == "nfs_read_write"] == [{"10.2.0.0/16": "u"}]
