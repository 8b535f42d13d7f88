"""Guards of ownership: adopting objects, changing copies, believing that owned objects are gone, and changing many at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from vastplan.engine.guards.context import CHANGING, GuardContext, SiteKind
from vastplan.engine.live.groups import group_findings, on_any_site, source_of_group
from vastplan.engine.live.observe import Live
from vastplan.engine.values.formers import goes_unasked
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import GOING, Action, Block, Verb
from vastplan.model.shell import word
from vastplan.model.wording import plural, some


def foreign(action: Action, context: GuardContext) -> Block | None:
    """An object that another document owns is not adopted, not even with `--adopt`."""
    match = context.matches.match(action.address)
    if match.live is None or match.owned is not None:
        return None  # an owned object stays owned, whatever its mark says: a finding reports it
    return context.owners.block(match.live)


def copies(action: Action, context: GuardContext) -> Block | None:
    """An owned object that became a destination, or was detached from a source on another site, is not changed."""
    live = context.live(action)
    if live is None or not (action.changes or action.verb in GOING):
        return None
    detached = source_of_group(context.matches.observed, live) is not None and not follows(live)
    if not follows(live) and not detached:
        return None
    text = "it is a destination now: it can be changed only at its source, on another site"
    if detached:
        text = "it was detached, and its source is on another site now: it may have data that exists nowhere else"
    fix = f"make this site its source again, or release it: vastplan ledger forget DOCUMENT {word(action.address)}"
    return Block("copy", text, fix)


def torn(action: Action, context: GuardContext) -> Block | None:
    """Where several sites write to a shared object, or one was detached, it and what is applied with it are blocked."""
    for address in _held_back_with(action, context):
        each = context.splits.get(address)
        if each is not None and action.address.site in each.sites:
            return Block(
                "split",
                each.text,
                f"vastplan move plan PATH {word(address)} --rejoin SITE, or --keep SITE, then plan again",
            )
    return None


def busy(action: Action, context: GuardContext) -> Block | None:
    """While a role changes, or is unknown, the object and what is applied with it are blocked on every site."""
    for address in _held_back_with(action, context):
        if address in context.changing:
            return Block("busy", context.changing[address], "plan again when the roles have changed")
    return None


def _held_back_with(action: Action, context: GuardContext) -> Iterator[Address]:
    """The split or changing addresses of the entry that the action's object comes from, and of the object itself."""
    owned = context.matches.owned.get(action.address)
    origin = action.origin or ("" if owned is None else owned.origin) or str(action.address)
    yield from context.standing.get(on_any_site(origin), ())
    yield from context.standing.get(str(action.address), ())


def follows(live: Live) -> bool:
    """Whether an object is the copy that the system keeps of one on another site."""
    return live.kind.mirrored and live.system_owned


def adopting(action: Action, context: GuardContext) -> Block | None:
    """What exists and is not in the ledger is adopted only with `--adopt`, and never replaced by that."""
    if action.verb is not Verb.ADOPT or foreign(action, context) is not None:
        return None  # it has another owner, so `--adopt` would not help
    fixed = [change.path for change in action.changes if change.replaces]
    if fixed:
        text = f"it exists, and these fields differ and cannot be changed: {', '.join(fixed)}"
        return Block("adopt", text, "write the live value in the document")
    if context.consent.adopt or context.matches.match(action.address).member_of is not None:
        return None  # a member of a group that the ledger owns on another site is adopted without consent
    return Block("adopt", "it exists and is not in the ledger", "adopt it with --adopt, or write another name")


def emptied(action: Action, context: GuardContext) -> Block | None:
    """Many owned objects that are gone at once were more likely hidden, or read from another system, than deleted outside vastplan."""
    place = (action.address.site, action.address.kind)
    if action.address not in context.gone.get(place, ()) or context.named(action.address, context.allowed.believe_gone):
        return None
    seen = _seen(context, *place)
    fix = f"check that it is the right system and that all of it answers; then --believe-gone {word(action.address)}"
    return Block("emptied", seen, fix) if seen else None


def warnings(context: GuardContext) -> Iterator[Finding]:
    """The warnings that need no action: many objects gone at once, moved or split copies, and objects with two owners.

    What is true of a whole system is reported once, not for each of its kinds.
    """
    names: dict[str, list[str]] = {}
    for (site, kind), gone in sorted(context.gone.items()):
        seen = _seen(context, site, kind)
        if seen:
            names.setdefault(seen, []).extend(sorted(address.name for address in gone))
    for seen, of_all in names.items():
        fix = "check that it is the right system and that all of it answers"
        yield Finding("VP305", Severity.WARNING, f"{seen}: {some(of_all)}", fix)
    for address in sorted(context.matches.owned):
        live, action = context.matches.match(address).live, context.actions.get(address)
        if live is not None and not (action is not None and action.verb is Verb.RELEASE):
            composed = context.origins.get(address, "") != ""
            yield from group_findings(context.matches.observed, live, address, composed=composed)
    matched = ((address, context.matches.match(address)) for address in context.matches.owned)
    owned = (
        (address, match.owned, match.live)
        for address, match in matched
        if match.live is not None and match.owned is not None  # without objects that took the place of an owned one
    )
    yield from context.owners.contested(owned)


def _seen(context: GuardContext, site: str, kind: str) -> str:
    """Why it is unlikely that the objects of a kind are gone; "" when it is likely."""
    owned, gone = _count(context.owned, (site, kind)), _count(context.gone, (site, kind))
    if gone > 1 and (gone == owned or gone > context.limit(site).losses(owned)):
        return f"{gone} of the {owned} {plural(kind)} on {site} that the ledger owns are gone at once"
    system = context.matches.kinds[kind].system
    places = [place for place in context.owned if place[0] == site and context.matches.kinds[place[1]].system == system]
    everything = sum(_count(context.owned, place) for place in places)
    if everything > 1 and everything == sum(_count(context.gone, place) for place in places):
        return f"all {everything} objects of {system} on {site} that the ledger owns are gone at once"
    return ""


def _count(addresses: Mapping[SiteKind, Set[Address]], place: SiteKind) -> int:
    return len(addresses.get(place, ()))


def mass(action: Action, context: GuardContext) -> Block | None:
    """A large share of one kind is changed at once only with consent: creates, adoptions and the ends of rotations do not count.

    Many deletes hold back no update: an update counts the updates alone.
    """
    if action.verb not in CHANGING or goes_unasked(context.matches, action.address):
        return None
    site, kind, share = action.address.site, action.address.kind, context.share(action)
    owned, limits, own_limit = _count(context.owned, (site, kind)), context.limit(site), context.consent.max_count
    fix = f"apply a part with --target, or allow it with --max-changes {share.changed}"
    most = limits.changes(owned) if own_limit is None else own_limit
    changed = share.changed if action.verb in GOING else share.changed - share.lost
    if changed > most:
        text = f"{changed} of {owned} {plural(kind)} on {site} would change; the limit is {most}"
        return Block("mass-change", text, fix)
    most = limits.losses(owned) if own_limit is None else own_limit
    if action.verb in GOING and share.lost > most:
        text = f"{share.lost} of {owned} {plural(kind)} on {site} would be deleted or replaced; the limit is {most}"
        return Block("mass-change", text, fix)
    return None
