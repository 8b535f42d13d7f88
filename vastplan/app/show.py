"""`vastplan show ... ADDRESS`: one object of a document, desired and live, or a saved plan's actions on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.app.plan import PlanOptions, make_plan
from vastplan.app.workspace import Workspace
from vastplan.engine.live.diff import leaves, value_at
from vastplan.engine.live.matches import Match
from vastplan.engine.live.new_names import called_as_it_is
from vastplan.engine.live.observe import Live, Observed
from vastplan.engine.values.system_names import names_of_references
from vastplan.importing.flatten import is_unset
from vastplan.importing.server_defaults import ServerDefaults
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.nearest import nearest_address, suggestion
from vastplan.model.plan import Action, Plan
from vastplan.model.shell import word, words
from vastplan.model.site_ledger import path_text
from vastplan.model.value import references, to_json
from vastplan.model.wording import counted, quoted, some
from vastplan.schema.entries import Entry
from vastplan.schema.field import Leaf
from vastplan.schema.markers import Marker


def actions_at(plan: Plan, address: Address) -> list[Action]:
    """A plan's actions on one object, or on all objects of a composite entry. Raises `VastplanError` if there are none."""
    actions = [action for action in plan.actions if str(address) in (str(action.address), action.origin)]
    if not actions:
        addresses = {text for action in plan.actions for text in (str(action.address), action.origin) if text}
        typed, near = inert(address, 200), nearest_address(str(address), addresses)
        raise VastplanError(
            f"the plan has no action on {typed}{f' ({near})' if near else ''}; "
            f"its state now: vastplan show {inert(words(plan.sources or (plan.source,)), 400)} {word(typed)}"
        )
    return actions


def describe(workspace: Workspace, address: Address) -> dict[str, Any]:
    """One object of the document: its desired and live fields, what vastplan chose for it, and the objects composed from it.

    A composite entry has only the composed objects. Raises `VastplanError` for an unknown address, if possible before any
    system is read.
    """
    offline = workspace.composed()
    if not offline.probed:
        _refuse_unknown(address, offline.entries)
    sites = workspace.chosen(address.site if address.site in workspace.document.head.sites else None)
    planned = make_plan(workspace, PlanOptions(sites))
    entry = next((entry for entry in planned.entries if entry.address == address), None)
    _refuse_unknown(address, planned.entries)
    actions = planned.plan.by_address()
    parts = [
        _part(part.address, planned.matches.match(part.address), actions) for part in _parts(address, planned.entries)
    ]
    about = {str(address), *(part["address"] for part in parts)}
    reported = [row for row in planned.plan.replications if row.address in about]
    states = [row for row in planned.plan.states if row.address in about]
    if entry is None:
        state = f"consists of {counted(len(parts), 'object')}"
        nothing: dict[str, Any] = {
            "origin": "",
            "id": "",
            "applied": "",
            "chosen": [],
            "fields": [],
            "unsaid": [],
            "writers": [],
        }
        return {
            **nothing,
            "address": str(address),
            "state": state,
            "parts": parts,
            "replications": reported,
            "states": states,
        }
    kind = workspace.registry.kinds[address.kind]
    match = planned.matches.match(address)
    if match.live is not None and match.owned is not None:
        entry = called_as_it_is(entry, match.live)
    live = planned.matches.symbolic(kind, match.live, references(entry.values)) if match.live else {}
    action = actions.get(address)
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
                "unordered": leaf.field.shape.unordered and not hidden,
                "names": names_of_references(
                    kind, leaf.path[0], [leaf.value, value_at(live, leaf.path)], planned.matches
                ),
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
        "unsaid": _unsaid(match.live, entry, planned.observed) if match.live else [],
        "writers": list(match.live.writers) if match.live else [],
        "parts": parts,
        "replications": reported,
        "states": states,
    }


def _unsaid(live: Live, entry: Entry, observed: Observed) -> list[dict[str, Any]]:
    """The live values that are not in the document; `evidence` says how a value is known to be the system's default, "" if it is not."""
    kind = live.kind
    defaults = ServerDefaults(observed, {}).known(live)
    written_paths = {leaf.path for leaf in leaves(kind.fields, entry.values)}
    unwritten = [
        leaf
        for leaf in leaves(kind.fields, live.values)
        if leaf.path not in written_paths and not _withheld(leaf) and not is_unset(leaf.field, leaf.value)
    ]
    return [
        {
            "path": path_text(leaf.path),
            "live": to_json(leaf.value),
            "evidence": defaults[leaf.path].value if leaf.path in defaults else "",
            "unit": leaf.field.unit,
        }
        for leaf in unwritten
    ]


def _withheld(leaf: Leaf) -> bool:
    """Whether a live value is not shown: a secret, a reference, others' labels, or a key that its field does not show."""
    field = leaf.field
    has_key = field.shown is None or field.shown.has(leaf.path[-1])
    return field.undisclosed or field.has_references or field.keys_of_others is not None or not has_key


def composite_parts(workspace: Workspace, address: Address) -> tuple[str, ...]:
    """The objects of a composite entry, as far as they are known without its systems."""
    return tuple(str(part.address) for part in _parts(address, workspace.composed().entries))


def _parts(address: Address, entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.origin == str(address)]


def _part(address: Address, match: Match, actions: Mapping[Address, Action]) -> dict[str, str]:
    action = actions.get(address)
    state = match.unknown or (f"{action.verb.value}: {action.reason}" if action else "in sync")
    return {"address": str(address), "state": state}


def address_in(workspace: Workspace, text: str) -> Address:
    """The address that was typed. Raises `VastplanError` for a text that is none, with the addresses of the document that have this end."""
    try:
        return Address.parse(text)
    except ValueError:
        addresses = _known(workspace.composed().entries)
        alike = sorted(address for address in addresses if address.endswith(f"/{text}"))
        near = suggestion(some([word(address) for address in alike])) or nearest_address(text, addresses)
        hint = near or "an address is site/kind/name, and a saved plan is a file"
        raise VastplanError(f"the document has no object {quoted(text)} ({hint})") from None


def _refuse_unknown(address: Address, entries: Iterable[Entry]) -> None:
    addresses = _known(entries)
    if str(address) not in addresses:
        typed, near = inert(address, 200), nearest_address(str(address), addresses)
        raise VastplanError(f"the document has no {typed}" + (f" ({near})" if near else ""))


def _known(entries: Iterable[Entry]) -> set[str]:
    """The addresses of objects, and of the entries that several are composed from."""
    return {text for entry in entries for text in (str(entry.address), entry.origin) if text}
