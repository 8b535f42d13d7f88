"""Guards of access: clients that would be cut off, and what would be open to everybody."""

from __future__ import annotations

from vastplan.engine.access.backing import relying
from vastplan.engine.access.enforcement import keeps_closed_now
from vastplan.engine.guards.context import GuardContext
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.shell import word
from vastplan.model.value import Unknown
from vastplan.model.wording import some
from vastplan.schema.references import raw_references


def narrowing(action: Action, context: GuardContext) -> Block | None:
    """Cutting clients off from what is or may be in use needs consent: the systems do not list mounted clients."""
    cut = context.narrowings.get(action.address)
    if cut is None or not cut.evidence or context.named(action.address, context.allowed.narrow):
        return None
    return Block("narrows", cut.message, cut.fix)


def still_shields(action: Action, context: GuardContext) -> Block | None:
    """An object that keeps another one closed is not deleted while the other one stays."""
    live = context.live(action)
    if action.verb is not Verb.DELETE or live is None or not keeps_closed_now(live, context.referrers):
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
                return Block("opens-access", text, f"delete the {kind} with it, or keep both")
    return None


def still_backs(action: Action, context: GuardContext) -> Block | None:
    """A policy that keeps something closed is neither deleted nor disabled while that exists, whoever owns it."""
    exposed = relying(action, context.matches, context.referrers, context.actions)
    if isinstance(exposed, Unknown):
        return Block(
            "unseen", f"cannot determine what it keeps closed: {exposed.why}", "plan again when the system answers"
        )
    if not exposed:
        return None
    names = some(sorted({f"{live.kind.name} {inert(live.name, 80)}" for live in exposed}))
    in_vain = f"these would be open to everybody, and this document does not own them: {names}"
    if action.verb is not Verb.DELETE:
        return Block("opens-access", f"unless it is enforced {in_vain}", "keep it enforced while those exist")
    text = f"without it {in_vain}"
    fix = f"release it: vastplan ledger forget PATH {word(action.address)}; or delete those first"
    return Block("opens-access", text, fix)
