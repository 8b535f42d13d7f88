"""What a plan says of a text is laid to the entry whose line it names: which of its objects fall, how far, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.importing.rounds import LIMIT, QUOTA, Stood, fell, held, quota, world
from tests.importing.small import HEAD_OF_TWO, seen
from tests.importing.small import world as world_of
from vastplan.importing.model import EntryForm, LeftReason
from vastplan.model.snapshot import SeenObject


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
    why = "the system returns it in a form that it does not accept"
    assert once.degraded.fields[key] == {"hard_limit": why, "soft_limit": why}
    twice = held(tmp_path, text, entries, world(objects), degraded=once.degraded)
    assert twice.changed and fell(twice) == {"iad/quota/1": (EntryForm.NESTED, LeftReason.FORM)}
    lower = replace(once.degraded, steps=MappingProxyType({key: EntryForm.NESTED}))
    assert fell(held(tmp_path, text, entries, world(objects), degraded=lower))["iad/quota/1"][0] is EntryForm.FLAT
    last = held(tmp_path, text, entries, world(objects), degraded=once.degraded, patient=False)
    assert fell(last) == {"iad/quota/1": (EntryForm.LEFT, LeftReason.FORM)}
    partly = replace(once.degraded, fields=MappingProxyType({key: {"hard_limit": "before"}}))
    more = held(tmp_path, text, entries, world(objects), degraded=partly)
    assert fell(more) == {} and more.degraded.fields[key].keys() == {"hard_limit", "soft_limit"}, "one is new"
    known = replace(once.degraded, why=MappingProxyType({key: (LeftReason.VALUE, "said before")}))
    assert held(tmp_path, text, entries, world(objects), degraded=known).degraded.why[key][0] is LeftReason.VALUE


def test_a_part_of_a_field_leaves_out_the_whole(tmp_path: Path) -> None:
    rules = {"hard_limit": 5, "soft_limit": None}
    tenant = seen("2", "nlp", {"guid": "g"}, capacity_rules=rules)
    text = "tenants: {nlp: {capacity_rules: {hard_limit: 1 TB}}}"
    found = held(tmp_path, text, {1: Stood(("iad/tenant/2",))}, world({"tenant": [tenant]}))
    assert found.degraded.fields["iad", "tenant", "2"].keys() == {"capacity_rules"}


@pytest.mark.parametrize(
    ("stood", "step"),
    [
        (Stood(("iad/quota/1", "iad/view/2")), EntryForm.NESTED),
        (Stood(("iad/quota/1",), inside="nlp"), EntryForm.FLAT),
        (Stood(("iad/quota/1",)), EntryForm.LEFT),
        (Stood(("iad/quota/1", "pdx/quota/1"), ("iad", "pdx")), EntryForm.LEFT),
    ],
)
def test_what_would_be_made_anew_falls_one_step_from_the_form_that_it_has(
    stood: Stood, step: EntryForm, tmp_path: Path
) -> None:
    found = held(tmp_path, QUOTA, {1: stood}, world())
    assert fell(found) == {key: (step, LeftReason.FORM) for key in stood.stands_for if key.startswith("iad/")}
    assert "hard_limit" in found.degraded.why["iad", "quota", "1"][1]
    assert found.changed and found.creates == () and found.degraded.fields == {}


def test_a_larger_entry_falls_for_what_one_of_its_parts_would_change(tmp_path: Path) -> None:
    stood = Stood(("iad/quota/1", "iad/view/2"))
    found = held(tmp_path, QUOTA, {1: stood}, world({"quota": [quota(hard_limit=7)]}))
    assert fell(found) == dict.fromkeys(stood.stands_for, (EntryForm.NESTED, LeftReason.FORM))
    assert found.degraded.fields == {}
    assert found.degraded.why["iad", "view", "2"][1] == "as an entry it would differ: hard_limit"
    two = world({"quota": [quota(hard_limit=7, soft_limit=8)]})
    both = held(tmp_path, QUOTA.replace("1 TB", "1 TB, soft_limit: 0.5 TB"), {1: stood}, two)
    assert both.degraded.why["iad", "view", "2"][1] == "as an entry it would differ: hard_limit, soft_limit"
    hasty = held(tmp_path, QUOTA, {1: stood}, world({"quota": [quota(hard_limit=7)]}), patient=False)
    assert {step for step, _ in fell(hasty).values()} == {EntryForm.LEFT}


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
    assert fell(found) == {"iad/quota/1": (EntryForm.FLAT, LeftReason.FORM)}
    assert found.planned is None and found.changed and found.refused == ()
    assert found.degraded.why["iad", "quota", "1"][1].startswith("VP2")
    outer = held(tmp_path, text.replace("quotas:", "max_views: many\n    quotas:").replace(": many}", ": 1 TB}"),
                 {2: Stood(("iad/tenant/2",), last=6), 5: Stood(("iad/quota/1",), inside="nlp")}, world())  # fmt: skip
    assert fell(outer) == {"iad/tenant/2": (EntryForm.LEFT, LeftReason.FORM)}
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
    text = """\
