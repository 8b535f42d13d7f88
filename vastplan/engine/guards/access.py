"""Guards of access: clients that would be cut off, and what would be open to everybody."""

from __future__ import annotations

import json
from typing import Any

from vastplan.engine import usage
from vastplan.engine.guards.context import GuardContext, some
from vastplan.engine.observe import Live
from vastplan.model.ip_ranges import cut_off
from vastplan.model.plan import Action, Block, FieldChange, Verb
from vastplan.model.shell import word
from vastplan.model.value import Unknown, to_json
from vastplan.schema.kind import Kind
from vastplan.schema.references import raw_references


def narrowing(action: Action, context: GuardContext) -> Block | None:
    """Clients are not cut off while something behind the object is in use: the systems do not list who has mounted."""
    live = context.live(action)
    lost = lost_clients(action, context.kind(action), live)
    if not lost or live is None or action.address in context.allowed.narrow:
        return None
    users = usage.behind(live, context.matches, context.referrers)
    if not users:
        return None
    unknown = [f"whether a {kind.name} is behind it {number}" for kind, number in users if isinstance(number, Unknown)]
    known = [f"{number} {kind.name}(s)" for kind, number in users if not isinstance(number, Unknown)]
    seen = "; ".join([*([f"in use behind it: {', '.join(known)}"] if known else []), *unknown])
    text = "; ".join(f"{path} would no longer let in {some(clients)}" for path, clients in lost.items())
    fix = f"--allow-narrow {word(action.address)}, or keep them until nobody has it mounted"
    return Block("narrows", f"{text}; {seen}", fix)


def lost_clients(action: Action, kind: Kind, live: Live | None) -> dict[str, list[str]]:
    """Whom each changed field would no longer let in."""
    if action.verb not in (Verb.UPDATE, Verb.ADOPT):
        return {}
    # A reference that is let go of and attached again has a change of its own, beside the one that may narrow its field.
    changes = [change for change in action.changes if not change.known_after_apply]
    lost = {change.path: _lost(change, action, kind, live) for change in changes}
    return {path: clients for path, clients in lost.items() if clients}


def _lost(change: FieldChange, action: Action, kind: Kind, live: Live | None) -> list[str]:
    field = next((candidate for candidate in kind.fields if candidate.name == change.path), None)
    if field is None or field.admits is None:
        return []
    if field.admits.open_when_empty and not change.after:
        return []
    shown = live.values if live is not None else {}
    wider = [_texts(action.desired.get(name, to_json(shown.get(name)))) for name in field.admits.also]
    after = [*_texts(change.after), *(text for texts in wider for text in texts)]
    if field.admits.open_when_empty and not change.before:
        return ["everybody else"]
    return cut_off(_texts(change.before), after)


def _texts(value: Any) -> list[str]:
    """The items of a list as texts; a reference by its address."""
    items = value if isinstance(value, list) else []
    return [
        str(next(iter(item.values()))) if isinstance(item, dict) and len(item) == 1
        else item if isinstance(item, str) else json.dumps(item)
        for item in items
    ]  # fmt: skip


def still_shields(action: Action, context: GuardContext) -> Block | None:
    """What keeps something closed is not removed while that something stays."""
    live = context.live(action)
    if action.verb is not Verb.DELETE or live is None:
        return None
    for _, refers, raw in raw_references(live.kind.fields, live.values):
        for kind, attribute in refers.targets if refers.shields else ():
            target = context.matches.observed.find(live.site, kind, attribute, raw)
            if target is None and not context.matches.observed.error(live.site, kind):
                continue
            address = context.matches.address_of(target) if target else None
            other = context.actions.get(address) if address else None
            if other is None or other.verb is not Verb.DELETE:
                text = f"without it {kind} {raw} is open to everybody"
                return Block("opens-access", text, f"remove the {kind} with it, or keep both")
    return None
