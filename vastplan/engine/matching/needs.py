"""What must exist before an entry: targets include it, and where it cannot be read, everything that needs it is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from vastplan.engine.live.matches import Matches
from vastplan.engine.values.formers import first_of
from vastplan.model.address import Address
from vastplan.model.plan import Action, Verb
from vastplan.model.value import from_json, references
from vastplan.schema.entries import Entry
from vastplan.schema.references import fields_with_references


def targeted_addresses(
    matches: Matches, desired: Mapping[Address, Entry], targets: tuple[str, ...]
) -> set[Address] | None:
    """The targeted addresses, everything that they need, and what has to follow them; `None` without targets.

    A target that matches nothing is not reported here: whether that is a mistake depends on what was typed.
    """
    if not targets:
        return None
    addresses = {*desired, *matches.owned}
    queue = [address for address in addresses if any(fnmatchcase(str(address), target) for target in targets)]
    aimed: set[Address] = set()
    followers, followed, leaving = _followers(matches, desired), _followed(matches, desired), _leaving(matches, desired)
    while queue:
        address = queue.pop()
        if address not in aimed:
            aimed.add(address)
            queue += [need for need in _needs(desired.get(address), matches) if need in addresses]
            queue += [first] if (first := first_of(matches, address)) is not None else []
            queue += followers.get(address, ())
            queue += followed.get(address, ())
            queue += leaving.get(address, ())
    return aimed


def _leaving(matches: Matches, desired: Mapping[Address, Entry]) -> dict[Address, list[Address]]:
    """By address that the document no longer has, the owned objects that refer to it now: they change before it is deleted, or would
    go with it, as a Secret goes with its namespace."""
    removed = {address for address in matches.owned if address not in desired}
    leaving: dict[Address, list[Address]] = {}
    for address in matches.owned if removed else ():
        kind, live = matches.kinds[address.kind], matches.match(address).live
        for ref in references(matches.symbolic(kind, live)) if live is not None else ():
            if ref.target in removed:
                leaving.setdefault(ref.target, []).append(address)
    return leaving


def _followers(matches: Matches, desired: Mapping[Address, Entry]) -> dict[Address, list[Address]]:
    """By address that gets a new name, the live objects that refer to it by name: it is not renamed without them.

    A Secret is deleted with its old namespace, and a StorageClass would name a tenant that no longer exists.
    """
    followers: dict[Address, list[Address]] = {}
    for address, entry in desired.items() if matches.coming else ():
        if matches.match(address).live is not None:
            for field, ref in fields_with_references(matches.kinds[address.kind].fields, entry.values):
                coming = matches.coming.get(ref.target, ())
                if field.refers and field.refers.attribute(ref.target.kind) in coming:
                    followers.setdefault(ref.target, []).append(address)
    return followers


def _followed(matches: Matches, desired: Mapping[Address, Entry]) -> dict[Address, list[Address]]:
    """By entry that delivers a value, the live objects whose change its value follows: one is not changed without the other."""
    followed: dict[Address, list[Address]] = {}
    for address, entry in desired.items():
        for _, other in entry.beside:
            if matches.kinds[other.kind].delivers is not None and matches.match(address).live is not None:
                followed.setdefault(other, []).append(address)
    return followed


def _needs(entry: Entry | None, matches: Matches) -> list[Address]:
    """What must exist before an entry, and the rename that must free its address."""
    if entry is None:
        return []
    making_room = matches.renames.by_former.get(entry.address)
    needs = [*(ref.target for ref in references(entry.values)), *entry.after, *(other for _, other in entry.beside)]
    return needs if making_room is None else [*needs, making_room]


def _needs_now(action: Action, entry: Entry | None, matches: Matches) -> list[Address]:
    """What must have been read for an action. A live object was created after all that it needed, so only its references count,
    and what creates their targets (the peer whose mirror it refers to)."""
    first = first_of(matches, action.address)
    if first is not None:
        return [first]
    if entry is None or action.verb in (Verb.CREATE, Verb.REPLACE):
        return _needs(entry, matches)
    grouped = matches.kinds[action.address.kind].grouped is not None
    # where another site does not answer, a member of a group is compared without what that site has
    named = [ref.target for ref in references(from_json(dict(action.desired)) if grouped else entry.values)]
    if grouped:
        return named
    makes = {(target.kind, target.name) for target in named}
    return [
        *named,
        *(address for address in entry.after if (address.kind, address.name) in makes),
        *changed_beside(action, entry),
    ]


def changed_beside(action: Action, entry: Entry) -> list[Address]:
    """The entries that the changed fields of a live object name only as text."""
    if action.verb is Verb.CREATE or not entry.beside:
        return []
    changed = {change.path.partition(".")[0] for change in action.changes}
    return [other for name, other in entry.beside if name in changed]


def standing_on(
    blind: Iterable[Address], acting: Iterable[Action], desired: Mapping[Address, Entry], matches: Matches
) -> dict[Address, str]:
    """The actions that need, directly or not, something that could not be read, each with the reason."""
    if not blind:
        return {}
    users: dict[Address, list[Address]] = {}
    for action in acting:
        for need in _needs_now(action, desired.get(action.address), matches):
            users.setdefault(need, []).append(action.address)
    lost: dict[Address, str] = {}
    queue = list(blind)
    while queue:
        unseen = queue.pop()
        for address in users.get(unseen, ()):
            if address not in lost:
                lost[address] = f"it needs {unseen}, which is unknown"
                queue.append(address)
    return lost
