"""The kinds of Run:AI on every version whose document is public: what it lacks is refused when a plan is made, and the rest lives."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.force import by_force
from tests.kinds.cases import Case, cases, without
from tests.kinds.test_kinds import action_of, document, edited
from tests.lab import Lab
from vastplan.model.errors import Invalid
from vastplan.model.plan import Verb
from vastplan.schema.versions import at_least, parse_version
from vastplan.sim.runai import RunaiPlane

VERSIONS = ("2.20", "2.21", "2.22", "2.23", "2.24")
CASES = [case for case in cases() if case.file.startswith("runai.")]
FEW = ("2.20-runai.data_source.yaml", "2.22-runai.data_volume.yaml", "2.23-runai.access_key_credential.yaml")


class On:
    """A case file on a version."""

    def __init__(self, version: str, case: Case) -> None:
        self.version, self.case = version, case

    def __str__(self) -> str:
        return f"{self.version}-{self.case}"

    def lacks(self, since: str) -> bool:
        """Whether the version comes before another."""
        have, least = parse_version(self.version), parse_version(since)
        assert have is not None and least is not None
        return not at_least(have, least)


ALL = [On(version, case) for version in VERSIONS for case in CASES]


@pytest.fixture
def lab(on: On, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setattr("vastplan.sim.world.RunaiPlane", partial(RunaiPlane, version=on.version))
    for name, value in on.case.get("environment", {}).items():
        monkeypatch.setenv(name, value)
    with Lab(tmp_path, {"iad": on.case.get("systems", [])}) as one:
        for call in on.case.get("prepare", []):
            one.by_hand("iad", "runai", call["method"], call["path"], call.get("body"))
        yield one


def lacking(lab: Lab, on: On, entry: dict[str, Any]) -> set[str]:
    """The fields of an entry that the version does not have, by the markers of the kind."""
    return {
        field.name
        for field in lab.registry.kinds[on.case.kind].fields
        for marker in field.versions
        if field.name in entry
        and on.lacks(marker.version)
        and (not marker.values or entry[field.name] in marker.values)
    }


def told(lab: Lab) -> list[str]:
    """Addresses and subjects of what a plan refuses of a version."""
    try:
        lab.plan()
    except Invalid as invalid:
        found = invalid.findings
    else:
        return []
    assert {finding.code for finding in found} == {"VP251"}
    return sorted(f"{finding.address} {finding.message.split()[0]}" for finding in found)


@pytest.mark.parametrize("on", by_force(ALL, *FEW), ids=str)
def test_what_a_version_lacks_is_refused_and_the_rest_lives(lab: Lab, on: On) -> None:
    entry = on.case.get("entry", {})
    missing = lacking(lab, on, entry)
    lab.write(document(lab, on.case, entry))
    if any(on.lacks(marker.version) for marker in lab.registry.kinds[on.case.kind].versions):
        assert any(line.startswith(on.case.address) for line in told(lab))
        assert not [call for call in lab.calls() if "token" not in call.path]
        return
    assert told(lab) == sorted(f"{on.case.address} {name}" for name in missing)
    for name in missing:
        entry = without(entry, name)
    lab.write(document(lab, on.case, entry))
    lab.converge()
    assert lab.plan().actions == ()
    for path, value in on.case.get("change", {}).items():
        if path in missing:
            continue
        changed = edited(on.case, path, value)
        for name in missing:
            changed.pop(name, None)
        lab.write(document(lab, on.case, changed))
        action = action_of(lab.converge(), on.case.address)
        assert action is not None and action.verb is Verb.UPDATE, path
        assert lab.plan().actions == (), path
    lab.write(document(lab, on.case, None))
    lab.converge(lab.consent_to_loss(on.case.address))
    assert lab.live(on.case.address) is None
