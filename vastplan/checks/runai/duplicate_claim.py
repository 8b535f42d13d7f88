"""RAI-05: a claim that Run:AI and vastplan would both create."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    created_claims: dict[tuple[str, Address | None], dict[str, Ref]] = {}
    for claim in facts.objects.all("persistent_volume_claim"):
        namespace = claim.values["namespace"]
        if not isinstance(namespace, Ref):
            continue
        claim_name = str(claim.values.get("name", claim.address.name))
        for unit in _units(facts.objects.get(namespace), namespace):
            created_claims.setdefault((namespace.target.site, unit), {}).setdefault(claim_name, namespace)
    for source in facts.objects.all("data_source"):
        unit = source.values.get("project") or source.values.get("department")
        if source.values["existing_claim"] or (unit is not None and not isinstance(unit, Ref)):
            continue
        name = source.values.get("claim_name") or source.values.get("name")
        project = created_claims.get((source.address.site, unit.target if unit else None), {}).get(str(name))
        if project is not None:
            yield Violation(
                source, f"creates claim {name} in Run:AI, and this document creates it in project {project}, too"
            )


def _units(project: Entry | None, namespace: Ref) -> Iterator[Address | None]:
    """The units whose data sources create claims in the namespace of a claim: the project, its department, the cluster (`None`)."""
    yield namespace.target
    if namespace.target.kind == "project":
        department = project.values.get("department") if project else None
        if isinstance(department, Ref):
            yield department.target
        yield None


CHECK = Check(
    code="RAI-05",
    title="a claim that both Run:AI and vastplan create",
    severity=Severity.ERROR,
    why="Run:AI deletes a claim of its data source together with that, data included, even where vastplan owns the claim.",
    fix="write claim: NAME to use the claim of the document, or another claim_name",
    source="Run:AI API 2.24, asset/datasource/pvc: existingPvc",
    run=_run,
)
