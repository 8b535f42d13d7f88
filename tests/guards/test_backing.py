"""What keeps pods from going around every class stays while a closed class relies on it, whoever owns that."""

from __future__ import annotations

from typing import Any

import pytest

from tests.guards.stage import kinds, planned
from vastplan.engine.guards.evidence_reads import second_read
from vastplan.kinds.kubernetes import _rules
from vastplan.kinds.kubernetes.admission_policy import without_inline_volumes
from vastplan.model.plan import Plan, Verb

INLINE, IN_FORCE = "admission_policy/i", "admission_binding/i"


def storage_class(name: str = "c", driver: str = "csi.vastdata.com") -> dict[str, Any]:
    return {"metadata": {"name": name, "uid": name}, "provisioner": driver}


def inline_spec() -> dict[str, Any]:
    """The policy on inline volumes, as it is live."""
    values = without_inline_volumes("i")
    return _rules.no_inline_volumes(values["drivers"], values["sources"])


def closed(name: str = "c") -> dict[str, Any]:
    return {"metadata": {"name": name, "uid": f"p-{name}"}, "spec": _rules.closed_class(name, ["team-a"], False)}


def deleted(classes: list[dict[str, Any]], policies: list[dict[str, Any]], **more: Any) -> Plan:
    """A plan of a document that has no class any more, and owns the policy on inline volumes."""
    spec = inline_spec()
    rows = {
        "storage_class": classes,
        "admission_policy": [{"metadata": {"name": "i", "uid": "i1"}, "spec": spec}, *policies],
        "admission_binding": [{"metadata": {"name": "i", "uid": "i2"}, "spec": {"policyName": "i"}}],
    }
    owned = {INLINE: "i1", IN_FORCE: "i2", **more.pop("owned", {})}
    return planned({"rows": rows, "owned": owned, "consent": {"allow_delete": ["*"]}, **more})[0]


def blocks(plan: Plan) -> dict[str, list[tuple[str, str, str]]]:
    return {
        f"{one.address.kind}/{one.address.name}": [(block.guard, block.message, block.fix) for block in one.blocked]
        for one in plan.actions
        if one.blocked
    }


def test_it_stays_while_a_class_of_somebody_else_is_kept_closed() -> None:
    text = "without it these would be open to everybody, and this document does not own them: storage_class c"
    fix = "release it: vastplan ledger forget PATH iad/%s; or delete those first"
    both = {one: [("opens-access", text, fix % one)] for one in (INLINE, IN_FORCE)}
    assert blocks(deleted([storage_class()], [closed()])) == both
    assert blocks(deleted([storage_class(driver="block.csi.vastdata.com")], [closed()])) == both
    assert blocks(deleted([storage_class()], [closed()], targets=[f"iad/{IN_FORCE}"])) == {IN_FORCE: both[IN_FORCE]}


@pytest.mark.parametrize(
    ("classes", "policies"),
    [([], []), ([storage_class()], []), ([storage_class(driver="other.example.com")], [closed()]), ([], [closed()])],
    ids=["no class", "a class that is open anyway", "a class of another driver", "a policy of a class that is gone"],
)
def test_it_goes_where_nothing_relies_on_it(classes: list[dict[str, Any]], policies: list[dict[str, Any]]) -> None:
    plan = deleted(classes, policies)
    assert blocks(plan) == {} and len(plan.actions) == 2


def test_a_long_name_is_cut_short() -> None:
    name = "c" * 90
    ((_, text, _),) = blocks(deleted([storage_class(name)], [closed(name)]))[INLINE]
    assert text.endswith(f": storage_class {'c' * 58}… (32 more characters)")


def test_only_taking_it_away_is_asked_about() -> None:
    """What is changed in place stays; a policy that closes a class backs no other."""
    wanted = {INLINE: without_inline_volumes("i"), IN_FORCE: {"name": "i", "validation_actions": ["Deny"]}}
    plan = deleted([storage_class()], [closed()], desired=wanted)
    assert [one.verb for one in plan.actions] == [Verb.UPDATE] and blocks(plan) == {}
    owned = {"admission_policy/c": "p-c"}
    plan = deleted([], [closed()], desired=wanted, owned=owned, unread={"storage_class": "timed out"})
    text, fix = "without it storage_class c is open to everybody", "delete the storage_class with it, or keep both"
    assert blocks(plan) == {"admission_policy/c": [("opens-access", text, fix)]}


def test_where_there_are_no_classes_nothing_relies_on_it() -> None:
    assert blocks(deleted([], [], absent=["storage_class"])) == {}


