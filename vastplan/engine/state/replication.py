"""The report of each object on several sites: which site is the source, how old the copy is, and what a person should know. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import datetime

from vastplan.engine.live.groups import (
    MemberRole,
    group_key,
    group_split,
    is_first_copy,
    is_lost,
    part_of,
    role_text,
    undetermined_role,
    word_of,
    writes_synchronously,
)
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.finding import MOVED, Finding, Severity
from vastplan.model.moments import parse_moment
from vastplan.model.operation import PAST, Operation, Phase
from vastplan.model.plan import Action
from vastplan.model.replication import ABSENT, Member, Replication, ReplicationState
from vastplan.model.site_ledger import SiteLedger, latest_operations
from vastplan.model.units import BYTES, SECONDS, show_amount
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.schema.kind_facts import facts
from vastplan.schema.site_groups import Grouped, Lag

EVERYTHING = "recreating it sends all data again"
_AT_ONCE = "each write is on both sites before it is answered"


def replications(
    matches: Matches, desired: Mapping[Address, Entry], ledger: Mapping[str, SiteLedger], now: datetime
) -> tuple[Replication, ...]:
    """One for each group that exists or existed, by its address in the document, else in the ledger."""
    every = latest_operations(ledger)
    moves = {operation.subject: operation for operation in every}
    # the subject of an operation that changes no role contains the group as a word; it counts while it is under way
    moves |= {
        word: operation for operation in every if not operation.phase.closed for word in operation.subject.split()
    }
    rows: dict[str, Replication] = {}
    replicated = [name for name, kind_facts in facts(matches.kinds).items() if kind_facts.lag]
    used = {address.kind for address in (*desired, *matches.owned)}
    grouped = {name: grouped for name in replicated if name in used and (grouped := matches.kinds[name].grouped)}
    wanted = sorted(address for address in desired if address.kind in grouped)
    others = sorted(address for address in matches.owned if address.kind in grouped and address not in desired)
    for address in (*wanted, *others):
        group = _group(matches, matches.kinds[address.kind], grouped[address.kind], address, desired.get(address))
        if group is not None and not _is_new(group, ledger) and group.key not in rows:
            rows[group.key] = _row_of(group, moves.get(group.key), now)
    return tuple(rows.values())


@dataclass(frozen=True, slots=True)
class _Group:
    """What was read of one group: the member of each site, or why there is none."""

    key: str
    address: Address
    grouped: Grouped
    matches: Matches
    here: Live | None
    away: Live | None
    other: str
    unread: Mapping[str, str]
    entry: Entry | None = None
    """Its entry in the document."""

    @property
    def lag(self) -> Lag:
        """The attributes that show the progress of the copies."""
        assert self.grouped.lag is not None
        return self.grouped.lag

    def live(self) -> list[Live]:
        """The members that exist."""
        return [member for member in (self.here, self.away) if member is not None]

    def at_once(self) -> bool:
        """Whether a write is answered when all members have it."""
        return any(map(writes_synchronously, self.live()))

    def silent(self, site: str) -> bool:
        """Whether a site did not answer."""
        return self.unread.get(site, ABSENT) != ABSENT


def member_key(matches: Matches, address: Address) -> str:
    """The key of an object's group, as it is live, else as the ledger has it; "" if neither does."""
    match = matches.match(address)
    return group_key(match.live) if match.live is not None else match.owned.group if match.owned is not None else ""


def _group(matches: Matches, kind: Kind, grouped: Grouped, address: Address, entry: Entry | None) -> _Group | None:
    """`None` for an object without another member, or one that never existed."""
    key = member_key(matches, address)
    across = None if entry is None else entry.values.get(grouped.across)
    others = [site for site in matches.observed.sites(kind.name) if site != address.site]
    other = across.target.site if isinstance(across, Ref) else ""
    if not other:
        other = next((site for site in others if matches.observed.having(site, kind.name, grouped.key, key)), "")
    if not key or not (other or across):
        return None
    members: dict[str, Live | None] = {}
    unread: dict[str, str] = {}
    for site in filter(None, (address.site, other)):
        having = matches.observed.having(site, kind.name, grouped.key, key)
        members[site] = having[0] if len(having) == 1 else None
        if members[site] is None:
            unread[site] = matches.observed.error(site, kind.name) or ABSENT
    return _Group(key, address, grouped, matches, members[address.site], members.get(other), other, unread, entry)


