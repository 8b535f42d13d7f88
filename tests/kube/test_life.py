"""Every Kubernetes kind through its whole life against a real API server, with the steps of `tests/kinds`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.kinds import test_kinds as steps
from tests.kinds.cases import Case, cases
from tests.kube.conftest import Open
from tests.kube.lab import KubeLab
from tests.lab import full_registry

Step = Callable[[KubeLab, Case], None]
CASES = [case for case in cases() if case.file.startswith("kubernetes.")]
LIFE: dict[str, tuple[Step, str]] = {
    "created": (steps.test_created_read_back_and_nothing_left_to_do, "kind"),
    "changed": (steps.test_each_mutable_field_changes_alone, "change"),
    "replaced": (steps.test_each_immutable_field_replaces, "replace"),
    "cleared": (steps.test_null_clears, "clear"),
    "released": (steps.test_absent_is_not_managed_and_dropped_is_released, "release"),
    "drifted": (steps.test_a_change_by_hand_is_drift_and_is_repaired, "by_hand"),
    "deleted": (steps.test_removed_from_the_document_is_deleted_under_guard, "kind"),
    "adopted": (steps.test_what_was_there_before_is_adopted_only_when_asked, "kind"),
}
STEPS = [(case, name) for case in CASES for name, (_, part) in LIFE.items() if case.get(part, None)]
BY_FORCE = ("changed", "replaced", "released", "cleared", "adopted", "drifted", "deleted")
"""What CI takes all kinds through, and `make test` only one."""


def _marks(case: Case, name: str) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.slow,) if name in BY_FORCE and case.file != "kubernetes.snapshot_class.yaml" else ()


@pytest.fixture
def lab(case: Case, name: str, open_lab: Open, monkeypatch: pytest.MonkeyPatch) -> Iterator[KubeLab]:
    for variable, value in case.get("environment", {}).items():
        monkeypatch.setenv(variable, value)
    with open_lab(f"{case.file.removesuffix('.yaml')}.{name}", case.get("systems", [])) as one:
        one.registry = one.registry.without_compositions(*case.get("unexpanded", []))
        for call in case.get("prepare", []):
            one.by_hand("iad", "kubernetes", call["method"], call["path"], call.get("body"))
        one.settle()
        yield one


@pytest.mark.parametrize(("case", "name"), [pytest.param(*step, marks=_marks(*step)) for step in STEPS], ids=str)
def test_life(lab: KubeLab, case: Case, name: str) -> None:
    LIFE[name][0](lab, case)


def test_every_kubernetes_kind_is_taken_through_it() -> None:
    kinds = {
        name for name, kind in full_registry().kinds.items() if kind.system == "kubernetes" and name != "pod"
    }  # only read
    assert {case.kind for case in CASES} == kinds