tenants: {nlp: {}}
view_policies: {p: {tenant: nlp, flavor: NFS}, q: {sites: [pdx], tenant: nlp, flavor: NFS}}
views: {a: {tenant: nlp, path: /a, protocols: [NFS]}}
"""
    both = Stood(("iad/view/2", "pdx/view/2"), ("iad", "pdx"))
    found = held(tmp_path, text, {3: both}, world(there={"iad": {}, "pdx": {}}), HEAD_OF_TWO)
    assert fell(found) == {"pdx/view/2": (EntryForm.LEFT, LeftReason.FORM)}
    assert found.degraded.why["pdx", "view", "2"][1].startswith("VP231: view_policy is left out, ")


def test_what_is_wrong_on_every_site_falls_on_every_site(tmp_path: Path) -> None:
    stood = Stood(("iad/quota/1", "pdx/quota/1"), ("iad", "pdx"))
    there = world(there={"iad": {}, "pdx": {}})
    found = held(tmp_path, QUOTA.replace("1 TB", "many"), {1: stood}, there, HEAD_OF_TWO)
    assert fell(found) == dict.fromkeys(stood.stands_for, (EntryForm.LEFT, LeftReason.FORM))


def test_what_would_change_on_one_site_is_left_out_there(tmp_path: Path) -> None:
    stood = Stood(("iad/quota/1", "pdx/quota/1"), ("iad", "pdx"))
    both: dict[str, dict[str, list[SeenObject]]] = {site: {"quota": [quota()]} for site in ("iad", "pdx")}
    both["pdx"] = {"quota": [quota(hard_limit=7)]}
    other = held(tmp_path, QUOTA, {1: stood}, world(there=both), HEAD_OF_TWO)
    assert other.degraded.fields.keys() == {("pdx", "quota", "1")}
    del both["pdx"]["quota"]
    gone = held(tmp_path, QUOTA, {1: stood}, world(there=both), HEAD_OF_TWO)
    assert fell(gone) == {"pdx/quota/1": (EntryForm.LEFT, LeftReason.FORM)}


def test_what_no_new_line_is_to_blame_for_refuses_the_text(tmp_path: Path) -> None:
    elsewhere = held(tmp_path, QUOTA.replace("1 TB", "many"), {}, world())
    assert {each.code for each in elsewhere.refused} == {"VP212"} and not elsewhere.changed
    unlaid = held(tmp_path, QUOTA, {}, world({"quota": [quota(hard_limit=7)]}))
    assert [(each.code, each.address) for each in unlaid.refused] == [("VP341", "iad/quota/a")] and not unlaid.changed
    assert unlaid.refused[0].message == f"the new entries would change it: hard_limit: 7 → {LIMIT}"
    anew = held(tmp_path, QUOTA, {}, world())
    assert [(each.code, each.address) for each in anew.refused] == [("VP341", "iad/quota/a")]


def test_the_values_of_a_change_are_told_in_words(tmp_path: Path) -> None:
    objects = {
        "view_policy": [
            seen("1", "p", tenant=9, flavor="NFS", nfs_no_squash=[], nfs_read_only=["10.0.0.1", "10.0.0.2"])
        ]
    }
    text = "view_policies: {p: {tenant: {existing: t}, flavor: NFS, nfs_no_squash: [10.1.0.1], nfs_read_only: []}}"
    (finding,) = held(tmp_path, text, {}, world(objects)).refused
    assert finding.message == (
        "the new entries would change it: nfs_read_only: 10.0.0.1, 10.0.0.2 → nothing; nfs_no_squash: nothing → 10.1.0.1"
    )
    view = seen("7", path="/a", tenant=9, view_policy=1, protocols=["NFS"], alias="")
    text += "\nviews: {a: {tenant: {existing: t}, path: /a, view_policy: p, protocols: [NFS], alias: /x}}"
    findings = held(tmp_path, text, {}, world({**objects, "view": [view]})).refused
    assert "alias: nothing → /x" in next(each.message for each in findings if each.address == "iad/view/a")


def test_what_the_ledger_deletes_is_no_matter_of_the_text(tmp_path: Path) -> None:
    objects = {"quota": [quota(), quota("2", "gone", "/gone")], "tenant": [seen("9", "t", {"guid": "t"})]}
    snapshot = world_of(objects, owned={"iad/quota/gone": "2"})
    found = held(tmp_path, QUOTA, {1: Stood(("iad/quota/1",))}, snapshot)
    assert found.planned is not None and len(found.planned.plan.actions) == 2
    assert (found.changed, found.refused, found.creates) == (False, (), ())
