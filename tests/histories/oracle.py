"""What must hold after every command, judged by what is live, by the ledgers' files, and by what people said they allow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from tests.histories.hands import Hands
from tests.histories.ledgers import Ownership
from tests.histories.look import Sight, still
from tests.histories.plant import Plant


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that was broken; `code` says which, the same for every history that breaks it."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """What a command was allowed, as it was typed."""

    adopt: bool = False
    delete: tuple[str, ...] = ()
    narrow: tuple[str, ...] = ()
    approvals: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    """Addresses of which the plan said what is in use: who approved these knew what goes with them."""
    renames: tuple[tuple[str, str], ...] = ()
    """What entries were called, and are called now: an address that was typed has the new name."""

    def called(self, addresses: Iterable[str]) -> list[str]:
        """The addresses as they are, and as they are now that entries have other names."""
        found = list(addresses)
        for former, name in self.renames:
            found += [re.sub(rf"(?<![a-z0-9]){re.escape(former)}(?![a-z0-9])", name, address) for address in found]
        return found

    def deletes(self, addresses: Iterable[str]) -> bool:
        """Whether deleting one of these is allowed."""
        return any(_matches(self.delete, address) or address in self.approvals for address in self.called(addresses))

    def narrows(self, addresses: Iterable[str]) -> bool:
        """Whether closing one of these is."""
        return any(_matches(self.narrow, address) for address in self.called(addresses))

    def approved(self, addresses: Iterable[str]) -> bool:
        """Whether the loss of one of these is approved."""
        return any(address in self.approvals for address in self.called(addresses))


def _matches(patterns: Iterable[str], address: str) -> bool:
    return any(fnmatchcase(address, pattern) for pattern in patterns)


@dataclass(slots=True)
class Moment:
    """How things are between two commands."""

    sight: Sight
    owners: Ownership
    limbo: set[str] = field(default_factory=set)


def judge(plant: Plant, before: Moment, after: Moment, said: Said, hands: Hands) -> Iterator[Violation]:
    """What a command did that it must not do."""
    yield from _one_owner(after)
    yield from _strangers(before, after, said, hands)
    yield from _gone(before, after, said, hands)
    yield from _access(plant, before, after, said)


def _one_owner(after: Moment) -> Iterator[Violation]:
    for key, addresses in after.owners.owners.items():
        if len(addresses) > 1:
            code = "two-documents" if len(after.owners.documents[key]) > 1 else "two-owners"
            yield Violation(
                code, f"{'/'.join(key)} {after.sight.names.get(key, '')} is owned by {' and by '.join(addresses)}"
            )


def _strangers(before: Moment, after: Moment, said: Said, hands: Hands) -> Iterator[Violation]:
    for key in sorted(hands.strangers & before.sight.rows.keys()):
        if key in after.owners.owners or key in before.owners.owners or key not in after.sight.rows:
            continue  # taken over; what is gone, `_gone` looks at
        if said.adopt and key in after.owners.begun:
            continue  # being taken over, by an apply that was cut off before it could say so
        was, now = before.sight.rows[key], after.sight.rows[key]
        if was != now and key[1] != "persistent_volume_claim":
            yield Violation("stranger-changed", f"{'/'.join(key)} {before.sight.names[key]}: {was} is now {now}")


def _gone(before: Moment, after: Moment, said: Said, hands: Hands) -> Iterator[Violation]:
    for key in sorted(before.sight.rows.keys() - after.sight.rows.keys()):
        name = f"{'/'.join(key)} {before.sight.names[key]}"
        if key in before.sight.leaving:
            continue  # whoever told it to go was judged then
        owner = before.sight.made_for.get(key)
        if owner is not None and owner not in after.sight.rows:
            continue  # it goes with what it was made for, which is looked at by itself
        addresses = before.owners.owners.get(key, [])
        space = before.sight.within.get(key)
        if space is not None and space not in after.sight.rows and said.approved(before.owners.owners.get(space, [])):
            if key in hands.strangers and not set(said.shown) & set(said.called(before.owners.owners[space])):
                yield Violation(
                    "taken-along",
                    f"{name} was a stranger's, and went with its namespace, of which the plan had shown no use",
                )
            continue
        if not addresses:
            if key[1] not in ("workload",) and not before.owners.intents:
                yield Violation("unowned-deleted", f"{name} is gone, and nobody owned it")
        elif not said.deletes(addresses):
            yield Violation("deleted-unasked", f"{name} ({addresses[0]}) is gone without --allow-delete")
        elif key in before.sight.holding and not said.approved(addresses) and key[1] not in ("persistent_volume",):
            yield Violation(
                "data-unapproved",
                f"{name} ({addresses[0]}) held {before.sight.holding[key]} and is gone without an approval",
            )


def _access(plant: Plant, before: Moment, after: Moment, said: Said) -> Iterator[Violation]:
    for name, fact in before.sight.facts.items():
        if still(plant, after.sight, name):
            continue
        addresses = list(fact.addresses)
        for address in fact.addresses:
            if address.startswith("view:"):
                _, site, view = address.split(":")
                addresses += before.owners.owners.get((site, "view", view), [])
        if said.narrows(addresses) or said.approved(addresses) or (not fact.data and said.deletes(addresses)):
            continue
        yield Violation(f"lost-{name[0].replace(' ', '-')}", f"{' '.join(name)}: was so, is not, and nobody was told")


def blames(actions: Iterable[Mapping[str, Any]], hands: Hands, excused: set[str]) -> Iterator[Violation]:
    """Changes that a plan says a hand made, and no hand did."""
    for action in actions:
        address = action["address"]
        site, kind, _ = address.split("/", 2)
        key = (site, kind, str(action.get("id", "")))
        if address in excused:
            continue
        if (
            action.get("deleted_outside")
            and key not in hands.gone
            and not any(one[:2] == key[:2] for one in hands.gone)
        ):
            yield Violation(f"false-deleted:{kind}", f"{address} is said to have been deleted by hand")
        fields = hands.touched.get(key, set())
        for change in action.get("changes", ()):
            if change["cause"] in ("system", "both") and not action.get("deleted_outside"):
                top = str(change["path"]).split(".")[0]
                if top not in fields and "*" not in fields:
                    yield Violation(
                        f"false-drift:{kind}.{top}",
                        f"{address} {change['path']}: said to be changed by hand ({change['cause']}): {change['before']} -> {change['after']}",
                    )