def _is_new(group: _Group, ledger: Mapping[str, SiteLedger]) -> bool:
    """Whether there was never a copy on the other site of the document: then none is gone."""
    site, entry = group.address.site, group.entry
    if entry is None or group.away is not None or (group.here is not None and is_lost(group.here)):
        return False
    kind, owned = group.matches.kinds[group.address.kind], group.matches.owned.get(group.address)
    return owned is not None and is_first_copy(kind, entry.values, owned, ledger[site].key)


def _row_of(group: _Group, move: Operation | None, now: datetime) -> Replication:
    leading = [member for member in group.live() if part_of(member) is MemberRole.SOURCE]
    alone = [member for member in group.live() if part_of(member) is MemberRole.ALONE]
    writing = leading if len(leading) == 1 else leading or alone
    source = writing[0].site if len(writing) == 1 else ""
    state, text = _state(group, source, move, now)
    if move is not None and not move.phase.closed:
        text = "; ".join(filter(None, (_under_way(move), text)))
        state = ReplicationState.BUSY if state is ReplicationState.IN_ORDER else state
    members = tuple(_member(group, site) for site in filter(None, (group.address.site, group.other)))
    at = group.at_once()
    return Replication(str(group.address), group.address.site, source, state, text, members, at, _disconnected(group))


def _state(group: _Group, active_site: str, move: Operation | None, now: datetime) -> tuple[ReplicationState, str]:
    """The first state that holds, and why."""
    site, observed = group.address.site, group.matches.observed
    if not group.live() and not any(map(group.silent, filter(None, (site, group.other)))):
        return ReplicationState.COPY_GONE, f"it exists on neither site: {EVERYTHING}"
    for live in group.live():
        why = undetermined_role(observed, live)
        if why:
            return ReplicationState.BUSY, f"{why}{_progress(group, live)}"
        torn = group_split(observed, live)
        if torn is not None:
            return (ReplicationState.SPLIT if len(torn.sites) > 1 else ReplicationState.FAILED_OVER), torn.text
    for live in group.live():
        if is_lost(live):
            return ReplicationState.COPY_GONE, f"{live.site} says {role_text(live)}: {_everything(live)}"
    silent = [name for name in (site, group.other) if name and group.silent(name)]
    if silent:
        return (ReplicationState.MOVED if active_site not in ("", site) else ReplicationState.UNKNOWN), _without(
            group, silent, active_site, now
        )
    if active_site and active_site != site:
        stands = f"its source is on {active_site}, and the document says {site}"
        if move and _has_moved_to(move, active_site):
            return (
                ReplicationState.MOVED,
                f"moved by vastplan move {inert(move.id, 40)}: {stands}{_edit(group, active_site)}",
            )
        if move and _is_known_at(move, active_site):
            edit = _edit(group, active_site) if move.phase.closed else ""  # one under way may be the way home
            return ReplicationState.MOVED, f"{stands}{edit}"
        return (
            ReplicationState.MOVED,
            f"{stands}: it was moved outside vastplan, or the document was edited before the move",
        )
    if not active_site:
        return ReplicationState.UNKNOWN, "no site says that it is the source"
    source = group.here
    assert source is not None
    for live in group.live():
        # A cluster may keep its first state long after data has arrived.
        came = live is not source and _text(live, group.lag.as_of)
        if word_of(live.attributes.get(group.grouped.state)) in group.grouped.starting and not came:
            return (
                ReplicationState.BUSY,
                f"nothing has arrived yet: {live.site} says {role_text(live)}{_progress(group, live)}",
            )
    if group.other and group.away is None:
        return ReplicationState.COPY_GONE, f"it does not exist at {group.other}: {_everything(source)}"
    failing = ("" if _suspended(group, source) else _disconnected(group)) or _failing(group)
    if failing:
        return ReplicationState.STOPPED, failing
    return ReplicationState.IN_ORDER, _AT_ONCE if group.at_once() else ""


