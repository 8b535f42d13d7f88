"""Which live object each resource of a Terraform state is, and its name there.

A state is a memory: what it says of an object holds only while an object with its id exists and is still the one that the state
describes. Otherwise the state is stale, and nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from vastplan.engine.live.matches import LiveKey
from vastplan.engine.live.observe import Live, Observed
from vastplan.importing.terraform.address import Key
from vastplan.importing.terraform.resource_types import RESOURCE_TYPES, FoundBy, ResourceType
from vastplan.importing.terraform.state import Instance, TerraformState
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.handover import Standing

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@:+-]{0,127}")  # what a key of a document may be
_STATED = {
    "name": "name",
    "path": "path",
    "tenant": "tenant_id",
}  # identity fields of kinds that a state has, with their names in an `Instance`


@dataclass(frozen=True, slots=True)
class Matched:
    """One instance of a resource. `object` is its live object if it is matched; else `why` is the reason, for people."""

    instance: Instance
    standing: Standing
    kind: str = ""
    object: LiveKey | None = None
    why: str = ""

    @property
    def address(self) -> str:
        """As Terraform writes it."""
        return self.instance.address


def matched(state: TerraformState, observed: Observed, *sites: str) -> tuple[Matched, ...]:
    """Every instance of a state with its live object, in the state's order.

    With several sites, the object is on the site where it is found; if it is found on more than one, nothing is guessed.
    """
    foreign = _foreign(state, observed, sites)
    return tuple(_of(instance, observed, sites, foreign) for instance in state.instances)


def matched_labels(matches: Iterable[Matched]) -> dict[LiveKey, str]:
    """The Terraform names of objects, by object: only names that no other object of the same kind and site has.

    The name is that of the resource, with its key if that is a text; if several objects share it, the names of their modules come first.
    A number is a position, and no object gets a name from it.
    """
    names: dict[LiveKey, tuple[str, str]] = {}
    for match in sorted(matches, key=lambda each: each.instance.resource.order(each.instance.key)):
        if match.object is not None and not match.instance.deposed:
            names.setdefault(match.object, _names(match.instance))
    short = _holders((key, name) for key, (name, _) in names.items())
    unique = {key: name if short[key[:2], name] == 1 else whole for key, (name, whole) in names.items()}
    taken = _holders(unique.items())
    return {key: name for key, name in unique.items() if _LABEL.fullmatch(name) and taken[key[:2], name] == 1}


def _foreign(state: TerraformState, observed: Observed, sites: Sequence[str]) -> dict[str, str]:
    """The sites that the state is not of, and why: two clusters may have the same names and ids, but not the same guids.

    Such a site has objects with ids of the state but other guids, and none with the same guid.
    """
    denied: dict[str, str] = {}
    confirmed = set()
    for instance, site in product([each for each in state.instances if each.guid], sites):
        live = observed.by_id(site, RESOURCE_TYPES[instance.resource.type].kind, instance.id)
        if live is not None and live.attributes.get("guid"):
            why = _denied(instance, live)
            if why:
                denied.setdefault(site, f"the state is of another cluster: {why}")
            else:
                confirmed.add(site)
    return {site: why for site, why in denied.items() if site not in confirmed}


def _of(instance: Instance, observed: Observed, sites: Sequence[str], foreign: Mapping[str, str]) -> Matched:
    meant = None if instance.resource.data else RESOURCE_TYPES.get(instance.resource.type)
    if meant is None:
        return Matched(instance, Standing.KINDLESS)
    asked = observed.sites(meant.kind)
    having = [site for site in sites if site in asked and not observed.absent(site, meant.kind)]
    if not having:
        return Matched(
            instance, Standing.STALE, meant.kind, why=f"no system on {', '.join(sites)} has kind {meant.kind}"
        )
    findings = {site: _on(instance, meant, observed, site, foreign.get(site, "")) for site in having}
    live_by_site = {site: live for site, live in findings.items() if isinstance(live, Live)}
    if len(live_by_site) > 1:
        return Matched(
            instance, Standing.SEVERAL, meant.kind, why=f"it matches an object on each of {', '.join(live_by_site)}"
        )
    unread = {site: observed.error(site, meant.kind) for site, why in findings.items() if why is None}
    if unread:
        text = "; ".join(f"{site}: {inert(error)}" for site, error in unread.items())
        return Matched(instance, Standing.UNREAD, meant.kind, why=f"{meant.kind} could not be read ({text})")
    for live in live_by_site.values():
        return Matched(instance, Standing.MATCHED, meant.kind, (live.site, meant.kind, live.id))
    return Matched(instance, Standing.STALE, meant.kind, why="; ".join(str(why) for why in findings.values()))


def _on(instance: Instance, meant: ResourceType, observed: Observed, site: str, foreign: str) -> Live | str | None:
    """The live object on a site, why it does not exist, or `None` if that cannot be determined."""
    if meant.found_by is FoundBy.NAME:
        return _by_name(instance, meant, observed, site)
    if not instance.id:
        return "the state has no id for it"
    live = observed.by_id(site, meant.kind, instance.id)
    if live is None:
        return None if observed.error(site, meant.kind) else f"{site} has no {meant.kind} with id {inert(instance.id)}"
    return _denied(instance, live) or foreign or live


def _by_name(instance: Instance, meant: ResourceType, observed: Observed, site: str) -> Live | str | None:
    if not instance.name:
        return "the state has no name for it"
    path = f"{instance.namespace}/{instance.name}" if instance.namespace else instance.name
    live = observed.find(site, meant.kind, "path", path)
    if live is not None:
        return live
    unread = observed.error(site, meant.kind) and path not in observed.asked(site, meant.kind)
    return None if unread else f"{site} has no {meant.kind} {inert(path)}"


def _denied(instance: Instance, live: Live) -> str:
    """Why the object with that id is not the one in the state; "" if it is."""
    guid = live.attributes.get("guid")
    if guid and instance.guid:
        return "" if guid == instance.guid else _other(live, "guid", str(guid), instance.guid)
    identity = {field: getattr(instance, _STATED[field]) for field in live.kind.identity if field in _STATED}
    if not any(identity.get(field) for field in ("name", "path")):
        identity = {"name": instance.name}
    identity = {field: text for field, text in identity.items() if text}
    if not identity:
        return f"{live.site} has a {live.kind.name} with id {inert(live.id)}, but nothing in the state identifies it"
    for field, text in identity.items():
        value = live.values.get(field, live.attributes.get(field))
        if str(value) != text:
            return _other(live, field, str(value), text)
    return ""


def _other(live: Live, field: str, live_value: str, stated: str) -> str:
    return f"{live.kind.name} {inert(live.id)} on {live.site} has {field} {inert(live_value, 100)}, but the state has {inert(stated, 100)}"


def _names(instance: Instance) -> tuple[str, str]:
    """The name of an instance, alone and with its modules; "" where a number would be a part of it.

    `this` is the usual name of a module's only resource of its type: the module's name replaces it, because it says more.
    """
    steps = [(step.name, step.key) for step in instance.resource.module]
    last = (instance.resource.name, instance.key)
    if steps and instance.resource.name == "this":
        last = ("", instance.key)
    return _joined([last] if last[0] else [steps[-1], last]), _joined([*steps, last])


def _joined(steps: Sequence[tuple[str, Key]]) -> str:
    if any(isinstance(key, int) for _, key in steps):
        return ""
    return "-".join(text for name, key in steps for text in (name, key) if isinstance(text, str) and text)


def _holders(names: Iterable[tuple[LiveKey, str]]) -> Mapping[tuple[tuple[str, ...], str], int]:
    """How many objects of a site and kind have each name."""
    counts: dict[tuple[tuple[str, ...], str], int] = {}
    for key, name in names:
        counts[key[:2], name] = counts.get((key[:2], name), 0) + 1
    return counts
