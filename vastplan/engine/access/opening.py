"""How an action opens access besides the fields that it changes: by a created or deleted object, or by a default. Pure.

Kinds declare it: what gives access (`lets_in`), what keeps closed (`closes`, `enforces`, `Refers(shields=...)`), and `Admits` for
fields that a system leaves open unless they are set. What single fields open is in `schema/opening.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from vastplan.engine.access.enforcement import keeps_closed_now
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.referrers import Referrers
from vastplan.model.address import Address
from vastplan.model.plan import Action, Door, Opening, Verb
from vastplan.model.site_ledger import path_text
from vastplan.model.value import Ref, from_json, json_text, to_json
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Admits, Marker
from vastplan.schema.opening import opens
from vastplan.schema.references import raw_references
from vastplan.schema.walk import leaves


def action_openings(
    action: Action, matches: Matches, actions: Mapping[Address, Action], referrers: Referrers
) -> tuple[Opening, ...]:
    """How an action opens access besides the fields that it changes. `referrers` are those of the objects to delete."""
    kind = matches.kinds[action.address.kind]
    if action.verb is Verb.DELETE:
        live = matches.match(action.address).live
        held = keeps_closed(kind) and (live is None or keeps_closed_now(live, referrers))
        return (Opening(Door.GONE),) if held and not _goes_with_all(action, matches, actions) else ()
    if action.verb not in (Verb.CREATE, Verb.REPLACE):
        return ()
    made = (_made(action, kind),) if _comes(action, kind) else ()
    return (*made, *_unsaid(action, kind))


def _comes(action: Action, kind: Kind) -> bool:
    """Whether the object gives access that was not there. What takes the place of an equal one does not, unless all that it has is whom it
    lets into what."""
    rule = kind.lets_in
    return rule is not None and (action.verb is Verb.CREATE or (bool(rule.into) and bool(action.changes)))


def _made(action: Action, kind: Kind) -> Opening:
    """That a new object gives access, with the fields that say to whom and to what."""
    said = _in_words(kind.lets_in.who if kind.lets_in is not None else (), action.desired)
    return Opening(Door.MADE, tuple(said), tuple(said.values()))


def given_access(live: Live, matches: Matches) -> str:
    """To whom and to what a live object gives access, by its fields: what ends when it is deleted; "" where none says it."""
    kind = live.kind
    revoking = (field.name for field in kind.fields if field.revokes is not None)
    names = dict.fromkeys((*(kind.lets_in.who if kind.lets_in is not None else ()), *revoking))
    said = _in_words(names, to_json(matches.symbolic(kind, live)))
    return ", ".join(f"{name} {words}" for name, words in said.items())


def _in_words(names: Iterable[str], values: Mapping[str, Any]) -> dict[str, str]:
    return {name: words for name in names if (words := _words(values.get(name)))}


def _words(value: Any) -> str:
    """A value in a few words: a reference by the name of its target."""
    if isinstance(value, list):
        return ", ".join(map(_words, value))
    ref = from_json(value)
    if isinstance(ref, Ref):
        return ref.target.name
    return "" if value is None or value is False else value if isinstance(value, str) else json_text(value)


def _unsaid(action: Action, kind: Kind) -> Iterator[Opening]:
    """The fields of a new object that the system opens because the document does not set them, grouped by whom they let in."""
    fields: dict[tuple[str, ...], list[str]] = {}
    for field in kind.fields:
        if field.admits is not None and field.name not in action.desired and _open_unsaid(field.admits, action.desired):
            fields.setdefault(field.admits.unsaid, []).append(field.name)
    yield from (Opening(Door.UNSAID, tuple(names), whom) for whom, names in fields.items())


def _open_unsaid(admits: Admits, desired: Mapping[str, Any]) -> bool:
    """Whether it is open unless set; of two fields that are open together only the wider one counts."""
    open_to_all = admits.open_when_empty and not admits.also and not any(map(desired.get, admits.beside))
    return bool(admits.unsaid) or open_to_all


def keeps_closed(kind: Kind) -> bool:
    """Whether objects of a kind keep something closed, which opens when they are deleted."""
    return (
        bool(kind.closes)
        or kind.enforces is not None
        or any(field.refers and field.refers.shields for field in kind.fields)
    )


def adopted_openings(kind: Kind, desired: Mapping[str, Any], paths: Collection[str]) -> Iterator[Opening]:
    """What the system lets in already by these fields, and the document now too: what of it is new, only its last digest would show."""
    for leaf in leaves(kind.fields, desired) if paths else ():
        if path_text(leaf.path) in paths and opens(leaf.field, None, leaf.value):
            items = leaf.value if isinstance(leaf.value, list) else [leaf.value]
            hidden = leaf.field.has(Marker.SENSITIVE)
            whom = (
                () if hidden else tuple(item if isinstance(item, str) else json_text(to_json(item)) for item in items)
            )
            yield Opening(Door.ADOPTED, (path_text(leaf.path),), whom)


def _goes_with_all(action: Action, matches: Matches, actions: Mapping[Address, Action]) -> bool:
    """Whether everything that the object keeps closed by name is deleted too, or gone: then nothing is left to open."""
    live = matches.match(action.address).live
    if live is None:
        return False
    closed = [
        (kind, matches.observed.find(live.site, kind, attribute, raw))
        for _, refers, raw in raw_references(live.kind.fields, live.values)
        for kind, attribute in (refers.targets if refers.shields else ())
    ]
    return bool(closed) and all(_goes(live.site, kind, target, matches, actions) for kind, target in closed)


def _goes(site: str, kind: str, target: Live | None, matches: Matches, actions: Mapping[Address, Action]) -> bool:
    """Whether the plan deletes an object, or nothing has its name."""
    if target is None:
        return not matches.observed.error(site, kind)
    address = matches.address_of(target)
    action = actions.get(address) if address is not None else None
    return action is not None and action.verb is Verb.DELETE