def test_it_goes_with_the_last_class_and_where_the_document_gives_it_up_for_its_own() -> None:
    own = {"storage_class/c": "c", "admission_policy/c": "p-c"}
    assert blocks(deleted([storage_class()], [closed()], owned=own)) == {}
    wanted = {"storage_class/c": {"name": "c"}, "admission_policy/c": {"name": "c"}}
    assert blocks(deleted([storage_class()], [closed()], owned=own, desired=wanted)) == {}
    held = deleted([storage_class()], [closed()], owned=own, targets=[f"iad/{INLINE}", f"iad/{IN_FORCE}"])
    assert set(blocks(held)) == {INLINE, IN_FORCE}, "the class is ours, and does not go this time"


def test_what_cannot_be_read_may_rely_on_it() -> None:
    plan = deleted([], [], unread={"storage_class": "timed out"})
    assert {name: stops[-1] for name, stops in blocks(plan).items()} == dict.fromkeys(
        (INLINE, IN_FORCE),
        ("unseen", "cannot determine what it keeps closed: timed out", "plan again when the system answers"),
    )
    plan = deleted([], [], unread={"admission_policy": "timed out"})
    assert (
        "unseen",
        "cannot determine what it keeps closed: timed out",
        "plan again when the system answers",
    ) in blocks(plan)[IN_FORCE]


def test_who_relies_on_it_is_read_only_where_it_goes() -> None:
    plan = deleted([], [])
    systems = {"iad": frozenset({"kubernetes"})}
    read = {("iad", name) for name in ("storage_class", "admission_policy", "admission_binding", "resource_quota")}
    assert second_read(kinds(), plan.by_address(), systems) == read
    kept = planned({"rows": {"namespace": []}, "desired": {"namespace/n": {"name": "n"}}})[0]
    assert second_read(kinds(), kept.by_address(), systems) == set()


# Seen, and not enforced
def binding(name: str, *actions: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "uid": f"b-{name}"},
        "spec": {"policyName": name, "validationActions": [*actions]},
    }


def lapsing(*bindings: dict[str, Any], enforced: str = "Deny", **more: Any) -> Plan:
    """A plan of a document that lets the policy on inline volumes lapse: what it would refuse is only seen."""
    values = without_inline_volumes("i")
    wanted = {
        INLINE: values,
        IN_FORCE: {
            "name": "i",
            "policy": {"$ref": f"iad/{INLINE}"},
            "validation_actions": ["Audit", "Warn"],
            "only": None,
        },
    }
    spec = inline_spec()
    rows = {
        "storage_class": [storage_class()],
        "admission_policy": [{"metadata": {"name": "i", "uid": "i1"}, "spec": spec}, closed()],
        "admission_binding": [{**binding("i", enforced), "metadata": {"name": "i", "uid": "i2"}}, *bindings],
    }
    return planned({"rows": rows, "owned": {INLINE: "i1", IN_FORCE: "i2"}, "desired": wanted, **more})[0]


def test_it_does_not_lapse_while_a_class_of_somebody_else_is_kept_closed() -> None:
    text = (
        "unless it is enforced these would be open to everybody, and this document does not own them: storage_class c"
    )
    fix = "keep it enforced while those exist"
    assert blocks(lapsing(binding("c", "Deny"))) == {IN_FORCE: [("opens-access", text, fix)]}
    assert blocks(lapsing(binding("c", "Audit", "Warn"))) == {}, "that is only seen itself"
    assert blocks(lapsing(binding("c", "Deny"), enforced="Warn")) == {}, "it was not in force before"
    plan = lapsing(binding("c", "Deny"))
    read = {name for _, name in second_read(kinds(), plan.by_address(), {"iad": frozenset({"kubernetes"})})}
    assert {"storage_class", "admission_policy", "admission_binding"} <= read


def test_it_goes_while_other_classes_are_only_seen() -> None:
    seen, denied = (deleted_beside(binding("c", *actions)) for actions in (("Audit",), ("Audit", "Deny")))
    assert blocks(seen) == {}
    assert set(blocks(denied)) == {INLINE, IN_FORCE}


def deleted_beside(other: dict[str, Any]) -> Plan:
    rows = {
        "storage_class": [storage_class()],
        "admission_policy": [
            {
                "metadata": {"name": "i", "uid": "i1"},
                "spec": inline_spec(),
            },
            closed(),
        ],
        "admission_binding": [{**binding("i", "Deny"), "metadata": {"name": "i", "uid": "i2"}}, other],
    }
    return planned({"rows": rows, "owned": {INLINE: "i1", IN_FORCE: "i2"}, "consent": {"allow_delete": ["*"]}})[0]
