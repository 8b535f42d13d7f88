"""Live objects of a user besides those in the ledger: keys that vastplan does not rotate and that give the same access. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vastplan.engine.live.diff import digests
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.live.owners import Owners
from vastplan.engine.values.formers import entry_identity, made_by_creates_cut_off, objects_by_identity
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.site_ledger import SiteLedger
from vastplan.model.wording import counted
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class UnownedObjects:
    """Live objects that the ledger does not own, with the same user as an entry."""

    entry: Entry
    objects: tuple[Live, ...]


def unowned_objects(
    matches: Matches, ledger: Mapping[str, SiteLedger], entries: Iterable[Entry]
) -> tuple[UnownedObjects, ...]:
    """Such objects of all entries whose kind is `remade`, where several objects of one user may exist that differ only by id.

    Entries for the same user get one result, with the first of them.
    """
    remade = [entry for entry in entries if matches.kinds[entry.address.kind].distinct_by_id]
    made = made_by_creates_cut_off(matches, ledger) if remade else frozenset()  # VP335 reports these
    existing = {
        (site, name): objects_by_identity(matches, site, matches.kinds[name], ledger[site].key)
        for site, name in {entry.address[:2] for entry in remade}
    }
    by_user: dict[tuple[str, str, tuple[str, ...]], UnownedObjects] = {}
    for entry in sorted(remade, key=lambda entry: entry.address):
        site, name, _ = entry.address
        kind = matches.kinds[name]
        whose = entry_identity(kind, digests(kind, entry.values, ledger[site].key))
        objects = [live for live in existing[site, name].get(whose, ()) if matches.address_of(live) is None]
        objects = [live for live in objects if (site, name, live.id) not in made]
        if objects:
            by_user.setdefault((site, name, whose), UnownedObjects(entry, (*objects,)))
    return (*by_user.values(),)


def more_than_known(groups: Iterable[UnownedObjects], owners: Owners) -> Iterator[Finding]:
    """VP337, a note: the user, and how many live objects of that user no document is known to own."""
    for group in groups:
        strangers = [live for live in group.objects if not owners.of(live)]
        if strangers:
            kind = strangers[0].kind
            whose = ", ".join(f"{name} {inert(group.entry.values.get(name), 80)}" for name in kind.identity)
            text = f"{whose}: {counted(len(strangers), kind.name)} more than the ledger has; vastplan neither rotates nor removes what it does not own"
            fix = "vastplan drift lists them; delete those that nobody uses"
            yield Finding("VP337", Severity.NOTE, text, fix, str(group.entry.address), group.entry.where)
