"""`vastplan show ... ADDRESS`: one object of a document, desired and live, or what a saved plan does to it."""

from __future__ import annotations

from typing import Any

from vastplan.app.plan import PlanOptions, make_plan
from vastplan.app.workspace import Workspace
from vastplan.document.instantiate import nearest
from vastplan.engine.diff import leaves, value_at
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Plan
from vastplan.model.shell import word, words
from vastplan.model.site_ledger import path_text
from vastplan.model.value import references, to_json
from vastplan.schema.markers import Marker


def actions_at(plan: Plan, address: Address) -> list[Action]:
    """What a plan does to one object, or to all that a composite entry stands for. Raises `VastplanError` for nothing."""
    actions = [action for action in plan.actions if str(address) in (str(action.address), action.origin)]
    if not actions:
        shown, near = inert(address, 200), nearest(str(address), [str(action.address) for action in plan.actions])
        raise VastplanError(
            f"the plan has no action on {shown}{f' ({near})' if near else ''}; "
            f"what there is of it now: vastplan show {inert(words(plan.sources or (plan.source,)), 400)} {word(shown)}"
        )
    return actions


def describe(workspace: Workspace, address: Address) -> dict[str, Any]:
    """One object of the document: its fields on both sides, and what was chosen for it. Raises `VastplanError`."""
    sites = workspace.chosen(address.site if address.site in workspace.document.head.sites else None)
    planned = make_plan(workspace, PlanOptions(sites))
    entry = next((entry for entry in planned.entries if entry.address == address), None)
    if entry is None:
        near = nearest(str(address), [str(entry.address) for entry in planned.entries])
        raise VastplanError(f"the document yields no {address}" + (f" ({near})" if near else ""))
    kind = workspace.registry.kinds[address.kind]
    match = planned.matches.match(address)
    live = planned.matches.symbolic(kind, match.live, references(entry.values)) if match.live else {}
    action = next((action for action in planned.plan.actions if action.address == address), None)
    changes = {change.path: change for change in action.changes} if action else {}
    fields = []
    for leaf in leaves(kind.fields, entry.values):
        path = path_text(leaf.path)
        change = changes.get(path)
        hidden = leaf.field.has(Marker.SENSITIVE)
        fields.append(
            {
                "path": path,
                "desired": "(sensitive)" if hidden else to_json(leaf.value),
                "live": "(sensitive)" if hidden else to_json(value_at(live, leaf.path)),
                "differs": change is not None,
                "cause": change.cause.value if change else "",
                "unit": leaf.field.unit,
            }
        )
    state = match.unknown or (action.reason if action else "in sync")
    return {
        "address": str(address),
        "origin": entry.origin,
        "id": match.live.id if match.live else "",
        "applied": match.owned.applied if match.owned else "",
        "state": state,
        "chosen": list(entry.chosen),
        "fields": fields,
        "writers": list(match.live.writers) if match.live else [],
    }
