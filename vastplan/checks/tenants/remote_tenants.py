"""TEN-08: a tenant that replicates to several tenants of one other cluster."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    firsts: dict[tuple[Address, Address], Entry] = {}  # by tenant and peer
    for protected in facts.objects.all("protected_path"):
        tenant, policy = protected.values.get("tenant"), facts.objects.get(protected.values.get("protection_policy"))
        peer = policy.values.get("peer") if policy else None
        if not (isinstance(tenant, Ref) and isinstance(peer, Ref)):
            continue
        first_path = firsts.setdefault((tenant.target, peer.target), protected)
        remote_tenant, first_remote_tenant = _remote(protected), _remote(first_path)
        if remote_tenant != first_remote_tenant:
            text = f"replicates to tenant {remote_tenant}, and {first_path.address.name} of the same tenant to tenant {first_remote_tenant}"
            yield Violation(protected, text)


def _remote(protected: Entry) -> str:
    values = protected.values
    return str(values.get("remote_tenant", values.get("remote_tenant_guid")))


CHECK = Check(
    code="TEN-08",
    title="a tenant that replicates to several tenants of one cluster",
    severity=Severity.ERROR,
    why="VAST replicates a tenant to one tenant of a peer; it refuses a protected path to another one, in the middle of an apply.",
    fix="give all of them the same remote_tenant",
    source="VAST knowledge base, managing protected paths",
    run=_run,
)
