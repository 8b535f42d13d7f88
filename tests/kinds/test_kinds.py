"""Every kind through its whole life, driven by its case file, over HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.force import by_force
from tests.kinds.cases import Case, cases, differing, with_value, without
from tests.lab import Lab, full_registry
from vastplan.engine.live.consent import Consent
from vastplan.engine.live.diff import leaves
from vastplan.engine.live.observe import Live
from vastplan.engine.live.wait import until_ready
from vastplan.model.errors import Invalid
from vastplan.model.plan import Action, Cause, Plan, Verb
from vastplan.model.site_ledger import path_text
from vastplan.report.review import reverted as drifted
from vastplan.schema.codec import at, dig
from vastplan.schema.endpoint import Asked, AskedMembers
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Row
from vastplan.schema.markers import Marker
from vastplan.schema.provider import Provider
from vastplan.schema.shapes.struct import STRUCT

CASES = cases()
FEW = ("vast.vip_pool.yaml", "runai.department.yaml", "kubernetes.namespace.yaml")
"""For whom `make test` takes the steps that need many plans; for all others, CI does."""
# What systems move on their own with every write.
VOLATILE = {
    "resourceVersion", "managedFields", "generation", "updatedAt", "updatedBy", "updateCount", "sync_time",
    "lastUpdatedTime", "last_heart_beat", "modified", "phase", "phaseMessage",
}  # fmt: skip


@pytest.fixture
def lab(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    for name, value in case.get("environment", {}).items():
        monkeypatch.setenv(name, value)
    with Lab(tmp_path, {"iad": case.get("systems", []), **case.get("sites", {})}) as one:
        one.elsewhere = case.get("elsewhere", {})
        one.registry = one.registry.without_compositions(*case.get("unexpanded", []))
        if people := case.get("directory", {}):
            one.enrol("iad", **people)
        for call in case.get("prepare", []):
            one.by_hand("iad", one.registry.kinds[case.kind].system, call["method"], call["path"], call.get("body"))
        yield one


def section(lab: Lab, case: Case) -> str:
    return next(name for name, one in lab.registry.sections.items() if one.name == case.kind)


def document(lab: Lab, case: Case, entry: dict[str, Any] | None) -> dict[str, Any]:
    """The case's document with the entry under test, or without it."""
    given = case.get("given", {})
    if entry is not None:
        name = section(lab, case)
        given.setdefault(name, {})[case.data["name"]] = {"sites": ["iad"], **entry}
    else:
        for path in case.get("goes_with", []):
            given = without(given, path)
    return given  # type: ignore[no-any-return]


def made(lab: Lab, case: Case, entry: dict[str, Any] | None = None) -> Plan:
    """Apply the case's document."""
    lab.write(document(lab, case, entry if entry is not None else case.get("entry", {})))
    return lab.converge()


def action_of(plan: Plan, address: str) -> Action | None:
    return next((one for one in plan.actions if str(one.address) == address), None)


def row_of(lab: Lab, case: Case) -> dict[str, Any]:
    live = lab.live(case.address)
    assert live is not None, f"{case.address} is not there"
    kind = lab.registry.kinds[case.kind]
    if isinstance(kind.endpoint.shape, Asked | AskedMembers):
        return lab.row(live)
    return next(row for row in lab.rows("iad", case.kind) if str(at(row, kind.endpoint.id)) == live.id)


def edited(case: Case, path: str, value: Any) -> dict[str, Any]:
    """The entry with a path changed, and with what has to go along."""
    entry = with_value(case.get("entry", {}), path, value)
    for other, along in case.get("with", {}).get(path, {}).items():
        entry = with_value(entry, other, along)
    for gone in case.get("drops", {}).get(path, []):
        entry = without(entry, gone)
    return entry


