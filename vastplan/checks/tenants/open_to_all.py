"""TEN-14 and TEN-15: view policies by which every host is root, or may write, by NFS."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.ip_ranges import everybody_of


def _root(facts: Facts) -> Iterator[Violation]:
    yield from _open(facts, "nfs_no_squash", "root of every host is root on its views")


def _write(facts: Facts) -> Iterator[Violation]:
    yield from _open(facts, "nfs_read_write", "every host may read and write its views")


def _open(facts: Facts, field: str, so: str) -> Iterator[Violation]:
    for policy in facts.objects.all("view_policy"):
        level = policy.values.get("nfs_minimal_protection_level") or ""
        whom = everybody_of(policy.values.get(field) or ())
        if whom and not level.startswith("KRB_"):
            yield Violation(
                policy, f"{field} lists {whom}: {so}", group=f"{field} lets in every host:", item=policy.address.name
            )


ROOT = Check(
    code="TEN-14",
    title="a view policy by which root of every host is root",
    severity=Severity.WARNING,
    why="NFS without Kerberos believes the client: whoever is root on any host may read, change and delete all files of the views.",
    fix="list the addresses of the hosts that need it in nfs_no_squash",
    source="VMS 5.5 document, viewpolicies.nfs_no_squash, nfs_minimal_protection_level; RFC 5531: AUTH_SYS is what the client says",
    run=_root,
)
WRITE = Check(
    code="TEN-15",
    title="a view policy by which every host may write",
    severity=Severity.WARNING,
    why="NFS without Kerberos believes the client: whoever has the network may mount the views as any user.",
    fix="list the networks of the clients in nfs_read_write",
    source="VMS 5.5 document, viewpolicies.nfs_read_write, nfs_minimal_protection_level; RFC 5531: AUTH_SYS is what the client says",
    run=_write,
)
