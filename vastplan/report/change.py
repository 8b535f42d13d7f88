"""A plan as the review of a change: what the change itself does, what was pending or drifted before, and what the plan was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from vastplan.model.finding import Finding
from vastplan.model.plan import GOING, Action, FieldChange, HeldAgainst, Plan, Standing, loss
from vastplan.report.values import counted

HEADINGS = {
    Standing.CHANGE: "This change",
    Standing.PENDING: "Pending before this change",
    Standing.DRIFT: "Drift, independent of this change",
}
REMARKS: dict[Standing | None, str] = {
    Standing.PENDING: "pending before this change", Standing.DRIFT: "independent of this change"
}  # fmt: skip
"""What a line at the top of a report adds of an action that the change itself does not cause."""
_SHOWN = 12


def plan_parts(plan: Plan) -> list[tuple[Standing | None, Plan]]:
    """The plan in parts by standing, the change's own first; the whole plan if it has no base."""
    if plan.base is None:
        return [(None, plan)]
    parts: list[tuple[Standing | None, Plan]] = []
    for standing in Standing:
        actions = tuple(action for action in plan.actions if (action.standing or Standing.CHANGE) is standing)
        if actions:
            parts.append((standing, replace(plan, actions=actions)))
    return parts


def own_change(plan: Plan) -> Plan:
    """What the change itself does, as a plan without a base."""
    return replace(
        plan, base=None, actions=tuple(action for action in plan.actions if action.standing in (None, Standing.CHANGE))
    )


def split_findings(plan: Plan) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings of the change, and those that its base has too."""
    count = len(plan.findings) if plan.base is None else plan.base.findings
    return plan.findings[:count], plan.findings[count:]


_AGAINST = {HeldAgainst.BASE: "differ from the base", HeldAgainst.LEDGER: "differ from the last apply"}


def settings_changed(plan: Plan) -> tuple[FieldChange, ...]:
    """The settings of the document that differ from those of its base, or from those of the last apply."""
    return plan.head.changes if plan.head is not None else ()


def settings_title(plan: Plan) -> str:
    """The heading of these settings, "" if none changed."""
    if plan.head is None or not plan.head.changes:
        return ""
    return f"Settings of the document that {_AGAINST.get(plan.head.against, 'changed')}"


def unrelated_actions(plan: Plan) -> str:
    """One sentence on the actions that do not come from the change; an apply of the plan carries them out too."""
    parts = []
    for standing, word in ((Standing.PENDING, "pending"), (Standing.DRIFT, "drifted")):
        actions = [action for action in plan.actions if action.standing is standing]
        if actions:
            parts.append(f"{counted(len(actions), 'object')} {word}{_lost(actions)}")
    withdrawn = len(plan.base.withdrawn) if plan.base else 0
    if withdrawn:
        parts.append(f"{counted(withdrawn, 'pending change')} withdrawn by it")
    return f"Besides this change: {', '.join(parts)}." if parts else ""


def _lost(actions: Sequence[Action]) -> str:
    going = [action for action in actions if action.verb in GOING]
    data = data_words(going)
    return f" ({len(going)} to delete or replace{f', {data}' if data else ''})" if going else ""


def data_words(going: Sequence[Action]) -> str:
    """`2 hold data, 1 may hold data`, of objects that are deleted or replaced; "" where all are known to be empty."""
    holding = [action for action in going if action.holds_data]
    known = sum(
        1 for action in holding if (lost := loss(action)) is None or (not isinstance(lost.value, str) and lost.value)
    )
    others = len(holding) - known
    parts = [f"{known:,} {'holds' if known == 1 else 'hold'} data" if known else ""]
    parts += [f"{others:,} may hold data" if others else ""]
    return ", ".join(filter(None, parts))


def provenance(plan: Plan) -> str:
    """The snapshot that a plan was made from, and its age; "" for a live plan."""
    if plan.snapshot is None:
        return ""
    return (
        f"Planned from the snapshot {plan.snapshot.id[:12]} of {plan.snapshot.taken}, {snapshot_age(plan)}, without credentials. "
        "It can be reviewed, not applied: an apply plans again, live."
    )


def snapshot_age(plan: Plan) -> str:
    """How old the snapshot was when the plan was made: `5 h old`."""
    assert plan.snapshot is not None
    try:
        passed = datetime.fromisoformat(plan.created) - datetime.fromisoformat(plan.snapshot.taken)
    except (ValueError, TypeError):  # a plan file may have any text here
        return "of unknown age"
    if passed < timedelta(0):
        return "from the future"
    minutes = int(passed.total_seconds() // 60)
    for size, unit in ((2 * 1440, "d"), (2 * 60, "h")):
        if minutes >= size:
            return f"{minutes // (size // 2)} {unit} old"
    return f"{minutes} min old"


def uncovered_lines(plan: Plan) -> list[str]:
    """What the snapshot does not cover, a line each."""
    missing = plan.snapshot.uncovered if plan.snapshot else ()
    lines = [f"{collection.site}/{collection.kind}: {collection.reason}" for collection in missing[:_SHOWN]]
    return lines + ([f"and {len(missing) - _SHOWN} more"] if len(missing) > _SHOWN else [])


def withdrawn(plan: Plan) -> list[str]:
    """The addresses that the base would change and this document no longer does."""
    gone = plan.base.withdrawn if plan.base else ()
    return [*gone[:_SHOWN], *([f"and {len(gone) - _SHOWN} more"] if len(gone) > _SHOWN else [])]
