"""Admission: what changes or refuses a write after it was understood and before it is stored."""

from __future__ import annotations

from vastplan.sim.kubernetes.admission import namespaces, policies, quota, volumes
from vastplan.sim.kubernetes.admission.attempt import Attempt
from vastplan.sim.kubernetes.cluster import Object


def mutate(attempt: Attempt, body: Object) -> Object:
    """The object after the mutating plugins; raises `StatusError`."""
    namespaces.admit(attempt)
    return volumes.mutate(attempt, body)


def validate(attempt: Attempt) -> None:
    """Let every validating plugin have its say; raises `StatusError`."""
    volumes.validate(attempt)
    policies.validate(attempt)
    quota.validate(attempt)
