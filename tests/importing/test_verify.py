"""What a plan says of a text is laid to the entry whose line it names: which of its objects fall, how far, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from tests.importing.small import HEAD, HEAD_OF_TWO, Objects, seen
from tests.importing.small import world as world_of
from vastplan.app.importing.verify import Line, Verified, verify
from vastplan.app.planning.request import PlanOptions
from vastplan.app.planning.source import RecordedSystems
from vastplan.app.workspace import open_workspace
from vastplan.importing.model import Degraded, Reason, Step
from vastplan.importing.place import Placed
from vastplan.model.snapshot import SeenObject, Snapshot

QUOTA = "quotas: {a: {tenant: {existing: t}, path: /a, hard_limit: 1 TB}}"
LIMIT = 10**12
CLASS: dict[str, Any] = {"driver": "file", "storage_path": "/k8s", "view_policy": "p", "vip_pool": "v"}
CLOSED = "storage_path: /k8s, vip_pool: {existing: v}, view_policy: {existing: p}"
POOLS = {"vip_pool": [seen("90", "v")], "view_policy": [seen("91", "p")]}
POLICY, BINDING = ("iad", "admission_policy", "p-a"), ("iad", "admission_binding", "b-a")
THEIRS: dict[str, Any] = {"document": "theirs", "marked": "2026-01-01T00:00:00Z"}


@dataclass(frozen=True, slots=True)
class Stood:
    """An entry on a line of the new file: what it stands for, on how many sites, and what it stands inside."""

    stands_for: tuple[str, ...]
    """`site/kind/id`."""
    sites: tuple[str, ...] = ("iad",)
    inside: str = ""
    last: int = 0


def held(
    folder: Path,
    new: str,
    entries: Mapping[int, Stood],
    snapshot: Snapshot,
    old: str = HEAD,
    *,
    degraded: Degraded | None = None,
    patient: bool = True,
) -> Verified:
    """A new file held against what was read; `entries` are by the lines of it that they stand on."""
    (folder / "old.yaml").write_text(old, encoding="utf-8")
    before = open_workspace([folder / "old.yaml"], None, snapshot)
    file = folder / "new.yaml"
    file.write_text(new, encoding="utf-8")
    paths = [folder / "old.yaml", file]
    types = before.registry.types
    lines = []
    for number, one in sorted(entries.items(), key=lambda item: -item[1].last):
        keys = tuple(_key(each) for each in one.stands_for)
        entry = Placed(types[keys[0][1]], "", {}, keys, one.sites)
        lines.append(Line(str(file), number, one.last or number, entry, one.inside))
    options = PlanOptions(sites=tuple(before.document.sites()), snapshot=snapshot)
    source = RecordedSystems(before, snapshot)
    given = degraded or Degraded()
    return verify(paths, folder, before, None, snapshot, options, source, lines, given, patient=patient)


def world(objects: Objects | None = None, *, there: Mapping[str, Objects] | None = None) -> Snapshot:
    """What was recorded, on each site beside a tenant `t`."""
    tenant = seen("9", "t", {"guid": "t"})
    by_site = there or {"iad": objects or {}}
    return world_of(
        there={site: {**found, "tenant": [*found.get("tenant", ()), tenant]} for site, found in by_site.items()}
    )


def _key(text: str) -> tuple[str, str, str]:
    site, kind, id_ = text.split("/")
    return site, kind, id_


def fell(found: Verified) -> dict[str, tuple[Step, Reason]]:
    """How far each object fell, and why."""
    return {"/".join(key): (step, found.degraded.why[key][0]) for key, step in found.degraded.steps.items()}


def quota(id: str = "1", name: str = "a", path: str = "/a", **values: Any) -> SeenObject:
    return seen(id, name, **{"path": path, "tenant": 9, "hard_limit": LIMIT, **values})


def test_what_takes_over_and_changes_nothing_is_kept(tmp_path: Path) -> None:
    found = held(tmp_path, QUOTA, {1: Stood(("iad/quota/1",))}, world({"quota": [quota()]}))
    assert found.planned is not None and len(found.planned.plan.actions) == 1
    assert (found.changed, found.refused, found.creates, fell(found)) == (False, (), (), {})


def test_a_field_that_would_change_is_left_out_first_and_then_its_object_falls(tmp_path: Path) -> None:
    objects = {"quota": [quota(hard_limit=7, soft_limit=8)]}
    text = QUOTA.replace("1 TB", "1 TB, soft_limit: 0.5 TB")
    entries = {1: Stood(("iad/quota/1",))}
    once = held(tmp_path, text, entries, world(objects))
    assert once.changed and once.planned is not None and fell(once) == {}
    key = "iad", "quota", "1"
    assert once.degraded.fields[key].keys() == {"hard_limit", "soft_limit"} and all(once.degraded.fields[key].values())
    twice = held(tmp_path, text, entries, world(objects), degraded=once.degraded)
    assert twice.changed and fell(twice) == {"iad/quota/1": (Step.NESTED, Reason.FORM)}
    lower = replace(once.degraded, steps=MappingProxyType({key: Step.NESTED}))
    assert fell(held(tmp_path, text, entries, world(objects), degraded=lower))["iad/quota/1"][0] is Step.FLAT
    last = held(tmp_path, text, entries, world(objects), degraded=once.degraded, patient=False)
    assert fell(last) == {"iad/quota/1": (Step.LEFT, Reason.FORM)}
    partly = replace(once.degraded, fields=MappingProxyType({key: {"hard_limit": "before"}}))
    more = held(tmp_path, text, entries, world(objects), degraded=partly)
    assert fell(more) == {} and more.degraded.fields[key].keys() == {"hard_limit", "soft_limit"}, "one is new"
    known = replace(once.degraded, why=MappingProxyType({key: (Reason.VALUE, "said before")}))
    assert held(tmp_path, text, entries, world(objects), degraded=known).degraded.why[key][0] is Reason.VALUE


def test_a_part_of_a_field_leaves_out_the_whole(tmp_path: Path) -> None:
    rules = {"hard_limit": 5, "soft_limit": None}
    tenant = seen("2", "nlp", {"guid": "g"}, capacity_rules=rules)
    text = "tenants: {nlp: {capacity_rules: {hard_limit: 1 TB}}}"
    found = held(tmp_path, text, {1: Stood(("iad/tenant/2",))}, world({"tenant": [tenant]}))
    assert found.degraded.fields["iad", "tenant", "2"].keys() == {"capacity_rules"}


@pytest.mark.parametrize(
    ("stood", "step"),
    [
        (Stood(("iad/quota/1", "iad/view/2")), Step.NESTED),
        (Stood(("iad/quota/1",), inside="nlp"), Step.FLAT),
        (Stood(("iad/quota/1",)), Step.LEFT),
        (Stood(("iad/quota/1", "pdx/quota/1"), ("iad", "pdx")), Step.LEFT),
    ],
)
def test_what_would_be_made_anew_falls_one_step_from_the_form_that_it_has(
    stood: Stood, step: Step, tmp_path: Path
) -> None:
    found = held(tmp_path, QUOTA, {1: stood}, world())
    assert fell(found) == {key: (step, Reason.FORM) for key in stood.stands_for if key.startswith("iad/")}
    assert "hard_limit" in found.degraded.why["iad", "quota", "1"][1]
    assert found.changed and found.creates == () and found.degraded.fields == {}


def test_a_larger_entry_falls_for_what_one_of_its_parts_would_change(tmp_path: Path) -> None:
    stood = Stood(("iad/quota/1", "iad/view/2"))
    found = held(tmp_path, QUOTA, {1: stood}, world({"quota": [quota(hard_limit=7)]}))
    assert fell(found) == dict.fromkeys(stood.stands_for, (Step.NESTED, Reason.FORM))
    assert found.degraded.fields == {} and "hard_limit" in found.degraded.why["iad", "view", "2"][1]
    hasty = held(tmp_path, QUOTA, {1: stood}, world({"quota": [quota(hard_limit=7)]}), patient=False)
    assert {step for step, _ in fell(hasty).values()} == {Step.LEFT}


def test_what_two_actions_say_of_an_object_counts_once_and_the_first(tmp_path: Path) -> None:
    stood = Stood(("iad/quota/1", "iad/quota/2"))
    text = "quotas: {a: {tenant: {existing: t}, path: /a, hard_limit: 1 TB}, b: {tenant: {existing: t}, path: /b, soft_limit: 1 TB}}"
    objects = {"quota": [quota(hard_limit=7), quota("2", "b", "/b", soft_limit=7)]}
    found = held(tmp_path, text, {1: stood}, world(objects))
    assert "hard_limit" in found.degraded.why["iad", "quota", "2"][1]
    assert "soft_limit" not in found.degraded.why["iad", "quota", "1"][1]


def test_a_finding_is_laid_to_the_innermost_entry_on_its_line(tmp_path: Path) -> None:
    text = (
        "tenants:\n  nlp:\n    quotas:\n      a: {path: /a, hard_limit: many}\n      b: {path: /b, hard_limit: 1 TB}\n"
    )
    entries = {
        2: Stood(("iad/tenant/2",), last=5),
        4: Stood(("iad/quota/1",), inside="nlp"),
        5: Stood(("iad/quota/3",), inside="nlp"),
    }
    found = held(tmp_path, text, entries, world())
    assert fell(found) == {"iad/quota/1": (Step.FLAT, Reason.FORM)}
    assert found.planned is None and found.changed and found.refused == ()
    assert found.degraded.why["iad", "quota", "1"][1].startswith("VP2")
    outer = held(tmp_path, text.replace("quotas:", "max_views: many\n    quotas:").replace(": many}", ": 1 TB}"),
                 {2: Stood(("iad/tenant/2",), last=6), 5: Stood(("iad/quota/1",), inside="nlp")}, world())  # fmt: skip
    assert fell(outer) == {"iad/tenant/2": (Step.LEFT, Reason.FORM)}
    last = held(tmp_path, text.replace("    quotas:", "    quotas:").replace("many", "1 TB") + "    max_views: many\n",
                {2: Stood(("iad/tenant/2",), last=6), 5: Stood(("iad/quota/1",), inside="nlp")}, world())  # fmt: skip
    assert fell(last).keys() == {"iad/tenant/2"}, "its last line is one of its own"


def test_a_name_that_is_not_there_may_be_missing_because_of_something_else(tmp_path: Path) -> None:
    text = "view_policies:\n  p: {tenant: {existing: t}, flavor: NEVER}\nviews:\n  a: {tenant: {existing: t}, path: /a, protocols: [NFS], view_policy: q}\n"
    entries = {2: Stood(("iad/view_policy/1",)), 4: Stood(("iad/view/2",))}
    assert fell(held(tmp_path, text, entries, world())).keys() == {"iad/view_policy/1"}
    only = text.replace("NEVER", "NFS")
    assert fell(held(tmp_path, only, entries, world())).keys() == {"iad/view/2"}


def test_an_entry_may_be_good_on_another_site(tmp_path: Path) -> None:
    text = "quotas:\n  a:\n    tenant: {existing: t}\n    path: /a\n    per_site: {iad: {hard_limit: many}, pdx: {hard_limit: 1 TB}}\n"
    stood = Stood(("iad/quota/1", "pdx/quota/1"), ("iad", "pdx"), last=5)
    both = {site: {"quota": [quota()]} for site in ("iad", "pdx")}
    found = held(tmp_path, text, {2: stood}, world(there=both), HEAD_OF_TWO)
    assert fell(found).keys() == {"iad/quota/1"} or fell(found).keys() == {"iad/quota/1", "pdx/quota/1"}
    both["pdx"] = {"quota": [quota(hard_limit=7)]}
    other = held(tmp_path, text.replace("many", "1 TB"), {2: stood}, world(there=both), HEAD_OF_TWO)
    assert other.degraded.fields.keys() == {("pdx", "quota", "1")}
    del both["pdx"]["quota"]
    gone = held(tmp_path, text.replace("many", "1 TB"), {2: stood}, world(there=both), HEAD_OF_TWO)
    assert fell(gone) == {"pdx/quota/1": (Step.LEFT, Reason.FORM)}


def test_what_no_new_line_is_to_blame_for_refuses_the_text(tmp_path: Path) -> None:
    elsewhere = held(tmp_path, QUOTA.replace("1 TB", "many"), {}, world())
    assert {each.code for each in elsewhere.refused} == {"VP212"} and not elsewhere.changed
    unlaid = held(tmp_path, QUOTA, {}, world({"quota": [quota(hard_limit=7)]}))
    assert [(each.code, each.address) for each in unlaid.refused] == [("VP341", "iad/quota/a")] and not unlaid.changed
    assert "hard_limit" in unlaid.refused[0].message and str(LIMIT) in unlaid.refused[0].message
    anew = held(tmp_path, QUOTA, {}, world())
    assert [(each.code, each.address) for each in anew.refused] == [("VP341", "iad/quota/a")]


def test_the_values_of_a_change_are_told_in_words(tmp_path: Path) -> None:
    objects = {"view_policy": [seen("1", "p", flavor="NFS", nfs_no_squash=[], nfs_read_only=["10.0.0.1", "10.0.0.2"])]}
    text = "view_policies: {p: {tenant: {existing: t}, flavor: NFS, nfs_no_squash: [10.1.0.1], nfs_read_only: []}}"
    (finding,) = held(tmp_path, text, {}, world(objects)).refused
    assert "nfs_no_squash: nothing → 10.1.0.1" in finding.message
    assert "nfs_read_only: 10.0.0.1, 10.0.0.2 → nothing" in finding.message


def test_an_old_entry_that_means_something_else_refuses_the_text(tmp_path: Path) -> None:
    old = (
        HEAD
        + f"""\