@pytest.mark.parametrize("case", CASES, ids=str)
def test_created_read_back_and_nothing_left_to_do(lab: Lab, case: Case) -> None:
    plan = made(lab, case)
    action = action_of(plan, case.address)
    assert action is not None and action.verb is Verb.CREATE
    again = lab.plan()
    assert again.actions == (), [(str(one.address), one.verb.value, one.changes) for one in again.actions]
    assert again.in_sync > 0


def changes_of(case: Case) -> dict[str, Any]:
    return dict(case.get("change", {}))


@pytest.mark.parametrize("case", by_force([one for one in CASES if one.get("change", {})], *FEW), ids=str)
def test_each_mutable_field_changes_alone(lab: Lab, case: Case) -> None:
    made(lab, case)
    kind = lab.registry.kinds[case.kind]
    for path, value in changes_of(case).items():
        lab.write(document(lab, case, case.get("entry", {})))
        lab.converge(lab.consent_to_loss(case.address))
        before = row_of(lab, case)
        lab.write(document(lab, case, edited(case, path, value)))
        plan = lab.plan()
        action = action_of(plan, case.address)
        assert action is not None and action.verb is Verb.UPDATE, (path, action, plan.findings)
        touched = {path, *case.get("with", {}).get(path, {})}
        assert all(any(one.path == t or one.path.startswith(t + ".") for t in touched) for one in action.changes), (
            path,
            action.changes,
        )
        assert {one.cause for one in action.changes} == {Cause.DOCUMENT}, (path, action.changes)
        assert len(plan.actions) == 1, (path, [str(one.address) for one in plan.actions])
        lab.clear_calls()
        lab.converge()
        assert len(lab.calls()) == case.get("calls", {}).get(path, 1), (path, lab.calls())
        wires = [_wire(kind.fields, one) for one in touched]
        allowed = VOLATILE | set(case.get("side_effects", []))
        for moved in differing(before, row_of(lab, case)):
            assert any(moved[: len(wire)] == wire[: len(moved)] for wire in wires) or allowed & set(moved), (
                path,
                moved,
            )
        assert lab.plan().actions == (), (path, lab.plan().actions)


def _wire(fields: tuple[Field, ...], path: str) -> tuple[str, ...]:
    head, _, rest = path.partition(".")
    field = next(one for one in fields if one.name == head)
    if field.shape is STRUCT and rest:
        return (*field.wire, *_wire(field.fields, rest))
    return field.wire


@pytest.mark.parametrize("case", by_force([one for one in CASES if one.get("replace", {})], *FEW), ids=str)
def test_each_immutable_field_replaces(lab: Lab, case: Case) -> None:
    for path, value in case.get("replace", {}).items():
        lab.write(document(lab, case, case.get("entry", {})))
        lab.converge(lab.consent_to_loss(case.address))
        old = lab.live(case.address)
        lab.write(document(lab, case, edited(case, path, value)))
        if lab.registry.kinds[case.kind].distinct_by_id:
            succeeded(lab, case, path, old)
            continue
        unguarded = action_of(lab.plan(Consent(max_count=100)), case.address)
        assert unguarded is not None and unguarded.blocked, f"{path}: a replace without consent is not stopped"
        plan = lab.plan(lab.consent_to_loss(case.address))
        action = action_of(plan, case.address)
        assert action is not None and action.verb is Verb.REPLACE, (path, action, plan.findings)
        assert any(one.replaces and (one.path == path or one.path.startswith(path + ".")) for one in action.changes), (
            path,
            action,
        )
        lab.converge(lab.consent_to_loss(case.address))
        new = lab.live(case.address)
        assert old is not None and new is not None and old.id != new.id, path
        assert lab.plan().actions == (), path


def succeeded(lab: Lab, case: Case, path: str, old: Live | None) -> None:
    """Another object is made without consent, and the former one stays for a while: nobody is cut off."""
    plan = lab.plan(Consent())
    action = action_of(plan, case.address)
    assert action is not None and action.verb is Verb.CREATE and action.supersedes and not action.blocked, (
        path,
        action,
    )
    assert Verb.DELETE not in {one.verb for one in plan.actions}
    assert "VP334" in {finding.code for finding in plan.findings}
    lab.converge(Consent())
    new = lab.live(case.address)
    assert old is not None and new is not None and old.id != new.id, path
    assert lab.live(action.supersedes) is not None and lab.plan().actions == (), path


