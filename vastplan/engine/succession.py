"""What is said of objects that another one takes the place of, because only a create tells their values. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from vastplan.engine.delivery import Fault
from vastplan.engine.formers import Former
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.model.site_ledger import Owned
from vastplan.model.units import SECONDS, show
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

_MADE = {
    Fault.HOLDER: "it is to be somebody else's: another is made",
    Fault.GENERATION: "another generation is asked for",
    Fault.LOST: "its value was lost before it was delivered: another is made",
    Fault.MOVED: "it is delivered elsewhere now, and nobody is told its value again: another is made",
    Fault.GONE: "its value is not at its destination any more: another is made",
}
_GOES = {
    Fault.HOLDER: "{by} is somebody else's now, and has another value",
    Fault.GENERATION: "{by} has another generation now",
    Fault.LOST: "its value was lost before it was delivered; {by} has another now",
    Fault.MOVED: "{by} is delivered elsewhere now, and has another value",
    Fault.GONE: "its value was not at its destination any more; {by} has another now",
    Fault.PRESUMED: "an interrupted apply of {by} made it, as far as can be told, and its value is lost",
}


def made_because(former: Former) -> str:
    """Why an entry gets another object."""
    return _MADE[former.fault]


def goes_because(former: Former) -> str:
    """Why a former object goes."""
    return _GOES[former.fault].format(by=former.of)


def stays_until(
    kind: Kind, former: Former, entry: Entry, successor: Owned | None, now: datetime, address: Address
) -> Finding | None:
    """VP334, a note: until when a former object stays; `None` where nothing keeps it any more.

    What nobody was ever given is waited for by nobody.
    """
    assert kind.delivers is not None
    overlap = entry.values.get(kind.delivers.overlap) or 0
    if former.fault in (Fault.LOST, Fault.PRESUMED) or not overlap:
        return None
    if successor is None:
        when = f"{show(overlap, SECONDS)} after its successor is delivered"
    else:
        end = datetime.fromisoformat(successor.delivered_at or successor.applied) + timedelta(seconds=overlap)
        if end <= now:
            return None
        when = f"until {end.isoformat(timespec='minutes')}"
    text = f"{goes_because(former)}; the former one stays {when}"
    return Finding("VP334", Severity.NOTE, text, "apply again then", str(address), entry.where)
