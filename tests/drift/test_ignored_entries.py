"""A rule of what to ignore that names an entry of the document is for all objects that the entry composes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from tests.restoring.scene import SECTIONS
from vastplan.app.drifting.derivation import drifted
from vastplan.model.drift import Drift


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(SECTIONS)
        lab.converge()
        (quota,) = [row for row in lab.rows("iad", "quota") if row["name"] == "home"]
        lab.by_hand("iad", "vast", "PATCH", f"/api/v5/quotas/{quota['id']}/", {"hard_limit": 12 * 2**40})
        yield lab


def drift(lab: Lab, rule: dict[str, Any]) -> Drift:
    lab.write({**SECTIONS, "drift": {"ignore": [{"reason": "a load test", **rule}]}})
    return drifted(lab.planned(), lab.workspace())


@pytest.mark.parametrize("address", ["iad/volume/home", "iad/volume/*", "iad/quota/home", "iad/quota/home.hard_limit"])
def test_an_entry_means_its_objects(lab: Lab, address: str) -> None:
    found = drift(lab, {"address": address})
    assert found.drift == () and [(each.address, each.path) for each in found.ignored] == [
        ("iad/quota/home", "hard_limit")
    ]
    assert not [finding for finding in found.findings if finding.code == "VP307"]


def test_its_fields_are_those_of_its_objects(lab: Lab) -> None:
    assert [each.path for each in drift(lab, {"address": "iad/volume/home", "fields": ["hard_limit"]}).ignored] == [
        "hard_limit"
    ]
    other = drift(lab, {"address": "iad/volume/home", "fields": ["soft_limit"]})
    assert [moved.address for moved in other.drift] == ["iad/quota/home"] and other.ignored == ()


@pytest.mark.parametrize(("address", "hint"), [
    ("iad/volume/hom", "did you mean iad/volume/home?"), ("home", "an address is site/kind/name"),
])  # fmt: skip
def test_a_rule_that_matches_nothing_names_the_nearest_address(lab: Lab, address: str, hint: str) -> None:
    found = drift(lab, {"address": address})
    assert [finding.fix for finding in found.findings if finding.code == "VP307"] == [hint]
    assert [moved.address for moved in found.drift] == ["iad/quota/home"]
