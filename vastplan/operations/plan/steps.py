"""Steps by hand that several modes have in common."""

from __future__ import annotations

from vastplan.operations.plan.pair import Pair


def unmounted(pair: Pair, what: str, become: str) -> tuple[str, ...]:
    """The claims at the source without a counterpart at the target that mounts `what`; their workloads are not `become`."""
    return tuple(
        f"{here.address}: no claim of the document mounts {what}, so its workloads are not {become}"
        for here, there in pair.work
        if there is None
    )


def to_stop(site: str) -> str:
    """The step for pods, clients and workloads at a site that the move does not suspend."""
    return f"stop the pods, clients and workloads at {site} that no project of this document runs"
