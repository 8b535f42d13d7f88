"""One function per command: call the flow, print the result, answer the exit code."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from vastplan.app import flows, plan_file, reports
from vastplan.app import ledger as ownership
from vastplan.app.approvals import load as load_approvals
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.cli import reporting, review
from vastplan.cli.drift import drift as drift
from vastplan.cli.review import record as record
from vastplan.cli.running import interruptible, progress
from vastplan.cli.screen import Screen
from vastplan.cli.show import show
from vastplan.cli.validate import met, validate
from vastplan.engine.guards.consent import Consent
from vastplan.model import errors
from vastplan.model.address import Address
from vastplan.model.errors import Forbidden, Invalid, VastplanError
from vastplan.model.finding import Finding, Severity
from vastplan.model.outcome import Outcome, Receipt, State
from vastplan.model.plan import Plan
from vastplan.report import json_report
from vastplan.report.commitments import commitments_text
from vastplan.report.isolation import isolation_text
from vastplan.report.results import NOWHERE
from vastplan.report.text import plan_text, receipt_text

__all__ = [
    "apply", "completion", "drift", "ledger", "plan", "schema", "show", "sim", "validate",
]  # fmt: skip


def _options(words: argparse.Namespace, workspace: Workspace) -> flows.Options:
    consent = Consent(
        allow_delete=tuple(getattr(words, "allow_delete", ())),
        adopt=getattr(words, "adopt", False),
        approvals=load_approvals(words.approvals) if getattr(words, "approvals", None) else (),
        max_count=getattr(words, "max_changes", None),
        allow_narrow=tuple(getattr(words, "allow_narrow", ())),
        believe_gone=tuple(getattr(words, "believe_gone", ())),
    )
    return flows.Options(
        workspace.chosen(getattr(words, "site", None)),
        tuple(getattr(words, "target", ())),
        consent,
        tuple(getattr(words, "keep_drift", ())),
    )


def plan(words: argparse.Namespace, screen: Screen) -> int:
    """Observe, plan, print, save."""
    workspace, snapshot = review.opened(words)
    options = replace(_options(words, workspace), snapshot=snapshot, base=review.base(words, snapshot))
    planned = flows.make_plan(workspace, options)
    made = planned.plan
    if words.out:
        plan_file.save(made, words.out)
    reporting.show_plan(words, screen, made, [words.out] if words.out else [], reports.places(planned))
    if words.format == "text":
        if words.commitments:
            screen.show(commitments_text(made.commitments, screen.style))
        if words.isolation:
            screen.show(isolation_text(made.isolation, screen.style, of="the document"))
        if words.out and not snapshot:
            screen.show(f"Saved to {words.out}; carry it out with: vastplan apply {words.out}")
    conditions = _conditions(made)
    if not words.detailed_exitcode:
        conditions -= {errors.CHANGES} if _forbidden(made) else {errors.CHANGES, errors.BLOCKED}
    if words.isolation and met(made.findings):
        conditions.add(errors.BLOCKED)
    return errors.exit_code(conditions)


def apply(words: argparse.Namespace, screen: Screen) -> int:
    """Carry out a saved plan, or plan and ask first."""
    places, reviewed = NOWHERE, None  # a saved plan does not say on which lines it was written
    review.check_words(words)
    if len(words.paths) == 1 and plan_file.looks_like_plan(words.paths[0]):
        made = plan_file.load(words.paths[0])
        if words.reviewed:
            raise VastplanError(
                "--reviewed is for apply PATH, which plans anew; a saved plan is itself what was reviewed"
            )
        workspace = open_workspace(words.document or [Path(one) for one in made.source.split(", ")], words.connections)
        _refuse_wrong(made)
    else:
        workspace = open_workspace(words.paths, words.connections)
        planned = flows.make_plan(workspace, _options(words, workspace))
        made, places = planned.plan, reports.places(planned)
        if words.format == "text":
            screen.show(plan_text(made, screen.style))
            if _wrong(made):
                return errors.ERROR  # they were shown with the plan
            if _forbidden(made):
                screen.error("nothing was done: checks found errors; mend them, or waive them in the document")
                return errors.BLOCKED
        _refuse_wrong(made)
        reviewed = review.held_against(words, screen, made)
        doable = [action for action in made.actions if not action.blocked]
        if not doable:
            reporting.write(words, screen, reports.of_receipt(made, _untouched(made), places))
            flows.note_limits(workspace, made)
            if words.format == "json":
                screen.machine(json_report.applied(_untouched(made), reviewed))
            return errors.exit_code(_conditions(made) - {errors.CHANGES})
        if not words.auto_approve and not screen.ask(f"Carry out these {len(doable)} actions? Only yes is yes: "):
            raise VastplanError("nothing was done: it was not approved (use --auto-approve where nobody can answer)")
    with interruptible(screen) as stop:
        receipt = flows.carry(workspace, made, progress(screen, made), stop)
    if words.format == "json":
        screen.machine(json_report.applied(receipt, reviewed))
    else:
        screen.show(receipt_text(receipt, screen.style))
    reporting.write(words, screen, reports.of_receipt(made, receipt, places))
    return errors.exit_code(_ended(made, receipt) | (_conditions(made) - {errors.CHANGES}))


def _wrong(made: Plan) -> list[Finding]:
    return [one for one in made.findings if one.severity is Severity.ERROR and not one.checked]


def _forbidden(made: Plan) -> list[Finding]:
    """The errors that checks found: what the document asks for could be done, and should not be."""
    return [one for one in made.findings if one.severity is Severity.ERROR and one.checked]


def _refuse_wrong(made: Plan) -> None:
    wrong = _wrong(made)
    if wrong:
        raise Invalid(wrong)
    forbidden = _forbidden(made)
    if forbidden:
        raise Forbidden(forbidden)


def _untouched(made: Plan) -> Receipt:
    """What became of a plan whose every action is blocked."""
    skipped = (
        Outcome(str(action.address), action.verb.value, State.SKIPPED, action.blocked[0].message)
        for action in made.actions
    )
    return Receipt(made.id, tuple(skipped))


def _conditions(made: Plan) -> set[int]:
    found: set[int] = set()
    if any(action.blocked for action in made.actions) or _forbidden(made):
        found.add(errors.BLOCKED)
    if made.actions:
        found.add(errors.CHANGES)
    if made.unknown:
        found.add(errors.INCOMPLETE)
    if _wrong(made):
        found.add(errors.ERROR)
    return found


def _ended(made: Plan, receipt: Receipt) -> set[int]:
    states = receipt.states()
    blocked = {str(action.address) for action in made.actions if action.blocked}
    found: set[int] = set()
    if State.STALE in states:
        found.add(errors.STALE)
    left = any(one.state is State.SKIPPED and one.address not in blocked for one in receipt.outcomes)
    if left or states & {State.FAILED, State.UNKNOWN}:
        found.add(errors.PARTIAL)
    return found


def ledger(words: argparse.Namespace, screen: Screen) -> int:
    """List, forget, unlock."""
    workspace = open_workspace(words.paths, words.connections)
    if words.verb == "list":
        rows = ownership.owned(workspace)
        if words.format == "json":
            screen.machine(json_report.owned(workspace.name, rows))
        else:
            screen.show(
                "\n".join(f"{row['address']}  id {row['id']}  applied {row['applied']}" for row in rows)
                or "nothing is owned yet"
            )
        return errors.OK
    if words.format == "json":
        raise VastplanError(f"ledger {words.verb} says one sentence and no JSON; leave --format out")
    if not words.what:
        raise VastplanError(f"ledger {words.verb} needs {'an ADDRESS' if words.verb == 'forget' else 'a SITE'}")
    if words.verb == "forget":
        try:
            address = Address.parse(words.what)
        except ValueError as problem:
            raise VastplanError(str(problem)) from None
        ownership.forget(workspace, address)
        screen.show(f"{address} is no longer ours; it was not touched.")
        return errors.OK
    (site,) = workspace.chosen(words.what)
    broken = ownership.unlock(workspace, site)
    screen.show(f"{site}: {f'broke the lock of {broken}' if broken else 'nobody holds it'}")
    return errors.OK


def sim(words: argparse.Namespace, screen: Screen) -> int:
    """Serve simulators until interrupted."""
    try:
        from vastplan.app.simulators import PLANES, serve_document, serve_plane
    except ImportError as problem:
        raise VastplanError(
            f"the simulators are not installed ({problem.name} is missing): pip install 'vastplan[sim]'"
        ) from None
    if words.what in PLANES:
        serve_plane(
            words.what, port=words.port, user=words.user, password=words.password, state=words.state,
            version=words.api_version, rate=words.rate, tell=screen.show,
        )  # fmt: skip
    else:
        serve_document(open_workspace([Path(words.what)]), tell=screen.show)
    return errors.OK


def schema(words: argparse.Namespace, screen: Screen) -> int:
    """Print a JSON Schema."""
    from vastplan.app.schemas import schema as schema_of

    screen.json(schema_of(words.which))
    return errors.OK


def completion(words: argparse.Namespace, screen: Screen) -> int:
    """Print a completion script."""
    import shtab

    from vastplan.cli.parser import parser

    screen.show(shtab.complete(parser(), shell=words.shell))
    return errors.OK
