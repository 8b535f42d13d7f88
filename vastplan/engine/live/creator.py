"""Which driver or system created a live object for itself, so that nobody has to manage it. Pure."""

from __future__ import annotations

from vastplan.engine.live.observe import Live

ITSELF = "the system itself"


def creator_of(live: Live) -> str:
    """The driver or system that created an object, or the kind of its owner; "" for one that somebody has to manage.

    Anybody may write an owner into an object, so for an object that gives access the owner does not count.
    """
    if live.controller or live.system_owned:
        return live.controller or ITSELF
    return live.owners[0].partition(" ")[0] if live.owners and live.kind.lets_in is None else ""
