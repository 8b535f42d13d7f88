"""A document's volume and what its budget says, without any system."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import vastplan.kinds
from tests.lab import SYSTEMS
from vastplan.checks.checkpoint import Budget, Violation
from vastplan.checks.checkpoint.document import evaluate_guards
from vastplan.document.load import load
from vastplan.schema.capability import Capability
from vastplan.schema.discover import discover
from vastplan.schema.entries import Scope

Judged = tuple[Budget | None, tuple[Violation, ...]]
Judge = Callable[[str], Judged]
REGISTRY = discover(vastplan.kinds)


@pytest.fixture
def judged(tmp_path: Path) -> Judge:
    """The judgement of the volume `checkpoints` of a document, on the first site."""

    def of(text: str) -> Judged:
        file = tmp_path / "document.yaml"
        file.write_text(text)
        document = load([file], REGISTRY, SYSTEMS)
        scope = Scope(document.sites(), document.entries)
        site, spec = next(iter(document.head.sites.items()))
        (volume,) = (one for one in scope.of(site, "volume") if one.address.name == "checkpoints")
        return evaluate_guards(
            volume, scope, spec.capability.model_dump() if isinstance(spec.capability, Capability) else {}
        )

    return of
