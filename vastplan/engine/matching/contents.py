"""How much the contents of live objects use, for limits for which the system has no figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live, Observed
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.plan import GOING, Action, Evidence, Verb
from vastplan.model.value import Reason, Unknown
from vastplan.schema.dependents import Contents
from vastplan.schema.kind import Kind

Figure = int | float | Unknown
LIMITING = (Verb.UPDATE, Verb.ADOPT)
"""The actions that may lower a limit of an object that is kept."""
_WEIGHED = (*LIMITING, *GOING)
Holders = Mapping[tuple[str, str], Mapping[str, Mapping[str, Address]]]
"""By site and kind of what is in them: the field that names such a holder, its value, and the holder."""


@dataclass(frozen=True, slots=True)
class ContentsIndex:
    """The figures of all objects of some kinds, summed once. Created by `index_contents`."""

    _figures: Mapping[tuple[str, Contents], Mapping[str, Figure] | Unknown] = field(default_factory=dict)

    def of(self, live: Live) -> dict[str, Figure]:
        """The figures by name; 0 for an object without contents."""
        figures: dict[str, Figure] = {}
        for rule in live.kind.contents:
            sums = self._figures.get((live.site, rule), {})
            figures[rule.name] = sums if isinstance(sums, Unknown) else sums.get(_value(live, rule.same[0]), 0)
        return figures

    def weighed(self, action: Action, live: Live) -> list[Evidence]:
        """The non-zero figures to compare with the limits that the action changes."""
        if action.verb not in LIMITING:
            return []
        changed = {change.path for change in action.changes}
        limiting = {name for path, name in live.kind.floors if path in changed}
        units = {rule.name: rule.unit for rule in live.kind.contents}
        return [
            Evidence(name, str(figure) if isinstance(figure, Unknown) else figure, units[name])
            for name, figure in self.of(live).items()
            if name in limiting and figure != 0
        ]


def index_contents(observed: Observed, kinds: Mapping[str, Kind], actions: Iterable[Action]) -> ContentsIndex:
    """The figures for all kinds of which an action may lower a limit or delete an object, by site."""
    wanted = {
        (action.address.site, rule)
        for action in actions
        if action.verb in _WEIGHED
        for rule in kinds[action.address.kind].contents
    }
    return ContentsIndex({(site, rule): _summed(observed, site, rule) for site, rule in wanted})


def full_holders(matches: Matches, contents: ContentsIndex, actions: Iterable[Action]) -> Holders:
    """What a plan deletes and its system does not, because something is in it."""
    full: dict[tuple[str, str], dict[str, dict[str, Address]]] = {}
    for action in actions:
        live = matches.match(action.address).live if action.verb is Verb.DELETE else None
        if live is None:
            continue
        refusing = {rule.figure for rule in live.kind.refuses_delete}
        within = [figure for name, figure in contents.of(live).items() if name in refusing]
        if any(isinstance(figure, int | float) and figure > 0 for figure in within):
            for rule in live.kind.contents:
                here, there = rule.same
                named_by = full.setdefault((live.site, rule.kind), {}).setdefault(there, {})
                named_by[_value(live, here)] = action.address
    return full


def _summed(observed: Observed, site: str, rule: Contents) -> Mapping[str, Figure] | Unknown:
    problem = observed.error(site, rule.kind)
    if problem:
        return Unknown(problem, Reason.UNREAD)
    placed = sorted(
        (
            (_value(live, rule.same[1]), _folder(_value(live, rule.path)), live)
            for live in observed.objects(site, rule.kind)
        ),
        key=lambda placed: placed[:2],
    )
    sums: dict[str, Figure] = {}
    above: tuple[str, str] | None = None
    for holder, path, live in placed:
        if above is not None and holder == above[0] and path.startswith(above[1]):
            continue  # its figure is part of that of the directory above it
        above = holder, path
        figure, so_far = live.metrics[rule.metric], sums.get(holder, 0)
        if isinstance(figure, Unknown) or isinstance(so_far, Unknown):
            sums[holder] = figure if isinstance(figure, Unknown) else so_far
        else:
            sums[holder] = so_far + figure
    return sums


def _value(live: Live, name: str) -> str:
    return live.id if name == "id" else str(live.values.get(name))


def _folder(path: str) -> str:
    return path.removesuffix("/") + "/"
