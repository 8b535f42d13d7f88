"""What exists where a system would create a directory on another site, which it would therefore refuse. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.dependents import Group, grouped, inside
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import Action, Verb
from vastplan.model.value import Ref, Unknown, from_json
from vastplan.schema.dependents import Dependents
from vastplan.schema.kind import Kind, Values
from vastplan.schema.site_groups import RemoteDirectory

_Rule = tuple[str, str, str]  # kind, its room, its path
_MAKING = (Verb.CREATE, Verb.REPLACE)


@dataclass(frozen=True, slots=True)
class Ground:
    """The objects that show which directories exist, by site and rule. Created by `ground_of`."""

    _groups: Mapping[tuple[str, _Rule], Mapping[tuple[str, ...], Group]] = field(default_factory=dict)

    def standing(self, site: str, rule: _Rule, room: str, path: str) -> list[Live]:
        """The objects of a room at a path or below it."""
        return inside(self._groups[site, rule].get((room,), ([], [])), path)


def landing_places(action: Action, kind: Kind) -> Iterator[tuple[str, str]]:
    """The collections (site and kind) to read to see what exists where an action lets the system create a directory."""
    if kind.remote_directory is None or action.verb not in _MAKING:
        return
    room = from_json(dict(action.desired)).get(kind.remote_directory.room)
    if isinstance(room, Ref):
        yield from ((room.target.site, name) for name, _, _ in kind.remote_directory.shown_by)
        if kind.mirrored:
            yield room.target.site, kind.name


def ground_of(matches: Matches, actions: Iterable[Action]) -> Ground:
    """The objects that may be in the way of these actions; empty if no action lets the system create a directory."""
    rules: set[tuple[str, _Rule]] = set()
    for action in actions:
        kind = matches.kinds[action.address.kind]
        if kind.remote_directory is not None and action.verb in _MAKING:
            rules.add((action.address.site, _own(kind.name, kind.remote_directory)))
            where = {site for site, _ in landing_places(action, kind)}
            rules |= {(site, rule) for site in where for rule in kind.remote_directory.shown_by}
    return Ground({(site, rule): _grouped(matches.observed.objects(site, rule[0]), rule) for site, rule in rules})


def _grouped(objects: Iterable[Live], rule: _Rule) -> dict[tuple[str, ...], Group]:
    name, room, path = rule
    # a copy that the system keeps names a directory on this site, where its data lands, and not one on the other site
    ends = [live for live in objects if not (live.kind.mirrored and live.system_owned)]
    return grouped(ends, Dependents(name, name, ((room, room),), (path, path)))


def _own(name: str, lands: RemoteDirectory) -> _Rule:
    return name, lands.room, lands.path


def namesake(action: Action, kind: Kind, matches: Matches) -> Live | None:
    """The object on the other site that has the name which the copy of a new object would get there."""
    if kind.remote_directory is None or not kind.mirrored or action.verb is not Verb.CREATE:
        return None
    values: Values = from_json(dict(action.desired))
    room, name = values.get(kind.remote_directory.room), values.get("name")
    named = matches.observed.named(room.target.site, kind, str(name)) if isinstance(room, Ref) else []
    return named[0] if named else None


def existing_directory(action: Action, kind: Kind, matches: Matches, ground: Ground) -> tuple[Live, bool] | None:
    """What shows that the directory of an action already exists, and whether it is a copy that stays when its path is deleted."""
    lands = kind.remote_directory
    if lands is None or action.verb not in _MAKING:
        return None
    values: Values = from_json(dict(action.desired))
    room, path = values.get(lands.room), str(values.get(lands.path))
    directory = values.get(lands.room_outside)
    if isinstance(room, Ref):
        refers = kind.field(lands.room).refers
        assert refers is not None
        directory = matches.resolve(room, refers.attribute(room.target.kind))
        holder = matches.resolve(room, "id")
        for rule in lands.shown_by if not isinstance(holder, Unknown) else ():
            for live in ground.standing(room.target.site, rule, str(holder), path):
                return live, False
    if directory is not None and not isinstance(directory, Unknown):
        for live in ground.standing(action.address.site, _own(kind.name, lands), str(directory), path):
            return live, True
    return None
