"""What an entry refers to and the site does not have: targets that do not exist, are ambiguous, contested, or could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.model.nearest import closest, known_ones
from vastplan.model.plan import Block
from vastplan.model.value import Reason, Ref, Unknown, references
from vastplan.schema.endpoint import Asked, AskedMembers
from vastplan.schema.entries import Entry
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Refers

Named = list[tuple[Field, Ref]]
"""The references of an entry, each with its field."""


def missing_targets(
    matches: Matches, desired: Mapping[Address, Entry], entry: Entry, named: Named, kind: Kind
) -> tuple[Block, ...]:
    """Blocks for `existing` targets that do not exist, unless something that comes first creates them (the mirror of a peer)."""
    blocks = [*_nobody(matches, desired, entry, kind)]
    for field, refers, ref in (*_referring(named), *_keys(entry, kind)):
        if ref.managed:
            continue
        if any((first.kind, first.name) == (ref.target.kind, ref.target.name) for first in entry.after):
            continue
        value = matches.resolve(ref, refers.attribute(ref.target.kind))
        if not isinstance(value, Unknown):
            continue
        if value.reason is Reason.AMBIGUOUS:
            text = f"{field.name} refers to {ref.target.name} by name alone, and {value.why}"
            blocks.append(Block("ambiguous", text, "write a name that only one of them has"))
        else:
            site, of, name = ref.target
            text = f"{field.name} refers to {of} {name}, which does not exist on {site}"
            blocks.append(Block("missing", text, _nearest_name(matches, site, of, name)))
    return tuple(blocks)


def _referring(named: Named) -> Iterator[tuple[Field, Refers, Ref]]:
    yield from ((field, field.refers, ref) for field, ref in named if field.refers is not None)


def _keys(entry: Entry, kind: Kind) -> Iterator[tuple[Field, Refers, Ref]]:
    """The objects that the keys of a mapping name, such as node pools."""
    for field in kind.fields:
        refers, members = field.key_refers, entry.values.get(field.name)
        if refers is None or not isinstance(members, Mapping):
            continue
        for key in members:
            for target, _ in refers.targets:
                yield field, refers, Ref(Address(entry.address.site, target, key), managed=False)


def _nobody(matches: Matches, desired: Mapping[Address, Entry], entry: Entry, kind: Kind) -> tuple[Block, ...]:
    """The block for an object of a user or group that its system does not know, unless something that comes first creates that."""
    shape, site = kind.endpoint.shape, entry.address.site
    unknown = matches.observed.nobody(site, kind.name)
    locator = matches.locator(kind, entry) if unknown else None
    if locator not in unknown or not isinstance(shape, Asked | AskedMembers):
        return ()
    place, name, *_ = shape.parts(locator)
    made = (desired[first].called for first in entry.after if first in desired)
    if name in made:
        return ()
    text = f"{shape.within} {place} of {site} has nobody named {name}"
    return (Block("missing", text, "write the name as its directory has it; vastplan creates nobody there"),)


def _nearest_name(matches: Matches, site: str, kind: str, name: str) -> str:
    """The fix for a name that does not exist: the nearest name of that kind on the site, else the first of them."""
    live = matches.observed.objects(site, kind)
    names = (
        sorted({str(candidate.attributes["name"]) for candidate in live if candidate.attributes.get("name")})
        if live
        else []
    )
    near = closest(name, names)
    return (
        f"write {near} if that is meant, or create {name} first"
        if near
        else "; ".join(filter(None, (known_ones(names), "write another name, or create it first")))
    )


def missing_names(matches: Matches, entry: Entry) -> Iterator[Finding]:
    """VP304 for objects that are named only by text and not found: a warning, because a system may have more than it lists."""
    for field, ref in entry.named:
        value = matches.resolve(ref, "name")
        if isinstance(value, Unknown) and value.reason is Reason.NOT_CREATED:
            site, of, name = ref.target
            text = f"{field} names {of} {name}, and {site} does not list it: the system may refuse this"
            fix = "write another name, or create it first"
            yield Finding("VP304", Severity.WARNING, text, fix, str(entry.address), entry.where)


def contested_target(matches: Matches, entry: Entry | None) -> Block | None:
    """The block for an entry that refers to a contested address, because it may mean another object."""
    for ref in references(entry.values) if entry is not None else ():
        contested = matches.renames.contested.get(ref.target)
        if contested is not None:
            text = f"it refers to {ref.target}, and vastplan cannot determine which object that is: {contested.message}"
            return Block("renamed", text, contested.fix)
    return None


def unread_target(matches: Matches, named: Named) -> str:
    """Why the target of a reference is unknown; "" if all are known."""
    for _, ref in named:
        problem = matches.unread(ref)
        if problem:
            return f"it refers to {ref.target}: {problem}"
    return ""
