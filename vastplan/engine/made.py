"""Which driver or system created a live object for itself, so that nobody has to manage it. Pure."""

from __future__ import annotations

from vastplan.engine.observe import Live

ITSELF = "the system itself"


def made_by(live: Live) -> str:
    """The driver or system that made an object, or the kind of what owns it; "" for one that somebody has to manage.

    An owner is what anybody may write into an object: what lets somebody in is not taken off the list for that.
    """
    if live.controller or live.system_owned:
        return live.controller or ITSELF
    return live.owners[0].partition(" ")[0] if live.owners and live.kind.lets_in is None else ""