@pytest.mark.parametrize("case", by_force([one for one in CASES if one.get("clear", [])], *FEW), ids=str)
def test_null_clears(lab: Lab, case: Case) -> None:
    made(lab, case)
    for path in case.get("clear", []):
        lab.write(document(lab, case, edited(case, path, None)))
        plan = lab.plan()
        action = action_of(plan, case.address)
        assert action is not None and action.verb is Verb.UPDATE, (path, action)
        lab.converge()
        assert lab.plan().actions == (), (path, lab.plan().actions)
        live = lab.live(case.address)
        assert live is not None
        value: Any = live.values
        for step in path.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        field = lab.registry.kinds[case.kind].field(path.split(".")[0])
        for step in path.split(".")[1:]:
            field = next((one for one in field.fields if one.name == step), field)
        assert value is None or value in field.cleared, (path, value)
        lab.write(document(lab, case, case.get("entry", {})))
        lab.converge()


@pytest.mark.parametrize("case", by_force([one for one in CASES if one.get("release", "")], *FEW), ids=str)
def test_absent_is_not_managed_and_dropped_is_released(lab: Lab, case: Case) -> None:
    made(lab, case)
    path = case.get("release", "")
    before = row_of(lab, case)
    lab.write(document(lab, case, without(case.get("entry", {}), path)))
    plan = lab.plan()
    action = action_of(plan, case.address)
    assert (
        action is not None and action.verb is Verb.RELEASE and any(one.startswith(path) for one in action.released)
    ), action
    lab.clear_calls()
    lab.converge()
    assert lab.calls() == []
    assert lab.plan().actions == ()
    assert dig(row_of(lab, case), ()) is not None
    moved = [one for one in differing(before, row_of(lab, case)) if not VOLATILE & set(one)]
    assert moved == []


@pytest.mark.parametrize("case", by_force([one for one in CASES if one.by_hand and not one.gone], *FEW), ids=str)
def test_a_change_by_hand_is_drift_and_is_repaired(lab: Lab, case: Case) -> None:
    made(lab, case)
    call_by_hand(lab, case)
    action = action_of(lab.plan(), case.address)
    assert action is not None, "the change by hand was not seen"
    assert {one.path: one.cause for one in action.changes} == dict.fromkeys(case.moved, Cause.SYSTEM)
    assert "outside vastplan" in action.reason or action.verb is Verb.REPLACE
    lab.converge(lab.consent_to_loss(case.address))
    assert lab.plan().actions == ()


def call_by_hand(lab: Lab, case: Case) -> None:
    live = lab.live(case.address)
    assert live is not None
    hand = case.by_hand
    path = (
        hand["path"]
        .replace("{id}", live.id)
        .replace("{owner}", live.locator.partition("/")[0])
        .replace("{locator}", live.locator)
    )
    headers = {"Content-Type": hand["content_type"]} if "content_type" in hand else {}
    body = filled(lab, hand.get("body"), live) or None
    lab.by_hand("iad", live.kind.system, hand["method"], path, body, **headers)


def filled(lab: Lab, value: Any, live: Live) -> Any:
    """What somebody sends: `{id}` is the object's, `{tenants team-a}` that of the row of that name in the VMS' list, and
    `{projects team-c}` that in Run:AI's.
    """
    if isinstance(value, dict):
        return {key: filled(lab, part, live) for key, part in value.items()}
    if isinstance(value, list):
        return [filled(lab, part, live) for part in value]
    placeholder = re.fullmatch(r"\{(\w+)(?: (\S+))?\}", value) if isinstance(value, str) else None
    if placeholder is None:
        return value
    collection, name = placeholder.groups()
    if not name:
        return live.id if collection == "id" else value
    path = f"/api/v5/{collection}/" if live.kind.system == "vast" else f"/api/v1/org-unit/{collection}"
    found = lab.by_hand(live.site, live.kind.system, "GET", path)
    rows = found if isinstance(found, list) else found[collection]
    return next(int(row["id"]) for row in rows if row["name"] == name)