def _under_way(operation: Operation) -> str:
    """An operation that has begun and not ended, with the commands to go on and to give up."""
    back = (
        ""
        if PAST in operation.facts
        else f", or give up: vastplan {operation.kind} abort PATH {inert(operation.id, 40)}"
    )
    return (
        f"vastplan {operation.kind} {inert(operation.id, 40)} is under way (stage {inert(operation.stage or 'none yet', 40)}): "
        f"go on with vastplan {operation.kind} run PATH {inert(operation.id, 40)}{back}"
    )


def _has_moved_to(move: Operation, source: str) -> bool:
    """Whether a move by vastplan ended with that site as the source."""
    return move.phase is Phase.DONE and move.target == source


def _is_known_at(move: Operation, source: str) -> bool:
    """Whether a move by vastplan that is under way, or was taken back, accounts for that site as the source."""
    return (source == move.source and move.phase is not Phase.DONE) or (source == move.target and not move.phase.closed)


def _edit(group: _Group, source: str) -> str:
    """What to write into the document, and where, to name the new source; "" if the document has no entry of it."""
    entry = group.entry
    if entry is None:
        return ""
    text = f"{group.grouped.chosen_by}: {source}" if entry.origin else f"it for {source}"
    return f"; write {text}, at {inert(str(entry.where), 300)}" if entry.where else f"; write {text}"


def _without(group: _Group, silent: list[str], source: str, now: datetime) -> str:
    """The text if a site does not answer: what a move to the other site would lose. It does not call the site's data gone."""
    text = "; ".join(f"{site}: {inert(group.unread[site], 200)}" for site in silent)
    other = group.away if group.address.site in silent else group.here
    if other is None:
        return text
    if other.site == source and source != group.address.site:
        return f"moved: its source is on {source} now. {text}; do not trust its role or its data when it is back"
    if part_of(other) is not MemberRole.FOLLOWS:
        return text
    if writes_synchronously(other):
        return f"{text}; {other.site} has every write up to the disconnection, and gives no access to its data while disconnected"
    as_of = _text(other, group.lag.as_of)
    taken = parse_moment(as_of)
    if taken is None:
        return f"{text}; {other.site} cannot become the source: nothing has arrived there"
    age = int((now - taken).total_seconds())
    how_old = f" ({show_amount(age, SECONDS)} ago)" if age > 0 else ""
    way = (
        f"vastplan move run PATH ADDRESS --to {other.site} --unplanned, with ADDRESS its project, or {group.address} if no project mounts it; "
        "or vastplan move run FILE of what was armed"
    )
    return f"{text}; an unplanned move to {other.site} ({way}) would lose what was written since {inert(as_of, 40)}{how_old}"


def _everything(live: Live) -> str:
    sizes = [figure for name, figure in live.metrics.items() if name in live.kind.in_use and isinstance(figure, int)]
    size = f" ({show_amount(max(sizes), BYTES)})" if any(sizes) else ""
    return f"{EVERYTHING}{size}"


def _disconnected(group: _Group) -> str:
    """Which site may write and which gives no access, if two that replicate synchronously report that they are disconnected."""
    every = group.live()
    apart = [
        member for member in every if word_of(member.attributes.get(group.grouped.state)) in group.grouped.disconnected
    ]
    if not apart or not group.at_once():
        return ""
    parts = {part_of(member): member for member in every}
    silent = [site for site in (group.address.site, group.other) if site and group.silent(site)]
    if not parts.keys() <= _MAY.keys() or len(parts) + len(silent) < 2:
        return ""
    texts = [f"{member.site} {_MAY[part]} ({role_text(member)})" for part, member in parts.items()]
    unknown = [f"{site} cannot be read{'' if MemberRole.SOURCE in parts else _GOES_ON}" for site in silent]
    return f"its two sites are disconnected: {'; '.join((*texts, *unknown))}"


_MAY = {MemberRole.SOURCE: "alone may write", MemberRole.FOLLOWS: "gives no access to its data"}
_GOES_ON = " and may take writes alone"


def _suspended(group: _Group, live: Live) -> bool:
    """Whether its replication is suspended, as it reports."""
    return live.values.get(group.lag.enabled) is False


