"""Objects that replicate between sites: which is the source and which the copy, which one has moved, and where two would write. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from vastplan.engine.live.diff import digests
from vastplan.engine.live.observe import Live, Observed
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.finding import MOVED, SPLIT, Finding, Severity
from vastplan.model.shell import word
from vastplan.model.site_ledger import NO_DIGESTS, Owned
from vastplan.schema.kind import Kind, Values


class MemberRole(Enum):
    """What a member does in its group."""

    SOURCE = "leads"
    FOLLOWS = "follows"
    ALONE = "alone"  # it was detached: it takes writes and has no copy
    BUSY = "busy"  # its role is changing or unknown
    MEMBER = "member"  # of a group without a source


_WRITING = (MemberRole.SOURCE, MemberRole.ALONE)


def word_of(value: object) -> str:
    """A role or a state in one spelling, for comparison: systems write it in several ways."""
    return re.sub(r"[\s-]+", "_", str(value).strip()).upper()


def group_key(live: Live) -> str:
    """The key that the members of its group share; "" without one."""
    grouped = live.kind.grouped
    return "" if grouped is None else str(live.attributes.get(grouped.key) or "")


def part_of(live: Live) -> MemberRole:
    """What an object does in its group. One without another member leads, whatever it reports."""
    grouped = live.kind.grouped
    if grouped is None or not grouped.role:
        return MemberRole.MEMBER
    role, state = (word_of(live.attributes.get(name)) for name in (grouped.role, grouped.state))
    if state in grouped.settled:
        words = (
            (MemberRole.SOURCE, grouped.sources),
            (MemberRole.FOLLOWS, grouped.destinations),
            (MemberRole.ALONE, grouped.detached),
        )
        for part, roles in words:
            if role in roles:
                return part
    return MemberRole.BUSY if live.values.get(grouped.across) else MemberRole.SOURCE


def role_text(live: Live) -> str:
    """Role and state of a member, for people."""
    grouped = live.kind.grouped
    names = () if grouped is None else (grouped.role, grouped.state)
    return ", ".join(inert(str(live.attributes.get(name)), 40) for name in names)


def other_members(observed: Observed, live: Live) -> list[Live]:
    """The other members of an object's group that were read."""
    grouped, key = live.kind.grouped, group_key(live)
    if grouped is None or not key:
        return []
    name, sites = live.kind.name, (site for site in observed.sites(live.kind.name) if site != live.site)
    return [member for site in sites for member in observed.having(site, name, grouped.key, key)]


def undetermined_role(observed: Observed, live: Live) -> str:
    """Why the role of an object cannot be determined; "" if it can."""
    for member in (live, *other_members(observed, live)):
        if part_of(member) is MemberRole.BUSY:
            return f"{member.site} says {role_text(member)}: its role is changing or unknown"
    return ""


def source_of_group(observed: Observed, live: Live) -> Live | None:
    """The member that leads the group of an object, if the object itself does not."""
    if part_of(live) in (MemberRole.SOURCE, MemberRole.MEMBER):
        return None
    return next((member for member in other_members(observed, live) if part_of(member) is MemberRole.SOURCE), None)


def owned_groups(
    kinds: Mapping[str, Kind], observed: Observed, owned: Mapping[Address, Owned]
) -> dict[tuple[str, str], Address]:
    """By kind and key, the address that the ledger owns of each group: from the live object, else from the record. An object that its
    site has for itself alone is no group: with another site in the document it is deleted here and created there."""
    groups: dict[tuple[str, str], Address] = {}
    for address, record in owned.items():
        if kinds[address.kind].grouped is not None:
            live = observed.by_id(address.site, address.kind, record.id)
            key = record.group if live is None else "" if is_local(live) else group_key(live)
            if key:
                groups.setdefault((address.kind, key), address)
    return groups


def is_local(live: Live) -> bool:
    """Whether no other site has a member of it, or ever had."""
    grouped = live.kind.grouped
    if grouped is None or not grouped.across or live.values.get(grouped.across):
        return False
    return word_of(live.attributes.get(grouped.role)) not in grouped.sources | grouped.destinations | grouped.detached


def is_lost(live: Live) -> bool:
    """Whether the other member of an object that is not a copy is gone permanently, as the object reports."""
    grouped = live.kind.grouped
    if grouped is None or part_of(live) is MemberRole.FOLLOWS:
        return False
    return word_of(live.attributes.get(grouped.state)) in grouped.lost


def writes_synchronously(live: Live) -> bool:
    """Whether a write to an object is answered when all members have it."""
    grouped = live.kind.grouped
    kept_by = None if grouped is None else live.values.get(grouped.kept_by)
    # An answer may hold anything.
    return grouped is not None and isinstance(kept_by, str) and kept_by in grouped.at_once


