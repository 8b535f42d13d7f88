"""Random documents and random changes by hand: apply then plan is empty, drift is exactly what was done, nothing foreign goes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kinds.cases import Case, cases, with_value, without
from tests.kinds.test_kinds import call_by_hand
from tests.lab import Lab, full_registry
from vastplan.model.outcome import State
from vastplan.model.plan import Cause, Verb
from vastplan.report.review import reverted
from vastplan.schema.markers import Marker

USABLE = [
    one
    for one in cases()
    if not one.get("sites", {}) and not one.get("environment", {}) and not one.get("directory", {})
]
REGISTRY = full_registry()
WORLDS = sorted({tuple(sorted(one.get("systems", []))) for one in USABLE})
SECTION = {one.name: name for name, one in REGISTRY.sections.items()}
# What these make refuses the objects of other cases, as it is meant to: each has a world for itself.
DENYING = {"admission_policy", "admission_binding", "resource_quota"}
FOREIGN = {
    "vast": ("/api/v5/tenants/", {"name": "somebody-elses"}),
    "kubernetes": (
        "/api/v1/namespaces",
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "somebody-elses"}},
    ),
}


@st.composite
def entries(draw: st.DrawFn, case: Case) -> dict[str, Any]:
    """One case's entry with some of its fields changed, and perhaps one left out."""
    entry: dict[str, Any] = case.get("entry", {})
    one_way = {field.name for field in REGISTRY.kinds[case.kind].fields if field.has(Marker.ONE_WAY)}
    changes = {path: value for path, value in case.get("change", {}).items() if path not in one_way}
    for path in draw(st.lists(st.sampled_from(sorted(changes)), unique=True, max_size=2)) if changes else []:
        if path not in case.get("with", {}) and path not in case.get("calls", {}):
            entry = with_value(entry, path, changes[path])
    release = case.get("release", "")
    if release and draw(st.booleans()):
        entry = without(entry, release)
    return entry


@st.composite
def documents(draw: st.DrawFn, chosen: list[Case]) -> dict[str, Any]:
    """A document of some cases: what they need, and their entries."""
    found: dict[str, Any] = {}
    for case in chosen:
        for section, given_entries in case.get("given", {}).items():
            for name, entry in given_entries.items():
                there = found.setdefault(section, {})
                there[name] = entry or there.get(name, entry)
    for case in chosen:  # an entry under test takes the place of what another case only needs to be there
        found.setdefault(SECTION[case.kind], {})[case.data["name"]] = {"sites": ["iad"], **draw(entries(case))}
    return found


def at_one(cases: list[Case]) -> Iterator[Case]:
    """The cases that can be in one document, the first of those that cannot: each has what it needs just as it says it."""
    needed: dict[tuple[str, str], Any] = {}
    tested: set[tuple[str, str]] = set()
    for case in cases:
        its = {
            (section, name): entry for section, part in case.get("given", {}).items() for name, entry in part.items()
        }
        itself = (SECTION[case.kind], case.data["name"])
        differs = any(entry and needed.get(key, {}) not in ({}, entry) for key, entry in its.items())
        if not differs and not needed.get(itself) and not any(its[key] for key in its.keys() & tested):
            needed |= {key: entry for key, entry in its.items() if entry or key not in needed}
            tested.add(itself)
            yield case


def managed(lab: Lab, case: Case, path: str) -> bool:
    """Whether the document speaks of the path, with what its models fill in."""
    entries_, _ = lab.workspace().entries()
    value: Any = next(one for one in entries_ if str(one.address) == case.address).values
    for step in path.split("."):
        if not isinstance(value, Mapping) or step not in value:
            return False
        value = value[step]
    return True


def overwritten(case: Case, document: dict[str, Any]) -> set[str]:
    """The fields that a call by hand sets back to what the case says, as its body has to hold more than what it moves."""
    drawn, usual, hand = document[SECTION[case.kind]][case.data["name"]], case.get("entry", {}), case.by_hand
    return {
        path
        for path in case.get("change", {})
        if (hand["method"] == "PUT" or path.partition(".")[0] in (hand.get("body") or {}))
        and _dug(drawn, path) != _dug(usual, path)
    }


