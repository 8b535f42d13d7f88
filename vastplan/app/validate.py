"""`vastplan validate`: the checks over a whole document, without a network."""

from __future__ import annotations

from datetime import date

from vastplan.app import checks, missing_secrets
from vastplan.app.planning.ignore import ignore_rules
from vastplan.app.planning.known_addresses import known_objects
from vastplan.app.versions import check_versions
from vastplan.app.workspace import Workspace
from vastplan.checks.checkpoint.summary import budgets
from vastplan.checks.commitments.sums import commitment_rows
from vastplan.model.budget import CheckpointBudget
from vastplan.model.commitment import Commitment
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding
from vastplan.model.isolation import Isolation


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a document without a network: its findings, and how many objects, kinds and sites it has."""

    findings: tuple[Finding, ...]
    objects: int
    kinds: int
    sites: int
    isolation: tuple[Isolation, ...] = ()
    commitments: tuple[Commitment, ...] = ()
    budgets: tuple[CheckpointBudget, ...] = ()


def check_document(workspace: Workspace, today: date) -> Checked:
    """Compose the document and check it. Raises `Invalid` if it cannot be composed."""
    composed = workspace.composed()
    facts = checks.check_facts(workspace, composed)
    missing = missing_secrets.not_here(workspace.document, composed.entries)
    skew = check_versions(workspace, composed.entries)
    findings = checks.check_findings(workspace, facts, today)
    _, of_rules = ignore_rules(
        workspace,
        (),
        lambda: known_objects(composed.entries, {}, (), workspace.registry.kinds),
        today,
        everywhere=False,
    )
    return Checked(
        findings=(*composed.findings, *missing, *skew, *of_rules, *findings),
        objects=len(composed.entries),
        kinds=len({entry.address.kind for entry in composed.entries}),
        sites=len(workspace.document.head.sites),
        isolation=tuple(facts.isolation.values()),
        commitments=commitment_rows(facts),
        budgets=budgets(facts),
    )
