"""Admission: changes or refuses a write after it is decoded and before it is stored."""

from __future__ import annotations

from vastplan.sim.kubernetes.admission import namespaces, policies, quota, volumes
from vastplan.sim.kubernetes.admission.attempt import AdmissionRequest
from vastplan.sim.kubernetes.cluster import Object


def run_mutating(attempt: AdmissionRequest, body: Object) -> Object:
    """The object after the mutating plugins; raises `StatusError`."""
    namespaces.admit(attempt)
    return volumes.mutate(attempt, body)


def run_validating(attempt: AdmissionRequest) -> None:
    """Run every validating plugin; raises `StatusError`."""
    volumes.validate(attempt)
    policies.validate(attempt)
    quota.validate(attempt)
