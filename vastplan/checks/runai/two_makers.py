"""RAI-05: a claim that Run:AI and vastplan would both make."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    claims = {
        (claim.values["namespace"].target, claim.values.get("name", claim.address.name)): claim
        for claim in facts.objects.all("persistent_volume_claim")
        if isinstance(claim.values["namespace"], Ref)
    }
    for source in facts.objects.all("data_source"):
        project = source.values["project"]
        if source.values["existing_claim"] or not isinstance(project, Ref):
            continue
        name = source.values.get("claim_name") or source.values.get("name")
        if (project.target, name) in claims:
            yield Violation(
                source, f"has Run:AI make the claim {name}, which the document makes in project {project} too"
            )


CHECK = Check(
    code="RAI-05",
    title="a claim with two makers",
    severity=Severity.ERROR,
    why="What Run:AI makes it deletes with the data source, data and all, also where vastplan owns it.",
    fix="claim: NAME, to use the one that the document makes, or another claim_name",
    source="Run:AI API 2.24, asset/datasource/pvc: existingPvc",
    run=_run,
)
