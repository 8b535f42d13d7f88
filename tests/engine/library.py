"""A vendor that does not exist, in memory: a library. What the engine is without HTTP, VAST, Kubernetes and Run:ai.

Shelves hold books, books are copied into catalogues; a reading is made later than it answers. Its `Library` can be told
to fail, which the simulators could too, but not in a microsecond.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

from vastplan.engine.applying.apply import apply_actions
from vastplan.engine.applying.apply_context import ApplyContext
from vastplan.engine.deciding.ignore import IgnoreRule
from vastplan.engine.deciding.plan import PlanInputs, build, collections_to_read
from vastplan.engine.live.consent import Consent
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.read import observe
from vastplan.engine.live.renames import moves_of
from vastplan.engine.matching.match import match
from vastplan.ledger import events
from vastplan.model.address import Address
from vastplan.model.outcome import Receipt
from vastplan.model.plan import Action, Plan
from vastplan.model.site_ledger import Owned, RefusedChange, SiteLedger
from vastplan.model.value import Ref, SecretSource, from_json
from vastplan.schema.endpoint import Endpoint
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Row
from vastplan.schema.live import Attribute, Metric, States
from vastplan.schema.markers import AFTER_CREATE, IDENTITY, IMMUTABLE, SENSITIVE, SET, Clears, Refers, Wire
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec

SITE = "iad"


class Shelf(Spec):
    """What books stand on."""

    name: Annotated[Name, IDENTITY]
    size: Annotated[int | None | MISSING, Clears(0)] = MISSING
    height: Annotated[int | MISSING, IMMUTABLE] = MISSING
    open: bool | MISSING = MISSING
    sign: Annotated[str | MISSING, AFTER_CREATE] = MISSING
    labels: dict[str, str] | MISSING = MISSING


class Book(Spec):
    """Stands on a shelf; with other pages it is another book."""

    title: Annotated[Name, IDENTITY]
    shelf: Annotated[ReferenceName, Refers("shelf"), Wire("shelf_id"), IDENTITY]
    pages: Annotated[int | MISSING, IMMUTABLE] = MISSING
    lock: Annotated[str | SecretSource | MISSING, SENSITIVE] = MISSING


class Catalogue(Spec):
    """Lists books by id, and may name a shelf."""

    name: Annotated[Name, IDENTITY]
    books: Annotated[list[ReferenceName] | MISSING, SET, Refers("book"), Wire("book_ids")] = MISSING
    shelf: Annotated[ReferenceName | None | MISSING, Refers("shelf.name", blocks_delete=False)] = MISSING
    guards: Annotated[ReferenceName | MISSING, Refers("shelf.name", blocks_delete=False, shields=True)] = MISSING
    needs: Annotated[ReferenceName | None | MISSING, Refers("shelf.name", blocks_delete=False, needs=True)] = MISSING


class Reading(Spec):
    """Is announced at once and takes place later."""

    name: Annotated[Name, IDENTITY]


_NAMED = (Attribute("name", ("title",)),)
KINDS: dict[str, Kind] = {
    one.name: one
    for one in (
        Kind(Shelf, name="shelf", system="library", section="shelves", endpoint=Endpoint("shelves"),
             metrics=(Metric("books", ("books",)),), in_use=("books",), floors=(("size", "books"),)),
        Kind(Book, name="book", system="library", section="books", endpoint=Endpoint("books"), attributes=_NAMED),
        Kind(Catalogue, name="catalogue", system="library", section="catalogues", endpoint=Endpoint("catalogues"),
             states=States(("state",), frozenset({None}), leaving=frozenset({"ending"}), awaited=False)),
        Kind(Reading, name="reading", system="library", section="readings",
             endpoint=Endpoint("readings", vanishes_later=True),
             states=States(("state",), frozenset({"held"}), failed=frozenset({"cancelled"}), ailing=frozenset({"postponed"}),
                           leaving=frozenset({"ending"}), message=("why",))),
    )
}  # fmt: skip


class Library:
    """A provider whose system is a dictionary. `before` is called with every verb and kind, and may raise."""

    system, writable = "library", True

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Row]] = {name: {} for name in KINDS}
        self.said: list[tuple[str, str]] = []
        self.before: Callable[[str, Kind], None] = lambda verb, kind: None
        self.after: Callable[[str, Kind], None] = lambda verb, kind: None
        self._next = 0
        self._lock = threading.Lock()

    def put(self, kind: str, **row: Any) -> Row:
        """Something that is there, made by hand."""
        self._next += 1
        made = {"id": f"n{self._next}", **({"books": 0} if kind == "shelf" else {}), **row}
        self.rows[kind][made["id"]] = made
        return made

    def named(self, kind: str, name: str) -> Row:
        """The one row of a name; `StopIteration` when there is none."""
        return next(row for row in self.rows[kind].values() if name in (row.get("name"), row.get("title")))

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """All rows in one page."""
        self._say("list", kind)
        yield copy.deepcopy(list(self.rows[kind.name].values()))

    def read(self, kind: Kind, locator: str) -> Row | None:
        """One row."""
        self._say("read", kind)
        return copy.deepcopy(self.rows[kind.name].get(locator))

    def create(self, kind: Kind, body: Row) -> Row:
        """A new row."""
        self._say("create", kind)
        with self._lock:
            made = self.put(kind.name, **copy.deepcopy(body))
        self.after("create", kind)
        return copy.deepcopy(made)

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """Other values."""
        self._say("update", kind)
        self.rows[kind.name][locator].update(copy.deepcopy(body))
        self.after("update", kind)

    def delete(self, kind: Kind, locator: str, fresh: Row) -> None:
        """Gone."""
        self._say("delete", kind)
        self.rows[kind.name].pop(locator, None)
        self.after("delete", kind)

    def _say(self, verb: str, kind: Kind) -> None:
        self.said.append((verb, kind.name))
        self.before(verb, kind)

    def locator(self, kind: Kind, row: Row) -> str:
        """The id."""
        return str(row["id"])

    def writers(self, row: Row) -> tuple[str, ...]:
        """Nobody else."""
        return ()

    def close(self) -> None:
        """Nothing."""

    def describe(self) -> str:
        """An address."""
        return "library.example.com"


def at(kind: str, name: str, site: str = SITE) -> Address:
    """An address on the site."""
    return Address(site, kind, name)


def ref(kind: str, name: str, *, managed: bool = True) -> Ref:
    """A reference on the site."""
    return Ref(at(kind, name), managed)


def entry(kind: str, name: str, /, **values: Any) -> Entry:
    """An entry; its identity is its name unless it says otherwise."""
    first = KINDS[kind].identity[0]
    extra = {key: values.pop(key) for key in ("after", "renamed_from", "origin") if key in values}
    return Entry(at(kind, name), {first: name, **values}, **extra)


class Bench:
    """One document, one ledger and one library, from plan to plan."""

    def __init__(self) -> None:
        self.library = Library()
        self.providers: dict[tuple[str, str], Any] = {(SITE, "library"): self.library}
        self.book = events.Reducer(replace(events.new_part("doc", SITE), key="00" * 32))
        self.consent = Consent(allow_delete=("*",))
        self.secrets: dict[str, str] = {}
        self.ignore: tuple[IgnoreRule, ...] = ()
        self.held: frozenset[str] = frozenset()
        self.lost: Callable[[str, str], None] = lambda what, address: None
        """Called with every note for the ledger; may raise."""

    @property
    def part(self) -> SiteLedger:
        """The ledger as it is."""
        return self.book.part()

    def part_by_address(self) -> dict[Address, Owned]:
        """What is owned, by address."""
        return {Address.parse(text): one for text, one in self.part.entries.items()}

    def plan(self, *entries: Entry, targets: tuple[str, ...] = ()) -> Plan:
        """The plan of a document."""
        return self._build(entries, targets)[0]

    def _build(self, entries: tuple[Entry, ...], targets: tuple[str, ...]) -> tuple[Plan, Matches]:
        ledger = {SITE: self.part}
        places = collections_to_read(KINDS, entries, ledger, {SITE: frozenset({"library"})})
        observed = observe([(site, KINDS[name]) for site, name in sorted(places)], self.providers, ledger)
        return build(
            PlanInputs(
                document="doc", digest="0", source="doc.yaml", kinds=KINDS, entries=entries, observed=observed,
                ledger=ledger, endpoints={}, consent=self.consent, reveal=self.reveal, now=self.now(), targets=targets,
                ignore=self.ignore, held=self.held,
            )
        )  # fmt: skip

    def reveal(self, secret: SecretSource) -> str:
        """A secret's value; `KeyError` for one that nobody knows."""
        return self.secrets[secret.source[1]]

    def now(self) -> datetime:
        """A day."""
        return datetime(2026, 1, 2, tzinfo=UTC)

    def apply(self, plan: Plan, *, stop: threading.Event | None = None, parallel: int = 1) -> Receipt:
        """Carry it out, by default one operation at a time."""
        entries = {
            action.address: Entry(
                action.address, from_json(dict(action.desired)), renamed_from=action.renamed_from.rpartition("/")[2]
            )
            for action in plan.actions
            if action.desired
        }
        ledger = {SITE: self.part}
        places = collections_to_read(KINDS, entries.values(), ledger, {SITE: frozenset({"library"})})
        observed = observe([(site, KINDS[name]) for site, name in sorted(places)], self.providers, ledger)
        run = ApplyContext(
            kinds=KINDS, providers=self.providers, journals={SITE: self}, ledger=ledger,
            matches=match(KINDS, observed, ledger, entries), reveal=self.reveal, now=self.now,
        )  # fmt: skip
        moves = {str(old): str(new) for old, new in moves_of(plan.actions).items()}
        self.book.add(events.move_event(moves))
        return apply_actions(plan, run, parallel=parallel, progress=lambda *_: None, stop=stop or threading.Event())

    def done(self, *entries: Entry) -> Receipt:
        """Plan and apply; fails unless all of it was done."""
        receipt = self.apply(self.plan(*entries))
        assert {one.state.value for one in receipt.outcomes} <= {"done"}, receipt
        return receipt

    def owns(self, address: str, owned: Owned) -> None:
        """A note for the ledger."""
        self.lost("own", address)
        self.book.add(events.own_event(address, owned))

    def drops(self, address: str) -> None:
        """A note for the ledger."""
        self.lost("drop", address)
        self.book.add(events.drop_event(address))

    def settles(self, address: str) -> None:
        """A note for the ledger."""
        self.lost("settle", address)
        self.book.add(events.settle_event(address))

    def refuses(self, kind: Kind, field: str, why: str, at: str) -> None:
        """A note for the ledger."""
        self.book.add(events.refuse_event(f"{kind.name}.{field}", RefusedChange("1.0", at, why)))

    def accepts(self, kind: Kind, field: str) -> None:
        """A note for the ledger."""
        self.book.add(events.refuse_event(f"{kind.name}.{field}", None))


def action(plan: Plan, kind: str, name: str) -> Action:
    """The action of an address; fails when there is none."""
    found: Mapping[Address, Action] = {one.address: one for one in plan.actions}
    return found[at(kind, name)]
