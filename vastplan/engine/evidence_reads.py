"""What guards need to be read and indexed for: only where something is to go, or would let fewer in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from vastplan.engine.guards import access
from vastplan.model.plan import GOING, Action
from vastplan.schema.kind import Kind
from vastplan.schema.references import reaching


def second_read(
    kinds: Mapping[str, Kind], actions: Iterable[Action], systems: Mapping[str, Set[str]]
) -> set[tuple[str, str]]:
    """The collections that only some actions need: what hangs on objects that are to go, and what would be cut off.

    `systems` says what each site has. Answers sites with kinds.
    """
    collections: set[tuple[str, str]] = set()
    narrowed: set[tuple[str, str]] = set()
    for action in actions:
        kind, site = kinds[action.address.kind], action.address.site
        if action.verb in GOING:
            collections |= {(site, rule.kind) for rule in kind.dependents}
        if (site, kind.name) not in narrowed and access.lost_clients(action, kind, None):
            narrowed.add((site, kind.name))
    for site, name in narrowed:
        collections |= {
            (site, user) for user in reaching(kinds, kinds[name]) if kinds[user].system in systems.get(site, ())
        }
    return collections


def kinds_to_index(kinds: Mapping[str, Kind], actions: Iterable[Action]) -> set[str]:
    """The kinds whose referrers have to be known: of what goes, and of what narrows with all that reaches it."""
    targets: set[str] = set()
    narrowed: set[str] = set()
    for action in actions:
        kind = kinds[action.address.kind]
        if action.verb in GOING:
            targets.add(kind.name)
        if kind.name not in narrowed and access.lost_clients(action, kind, None):
            narrowed.add(kind.name)
    for name in narrowed:
        targets |= {name, *reaching(kinds, kinds[name])}
    return targets
