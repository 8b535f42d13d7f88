"""What goes with the objects that a plan deletes or replaces: how much data, and whom it leaves without it. Computed once for all guards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.contents import ContentsIndex
from vastplan.engine.matching.holdings import Holding, Holdings
from vastplan.engine.matching.links import Links
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.plan import GOING, Action, Evidence, UserGroup
from vastplan.model.units import BYTES, show_amount
from vastplan.model.value import Unknown


@dataclass(frozen=True, slots=True)
class ObjectLoss:
    """What goes with one object. `doubt` says why its approval cannot be left out: "" for an object that is known to hold nothing, and
    that nobody uses who is not deleted by the same plan."""

    holding: Holding
    users: tuple[UserGroup, ...]
    doubt: str


def losses(matches: Matches, actions: Mapping[Address, Action], contents: ContentsIndex) -> dict[Address, ObjectLoss]:
    """What goes with each object that is deleted or replaced."""
    holdings = Holdings(Links(matches.observed), matches.kinds)
    found = {}
    for address, action in actions.items():
        live = matches.match(address).live if action.verb in GOING else None
        if live is not None:
            found[address] = _loss(live, holdings, matches, actions, contents)
    return found


def _loss(
    live: Live, holdings: Holdings, matches: Matches, actions: Mapping[Address, Action], contents: ContentsIndex
) -> ObjectLoss:
    holding, using = holdings.of(live, contents.of(live)), holdings.users(live)
    used = (
        str(holding.used)
        if isinstance(holding.used, Unknown)
        else show_amount(holding.used, BYTES)
        if holding.used
        else ""
    )
    doubts = (used, holding.doubt, *_doubts(using, matches, actions))
    return ObjectLoss(holding, tuple(_users(live, using)), next(filter(None, doubts), ""))


def _doubts(
    using: Mapping[str, list[Live] | Unknown], matches: Matches, actions: Mapping[Address, Action]
) -> Iterator[str]:
    for word, users in using.items():
        if isinstance(users, Unknown):
            yield f"cannot determine {word} that use it: {users.why}"
        elif staying := [user for user in users if not _goes(user, matches, actions)]:
            yield f"{word} use it: {len(staying)}"


def _goes(live: Live, matches: Matches, actions: Mapping[Address, Action]) -> bool:
    address = matches.address_of(live)
    action = actions.get(address) if address is not None else None
    return action is not None and action.verb in GOING


def _users(live: Live, using: Mapping[str, list[Live] | Unknown]) -> Iterator[UserGroup]:
    for word, users in using.items():
        if isinstance(users, Unknown):
            yield UserGroup(word, unknown=users.why)
        else:
            yield UserGroup(
                word, tuple(user.id for user in users), kinds=tuple(sorted({user.kind.name for user in users}))
            )
    word, why = live.kind.unlisted_users
    if word:
        yield UserGroup(word, unknown=why)


def loss_evidence(live: Live, loss: ObjectLoss) -> Iterator[Evidence]:
    """How much data goes with an object, and what is unprotected without it."""
    held = live.kind.held
    if held is None or (live.kind.data_bearing and not live.kind.holds_data(live.values)):
        return
    used = loss.holding.used
    yield Evidence(held.says, str(used) if isinstance(used, Unknown) else used, BYTES)
    if held.unprotected:
        yield Evidence("unprotected without it", inert(live.values.get(held.unprotected), 200))


def witnesses(matches: Matches, found: Mapping[Address, ObjectLoss]) -> dict[Address, tuple[Live, ...]]:
    """By address of each object that may hold data and is known to hold none, the objects whose figures show that."""
    shown = {}
    for address, loss in found.items():
        live = matches.match(address).live
        if loss.holding.empty and live is not None and live.kind.holds_data(live.values):
            shown[address] = loss.holding.witnesses
    return shown
