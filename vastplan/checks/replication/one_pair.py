"""REP-01: a path whose copy and whose global access go to the same cluster."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

_SHARED, _BOTH = "STARED_GLOBAL_NAMESPACE", "REPLICATION_AND_GN"


def _run(facts: Facts) -> Iterator[Violation]:
    by_directory: dict[tuple[str, str, str], list[Entry]] = {}
    for path in sorted(facts.objects.all("protected_path"), key=lambda path: path.address):
        remote_site = _site(path)
        if not remote_site:
            continue
        if path.values.get("capabilities") == _BOTH:
            yield Violation(
                path, f"{_BOTH} gives {remote_site} a copy of {path.values['source_dir']}, and global access to it"
            )
        source = (path.address.site, str(path.values.get("tenant")), path.values["source_dir"])
        for other in by_directory.get(source, ()):
            if _site(other) == remote_site and _SHARED in (kinds := {_sort(path), _sort(other)}) and len(kinds) > 1:
                text = f"{remote_site} gets a copy of {path.values['source_dir']} and global access to it ({other.address.name})"
                yield Violation(path, text)
        by_directory.setdefault(source, []).append(path)


def _sort(path: Entry) -> str:
    return str(path.values.get("capabilities", "ASYNC_REPLICATION"))


def _site(path: Entry) -> str:
    """Where the other side of a path is: a site of the document, or the GUID of a tenant of a cluster outside it."""
    remote = path.values.get("remote_tenant")
    return remote.target.site if isinstance(remote, Ref) else str(path.values.get("remote_tenant_guid") or "")


CHECK = Check(
    code="REP-01",
    title="a copy and global access at one cluster",
    severity=Severity.WARNING,
    why="Between two clusters VAST either replicates a path or gives global access to it, not both.",
    fix="keep one of them: replicate for a site to fail over to, global_access for a site that reads the data at once",
    source="VAST knowledge base, asynchronous replication of a global folder",
    run=_run,
)
