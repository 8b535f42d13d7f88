"""VolumeSnapshots of a namespace have names of their own, whichever kind makes them: declared ones, and the copies that clones are made from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.test_claim_snapshots import FIRST, NIGHTLY, document, second, secret
from tests.lab import Lab
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding

COPY = "second-of-first-nightly"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as one:
        secret(tmp_path)
        yield one


def declared(called: str, project: str) -> dict[str, Any]:
    """A clone in project a2 of a snapshot of a, and a snapshot that somebody declares of a volume of `project`."""
    mine = {"mine": {"volume": "third", "name": called}}
    volumes = {"second": second("nightly", project="a2"), "third": {**FIRST, "project": project}}
    return document({**NIGHTLY, **mine}, **volumes)


def refused(lab: Lab) -> Finding:
    with pytest.raises(Invalid) as raised:
        lab.workspace().composed()
    (finding,) = raised.value.findings
    return finding


def test_a_declared_one_is_not_called_as_the_copy_for_a_clone(lab: Lab) -> None:
    lab.write(declared(COPY, "a2"))
    found = refused(lab)
    places = {key: place(lab, key) for key in ("mine", "second")}
    assert (found.code, str(found.where)) == ("VP230", places["mine"])
    assert found.message == (
        f"is the same VolumeSnapshot (name {COPY}, namespace a2) as one that iad/volume/second creates, at {places['second']}"
    )
    assert found.fix == "write another name for one of them"


@pytest.mark.parametrize(("called", "project"), [("other", "a2"), (COPY, "a")])
def test_of_another_name_or_namespace_there_may_be_one(lab: Lab, called: str, project: str) -> None:
    lab.write(declared(called, project))
    kinds = {one.address.kind for one in lab.workspace().composed().entries}
    assert {"claim_snapshot", "bound_snapshot"} <= kinds


def place(lab: Lab, key: str) -> str:
    """Where the entry of that key stands in the document of the lab."""
    (file,) = lab.folder.glob("*.yaml")
    lines = file.read_text().splitlines()
    (number,) = [at for at, line in enumerate(lines, 1) if line.strip() == f"{key}:" and line.startswith("  ")]
    return f"{file}:{number}:3"
