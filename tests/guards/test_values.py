"""The plain functions that the guards stand on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.guards.stage import NOW, kinds, observed, planned
from vastplan.engine.access.admission import lost_by_moves, lost_clients
from vastplan.engine.deciding.blocks import block_dependents
from vastplan.engine.deciding.plan import PlanInputs, build
from vastplan.engine.deciding.staleness import grown, overtaken
from vastplan.engine.guards.evidence_reads import second_read
from vastplan.engine.live.consent import Approval, ChangeLimits, Consent, effective_limits, limits_of, recorded_limits
from vastplan.engine.live.floors import too_low
from vastplan.engine.live.observe import Observed, ObservedCollection, metric_value
from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.finding import Severity
from vastplan.model.ip_ranges import cut_off
from vastplan.model.plan import Action, Block, Cause, FieldChange, Operation, PlannedSite, Step, UnknownCollection, Verb
from vastplan.model.site_ledger import Owned, SiteLedger
from vastplan.model.value import Unknown, from_json
from vastplan.model.wording import some
from vastplan.schema.live import Metric


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (["10.0.0.1"], ["10.0.0.1"], []),
        (["10.0.0.1"], ["10.0.0.0/31"], []),
        (["10.0.0.2"], ["10.0.0.0/31"], ["10.0.0.2"]),
        (["10.0.0.0/24", "10.0.1.0/24"], ["10.0.0.0/23"], []),
        (["10.0.0.0/23"], ["10.0.1.0/24", "10.0.0.0/24"], []),
        (["10.0.0.0/23"], ["10.0.0.0/24", "10.0.1.1 - 10.0.1.255"], ["10.0.0.0/23"]),
        (["10.0.0.5 - 10.0.0.9"], ["10.0.0.5 - 10.0.0.8", "10.0.0.7 - 10.0.0.9"], []),
        (["10.0.0.5 - 10.0.0.9"], ["10.0.0.6 - 10.0.0.9"], ["10.0.0.5 - 10.0.0.9"]),
        (["10.0.0.5 - 10.0.0.9"], ["10.0.0.5 - 10.0.0.8"], ["10.0.0.5 - 10.0.0.9"]),
        (["10.0.0.5 - 10.0.0.9"], ["10.0.0.5 - 10.0.0.9 "], []),
        (["10.1.*.*"], ["10.1.0.0/16"], []),
        (["10.1.0.0/16"], ["10.1.*.*"], []),
        (["10.1.0.0/15"], ["10.1.*.*"], ["10.1.0.0/15"]),
        (["10.*.1.2"], ["10.0.0.0/8"], []),
        (["10.*.1.2"], ["10.0.0.0/9"], ["10.*.1.2"]),
        (["10.0.0.0/8"], ["10.*.1.2"], ["10.0.0.0/8"]),
        (["10.*.1.2"], ["10.*.1.2"], []),
        (["300.1.*.*"], ["*"], ["300.1.*.*"]),
        (["*"], ["0.0.0.0/0"], ["*"]),
        (["*"], ["0.0.0.0/0", "::/0"], []),
        (["10.1.2.3", "fd00::1"], ["*"], []),
        (["10.1.2.3/16"], ["10.1.0.0/16"], []),
        (["10.1.255.255"], ["10.1.2.3/16"], []),
        (["fd00::*"], ["fd00::/120", "0.0.0.0/0"], ["fd00::*"]),
        (["0.0.0.0", "255.255.255.255", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], ["*"], []),
        (["fd00::1"], ["10.0.0.0/8"], ["fd00::1"]),
        (["0.0.0.1"], ["::1"], ["0.0.0.1"]),
        (["@staff"], ["*"], ["@staff"]),
        (["@staff", "NFS"], ["@staff"], ["NFS"]),
        (["b", "a"], [], ["b", "a"]),
        ([], ["*"], []),
    ],
)
def test_who_is_cut_off(before: list[str], after: list[str], lost: list[str]) -> None:
    assert cut_off(before, after) == lost


YES = {"ones": frozenset({"yes"}), "zeros": frozenset({"no"})}


@pytest.mark.parametrize(
    ("more", "row", "found"),
    [
        ({}, {"a": {"b": 3}}, 3),
        ({}, {"a": {"b": 0.5}}, 0.5),
        ({}, {"a": {"b": 0}}, 0),
        ({}, {"a": {"b": [1, 2]}}, 2),
        ({}, {"a": {"b": -1}}, Unknown("the answer says -1")),
        ({}, {"a": {"b": float("inf")}}, Unknown("the answer says Infinity")),
        ({}, {"a": {"b": float("nan")}}, Unknown("the answer says NaN")),
        ({}, {"a": {"b": True}}, Unknown("the answer says true")),
        ({}, {"a": {"b": "3"}}, Unknown('the answer says "3"')),
        ({}, {"a": {"b": None}}, Unknown("the answer says null")),
        ({}, {"a": {"b": "x" * 60}}, Unknown('the answer says "' + "x" * 39)),
        ({}, {"a": {}}, Unknown("the answer does not have it")),
        ({"absent": 0}, {"a": {}}, 0),
        ({"absent": 0}, {"a": None}, Unknown("the answer does not have it")),
        ({"absent": 0}, {"a": "b"}, Unknown("the answer does not have it")),
        ({"absent": 0}, {}, Unknown("the answer does not have it")),
        ({"absent": 0}, {"a": {"b": None}}, Unknown("the answer says null")),
        (YES, {"a": {"b": "yes"}}, 1),
        (YES, {"a": {"b": "no"}}, 0),
        (YES, {"a": {"b": "maybe"}}, Unknown('the answer says "maybe"')),
        (YES, {"a": {"b": None}}, Unknown("the answer says null")),
        (YES, {"a": {"b": ["yes"]}}, Unknown('the answer says ["yes"]')),
        ({"by": ("n",), "each": ("g",)}, {"a": {"b": [{"n": "x", "g": 1}, {"n": "y"}]}},
         {"x": 1, "y": Unknown('the answer says "nothing"')}),
        ({"by": ("n",), "each": ("g",)}, {"a": {"b": {"x": 1}}}, Unknown('the answer says {"x": 1}')),
    ],
)  # fmt: skip
def test_a_figure_is_a_number_or_not_told(more: dict[str, Any], row: dict[str, Any], found: Any) -> None:
    assert metric_value(Metric("it", ("a", "b"), **more), row) == found


@pytest.mark.parametrize(
    ("then", "now", "has"),
    [
        (0, 0, False), (0, 1, True), (1, 1, False), (1, 2, True), (2, 1, False), (999, 1000, True), (1000, 2000, False),
        (1000, 2001, True), (1000, 0, False), (0.5, 1.5, True), ("unknown: x", "unknown: x", False),
        (3, "unknown: x", True), ("unknown: x", 0, False), ("unknown: x", 1, True),
        (5, Unknown("x"), True),
    ],
)  # fmt: skip
def test_a_figure_that_grew_into_another_band(then: Any, now: Any, has: bool) -> None:
    assert grown(then, now) is has


@pytest.mark.parametrize(
    ("limits", "owned", "changes", "losses"),
    [
        (ChangeLimits(), 0, 10, 2), (ChangeLimits(), 1, 10, 2), (ChangeLimits(), 5, 10, 2), (ChangeLimits(), 6, 10, 3), (ChangeLimits(), 20, 10, 10),
        (ChangeLimits(), 36, 10, 10), (ChangeLimits(), 37, 11, 11), (ChangeLimits(), 66, 19, 19), (ChangeLimits(), 100, 30, 30), (ChangeLimits(1, 0), 100, 1, 1),
        (ChangeLimits(0, 0), 5, 0, 0), (ChangeLimits(0, 100), 5, 5, 2),
    ],
)  # fmt: skip
def test_how_many_may_change_and_go(limits: ChangeLimits, owned: int, changes: int, losses: int) -> None:
    assert (limits.changes(owned), limits.losses(owned)) == (changes, losses)


def test_a_document_lowers_limits_at_once_and_raises_none() -> None:
    assert effective_limits(ChangeLimits(5, 20), ChangeLimits(50, 10)) == ChangeLimits(5, 10)
    assert effective_limits(ChangeLimits(5, 20), ChangeLimits(3, 90)) == ChangeLimits(3, 20)
    assert limits_of({}) == ChangeLimits(10, 30) and limits_of({"count": 3, "percent": 4}) == ChangeLimits(3, 4)


def _plan(asked: dict[str, int], **more: Any) -> dict[str, int]:
    plan, _ = planned({"desired": {"namespace/n": {"name": "n"}}})
    part = PlannedSite("iad", "", 0, limits=asked)
    (action,) = plan.actions
    guard = more.pop("guard", "")
    blocked = (Block(guard, "no"),) if guard else ()
    return recorded_limits(
        replace(plan, actions=(replace(action, blocked=blocked),), **more), part, {"count": 5, "percent": 20}
    )


@pytest.mark.parametrize(
    "more",
    [
        {"targets": ("*",)},
        {"unknown": (UnknownCollection("iad", "vast", "view", "timed out"),)},
        {"guard": "mass-change"},
        {"guard": "emptied"},
    ],
)
def test_a_limit_is_not_raised_by_applying_a_part_of_what_it_held_back(more: dict[str, Any]) -> None:
    assert _plan({"count": 50, "percent": 10}, **more) == {"count": 5, "percent": 10}


@pytest.mark.parametrize("which", ["the plan", "what is planned now"])
def test_nor_is_it_where_what_is_planned_now_holds_something_back(which: str) -> None:
    """A plan file may leave out what was held back."""
    plan, _ = planned({"desired": {"namespace/n": {"name": "n"}}})
    held = replace(plan, actions=(replace(plan.actions[0], blocked=(Block("mass-change", "no"),)),))
    part, recorded = PlannedSite("iad", "", 0, limits={"count": 50, "percent": 10}), {"count": 5, "percent": 20}
    saved, now = (held, plan) if which == "the plan" else (plan, held)
    assert recorded_limits(saved, part, recorded, now) == {"count": 5, "percent": 10}
    assert recorded_limits(plan, part, recorded, plan) == {"count": 50, "percent": 10}


def test_a_limit_is_raised_when_all_of_a_plan_was_applied() -> None:
    assert _plan({"count": 50, "percent": 10}) == {"count": 50, "percent": 10}
    assert _plan({"count": 50, "percent": 10}, guard="approval") == {"count": 50, "percent": 10}
    assert _plan({}) == {"count": 5, "percent": 20}  # a plan of before they were in it


VIEW: dict[str, Any] = {
    "rows": {"view": [{"id": 3, "path": "/a", "tenant_id": 1, "logical_capacity": 0}]},
    "owned": {"view/a": 3},
    "consent": {"approvals": [{"of": "view/a", "orphans": 10}]},
}
SNAPSHOTS = [{"id": one, "name": f"s{one}", "path": "/a/", "tenant_id": 1} for one in (1, 2)]
ADDRESS = Address("iad", "view", "a")


def test_snapshots_that_were_taken_meanwhile_stop_a_delete() -> None:
    plan, before = planned(VIEW)
    _, after = planned({**VIEW, "rows": {**VIEW["rows"], "snapshot": SNAPSHOTS}})
    assert overtaken(plan, before) == {}
    assert overtaken(plan, after) == {ADDRESS: "snapshots: 0 when the plan was made and 2 now; plan again"}
    more, _ = planned({**VIEW, "rows": {**VIEW["rows"], "snapshot": SNAPSHOTS}})
    assert overtaken(more, after) == {} and overtaken(more, before) == {}
    _, unread = planned({**VIEW, "unread": {"snapshot": "timed out"}})
    told = "snapshots: 2 when the plan was made and unknown: timed out now; plan again"
    assert overtaken(more, unread) == {ADDRESS: told}


def test_what_is_blocked_is_not_weighed_again() -> None:
    plan, _ = planned({**VIEW, "consent": {}})
    _, after = planned({**VIEW, "rows": {**VIEW["rows"], "snapshot": SNAPSHOTS}})
    assert plan.actions[0].blocked and overtaken(plan, after) == {}


def test_a_tenant_that_was_filled_meanwhile_is_not_limited_below_what_it_holds() -> None:
    view = {"id": 3, "path": "/a", "tenant_id": 1, "logical_capacity": 1024}
    case: dict[str, Any] = {
        "rows": {"tenant": [{"id": 1, "name": "t"}], "view": [view]},
        "owned": {"tenant/t": 1},
        "desired": {"tenant/t": {"name": "t", "capacity_rules": {"hard_limit": 2048}}},
    }
    plan, before = planned(case)
    assert overtaken(plan, before) == {}
    for used, told in (
        (2048, {}),
        (2049, {"capacity_rules.hard_limit 2 KiB is below what is used, 2049 B; plan again"}),
    ):
        rows = {**case["rows"], "view": [{**view, "logical_capacity": used}]}
        assert set(overtaken(plan, planned({**case, "rows": rows})[1]).values()) == set(told)
    # Just before it is written the tenant's own answer is all that is read again: it says nothing of its use.
    lowered = from_json(dict(plan.actions[0].desired))
    assert too_low(kinds()["tenant"], lowered, {"capacity_rules.hard_limit": None}, {}) is None


def test_what_came_into_use_meanwhile_stops_a_narrowing() -> None:
    policy = {"id": 5, "name": "p", "tenant_id": 1, "nfs_read_write": ["*"]}
    case: dict[str, Any] = {
        "rows": {"view_policy": [policy], "tenant": [{"id": 1, "name": "t"}]},
        "owned": {"view_policy/p": 5},
        "desired": {"view_policy/p": {"name": "p", "tenant": {"$existing": "iad/tenant/t"}, "nfs_read_write": []}},
    }
    plan, before = planned(case)
    views = [{"id": n, "path": f"/{n}", "tenant_id": 1, "policy_id": 5, "logical_capacity": 1} for n in (1, 2)]
    _, after = planned({**case, "rows": {**case["rows"], "view": views}})
    assert overtaken(plan, before) == {}
    found = {
        Address("iad", "view_policy", "p"): "views in use through it: 0 when the plan was made and 2 now; plan again"
    }
    assert overtaken(plan, after) == found
    wider = {**case, "desired": {"view_policy/p": {"name": "p", "flavor": "NFS"}}}
    assert overtaken(planned(wider)[0], after) == {}


def test_more_is_read_only_where_something_goes_or_is_cut_off() -> None:
    systems = {"iad": {"vast", "kubernetes"}}
    assert second_read(kinds(), planned(VIEW)[0].by_address(), systems) == {
        ("iad", "snapshot"),
        ("iad", "clone"),
        ("iad", "tenant"),
        ("iad", "persistent_volume"),
    }
    made, _ = planned({"desired": {"view/b": {"path": "/b", "protocols": ["NFS"]}}})
    assert second_read(kinds(), made.by_address(), systems) == set()
    pool = {"id": 7, "name": "v", "ip_ranges": [["10.0.0.1", "10.0.0.9"]]}
    case: dict[str, Any] = {"rows": {"vip_pool": [pool]}, "owned": {"vip_pool/v": 7}}
    narrowed, _ = planned({**case, "desired": {"vip_pool/v": {"name": "v", "ip_ranges": ["10.0.0.1 - 10.0.0.2"]}}})
    found = second_read(kinds(), narrowed.by_address(), systems)
    assert {
        ("iad", "view_policy"),
        ("iad", "view"),
        ("iad", "storage_class"),
        ("iad", "persistent_volume_claim"),
    } <= found
    assert ("iad", "data_source") not in found and ("iad", "tenant") not in found
    assert {name for _, name in second_read(kinds(), narrowed.by_address(), {})} == set()


def test_who_finds_it_by_its_name_is_read_only_where_it_gets_another() -> None:
    systems = {"iad": {"vast", "kubernetes"}}
    policy = {"id": 5, "name": "p", "tenant_id": 1, "flavor": "NFS"}
    case: dict[str, Any] = {"rows": {"view_policy": [policy]}, "owned": {"view_policy/p": 5}}
    changed, _ = planned({**case, "desired": {"view_policy/p": {"name": "p", "flavor": "S3_NATIVE"}}})
    assert [one.verb for one in changed.actions] == [Verb.UPDATE]
    assert second_read(kinds(), changed.by_address(), systems) == set()
    renamed, _ = planned({**case, "desired": {"view_policy/p": {"name": "q"}}})
    assert ("iad", "storage_class") in second_read(kinds(), renamed.by_address(), systems)
    view = {"rows": {"view": [{"id": 3, "path": "/a", "tenant_id": 1, "name": "q"}]}, "owned": {"view/a": 3}}
    renamed, _ = planned({**view, "desired": {"view/a": {"path": "/a", "name": "p"}}})  # which says not who it is
    assert [one.verb for one in renamed.actions] == [Verb.UPDATE]
    assert second_read(kinds(), renamed.by_address(), systems) != set()


def test_a_block_travels_to_what_waits_and_back_to_its_first_step() -> None:
    plan, _ = planned(
        {
            "rows": {"tenant": [{"id": 1, "name": "t"}]},
            "desired": {
                "tenant/t": {"name": "t", "trash_gid": 5},
                "view_policy/p": {"name": "p", "tenant": {"$ref": "iad/tenant/t"}},
                "view/a": {"path": "/a", "view_policy": {"$ref": "iad/view_policy/p"}},
                "namespace/n": {"name": "n"},
            },
        }
    )
    held = block_dependents({action.address: action for action in plan.actions}, plan.operations)
    why = {address.name: [(one.guard, one.message) for one in action.blocked] for address, action in held.items()}
    assert why == {
        "t": [("adopt", "it exists and is not in the ledger")],
        "p": [("waits", "waits for iad/tenant/t, which is blocked")],
        "a": [("waits", "waits for iad/view_policy/p, which is blocked")],
        "n": [],
    }


def test_what_waits_for_what_is_stale_says_so() -> None:
    stale, waits, beside, alone = (Address("iad", "view", name) for name in ("stale", "waits", "beside", "alone"))
    moved = (Block("moved", "it moved"),)
    actions = {
        stale: Action(stale, Verb.UPDATE, "", blocked=moved),
        waits: Action(waits, Verb.UPDATE, ""),
        beside: Action(beside, Verb.UPDATE, "", together=("iad/view/stale",)),
        alone: Action(alone, Verb.UPDATE, "", together=("iad/view/unseen",)),
    }
    written = [Operation(one, Step.WRITE) for one in (stale, beside, alone)]
    operations = (written[0], Operation(waits, Step.WRITE, (0,)), *written[1:])
    held = block_dependents(actions, operations)
    assert {address.name: [(one.guard, one.message) for one in action.blocked] for address, action in held.items()} == {
        "stale": [("moved", "it moved")],
        "waits": [("waits", "waits for iad/view/stale, which is stale")],
        "beside": [("together", "is applied together with iad/view/stale, which is stale")],
        "alone": [("together", "is applied together with iad/view/unseen, which is unknown")],
    }


def test_the_first_that_is_waited_for_is_named() -> None:
    plan, _ = planned(
        {
            "rows": {"view_policy": [{"id": 5, "name": "p", "tenant_id": 1}], "qos_policy": [{"id": 6, "name": "g"}]},
            "desired": {
                "view_policy/p": {"name": "p", "flavor": "NFS"},
                "qos_policy/g": {"name": "g", "limit_by": "BW"},
                "view/a": {
                    "path": "/a",
                    "view_policy": {"$ref": "iad/view_policy/p"},
                    "qos_policy": {"$ref": "iad/qos_policy/g"},
                },
            },
        }
    )
    (last,) = [one for one in plan.operations if one.address == ADDRESS]
    first = [plan.operations[index].address for index in last.after]
    assert len(first) == 2
    (found,) = [action for action in plan.actions if action.address == ADDRESS]
    assert [one.message for one in found.blocked] == [f"waits for {first[0]}, which is blocked"]


def test_a_block_of_a_last_step_reaches_what_waits_for_the_first() -> None:
    """The old one goes, so that what it stood on can go; but the new one waits for something blocked, so nothing goes."""
    replaced, stood_on, needed = (
        Address("iad", "view", "x"),
        Address("iad", "tenant", "t"),
        Address("iad", "quota", "q"),
    )
    actions = {
        replaced: Action(replaced, Verb.REPLACE, ""),
        stood_on: Action(stood_on, Verb.DELETE, ""),
        needed: Action(needed, Verb.UPDATE, "", blocked=(Block("adopt", "no"),)),
    }
    operations = (
        Operation(replaced, Step.DELETE), Operation(stood_on, Step.DELETE, (0,)), Operation(needed, Step.WRITE),
        Operation(replaced, Step.WRITE, (0, 2)),
    )  # fmt: skip
    held = block_dependents(actions, operations)
    assert {address.name: [one.message for one in action.blocked] for address, action in held.items()} == {
        "x": ["waits for iad/quota/q, which is blocked"],
        "t": ["waits for iad/view/x, which is blocked"],
        "q": ["no"],
    }


def test_letting_go_of_one_does_not_hide_that_others_lose_their_way_in() -> None:
    """A field may be narrowed and, beside that, let go of what is replaced: the first still counts."""
    plan, matches = planned(
        {
            "rows": {
                "tenant": [{"id": 1, "name": "t"}],
                "vip_pool": [{"id": 7, "name": "v"}, {"id": 8, "name": "w"}],
                "view_policy": [{"id": 5, "name": "p", "tenant_id": 1, "permission_per_vip_pool": {"7": "RW", "8": "RW"}}],
            },
            "owned": {"view_policy/p": 5},
            "desired": {
                "view_policy/p": {
                    "name": "p", "tenant": {"$existing": "iad/tenant/t"}, "vip_pools": [{"$existing": "iad/vip_pool/w"}],
                }
            },
        }
    )  # fmt: skip
    (action,) = plan.actions
    live = matches.match(action.address).live
    lost = {"vip_pools": ["iad/vip_pool/v"]}
    assert lost_clients(action, kinds()["view_policy"], live) == lost
    again = {"$ref": "iad/vip_pool/w"}
    beside = FieldChange("vip_pools", again, again, Cause.DEPENDENCY, known_after_apply=True)
    for changes in ((*action.changes, beside), (beside, *action.changes)):
        assert lost_clients(replace(action, changes=changes), kinds()["view_policy"], live) == lost
    assert lost_clients(replace(action, changes=(beside,)), kinds()["view_policy"], live) == {}


def test_what_is_let_go_of_and_attached_again_does_not_move_and_what_refers_to_nothing_lets_in_nobody() -> None:
    plan, matches = planned(
        {
            "rows": {
                "tenant": [{"id": 1, "name": "t"}],
                "view_policy": [{"id": 5, "name": "p", "nfs_read_write": ["*"]}, {"id": 6, "name": "q"}],
                "view": [{"id": 3, "path": "/a", "tenant_id": 1, "policy_id": 5}],
            },
            "owned": {"view/a": 3},
            "desired": {
                "view/a": {
                    "path": "/a", "tenant": {"$existing": "iad/tenant/t"}, "view_policy": {"$existing": "iad/view_policy/q"},
                }
            },
        }
    )  # fmt: skip
    (action,) = plan.actions
    live = matches.match(action.address).live
    assert live is not None

    def lost(**changed: Any) -> dict[str, list[str]]:
        changes = tuple(replace(change, **changed) for change in action.changes)
        return lost_by_moves(replace(action, changes=changes), live.kind, live, matches, {})

    assert lost() == {"view_policy q (nfs_read_write)": ["*"]}
    assert lost(known_after_apply=True) == {}
    assert lost(after=None) == {"view_policy": ["those it lets in now (cannot determine who)"]}


def test_what_is_to_be_made_has_no_figures_and_has_not_overtaken() -> None:
    plan, matches = planned({"desired": {"view/b": {"path": "/b", "protocols": ["NFS"]}}})
    assert [action.evidence for action in plan.actions] == [()]
    assert overtaken(plan, matches) == {}


def test_a_single_snapshot_more_is_more_than_none() -> None:
    plan, _ = planned(VIEW)
    _, after = planned({**VIEW, "rows": {**VIEW["rows"], "snapshot": SNAPSHOTS[:1]}})
    assert overtaken(plan, after) == {ADDRESS: "snapshots: 0 when the plan was made and 1 now; plan again"}


def test_an_approval_that_names_no_amounts_allows_none() -> None:
    approval = Approval("iad/view/a", "empty", "2026-05-01")
    assert (approval.max_used, approval.max_orphans) == (0, 0)


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ("a", "a"),
        ("abcde", "a, b, c, d, e"),
        ("abcdef", "a, b, c, d, e and 1 more"),
        ("abcdefg", "a, b, c, d, e and 2 more"),
    ],
)
def test_of_many_names_five_are_shown(names: str, shown: str) -> None:
    assert some(list(names)) == shown


def test_a_limit_is_found_by_its_whole_path() -> None:
    metrics = {"GPUs that cannot be preempted": {"a": 3}}
    project = kinds()["project"]
    pools = {"node_pools": {"a": {"gpu": {"deserved": 2, "limit": 2}}, "b": None}}
    before = {"node_pools.a.gpu.deserved": 8, "node_pools.a.gpu.limit": 8, "node_pools.b": {}}
    found = too_low(project, pools, before, metrics)
    assert found is not None and found.message.startswith("node_pools.a.gpu.deserved 2 is below")
    del before["node_pools.a.gpu.deserved"]
    assert too_low(project, pools, before, metrics) is None


def test_an_item_of_several_parts_is_shown_whole() -> None:
    items = ["10.0.0.1", {"$ref": "iad/vip_pool/v"}, {"a": 1, "b": 2}, 7]
    action = Action(Address("iad", "view_policy", "p"), Verb.UPDATE, "")
    change = FieldChange("nfs_read_write", items, [], Cause.DOCUMENT)
    found = lost_clients(replace(action, changes=(change,)), kinds()["view_policy"], None)
    assert found == {"nfs_read_write": ["10.0.0.1", "iad/vip_pool/v", '{"a": 1, "b": 2}', "7"]}


@pytest.mark.parametrize(
    ("field", "before", "after", "desired", "lost"),
    [
        ("shared_with_cluster", True, False, {}, ["everybody"]),
        ("shared_with_cluster", False, True, {}, []),
        ("shared_with_projects", ["a", "b"], ["a"], {}, ["b"]),
        ("shared_with_projects", ["a", "b"], ["a"], {"shared_with_cluster": True}, []),
        ("shared_with_projects", ["a", "b"], ["a"], {"shared_with_cluster": False}, ["b"]),
    ],
)
def test_a_switch_that_lets_everybody_in(field: str, before: Any, after: Any, desired: Any, lost: list[str]) -> None:
    change = FieldChange(field, before, after, Cause.DOCUMENT)
    action = Action(Address("iad", "data_volume", "d"), Verb.UPDATE, "", (change,), desired=desired)
    assert lost_clients(action, kinds()["data_volume"], None) == ({field: lost} if lost else {})


def test_a_warning_says_what_to_look_at() -> None:
    plan, _ = planned({"owned": {"tenant/t": 1, "tenant/u": 2}, "consent": {"believe_gone": ["*"]}})
    (found,) = plan.findings
    assert (found.code, found.severity, found.message, found.fix) == (
        "VP305", Severity.WARNING, "2 of the 2 tenants on iad that the ledger owns are gone at once: t, u",
        "check that it is the right system and that all of it answers",
    )  # fmt: skip


OURS: dict[str, Any] = {
    "rows": {"tenant": [{"id": 1, "name": "t"}]}, "desired": {"tenant/t": {"name": "t"}}, "consent": {"adopt": True},
}  # fmt: skip


def test_two_owners_of_one_object_are_told_what_to_do() -> None:
    claims = {"claims": [{"kind": "tenant", "id": "1", "document": "other", "address": "pdx/tenant/t"}]}
    plan, _ = planned({**OURS, "owned": {"tenant/t": 1}, "claims": claims})
    (found,) = plan.findings
    assert (found.code, found.severity, found.fix, found.address) == (
        "VP311", Severity.WARNING, "keep it in one document; remove it from the other and release it there (vastplan ledger forget)",
        "iad/tenant/t",
    )  # fmt: skip


def _cut(letter: str, size: int) -> str:
    return inert(letter * 300, size)


def test_what_other_ledgers_say_is_shown_in_part() -> None:
    claim = {"kind": "tenant", "id": "1", "document": "d" * 300, "address": "a" * 300}
    plan, _ = planned({**OURS, "claims": {"ledger": "l" * 300, "claims": [claim]}})
    (block,) = plan.actions[0].blocked
    assert block.message == (f"owned by document {_cut('d', 80)} as {_cut('a', 80)}; its ledger is at {_cut('l', 160)}")
    plan, _ = planned({**OURS, "claims": {"unread": {"d" * 300: "r" * 300}}})
    (block,) = plan.actions[0].blocked
    assert block.message == f"cannot determine whether document {_cut('d', 80)} owns it: {_cut('r', 200)}"


def test_what_is_true_of_a_whole_system_is_said_once() -> None:
    plan, _ = planned({"owned": {"tenant/t": 1, "qos_policy/gold": 2, "view_policy/p": 3}})
    assert [finding.message for finding in plan.findings] == [
        "all 3 objects of vast on iad that the ledger owns are gone at once: gold, t, p"
    ]


def test_another_site_that_still_has_its_own_does_not_make_up_for_this_one() -> None:
    entries = {"tenant/t": Owned("1", "1"), "qos_policy/gold": Owned("3", "3")}
    ledger = {
        site: SiteLedger(
            "test", site, "lineage", "00", entries={f"{site}/{name}": one for name, one in entries.items()}
        )
        for site in ("iad", "pdx")
    }
    there = observed({"rows": {"tenant": [{"id": 1, "name": "t"}], "qos_policy": [{"id": 3, "name": "gold"}]}})
    nothing = observed({})
    seen = Observed(
        {("iad", name): one for (_, name), one in nothing.collections.items()}
        | {("pdx", name): ObservedCollection([replace(live, site="pdx") for live in one.objects])
           for (_, name), one in there.collections.items()}
    )  # fmt: skip
    plan, _ = build(
        PlanInputs(
            document="test", digest="", source="test.yaml", kinds=kinds(), entries=(), observed=seen, ledger=ledger,
            endpoints={}, consent=Consent(), reveal=str, now=NOW,
        )
    )  # fmt: skip
    assert sorted({one.message.partition(":")[0] for one in plan.findings}) == [
        "all 2 objects of vast on iad that the ledger owns are gone at once"
    ]


def test_what_is_left_to_another_document_is_noted_beside_the_plan() -> None:
    claim = {"kind": "tenant", "id": "1", "document": "d" * 300, "address": "pdx/tenant/t"}
    plan, _ = planned({**OURS, "common": {"tenant/t": "site iad"}, "claims": {"claims": [claim]}})
    (found,) = plan.findings
    assert plan.actions == () and (found.code, found.severity, found.message, found.address) == (
        "VP314", Severity.NOTE, f"owned by document {_cut('d', 80)}; this document needs it too, and leaves it to that one",
        "iad/tenant/t",
    )  # fmt: skip
