"""The tests of the import are tested: where what was written is not planned before it is kept, they fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.importing import test_each_line_tells as lines
from tests.importing import test_newer as newer
from tests.importing import test_round_trip as round_trip
from tests.importing.recorded import HEAD, changed, documents, imported
from tests.importing.remembered import factory_world
from tests.importing.worlds import Brownfield
from vastplan.app.importing import trial
from vastplan.app.importing.verify import VerifiedRound, verify
from vastplan.app.plan import weigh
from vastplan.model.snapshot import SeenCollection

KIND, FIELD = "protection_policy", "clone_type"
"""A value of a newer version here makes what is written wrong as a whole, and not only by itself."""


@pytest.fixture(params=["held", "believed"])
def believed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether what is written is kept whatever a plan of it says; where there can be none, what is told is of the document before."""

    def yes(*given: Any, **named: Any) -> VerifiedRound:
        found = verify(*given, **named)
        _, _, before, _, _, options, source, _, _, degraded = given
        planned = found.planned or weigh(before, options, source, before.composed())
        return VerifiedRound(planned, degraded, changed=False, creates=found.creates)

    if request.param == "believed":
        monkeypatch.setattr(trial, "verify", yes)
    return bool(request.param == "believed")


def fails(believed: bool, test: Callable[[], None]) -> None:
    """Run a test, which must fail where all is believed, and only there."""
    if not believed:
        test()
        return
    with pytest.raises(AssertionError):
        test()


class NewerField(Brownfield):
    """A brownfield on systems that know one sort of copies more."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        store = self.yard.stores["iad", "vast"]
        first, *_ = store.rows("protectionpolicies")
        store.put("protectionpolicies", str(first["id"]), {**first, FIELD: newer.NEWER})


def test_there_and_back(believed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_trip, "Brownfield", NewerField)
    fails(believed, lambda: round_trip.test_there_and_back(2, tmp_path))


def test_each_line_tells(believed: bool, tmp_path: Path) -> None:
    def another(collection: SeenCollection) -> SeenCollection:
        first, *rest = collection.objects
        return replace(collection, objects=(replace(first, values={**first.values, FIELD: newer.NEWER}), *rest))

    world = changed(factory_world(), another, KIND, "iad")
    documents(tmp_path, {"brownfield.yaml": HEAD})
    imported(tmp_path, world)
    fails(believed, lambda: lines.test_every_line_tells(lines.Written(tmp_path, world, lines.weighed(tmp_path, world))))


def test_values_of_a_newer_version(believed: bool, tmp_path: Path) -> None:
    fails(
        believed,
        lambda: newer.test_a_value_of_a_newer_version_falls_alone(KIND, "protected", FIELD, factory_world(), tmp_path),
    )
