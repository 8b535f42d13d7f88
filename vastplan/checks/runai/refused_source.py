"""RAI-13: data sources whose volumes the site's admission policy refuses."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity

_VOLUMES = {"nfs_data_source": "nfs", "host_path_data_source": "hostPath"}


def _run(facts: Facts) -> Iterator[Violation]:
    for name, site in facts.sites.items():
        enforced = site.settings.get("isolation", "admission_policy") == "admission_policy"
        if not enforced or site.settings.get("inline_volumes") or not facts.objects.on(name, "storage_class"):
            continue
        for kind, volume in _VOLUMES.items():
            for source in facts.objects.on(name, kind).values():
                yield Violation(
                    source, f"pods that mount it are refused: no pod of a project may bring a volume of type {volume}"
                )


CHECK = Check(
    code="RAI-13",
    title="a data source whose pods are refused",
    severity=Severity.WARNING,
    why="On a site with storage classes the policy vastplan-inline-volumes keeps projects from mounting servers and nodes without a claim.",
    fix="a volume of the project with this `path`, which is a claim; or inline_volumes: {allow: true, reason: WHY} on the site",
    source="Kubernetes: a volume of type nfs or hostPath in a pod's spec needs no claim, so no policy of a class sees it",
    run=_run,
)