tenants:
  nlp:
    storage_classes: {{a: {{driver: file, {CLOSED}}}}}
"""
    )
    new = "projects: {nlp: {tenant: nlp}}\n"
    project = seen("5", "nlp", {"namespace": "runai-nlp"}, namespace="runai-nlp")
    objects = {**POOLS, "tenant": [seen("2", "nlp", {"guid": "g"})], "project": [project]}
    found = held(tmp_path, new, {1: Stood(("iad/project/5",))}, world(objects), old)
    assert [(each.code, each.address) for each in found.refused] == [("VP340", "iad/admission_policy/vastplan-a")]


def closing(folder: Path, objects: Objects, more: str = "", **values: Any) -> Verified:
    """A class that is closed, or shared, beside what keeps closed what is closed."""
    text = f"storage_classes:\n  a: {{driver: file, {CLOSED}{more}}}\n"
    classes = [seen("c-a", "a", **{**CLASS, **values})]
    return held(
        folder, text, {2: Stood(("iad/storage_class/c-a",))}, world({**POOLS, "storage_class": classes, **objects})
    )


def test_what_keeps_a_class_closed_is_made_and_is_no_change(tmp_path: Path) -> None:
    found = closing(tmp_path, {}, ", shared: true")
    assert [str(each) for each in found.creates] == [
        "iad/admission_policy/vastplan-a", "iad/admission_policy/vastplan-inline-volumes",
        "iad/admission_binding/vastplan-a", "iad/admission_binding/vastplan-inline-volumes",
    ] or len(found.creates) == 4  # fmt: skip
    assert (found.changed, found.refused, fell(found)) == (False, (), {})


def test_what_another_document_keeps_closed_is_left_to_it(tmp_path: Path) -> None:
    policy = replace(seen("p-a", "vastplan-a", storage_class="a", namespaces=[], open=True, rule="x"), **THEIRS)
    found = closing(tmp_path, {"admission_policy": [policy]}, ", shared: true")
    assert fell(found) == {"iad/storage_class/c-a": (Step.LEFT, Reason.OTHER)}
    assert "theirs" in found.degraded.why["iad", "storage_class", "c-a"][1]
    assert "iad/admission_policy/vastplan-a" not in map(str, found.creates)


def test_what_keeps_closed_and_would_change_leaves_the_class(tmp_path: Path) -> None:
    policy = seen("p-a", "vastplan-a", storage_class="a", namespaces=["x"], open=False, rule="another")
    found = closing(tmp_path, {"admission_policy": [policy]}, ", shared: true")
    assert fell(found) == {"iad/storage_class/c-a": (Step.LEFT, Reason.FORM)}
    why = found.degraded.why["iad", "storage_class", "c-a"][1]
    assert why.startswith("iad/admission_policy/vastplan-a would be changed: ") and "another → " in why
    assert found.refused == () and found.degraded.fields == {}


def claims(*namespaces: str) -> list[SeenObject]:
    return [
        seen(f"c{number}", str(number), namespace=namespace, storage_class="a", access_modes=["ReadWriteMany"])
        for number, namespace in enumerate(namespaces)
    ]


def test_whom_an_apply_would_cut_off_keeps_the_class_as_it_is(tmp_path: Path) -> None:
    namespaces = {"namespace": [seen("n1", "team")]}
    found = closing(tmp_path, {**namespaces, "persistent_volume_claim": claims("team")})
    assert fell(found) == {"iad/storage_class/c-a": (Step.LEFT, Reason.FORM)}
    why = found.degraded.why["iad", "storage_class", "c-a"][1]
    assert "team" in why and "cut off" in why
    assert "iad/admission_policy/vastplan-a" not in map(str, found.creates)


def test_who_cannot_be_seen_may_be_cut_off(tmp_path: Path) -> None:
    text = f"storage_classes:\n  a: {{driver: file, {CLOSED}}}\n"
    classes = [seen("c-a", "a", **CLASS)]
    unread = {("iad", "persistent_volume_claim"): "403 Forbidden"}
    snapshot = world_of({**POOLS, "storage_class": classes}, unread=unread)
    found = held(tmp_path, text, {2: Stood(("iad/storage_class/c-a",))}, snapshot)
    assert fell(found) == {"iad/storage_class/c-a": (Step.LEFT, Reason.UNREAD)}


def test_what_belongs_to_a_site_is_laid_to_all_that_need_it_there(tmp_path: Path) -> None:
    text = f"storage_classes:\n  a: {{driver: file, {CLOSED}, shared: true}}\n  b: {{driver: file, {CLOSED}, shared: true}}\n"
    inline = seen("p-i", "vastplan-inline-volumes", storage_class=None, namespaces=["x"], open=False, rule="another")
    classes = [seen("c-a", "a", **CLASS), seen("c-b", "b", **CLASS)]
    both = {
        "iad": {**POOLS, "storage_class": classes, "admission_policy": [inline]},
        "pdx": {**POOLS, "storage_class": classes},
    }
    stood = {
        2: Stood(("iad/storage_class/c-a", "pdx/storage_class/c-a"), ("iad", "pdx")),
        3: Stood(("iad/storage_class/c-b", "pdx/storage_class/c-b"), ("iad", "pdx")),
    }
    found = held(tmp_path, text, stood, world(there=both), HEAD_OF_TWO)
    assert fell(found) == dict.fromkeys(("iad/storage_class/c-a", "iad/storage_class/c-b"), (Step.LEFT, Reason.FORM))


def test_what_the_ledger_deletes_is_no_matter_of_the_text(tmp_path: Path) -> None:
    objects = {"quota": [quota(), quota("2", "gone", "/gone")], "tenant": [seen("9", "t", {"guid": "t"})]}
    snapshot = world_of(objects, owned={"iad/quota/gone": "2"})
    found = held(tmp_path, QUOTA, {1: Stood(("iad/quota/1",))}, snapshot)
    assert found.planned is not None and len(found.planned.plan.actions) == 2
    assert (found.changed, found.refused, found.creates) == (False, (), ())
