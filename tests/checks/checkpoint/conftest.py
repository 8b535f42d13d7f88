"""A document's volume and what its budget says, without any system."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import vastplan.kinds
from tests.lab import SYSTEMS
from vastplan.checks.checkpoint.evaluate import EvaluatedVolume, evaluate_volume
from vastplan.document.load import load_document
from vastplan.schema.capability import Capability
from vastplan.schema.composition import Scope
from vastplan.schema.discover import discover

Evaluate = Callable[[str], EvaluatedVolume]
REGISTRY = discover(vastplan.kinds)


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    """Evaluates the volume `checkpoints` of a document, on the first site."""

    def evaluated(text: str) -> EvaluatedVolume:
        file = tmp_path / "document.yaml"
        file.write_text(text)
        document = load_document([file], REGISTRY, SYSTEMS)
        scope = Scope(document.sites(), document.entries)
        site, spec = next(iter(document.head.sites.items()))
        (volume,) = (entry for entry in scope.of(site, "volume") if entry.address.name == "checkpoints")
        capability = spec.capability.model_dump() if isinstance(spec.capability, Capability) else {}
        return evaluate_volume(volume, scope, capability)

    return evaluated
