"""Random documents, applied, their ledger lost: what comes back composes to the same addresses and values."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.histories.history import ran
from tests.importing.round_trip import Desk
from tests.importing.test_inverse import said
from tests.importing.worlds import Yard
from tests.properties.test_random_documents import REGISTRY, USABLE, documents

SYSTEMS = {"vast", "kubernetes", "runai"}
# What only other entries yield has no section here, and what others refuse is for itself.
SAYABLE = [
    case for case in USABLE
    if REGISTRY.kinds[case.kind].section and not case.get("prepare", []) and not case.get("unexpanded", [])
    and set(case.get("systems", [])) <= SYSTEMS
]  # fmt: skip


@settings(max_examples=int(os.environ.get("VASTPLAN_EXAMPLES", "4")))
@given(data=st.data())
def test_what_a_random_document_says_comes_back(data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(SAYABLE), min_size=1, max_size=4, unique_by=lambda case: case.kind))
    document = data.draw(documents(chosen))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yard = Yard(folder / "yard", ("iad",))
        (folder / "theirs").mkdir()
        head = {"version": 1, "name": "lab", "sites": {"iad": {"sim": {}}}}
        (folder / "theirs" / "lab.yaml").write_text(yaml.safe_dump({**head, **document}, sort_keys=False))
        with yard.running():
            done = ran("apply", folder / "theirs", "--auto-approve", "--format", "json")
            if done.code != 0:
                return  # a document of parts that do not go together
            desk = Desk.of(yard, folder / "lab", "lab")
            desk.imports()
            wanted, addresses, _ = said(folder / "theirs")
            got, there, anyway = said(desk.folder)
            assert there == addresses
            assert {key: value for key, value in got.items() if key not in wanted and anyway.get(key) != value} == {}
            assert {key: value for key, value in wanted.items() if got.get(key) != value} == {}