@pytest.mark.slow
@pytest.mark.parametrize("case", by_force(CASES, *FEW), ids=str)
def test_what_was_deleted_by_hand_is_made_again(lab: Lab, case: Case) -> None:
    made(lab, case)
    before = lab.live(case.address)
    assert before is not None
    if case.gone:
        call_by_hand(lab, case)
    else:
        lab.delete_by_hand(before)
    plan = lab.plan()
    action = action_of(plan, case.address)
    if lab.registry.kinds[case.kind].once is not None:  # it is told, and stays gone
        assert action is None and [finding.code for finding in plan.findings] == ["VP349"]
        return
    assert action is not None, "the deletion was not seen"
    assert (action.verb, action.reason, action.blocked) == (Verb.CREATE, "deleted outside vastplan", ())
    assert action in drifted(plan)
    lab.converge()
    after = lab.live(case.address)
    # what is set of somebody is told by whom and where
    same = isinstance(after.kind.endpoint.shape, Asked) if after is not None else False
    assert after is not None and (after.id == before.id) is same
    assert lab.plan().actions == ()


class Crash(BaseException):
    """The process ends here."""


@pytest.mark.slow
@pytest.mark.parametrize("case", by_force(CASES, *FEW), ids=str)
def test_a_create_that_was_cut_off_is_carried_on(lab: Lab, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made, and not yet noted as ours: what the second Ctrl-C of an apply leaves behind."""
    lab.write(document(lab, case, None))
    lab.converge()
    lab.write(document(lab, case, case.get("entry", {})))

    made = cut_off(lab, case, lab.plan(), monkeypatch)
    carried_on(lab, case, made)


@pytest.mark.parametrize("case", by_force([one for one in CASES if one.get("replace", {})], *FEW), ids=str)
def test_a_replacement_that_was_cut_off_is_carried_on(lab: Lab, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    made(lab, case)
    path, value = next(iter(case.get("replace", {}).items()))
    lab.write(document(lab, case, edited(case, path, value)))
    new = cut_off(lab, case, lab.plan(lab.consent_to_loss(case.address)), monkeypatch)
    carried_on(lab, case, new)


def cut_off(lab: Lab, case: Case, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> Live:
    """Apply until an object of the kind was made; answers the one that is there then."""

    def crash(kind: Kind, provider: Provider, locator: str) -> Row:
        if kind.name == case.kind:
            raise Crash
        return until_ready(kind, provider, locator)

    with monkeypatch.context() as patched:
        patched.setattr("vastplan.engine.applying.execute.until_ready", crash)
        with pytest.raises(Crash):
            lab.apply(plan)
    live = lab.live(case.address)
    assert live is not None
    return live


def carried_on(lab: Lab, case: Case, made: Live) -> None:
    """The next apply, which adopts nothing, takes the object for ours and ends in sync."""
    consent = Consent(allow_delete=("*",), max_count=1000)
    action = action_of(lab.plan(consent), case.address)
    assert action is not None and action.verb in (Verb.RELEASE, Verb.UPDATE) and not action.blocked, action
    lab.converge(consent)
    after = lab.live(case.address)
    assert after is not None and after.id == made.id
    assert lab.plan(consent).actions == ()


@pytest.mark.parametrize("case", by_force(CASES, *FEW), ids=str)
def test_removed_from_the_document_is_deleted_under_guard(lab: Lab, case: Case) -> None:
    made(lab, case)
    lab.write(document(lab, case, None))
    unguarded = action_of(lab.plan(Consent(max_count=100)), case.address)
    assert unguarded is not None and unguarded.verb is Verb.DELETE and unguarded.blocked
    consent = lab.consent_to_loss(case.address)
    action = action_of(lab.plan(consent), case.address)
    assert action is not None and not action.blocked, action
    lab.converge(consent)
    assert lab.live(case.address) is None
    assert lab.plan().actions == ()


@pytest.mark.parametrize("case", by_force(CASES, *FEW), ids=str)
def test_what_was_there_before_is_adopted_only_when_asked(lab: Lab, case: Case) -> None:
    made(lab, case)
    before = lab.live(case.address)
    for file in (lab.folder / ".vastplan" / "ledger").glob("*.json"):
        file.unlink()  # the ledger is lost
    plan = lab.plan(Consent(max_count=100))
    action = action_of(plan, case.address)
    assert action is not None and action.verb is Verb.ADOPT and action.blocked
    assert all(one.verb is Verb.ADOPT for one in plan.actions), "a lost ledger creates or deletes"
    lab.clear_calls()
    lab.converge()
    unseen = case.get("unseen", [])
    assert {path for path in unseen if path in case.get("entry", {})} == {one.path for one in action.changes}
    assert len(lab.calls()) == (1 if unseen else 0)
    after = lab.live(case.address)
    assert before is not None and after is not None and before.id == after.id
    assert lab.plan().actions == ()


@pytest.mark.parametrize("case", [one for one in CASES if one.get("refused", [])], ids=str)
def test_bad_entries_are_refused_before_anything_is_read(lab: Lab, case: Case) -> None:
    for bad in case.get("refused", []):
        entry = case.get("entry", {})
        for path, value in bad["entry"].items():
            entry = with_value(entry, path, value)
        for path in bad.get("drop", []):
            entry = without(entry, path)
        lab.write(document(lab, case, entry))
        lab.clear_calls()
        with pytest.raises(Invalid) as refused:
            lab.workspace().entries()
        assert bad["says"] in str(refused.value), str(refused.value)
        assert lab.all_calls() == []


@pytest.mark.parametrize(
    "name", sorted({case.kind for case in CASES}), ids=lambda name: f"{full_registry().kinds[name].system}.{name}"
)
def test_the_case_files_speak_of_every_field(name: str) -> None:
    spoken: set[str] = set()
    for case in CASES:
        if case.kind == name:
            spoken |= {
                path for part in ("change", "replace", "fixed", "clear", "ordinary") for path in case.get(part, [])
            }
    heads = {path.partition(".")[0] for path in spoken}
    missing = [
        field.name
        for field in full_registry().kinds[name].fields
        if field.name not in heads and Marker.DOCUMENT not in field.markers and field.name != "name"
    ]
    assert not missing, f"the case files of {name} say nothing of {', '.join(missing)}"


def test_every_kind_that_is_written_has_a_case_file() -> None:
    registry = full_registry()
    read_only = {"cluster", "node", "node_pool", "pod", "role", "runai_cluster", "snapshot", "vms", "workload"}
    assert {one.kind for one in CASES} | read_only == set(registry.kinds)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_case_file_says_what_somebody_does_by_hand(case: Case) -> None:
    hand = case.get("by_hand", None)
    if isinstance(hand, str):
        assert len(hand.split()) > 2 and "moved" not in case.data, f"{case}: {hand!r} is no reason"
        assert any(one.by_hand for one in CASES if one.kind == case.kind), f"no file of {case.kind} has a call by hand"
    else:
        assert hand, f"{case} has no by_hand"
        assert case.gone == (hand["method"] == "DELETE")
        assert case.gone or case.moved, f"{case} does not say what moved"


@pytest.mark.slow
def test_leaves_are_named_once() -> None:
    for case in CASES:
        kind = full_registry().kinds[case.kind]
        entry: dict[str, Any] = case.get("entry", {})
        names = [path_text(leaf.path) for leaf in leaves(kind.fields, entry)]
        assert len(names) == len(set(names)), case.file
