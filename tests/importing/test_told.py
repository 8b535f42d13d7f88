"""What an import tells: every object once, what a round did, how far it goes on, and what is refused before anything is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.importing.small import HEAD, imported, reasons, seen, text_of, world
from tests.importing.terraform_states import live
from vastplan.app import importer
from vastplan.app.importer import Imported, ImportOptions, import_live
from vastplan.app.importing import trial
from vastplan.app.importing.files import write_import_files
from vastplan.app.importing.result import accounted, coverage_of
from vastplan.app.importing.verify import VerifiedRound
from vastplan.app.importing.world import read_world
from vastplan.app.workspace import open_workspace
from vastplan.engine.live.observe import Observed, ObservedCollection
from vastplan.importing.model import Detail, Left, LeftReason, LiveKey, Selection, object_key
from vastplan.importing.name import entry_names
from vastplan.model.errors import VastplanError
from vastplan.model.import_result import ImportCoverage

TENANT = seen("2", "nlp", {"guid": "g"})
POLICY = seen("5", "p", tenant=2, flavor="NFS")
NLP = {"tenant": [TENANT], "view_policy": [POLICY]}
RANGE: dict[str, Any] = {"subnet_cidr": 24, "ip_ranges": ["10.0.0.1 - 10.0.0.9"], "role": "PROTOCOLS"}
FAST = seen("s", "fast", driver="file", storage_path="/k8s", view_policy="p", vip_pool="v")
INSIDE = {
    **NLP,
    "vip_pool": [seen("90", "v", tenant=2, **RANGE)],
    "storage_class": [FAST],
    "namespace": [seen("n", "team")],
}
POD = {"pod": [seen("p1", "pod", namespace="team", inline_drivers=["csi.vastdata.com"])]}


def left(id: str, reason: LeftReason, path: str = "") -> Left:
    return Left("iad", "view", id, "x", reason, f"why {reason.value}", path=path)


def test_every_object_is_told_once_and_fields_of_what_is_taken() -> None:
    one, other, twice = (live("view", number, path=f"/{number}") for number in "123")
    path = live("protected_path", "4", name="p")
    said = [
        left("3", LeftReason.FORM), left("1", LeftReason.VALUE, "protocols"), left("1", LeftReason.FORM), left("3", LeftReason.VALUE),
        left("2", LeftReason.VALUE, "alias"),
    ]  # fmt: skip
    found = list(accounted([one, other, twice, path], said, {object_key(one)}))
    assert [(each.kind, each.id, each.reason, each.path, each.why) for each in found] == [
        ("view", "3", LeftReason.FORM, "", "why FORM"),
        ("view", "1", LeftReason.VALUE, "protocols", "why VALUE"),
        ("view", "2", LeftReason.FORM, "", "the new entries do not adopt it"),
        ("protected_path", "4", LeftReason.MIRROR, "", "it is a copy of an object on another site"),
    ]


def test_coverage_is_of_the_kinds_in_use() -> None:
    def of(kind: str, reason: LeftReason, path: str = "") -> Left:
        return Left("iad", kind, "9", "x", reason, "", path=path)

    taken = [("iad", "view", "1"), ("iad", "view", "2"), ("iad", "pod", "3")]
    rest = [
        of("view", LeftReason.MANAGED), of("view", LeftReason.FORM), of("view", LeftReason.SYSTEM), of("view", LeftReason.VALUE, "alias"),
        of("quota", LeftReason.FORM), of("pod", LeftReason.FORM), of("pod", LeftReason.MANAGED),
    ]  # fmt: skip
    in_use = {("iad", "view"), ("iad", "quota")}
    assert coverage_of(taken, rest, in_use) == (ImportCoverage("quota", 0, 0, 1), ImportCoverage("view", 1, 2, 1))


def test_a_field_that_is_left_counts_for_nothing(tmp_path: Path) -> None:
    view = seen("7", path="/a", tenant=2, view_policy=5, protocols=["NFS"], locking="perhaps")
    done = imported(tmp_path, world({**NLP, "view": [view], "secret": [seen("s", "x", namespace="team")]}))
    told = {(each.kind, each.field): (each.code, each.counts, each.id) for each in done.result.left}
    assert told == {("view", "locking"): ("VALUE", False, "7"), ("secret", ""): ("UNASKED", True, "")}
    assert ("view", 0, 1, 0) in {(row.kind, row.managed, row.taken, row.left) for row in done.result.coverage}


def test_an_entry_tells_what_it_takes_over_and_not_what_is_made(tmp_path: Path) -> None:
    done = imported(tmp_path, world(INSIDE))
    assert [each.objects for each in done.result.taken if "fast" in each.entry] == [("iad/storage_class/fast",)]
    assert len(done.result.creates) == 4 and done.result.besides == ()
    rule = seen(
        "i",
        "vastplan-inline-volumes",
        rule="as vastplan writes it",
        drivers=["block.csi.vastdata.com", "csi.vastdata.com"],
    )
    there = imported(tmp_path, world({**INSIDE, "admission_policy": [rule]}))
    assert "iad/admission_policy/vastplan-inline-volumes" not in there.result.creates
    assert there.texts[0].written.text.startswith("# yaml-language-server: $schema=schemas/desired-state.schema.json\n")


def test_what_is_wrong_inside_a_tenant_is_not_its_tenants_fault(tmp_path: Path) -> None:
    done = imported(tmp_path, world({**INSIDE, **POD}))
    assert reasons(done) == {"iad/storage_class/fast": "FORM", "iad/namespace/team": "UNASKED"}
    assert "view_policies" in text_of(done) and "vip_pools" in text_of(done)


def rounds(
    folder: Path, answer: Callable[[int, VerifiedRound], VerifiedRound], **options: Any
) -> tuple[list[bool], list[str], Any]:
    """An import whose rounds are answered so: how patient each was, what was told of it, and what became of it."""
    patient: list[bool] = []
    told: list[str] = []
    real = trial.try_files

    def hold(*words: Any, **more: Any) -> VerifiedRound:
        patient.append(more["patient"])
        return answer(len(patient), real(*words, **more))

    (folder / "head.yaml").write_text(HEAD, encoding="utf-8")
    snapshot = world(
        {
            "vip_pool": [
                seen(f"{n}", f"v{n}", tenant=None, **{**RANGE, "ip_ranges": [f"10.0.{n}.1 - 10.0.{n}.9"]})
                for n in range(6)
            ]
        }
    )
    workspace = open_workspace([folder], None, snapshot)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importer, "try_files", hold)
        try:
            done: Any = import_live(workspace, ImportOptions(("iad",), snapshot, **options), told.append)
        except VastplanError as problem:
            done = str(problem)
    return patient, told, done


def test_after_five_rounds_nothing_is_written_and_the_last_two_leave_what_is_wrong(tmp_path: Path) -> None:
    patient, told, problem = rounds(tmp_path, lambda _, held: replace(held, changed=True))
    assert patient == [True, True, True, False, False]
    assert told == [f"round {number}: planning 6 entries against what was read" for number in range(1, 6)]
    assert problem == "after 5 rounds the document would still change something; nothing was written"


@pytest.mark.parametrize("wrong", [{"planned": None}, {"changed": True}, {"refused": ("x",)}, {}])
def test_defaults_are_written_only_where_that_is_planned_as_well(wrong: dict[str, Any], tmp_path: Path) -> None:
    def answer(number: int, held: VerifiedRound) -> VerifiedRound:
        return replace(held, **wrong) if number == 2 else held

    patient, _, done = rounds(tmp_path, answer, defaults=True)
    assert isinstance(done, Imported) and patient == [True, True]
    assert ("defaults" in text_of(done)) is not bool(wrong)


def test_what_cannot_be_asked_for_is_refused_with_what_to_type(tmp_path: Path) -> None:
    def problem(**options: Any) -> str:
        with pytest.raises(VastplanError) as raised:
            imported(tmp_path, world(NLP), **options)
        return str(raised.value)

    for name in ("iad/view/a", "iad/view/a[1]", "iad/view/a~b"):
        text = f"--except {name}: nothing has that name"
        assert problem(selection=Selection(without=(name,))) == text
        assert problem(selection=Selection(kinds=("vew",))) == "--kind vew: no kind matches; did you mean view?"
        assert problem(detail=Detail(full=("zzzzzz",))) == "--full zzzzzz: no kind matches"
    assert problem(census=True) == "--census reads the systems and --snapshot does not: leave out one of the two"
    done = imported(tmp_path, world(NLP), detail=Detail(labels=("a",)))
    assert done.result.notes == (
        "A snapshot holds the labels that vastplan wrote and no others: import without --snapshot for the rest.",
    )


def test_the_systems_are_asked_where_there_is_no_snapshot(tmp_path: Path) -> None:
    (tmp_path / "head.yaml").write_text(HEAD, encoding="utf-8")
    options = ImportOptions(("iad",), detail=Detail(labels=("a",)), census=True)
    done = import_live(open_workspace([tmp_path], None), options)
    assert done.texts == () and done.result.unread == () and done.result.notes == ()


def test_the_reason_is_what_a_system_answered_just_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "head.yaml").write_text(HEAD, encoding="utf-8")

    def read_so(*words: Any) -> Any:
        everything = read_world(*words)
        asked = tuple(
            replace(each, error="it was asked") if each.kind == "view" else each
            for each in everything.snapshot.collections
        )
        collections = {**everything.observed.collections, ("iad", "view"): ObservedCollection(error="it is not known")}
        return replace(
            everything, snapshot=replace(everything.snapshot, collections=asked), observed=Observed(collections)
        )

    monkeypatch.setattr(importer, "read_world", read_so)
    done = import_live(open_workspace([tmp_path], None), ImportOptions(("iad",)))
    assert [(each.kind, each.reason) for each in done.result.unread] == [("view", "it was asked")]


def test_what_only_an_id_tells_apart_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of_all_but_one(*words: Any) -> dict[LiveKey, str]:
        return {key: name for key, name in entry_names(*words).items() if key[2] != "5"}

    monkeypatch.setattr("vastplan.app.importing.world.entry_names", of_all_but_one)
    done = imported(tmp_path, world(NLP))
    (left,) = (each for each in done.result.left if each.kind == "view_policy")
    assert (left.code, left.why) == ("TWINS", "only its id distinguishes it from another view_policy")


def test_what_the_documents_defaults_say_otherwise_is_written(tmp_path: Path) -> None:
    pool = {"vip_pool": [seen("90", "v", tenant=None, **RANGE)]}
    done = imported(tmp_path, world({**NLP, **pool}), HEAD + "defaults: {vip_pools: {role: REPLICATION}}\n")
    assert "role: PROTOCOLS" in text_of(done)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(VastplanError) as raised:
        write_import_files(tmp_path / "none", [("a.yaml", "")])
    text = "cannot be written to: No such file or directory; nothing was written"
    assert str(raised.value) == f"{tmp_path / 'none'} {text}"
