"""Figures of use are compared in bands: a byte written does not make a plan stale, the first byte does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lab import REGISTRY_KINDS
from vastplan.engine.deciding.staleness import outgrown
from vastplan.model.address import Address
from vastplan.model.plan import Action, Evidence, Verb

TIB = 2**40


@pytest.mark.parametrize(
    ("kind", "fact", "then", "now", "stale"),
    [
        ("view", "used", 8 * TIB, 8 * TIB + 1, False),
        ("view", "used", 2**40 - 1, 2**40, False),  # a byte, at a power of two
        ("view", "used", 8 * TIB, 16 * TIB, False),
        ("view", "used", 8 * TIB, 16 * TIB + 1, True),
        ("view", "used", 8 * TIB, 0, False),
        ("view", "used", 0, 1, True),  # it was empty, and is not
        ("persistent_volume_claim", "bound", 0, 1, True),
        ("persistent_volume_claim", "bound", 1, 1, False),
        ("project", "GPUs allocated", 4, 5, True),
        ("project", "GPUs allocated", 4, 3, False),
        ("quota", "used_inodes", 999, 1000, True),
        ("quota", "used_inodes", 1000, 2000, False),
        ("quota", "used_inodes", 1000, 2001, True),
    ],
)
def test_figures_of_use_are_compared_in_bands(kind: str, fact: str, then: int, now: int, stale: bool) -> None:
    weighed = (Evidence(fact, then, "bytes"),) if then else ()
    action = Action(Address("iad", kind, "x"), Verb.DELETE, "gone", evidence=weighed)
    metrics = {**dict.fromkeys(REGISTRY_KINDS[kind].in_use, 0), fact: now}
    found = outgrown(REGISTRY_KINDS[kind], action, metrics)
    assert [(one.path, one.planned, one.live) for one in found] == ([(fact, then, now)] if stale else [])


def test_more_is_written_than_any_stale_reading_would_cover() -> None:
    """What a plan did not weigh counts as nothing: an edited plan cannot widen a band by leaving evidence out."""
    action = Action(Address("iad", "view", "x"), Verb.DELETE, "gone", evidence=(Evidence("used", TIB, "bytes"),))
    kind = REGISTRY_KINDS["view"]
    assert not outgrown(kind, action, {"used": TIB})
    assert outgrown(kind, replace(action, evidence=()), {"used": TIB})