def is_first_copy(kind: Kind, wanted: Mapping[str, Any], owned: Owned, key: str) -> bool:
    """Whether the ledger knows what was applied, and the wanted other site never was: then nothing was sent there yet."""
    across = "" if kind.grouped is None else kind.grouped.across
    if not wanted.get(across) or not owned.fields:
        return False
    wants = digests(kind, {across: wanted[across]}, key)
    return any(owned.fields.get(path) not in (digest, *NO_DIGESTS) for path, digest in wants.items())


def costs(kind: Kind, wanted: Mapping[str, Any], owned: Owned | None, key: str) -> tuple[str, ...]:
    """What it costs to create another object with other members in the place of one, for people."""
    if kind.grouped is None or not kind.grouped.lag or not wanted.get(kind.grouped.across):
        return ()
    sent = "for the first time" if owned is not None and is_first_copy(kind, wanted, owned, key) else "again"
    return (
        f"costly: all data is sent to the other site {sent}, and until it has arrived that site cannot become the source",
    )


def turned(live: Live, wanted: Mapping[str, Any], current: Values) -> Values:
    """Live values for comparison: with the two ends in the wanted order, because every member reports them in the order of the first
    one; and without the other member if that is gone, because nothing replicates there any more.
    """
    grouped = live.kind.grouped
    for end, other in () if grouped is None else grouped.ends:
        ends = (wanted.get(end), wanted.get(other))
        if None not in ends and ends == (current.get(other), current.get(end)):
            current = {**current, end: ends[0], other: ends[1]}
    if grouped is not None and is_lost(live):
        current = {**current, grouped.across: None}
    return current


@dataclass(frozen=True, slots=True)
class Split:
    """Several members of a group that take writes: the sites on which vastplan changes nothing of it, and why."""

    sites: tuple[str, ...]
    text: str


def group_split(observed: Observed, live: Live) -> Split | None:
    """Whether a member was detached, or several take writes; `None` if one takes writes and the others are copies."""
    every = [live, *other_members(observed, live)]
    writing = [member for member in every if part_of(member) in _WRITING]
    if len(writing) < 2:
        return None
    leading = [member for member in writing if part_of(member) is MemberRole.SOURCE]
    alone = [member for member in writing if part_of(member) is MemberRole.ALONE]
    roles = "; ".join(
        f"{member.site}: {role_text(member)}" for member in sorted(writing, key=lambda member: member.site)
    )
    if len(leading) == 1:
        sites = tuple(member.site for member in alone)
        text = f"{', '.join(sites)} was detached and may hold writes that {leading[0].site} does not have ({roles})"
        return Split(sites, text)
    return Split(tuple(member.site for member in every), f"split: more than one site writes to it ({roles})")


def group_findings(observed: Observed, live: Live, address: Address, *, composed: bool) -> Iterator[Finding]:
    """The findings about the group of an owned object: another one is the source, one was detached, two take writes."""
    grouped, site = live.kind.grouped, live.site
    if grouped is None:
        return
    source, torn = source_of_group(observed, live), group_split(observed, live)
    if torn is not None and len(torn.sites) > 1:
        fix = f"decide which site is right, and make the other one its destination: {_move(address)} --keep SITE"
        fix = _NO_MOVE if writes_synchronously(live) else fix
        yield Finding(SPLIT, Severity.ERROR, torn.text, fix, str(address))
    elif torn is not None and part_of(live) is MemberRole.SOURCE:
        (back, *_) = torn.sites
        fix = _NO_MOVE if writes_synchronously(live) else _back(address, back, site)
        yield Finding("VP346", Severity.WARNING, torn.text, fix, str(address))
    elif source is not None or part_of(live) is MemberRole.FOLLOWS:
        text = "its source is on another site now, and this is the copy: vastplan neither changes nor deletes it"
        fix = "make this site its source again, or declare it at the site that is"
        if source is not None:
            text = f"moved: its source is on {source.site} now ({role_text(source)}); {site} says {role_text(live)}"
            if writes_synchronously(live):
                fix = f"write {grouped.chosen_by}: {source.site}; or {_NO_MOVE}" if composed else _NO_MOVE
            elif part_of(live) is MemberRole.ALONE:
                fix = _back(address, site, source.site)
            elif composed:
                fix = f"write {grouped.chosen_by}: {source.site}, or {_move(address)} --to {site}"
        yield Finding(MOVED, Severity.WARNING, text, fix, str(address))


_NO_MOVE = "correct the roles in the system itself: vastplan changes no role of what is replicated synchronously"


def _back(address: Address, back: str, source: str) -> str:
    """The commands for a detached site that is back."""
    way = _move(address)
    return f"{way} --rejoin {back} shows what only {back} has and makes it the destination of {source}; --keep {back} does the reverse"


def _move(address: Address) -> str:
    """The command that plans a change of roles, which no apply does."""
    return f"vastplan move plan PATH {word(address)}"


def on_any_site(origin: str) -> str:
    """A composite entry without its site; "" for none."""
    return origin.partition("/")[2]
