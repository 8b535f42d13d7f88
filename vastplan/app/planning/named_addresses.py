"""Compares the addresses named for this run with those that exist: resolves composite entries, and reports what matches nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from vastplan.app.planning.known_addresses import (
    Known,
    is_pattern,
    known_objects,
    matches_one,
    names_a_field,
    targeted_objects,
)
from vastplan.app.planning.request import PlanOptions
from vastplan.engine.deciding.plan import Draft, PlanInputs
from vastplan.engine.values.delivery import delivers_of, destination
from vastplan.engine.values.formers import SEPARATOR
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity, error
from vastplan.model.nearest import nearest, nearest_address
from vastplan.model.shell import word
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.wording import some
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

_SHOWN = 20
_APPROVAL = "the approval of"
_BY_ADDRESS = ("--allow-delete", "--allow-narrow", "--believe-gone", "--target")


def resolve_patterns(
    patterns: Sequence[str],
    entries: Iterable[Entry],
    ledger: Mapping[str, SiteLedger],
    sites: Collection[str],
    kinds: Collection[str],
) -> tuple[str, ...]:
    """The addresses that `--target` or `--keep-drift` of this run name; for a composite entry all its objects."""
    return targeted_objects(patterns, known_objects(entries, ledger, sites, kinds)) if patterns else ()


def named_nowhere(
    options: PlanOptions, inputs: PlanInputs, drafted: Draft, sites: Collection[str], types: Collection[str]
) -> list[Finding]:
    """Findings for each address or pattern of this run that matches nothing; runs after matching, which finds the former objects."""
    consent = options.consent
    named = (consent.allow_delete, consent.allow_narrow, consent.believe_gone, consent.approvals)
    if not any((*named, options.targets, options.keep_drift)):
        return []
    existing = known_objects(inputs.entries, inputs.ledger, sites, {*inputs.kinds, *types})
    unread = {place for place in inputs.observed.collections if inputs.observed.error(*place)}
    unread |= {(unknown.site, unknown.kind) for unknown in drafted.decided.unknown}
    existing = replace(
        existing,
        addresses=existing.addresses | {*map(str, drafted.matches.formers)},
        unread=frozenset(unread),
        occupied=_delivered_to(inputs.entries, inputs.kinds) if consent.allow_delete else frozenset(),
    )
    return [*no_such_object(options, existing), *matching_nothing(options, existing)]


def _delivered_to(entries: Iterable[Entry], kinds: Mapping[str, Kind]) -> frozenset[str]:
    """The addresses that values are delivered to, whether or not the document has them."""
    delivering = ((delivers_of(kinds[entry.address.kind], entry.values), entry) for entry in entries)
    return frozenset(
        str(destination(delivers, entry.values).target.target) for delivers, entry in delivering if delivers is not None
    )


def no_such_object(options: PlanOptions, existing: Known) -> Iterator[Finding]:
    """VP303 for an address with an id (`ADDRESS#ID`) that no former object has: it is mistyped, or the object is gone, and the option
    would have no effect. Not reported if the kind could not be read on that site."""
    mistyped = [(option, text) for option, text in _named(options, existing) if _with_an_id(option, text, existing)]
    for option, text in mistyped[:_SHOWN]:
        site, kind, _ = Address.parse(text)
        if (site, kind) not in existing.unread:
            yield error("VP303", f"{option} {text}: no former object has that id", fix=_former_hint(text, existing))


def _with_an_id(option: str, text: str, existing: Known) -> bool:
    """Whether the text names one former object on a planned site."""
    parts = text.split("/", 2)
    has_id = len(parts) == 3 and all(parts) and SEPARATOR in parts[2] and not is_pattern(text)
    return has_id and option in _BY_ADDRESS and parts[0] not in existing.elsewhere


def _former_hint(text: str, existing: Known) -> str:
    of = text.partition(SEPARATOR)[0]
    others = sorted(address for address in existing.addresses if address.startswith(f"{of}{SEPARATOR}"))
    if others:
        return f"{of} has: {some(others)}"
    if of in existing.addresses:
        return f"{of} has no former object now"
    return nearest_address(text, existing.addresses) or "an address is site/kind/name"


def matching_nothing(options: PlanOptions, existing: Known) -> Iterator[Finding]:
    """VP303 for each address of this run that matches nothing, or VP317, a warning, if that may be intended.

    A command may be run twice, so an address that the ledger once had is not reported. A pattern may match nothing, a site may
    not be planned in this run, and approvals files are shared by runs.
    """
    by_intent: dict[bool, list[tuple[str, str]]] = {False: [], True: []}
    for option, text in _named(options, existing):
        if not _with_an_id(option, text, existing):
            by_intent[_may_be_meant(option, text, options, existing)].append((option, text))
    for is_meant, of_it in by_intent.items():
        code, severity = ("VP317", Severity.WARNING) if is_meant else ("VP303", Severity.ERROR)
        for option, text in of_it[:_SHOWN]:
            yield Finding(code, severity, f"{option} {word(text)} matches nothing here", _hint(option, text, existing))
        if len(of_it) > _SHOWN:
            yield Finding(code, severity, f"{len(of_it) - _SHOWN} more consents and approvals match nothing here")


def _may_be_meant(option: str, text: str, options: PlanOptions, existing: Known) -> bool:
    """Whether an address that matches nothing may be intended: an approval, an address on a site that is not planned, or a pattern
    whose site and kind exist. Never for `--target` if no target matches anything, because nothing would be planned."""
    if option == _APPROVAL:
        return True
    if option == "--target" and not any(_known(target, existing) for target in options.targets):
        return False
    site, _, rest = text.partition("/")
    kind, _, name = rest.partition("/")
    if site in existing.elsewhere:
        return True
    sites = {address.partition("/")[0] for address in existing.addresses} | existing.begun
    return (
        is_pattern(text)
        and bool(name)
        and (is_pattern(site) or site in sites)
        and (is_pattern(kind) or kind in existing.kinds)
    )


def _named(options: PlanOptions, existing: Known) -> Iterator[tuple[str, str]]:
    """The named addresses that match nothing, each with its option."""
    consent = options.consent
    for option, texts in (
        ("--allow-delete", consent.allow_delete),
        ("--allow-narrow", consent.allow_narrow),
        ("--believe-gone", consent.believe_gone),
    ):
        for text in dict.fromkeys(texts):
            more = {*existing.whole, *existing.occupied} if option == "--allow-delete" else set()
            if not _known(text, existing, more):
                yield option, text
    for text in dict.fromkeys(options.targets):
        if not _known(text, existing):
            yield "--target", text
    for text in dict.fromkeys(options.keep_drift):
        if not _known(text, existing) and not names_a_field(text, existing.addresses | existing.gone):
            yield "--keep-drift", text
    for text in dict.fromkeys(approval.address for approval in consent.approvals):
        elsewhere = text.split("/", 1)[0] in existing.elsewhere
        made_of_parts = text in existing.parts or text in existing.whole
        if (
            text not in existing.addresses
            and not elsewhere
            and (made_of_parts or not _gone_already(Address.parse(text), existing))
        ):
            yield _APPROVAL, text


def _known(text: str, existing: Known, more: Set[str] = frozenset()) -> bool:
    """Whether the text matches an object or composite entry, or one that the ledger had until it was deleted."""
    return any(matches_one(text, names) for names in (existing.addresses, existing.parts.keys(), more, existing.gone))


def _gone_already(address: Address, existing: Known) -> bool:
    """Whether an approval was probably used already: its site has an earlier apply, and no object that is to go has a similar name.

    A misspelt approval does not pass: the object it was meant for is still to go, and its name is similar.
    """
    if str(address) in existing.gone:
        return True
    if address.site not in existing.begun or address.kind not in existing.kinds:
        return False
    return not nearest(address.name, [other.name for other in existing.leaving if other[:2] == address[:2]])


def _hint(option: str, text: str, existing: Known) -> str:
    site = text.split("/", 1)[0]
    if site in existing.elsewhere:
        return f"{site} is not planned this time"
    if option == _APPROVAL and (text in existing.parts or text in existing.whole):
        such = f": {some(sorted(existing.parts[text]), 4)}" if existing.parts.get(text) else ""
        return f"an approval is for one object, not for an entry with several{such}; --approvals-template FILE writes what is needed"
    near = {*existing.addresses, *(existing.parts if option != _APPROVAL else ()), *existing.whole}
    nowhere = "not an object of this document: remove it, or pass the approvals file of this document"
    return nearest_address(text, near) or (nowhere if option == _APPROVAL else "an address is site/kind/name")
