"""Whether a live plan is the one that was reviewed: the same actions with the same changes, evidence in bands. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.engine.stale import grown
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Plan, UnknownCollection

_NAMED = 12


def differences(reviewed: Plan, live: Plan) -> list[str]:
    """What the live plan would do otherwise than the reviewed one, a line each; empty when it would do the same.

    A reviewed action that is no longer needed, or is blocked now, is no difference: nothing is done that nobody saw.
    """
    if reviewed.document != live.document:
        return [
            f"the reviewed plan is of the document {inert(reviewed.document, 80)}, not of {inert(live.document, 80)}"
        ]
    known = {action.address: action for action in reviewed.actions}
    unknown = {(one.site, one.kind): one for one in reviewed.unknown}
    found = []
    for action in live.actions:
        if not action.blocked:
            found += [
                f"{inert(action.address, 200)}: {one}" for one in _differs(known.get(action.address), action, unknown)
            ]
    return found


def _differs(then: Action | None, now: Action, unknown: dict[tuple[str, str], UnknownCollection]) -> Iterator[str]:
    if then is None:
        unread = unknown.get((now.address.site, now.address.kind))
        yield f"{now.verb.value} was not in the reviewed plan" + (
            f" (it was unknown: {inert(unread.reason, 200)})" if unread else ""
        )
        return
    if then.verb is not now.verb:
        yield f"was to {then.verb.value} and is to {now.verb.value}"
        return
    if then.blocked:
        yield f"was blocked ({inert(then.blocked[0].guard, 40)}) and is not any more"
    if then.id != now.id:
        yield "is another object of that name now"
    before = {change.path: change for change in then.changes}
    for change in now.changes:
        old = before.pop(change.path, None)
        if old is None or (old.before, old.after, old.replaces) != (change.before, change.after, change.replaces):
            yield f"{inert(change.path, 80)} is another change than the reviewed one"
    for path in before:
        yield f"{inert(path, 80)} would not be changed any more"
    if then.desired != now.desired and not then.changes:
        yield "the document says something else of it"
    if then.released != now.released:
        yield "lets go of other fields"
    weighed = {one.name: one.value for one in then.evidence}
    for one in now.evidence:
        if grown(weighed.get(one.name, 0), one.value):
            yield f"{inert(one.name, 80)} has grown since the review"


def refusal(found: list[str]) -> str:
    """Why nothing is applied."""
    more = f"\n  and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    listed = "".join(f"\n  {one}" for one in found[:_NAMED])
    return (
        f"the live plan is not the reviewed one, so nothing was done:{listed}{more}\n"
        "have the live plan reviewed, or say --allow-difference"
    )
