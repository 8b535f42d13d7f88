"""The references between live objects: one index, built once where a plan deletes, replaces or lets fewer in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import field

from vastplan.engine.live.namesakes import referred_objects
from vastplan.engine.live.observe import Live, Observed
from vastplan.model.dataclass import dataclass
from vastplan.schema.dependents import Mounting
from vastplan.schema.field import Field
from vastplan.schema.references import raw_references, targets_of


@dataclass(frozen=True, slots=True)
class Referrer:
    """A live object that refers to another one, with the top-level field and the attribute, and what that means for the other.

    `blocks_delete` says that the other cannot be deleted while it is referred to, `shields` that it is open without this object,
    `needs` that this object is useless without one of the other's name.
    """

    live: Live
    field: Field
    attribute: str
    blocks_delete: bool
    shields: bool
    needs: bool = False


@dataclass(frozen=True, slots=True)
class Referrers:
    """The live objects that refer to those of some kinds. Created by `index_referrers`."""

    _by_target: Mapping[tuple[str, str, str], tuple[Referrer, ...]] = field(default_factory=dict)
    _mounting: Mapping[tuple[str, str, str], tuple[Live, ...]] = field(default_factory=dict)

    def of(self, live: Live) -> tuple[Referrer, ...]:
        """The objects of the same site that refer to an object."""
        return self._by_target.get((live.site, live.kind.name, live.id), ())

    def mounting(self, live: Live) -> tuple[Live, ...]:
        """The objects of the same site through which workloads mount an object (`Kind.mounts`)."""
        return self._mounting.get((live.site, live.kind.name, live.id), ())


def index_referrers(observed: Observed, targets: Set[str]) -> Referrers:
    """Every live reference to an object of a kind in `targets`, and what mounts one."""
    by_target: dict[tuple[str, str, str], dict[tuple[str, ...], Referrer]] = {}
    for (site, _), collection in observed.collections.items() if targets else ():
        if not collection.objects:
            continue
        kind = collection.objects[0].kind
        if not targets_of(kind.fields) & targets:
            continue
        for live in collection.objects:
            for top, refers, raw in raw_references(kind.fields, live.values):
                for target, attribute in refers.targets:
                    asked = raw is not None and target in targets
                    for other in referred_objects(observed, live, target, attribute, raw) if asked else ():
                        shields = top.refers is not None and top.refers.shields
                        referrer = Referrer(live, top, attribute, refers.blocks_delete, shields, refers.needs)
                        # once, however often one field of it names the object
                        by_field = by_target.setdefault((site, target, other.id), {})
                        by_field[kind.name, live.id, top.name, attribute] = referrer
    mounting = _index_mounting(observed, targets) if targets else {}
    return Referrers({key: tuple(referrers.values()) for key, referrers in by_target.items()}, mounting)


def _index_mounting(observed: Observed, targets: Set[str]) -> dict[tuple[str, str, str], tuple[Live, ...]]:
    mounting: dict[tuple[str, str, str], list[Live]] = {}
    for (site, _), collection in observed.collections.items():
        rule = collection.objects[0].kind.mounts if collection.objects else None
        if rule is None or rule.kind not in targets:
            continue
        by_name = _by_name(observed.objects(site, rule.kind), rule)
        for live in collection.objects:
            for target in by_name.get(str(live.values.get(rule.field)), ()):
                if _same_room(observed, live, target, rule):
                    mounting.setdefault((site, rule.kind, target.id), []).append(live)
    return {key: tuple(those) for key, those in mounting.items()}


def _by_name(objects: Iterable[Live], rule: Mounting) -> dict[str, list[Live]]:
    """The objects that may be mounted, by each value by which they are named."""
    by_name: dict[str, list[Live]] = {}
    for live in objects:
        for name in {live.values.get(field_name) for field_name in rule.of} - {None}:
            by_name.setdefault(str(name), []).append(live)
    return by_name


def _same_room(observed: Observed, live: Live, target: Live, rule: Mounting) -> bool:
    """Whether an object may mount `target`; false only where the room of the two is known and differs."""
    name, _, inner = rule.room.partition(".")
    refers, raw = live.kind.field(name).refers if name else None, live.values.get(name)
    places = (observed.find(live.site, kind, by, raw) for kind, by in (refers.targets if refers is not None else ()))
    place = next((found for found in places if found is not None), None)
    room = place.values.get(inner) if place is not None else None
    return room is None or room == target.values.get(inner)