def _failing(group: _Group) -> str:
    """Why nothing arrives, as a side reports."""
    for live in group.live():
        state = word_of(live.attributes.get(group.grouped.state))
        if state in group.grouped.failing:
            return f"{live.site} says {role_text(live)}: nothing arrives"
        peer = _text(live, group.lag.peer)
        if peer and word_of(peer) not in group.lag.connected:
            return f"{live.site} says that its peer is {inert(peer, 40)}: nothing arrives"
        if live is group.here and _suspended(group, live):
            return f"replication is suspended at {live.site}: nothing arrives"
    return ""


def _member(group: _Group, site: str) -> Member:
    live = next((member for member in group.live() if member.site == site), None)
    if live is None:
        return Member(site, unread=inert(group.unread[site], 200))
    return Member(
        site=site,
        role=_text(live, group.grouped.role),
        state=_text(live, group.grouped.state),
        health=_text(live, group.lag.health),
        peer=_text(live, group.lag.peer),
        as_of="" if writes_synchronously(live) else _text(live, group.lag.as_of),
        arrived="" if writes_synchronously(live) else _text(live, group.lag.arrived),
        coming=None if writes_synchronously(live) else _coming(group, live),
        suspended=_suspended(group, live),
    )


def _coming(group: _Group, live: Live) -> int | None:
    """Bytes still to come: as the system reports, else 0 if the newest restore point has arrived, else unknown."""
    raw = str(live.attributes.get(group.lag.coming))
    if raw.isascii() and raw.isdigit() and len(raw) < 20:
        return int(raw)
    taken, as_of = (parse_moment(_text(live, name)) for name in (group.lag.taken, group.lag.as_of))
    return 0 if taken is not None and as_of is not None and as_of >= taken else None


def _progress(group: _Group, live: Live) -> str:
    done = live.attributes.get(group.lag.progress)
    return f", {done / 10:g} % done" if type(done) is int and 0 <= done <= 1000 else ""


def _text(live: Live, attribute: str) -> str:
    value = live.attributes.get(attribute)
    return "" if value is None else inert(str(value), 60)


def replication_findings(
    rows: Iterable[Replication], silent: Set[str], actions: Mapping[str, Action]
) -> Iterator[Finding]:
    """The findings that the member in the document does not report itself: `silent` are addresses that were not read,
    `actions` the planned actions, by address."""
    for row in rows:
        if row.state is ReplicationState.COPY_GONE:
            fix = f"check whether this is intended and what still exists on the other site; {_again(actions.get(row.address))}"
            yield Finding("VP348", Severity.WARNING, f"its copy is gone: {row.text}", fix, row.address)
        elif row.state is ReplicationState.STOPPED and any(
            member.suspended for member in row.members if member.site == row.leads
        ):
            fix = "enable it there (`enabled` of its protected path): no apply does that, because the pause may be intended"
            yield Finding("VP351", Severity.WARNING, f"not replicating: {row.text}", fix, row.address)
        elif row.state is ReplicationState.MOVED and row.address in silent:
            fix = "declare it at the site that is its source now"
            yield Finding(MOVED, Severity.WARNING, row.text, fix, row.address)
        if row.parted and not any(member.suspended for member in row.members):
            yield Finding("VP352", Severity.WARNING, row.parted, _together(row), row.address)


def _again(action: Action | None) -> str:
    """What an apply does about a copy that is gone."""
    if action is None:
        return "no apply recreates it while it exists on one of the two sites"
    held = [block for block in action.blocked if block.guard == "in-the-way"]
    if held:
        return f"no apply recreates it while its directory exists: {held[0].fix}"
    return "an apply recreates it and sends all data again"


def _together(row: Replication) -> str:
    """How to reconnect two disconnected sites: a person decides in the system itself which one is right."""
    source = row.leads or next(member.site for member in row.members if member.unread)
    first = "reconnect the two sites" if row.leads else f"bring {source} back"
    return (
        f"{first}, then restore the primary role in the system itself, at {source}: until then they stay disconnected, even when the link "
        "works again; vastplan has no command for this"
    )