def as_it_was(case: Case, document: dict[str, Any], path: str) -> bool:
    """Whether a call by hand says of a field what the document says of it, too (a body of many rows says it of none)."""
    said, nothing = case.by_hand.get("body"), object()
    by_hand = said.get(path, nothing) if isinstance(said, Mapping) else nothing
    return bool(by_hand == _dug(document[SECTION[case.kind]][case.data["name"]], path))


def _dug(entry: Any, path: str) -> Any:
    for step in path.split("."):
        entry = entry.get(step) if isinstance(entry, Mapping) else None
    return entry


@settings(max_examples=6)
@given(data=st.data())
def test_the_three_promises(data: st.DataObject) -> None:
    the_three_promises(data)


@pytest.mark.slow
@settings(max_examples=int(os.environ.get("VASTPLAN_EXAMPLES", "60")))
@given(data=st.data())
def test_the_three_promises_of_many_documents(data: st.DataObject) -> None:
    the_three_promises(data)


def the_three_promises(data: st.DataObject) -> None:
    """Apply then plan is empty, drift is what was done by hand, and nothing foreign goes."""
    # A case says what its world has, and with another system beside it that world is another: only like goes with like.
    systems = sorted(data.draw(st.sampled_from(WORLDS)))
    usable = [case for case in USABLE if sorted(case.get("systems", [])) == systems]
    chosen = data.draw(st.lists(st.sampled_from(usable), min_size=1, max_size=4, unique_by=lambda one: one.kind))
    alone = [case for case in chosen if case.kind in DENYING]
    chosen = list(at_one(alone[:1] or chosen))
    with tempfile.TemporaryDirectory() as folder, Lab(Path(folder), {"iad": systems}) as lab:
        for system in systems:
            if system in FOREIGN:
                lab.by_hand("iad", system, "POST", *FOREIGN[system])
        for case in chosen:
            lab.registry = lab.registry.without_compositions(*case.get("unexpanded", []))
            for call in case.get("prepare", []):
                system = lab.registry.kinds[case.kind].system
                lab.by_hand("iad", system, call["method"], call["path"], call.get("body"))
        before = data.draw(documents(chosen))
        lab.write(before)
        lab.converge()
        assert lab.plan().actions == ()

        hit = [case for case in chosen if bool(case.by_hand) and data.draw(st.booleans())]
        expected: dict[str, set[str]] = {}
        for case in hit:
            call_by_hand(lab, case)
            moved = [one for one in case.moved if not as_it_was(case, before, one)]
            fields = {one for one in (*moved, *overwritten(case, before)) if managed(lab, case, one)}
            if fields or case.gone:  # what is gone has no fields that moved
                expected[case.address] = fields
        plan = lab.plan()
        seen = {
            str(action.address): {one.path for one in action.changes if one.cause is Cause.SYSTEM}
            for action in reverted(plan)
        }
        assert seen == expected

        after = data.draw(documents(chosen))
        lab.write(after)
        owned = {one.id for site in [lab.workspace().ledger().read("iad")] for one in site.entries.values()}
        consent = lab.consent_to_loss(*[str(action.address) for action in lab.plan().actions])
        going = [action for action in lab.plan(consent).actions if action.verb in (Verb.DELETE, Verb.REPLACE)]
        assert all(action.id in owned for action in going)
        # What a guard stops (a claim that would shrink, a switch that cannot go back) stays, and nothing else does.
        plan = lab.plan(consent)
        stopped = {str(action.address) for action in plan.actions if action.blocked}
        undone = {one.address for one in lab.apply(plan).outcomes if one.state is not State.DONE}
        assert undone == stopped
        assert {str(action.address) for action in lab.plan(consent).actions} == stopped

        if "vast" in systems:
            assert any(row["name"] == "somebody-elses" for row in lab.rows("iad", "tenant"))
        if "kubernetes" in systems:
            assert any(row["metadata"]["name"] == "somebody-elses" for row in lab.rows("iad", "namespace"))
