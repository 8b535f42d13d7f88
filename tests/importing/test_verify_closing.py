"""What keeps closed what is closed is made with a new class, and changes nothing: else the class is left as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.importing.rounds import QUOTA, Stood, fell, held, quota, world
from tests.importing.small import HEAD, HEAD_OF_TWO, Objects, seen
from tests.importing.small import world as world_of
from vastplan.app.importing.verify import VerifiedRound
from vastplan.importing.model import EntryForm, LeftReason
from vastplan.model.snapshot import SeenObject

CLASS: dict[str, Any] = {"driver": "file", "storage_path": "/k8s", "view_policy": "p", "vip_pool": "v"}
CLOSED = "storage_path: /k8s, vip_pool: {existing: v}, view_policy: {existing: p}"
POOLS = {"vip_pool": [seen("90", "v")], "view_policy": [seen("91", "p")]}
THEIRS: dict[str, Any] = {"document": "theirs", "marked": "2026-01-01T00:00:00Z"}


def closing(folder: Path, objects: Objects, more: str = "", **values: Any) -> VerifiedRound:
    """A class that is closed, or shared, beside what keeps closed what is closed."""
    text = f"storage_classes:\n  a: {{driver: file, {CLOSED}{more}}}\n"
    classes = [seen("c-a", "a", **{**CLASS, **values})]
    return held(
        folder, text, {2: Stood(("iad/storage_class/c-a",))}, world({**POOLS, "storage_class": classes, **objects})
    )


def test_what_keeps_a_class_closed_is_made_and_is_no_change(tmp_path: Path) -> None:
    found = closing(tmp_path, {}, ", shared: true")
    assert [str(each) for each in found.creates] == [
        "iad/admission_policy/vastplan-inline-volumes", "iad/admission_policy/vastplan-a",
        "iad/admission_binding/vastplan-inline-volumes", "iad/admission_binding/vastplan-a",
    ]  # fmt: skip
    assert (found.changed, found.refused, fell(found)) == (False, (), {})


def test_what_another_document_keeps_closed_is_left_to_it(tmp_path: Path) -> None:
    policy = replace(seen("p-a", "vastplan-a", storage_class="a", namespaces=[], open=True, rule="x"), **THEIRS)
    found = closing(tmp_path, {"admission_policy": [policy]}, ", shared: true")
    assert fell(found) == {"iad/storage_class/c-a": (EntryForm.LEFT, LeftReason.OTHER)}
    assert found.degraded.why["iad", "storage_class", "c-a"][1] == (
        "iad/admission_policy/vastplan-a: marked as owned by document theirs, whose ledger is elsewhere"
    )
    assert "iad/admission_policy/vastplan-a" not in map(str, found.creates)


def test_what_keeps_closed_and_would_change_leaves_the_class(tmp_path: Path) -> None:
    policy = seen("p-a", "vastplan-a", storage_class="a", namespaces=["x"], open=False, rule="another")
    found = closing(tmp_path, {"admission_policy": [policy]}, ", shared: true")
    assert fell(found) == {"iad/storage_class/c-a": (EntryForm.LEFT, LeftReason.FORM)}
    why = found.degraded.why["iad", "storage_class", "c-a"][1]
    assert why == (
        "iad/admission_policy/vastplan-a would change: "
        "namespaces: x → nothing; open: False → True; rule: another → as vastplan writes it"
    )
    assert found.refused == () and found.degraded.fields == {}


def claims(*namespaces: str) -> list[SeenObject]:
    return [
        seen(f"c{number}", str(number), namespace=namespace, storage_class="a", access_modes=["ReadWriteMany"])
        for number, namespace in enumerate(namespaces)
    ]


def test_whom_an_apply_would_cut_off_keeps_the_class_as_it_is(tmp_path: Path) -> None:
    namespaces = {"namespace": [seen("n1", "team")]}
    found = closing(tmp_path, {**namespaces, "persistent_volume_claim": claims("team")})
    assert fell(found) == {"iad/storage_class/c-a": (EntryForm.LEFT, LeftReason.FORM)}
    why = found.degraded.why["iad", "storage_class", "c-a"][1]
    assert why == (
        "an apply would narrow access: storage_class a would close to 1 namespace in use: team: 1 claim; "
        "write open_to: [NAMESPACE] on the storage class"
    )
    assert "iad/admission_policy/vastplan-a" not in map(str, found.creates)


def test_who_cannot_be_seen_may_be_cut_off(tmp_path: Path) -> None:
    text = f"storage_classes:\n  a: {{driver: file, {CLOSED}}}\n"
    classes = [seen("c-a", "a", **CLASS)]
    unread = {("iad", "persistent_volume_claim"): "403 Forbidden"}
    snapshot = world_of({**POOLS, "storage_class": classes}, unread=unread)
    found = held(tmp_path, text, {2: Stood(("iad/storage_class/c-a",))}, snapshot)
    assert fell(found) == {"iad/storage_class/c-a": (EntryForm.LEFT, LeftReason.UNREAD)}


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
    assert fell(found) == dict.fromkeys(
        ("iad/storage_class/c-a", "iad/storage_class/c-b"), (EntryForm.LEFT, LeftReason.FORM)
    )


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


def test_an_old_entry_that_means_the_same_in_other_words_stays(tmp_path: Path) -> None:
    old = HEAD + f"tenants:\n  nlp:\n    storage_classes: {{a: {{driver: file, {CLOSED}, open_to: [runai-nlp]}}}}\n"
    project = seen("5", "nlp", {"namespace": "runai-nlp"}, namespace="runai-nlp")
    objects = {**POOLS, "tenant": [seen("2", "nlp", {"guid": "g"})], "project": [project]}
    objects["namespace"] = [seen("runai-nlp", "runai-nlp")]
    found = held(tmp_path, "projects: {nlp: {tenant: nlp}}\n", {1: Stood(("iad/project/5",))}, world(objects), old)
    assert (found.refused, fell(found)) == ((), {}) and found.planned is not None


def test_what_an_old_entry_stands_for_is_no_part_of_a_new_one(tmp_path: Path) -> None:
    view = seen("7", path="/a", tenant=9, view_policy=91, protocols=["NFS"])
    new = "views: {a: {tenant: {existing: t}, path: /a, view_policy: {existing: p}, protocols: [NFS], quota: {hard_limit: 1 TB}}}"
    there = world({**POOLS, "quota": [quota()], "view": [view]})
    found = held(tmp_path, new, {1: Stood(("iad/view/7",))}, there, HEAD + QUOTA)
    assert [(each.code, each.message, each.address) for each in found.refused] == [
        ("VP340", "the new entries would change its meaning", "iad/quota/a")
    ]


def test_what_another_document_has_and_no_new_line_needs_refuses_the_text(tmp_path: Path) -> None:
    policy = replace(seen("p-a", "vastplan-a", storage_class="a", namespaces=[], open=True, rule="x"), **THEIRS)
    text = f"storage_classes:\n  a: {{driver: file, {CLOSED}, shared: true}}\n"
    classes = [seen("c-a", "a", **CLASS)]
    found = held(tmp_path, text, {}, world({**POOLS, "storage_class": classes, "admission_policy": [policy]}))
    assert [(each.code, each.address) for each in found.refused] == [("VP341", "iad/admission_policy/vastplan-a")]


def test_pods_that_would_be_refused_are_told_with_what_lets_them_in(tmp_path: Path) -> None:
    pod = seen("p1", "pod", namespace="team", inline_drivers=["csi.vastdata.com"])
    found = closing(tmp_path, {"namespace": [seen("n1", "team")], "pod": [pod]}, ", shared: true")
    why = found.degraded.why["iad", "storage_class", "c-a"][1]
    assert why.startswith("an apply would narrow access: ") and "team" in why
    assert why.endswith("; write isolation: audit on the site, or inline_volumes: {allow: true, reason: ...} there")
    assert "open_to" not in why
