"""Every field of every kind comes back with an import, or stands in `fields.yaml` with why it does not.

The entries of the case files are encoded as they would be sent, read as a live object, kept as a snapshot keeps it, and
flattened with everything that can be asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.document.test_typed import with_every_change
from tests.kinds.cases import Case, cases
from tests.lab import full_registry
from vastplan.app.redact import withheld_labels
from vastplan.document.load import Document
from vastplan.engine.live.names import Named
from vastplan.engine.live.observe import Observed
from vastplan.engine.live.read import observe
from vastplan.importing.addresses import Addresses
from vastplan.importing.flatten import Flat, flatten
from vastplan.importing.model import Degraded, Detail, object_key
from vastplan.importing.server_defaults import ServerDefaults
from vastplan.model.address import Address
from vastplan.model.value import REDACTED, Ref
from vastplan.schema.codec import Encoder, at, item_id
from vastplan.schema.composition import Scope, compose
from vastplan.schema.endpoint import Asked
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Row
from vastplan.schema.markers import Marker
from vastplan.schema.rows import put
from vastplan.schema.walk import leaves, redacted, same, value_at

REGISTRY = full_registry()
KINDS = REGISTRY.kinds
TABLE: dict[str, dict[str, str]] = yaml.safe_load((Path(__file__).parent / "fields.yaml").read_text(encoding="utf-8"))
NEVER_BACK = {
    Marker.DOCUMENT: "an instruction to vastplan, which no system holds",
    Marker.CREATE_ONLY: "an option of the act of creating",
    Marker.WRITE_ONLY: "no system shows it",
    Marker.SENSITIVE: "a secret",
}
EVERYTHING = Detail(full=("*",), labels=("*",))


class Rows:
    """The objects of a document as their systems would show them, with ids of their own, and those that it takes for granted."""

    def __init__(self, document: Document, unexpanded: Iterable[str]) -> None:
        scope = Scope(document.sites(), document.entries)
        made = compose(scope, document.entries, REGISTRY.without_compositions(*unexpanded).compositions, KINDS)
        self.entries = {entry.address: entry for entry in (*document.entries, *made)}
        self.ids = {address: str(1000 + place) for place, address in enumerate(self.entries)}
        self.by_address: dict[Address, Row] = {}
        for address, entry in self.entries.items():
            if address.kind in KINDS:
                kind, encoder = KINDS[address.kind], Encoder(address.site, self.resolve, lambda _: "revealed")
                self.by_address[address] = encoder.body(kind, dict(entry.values))
                put(self.by_address[address], kind.endpoint.id, self.ids[address])
                for each in kind.fields:
                    if each.shown_at and at(self.by_address[address], each.wire) is not None:
                        put(self.by_address[address], each.shown_at, self.by_address[address].pop(each.wire[0]))
                    if each.key_writes:  # what is sent as an id is shown with its name, too
                        items = at(self.by_address[address], each.wire) or ()
                        for item, key in zip(items, entry.values.get(each.name) or (), strict=True):
                            put(item, each.key, key)

    def resolve(self, ref: Ref, attribute: str) -> Any:
        """What another object is referred to by; one that the document does not have is there from then on."""
        address, kind = ref.target, KINDS[ref.target.kind]
        entry = self.entries.get(address)
        if entry is None and address not in self.by_address:
            self.ids[address] = str(1000 + len(self.ids))
            row: Row = {}
            self.by_address[address] = row
            put(row, kind.endpoint.id, self.ids[address])
            namespace, _, name = address.name.rpartition("/") if kind.endpoint.namespaced else ("", "", address.name)
            for each in kind.attributes:
                if each.name not in ("id", "path") and each.path:
                    put(row, each.path, name)
            if namespace:
                put(row, ("metadata", "namespace"), namespace)
        if attribute == "id":
            return self.ids[address]
        if entry is None:
            return address.name
        if attribute == "path" and kind.endpoint.namespaced:
            return f"{named(entry.values['namespace'])}/{entry.called}"
        known = next((each for each in kind.attributes if each.name == attribute), None)
        told = known.predicted(entry.values) if known is not None else None
        return told if told is not None else entry.called


class Recorded:
    """The rows of one system on one site."""

    writable = False

    def __init__(self, rows: Rows, site: str, system: str) -> None:
        self.system = system
        self.rows: dict[str, dict[Address, Row]] = {}
        for address, row in rows.by_address.items():
            if address.site == site and KINDS[address.kind].system == system:
                self.rows.setdefault(address.kind, {})[address] = row

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """No more of a row than its list shows."""
        listed = kind.endpoint.listed
        yield [
            {name: row[name] for name in row if not listed or name in listed}
            for row in self.rows.get(kind.name, {}).values()
        ]

    def read(self, kind: Kind, locator: str) -> Row | None:
        """What nobody lists, by its id."""
        return self.set_of(kind, locator) if isinstance(kind.endpoint.shape, Asked) else None

    def set_of(self, kind: Kind, locator: str) -> Row | None:
        """What nobody lists, by its id."""
        rows = self.rows.get(kind.name, {}).values()
        return next((row for row in rows if self.locator(kind, row) == locator), None)

    def had(self, kind: Kind, owner: str) -> list[Row]:
        """What nobody lists: all of it, whoever is asked about."""
        return [*self.rows.get(kind.name, {}).values()]

    def locator(self, kind: Kind, row: Row) -> str:
        """As the systems have it."""
        if self.system != "kubernetes":
            return item_id(kind.endpoint, row)
        name, namespace = at(row, ("metadata", "name")), at(row, ("metadata", "namespace"))
        return f"{namespace}/{name}" if kind.endpoint.namespaced else str(name)

    def writers(self, row: Row) -> tuple[str, ...]:
        """Nobody else."""
        return ()

    def describe(self) -> str:
        """Nowhere."""
        return self.system


def observed(rows: Rows, has: Mapping[str, list[str]]) -> Observed:
    """All objects of the sites, each with the systems that it `has`, without what no snapshot keeps."""
    wanted = [(site, kind) for site in has for kind in KINDS.values()]
    providers: Any = {
        (site, system): Recorded(rows, site, system) for site, systems in has.items() for system in systems
    }
    names = {
        (address.site, address.kind): Named(
            frozenset(rows.ids[one] for one in rows.by_address if (one.site, one.kind) == (address.site, address.kind))
        )
        for address in rows.by_address
    }
    found = observe(wanted, providers, names=names)
    for collection in found.collections.values():
        for live in collection.objects:
            kept, withheld = redacted(live.kind.fields, live.values, frozenset(withheld_labels(live, ("*",))))
            for path in withheld:
                put(kept, path, REDACTED)
            live.values = kept
    return found


def lost(case: Case, folder: Path) -> tuple[set[str], set[str]]:
    """The fields of a kind that come back from all entries of its case that have them, and those that do not from some."""
    document = with_every_change(case, folder)
    rows = Rows(document, case.get("unexpanded", []))
    there = observed(rows, {"iad": case.get("systems", []), **case.get("sites", {})})
    addresses = {(address.site, address.kind, rows.ids[address]): address for address in rows.entries}
    naming, defaults = Addresses(there, KINDS, addresses), ServerDefaults(there, {})
    back: set[str] = set()
    missing: set[str] = set()
    for site in there.sites(case.kind):
        for live in there.objects(site, case.kind):
            address = addresses.get(object_key(live))
            if address is None:
                continue
            flat = flatten(live, address, naming, defaults, Degraded(), EVERYTHING)
            values = (flat.whole or flat.entry.values) if isinstance(flat, Flat) else {}
            for path, leaf_field, value in said(live.kind, rows.entries[address].values):
                there_is = value_at(values, path)
                held = named(there_is) == named(value) or same(leaf_field, value, there_is)
                (back if held else missing).add(without_keys(live.kind, path))
    return back, missing


def named(value: Any) -> Any:
    """A reference by its name; anything else as it is."""
    return value.target.name.rpartition("/")[2] if isinstance(value, Ref) else value


def said(kind: Kind, values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Field, Any]]:
    """The leaves of an entry that say something."""
    for leaf in leaves(kind.fields, values):
        if leaf.value is not None and leaf.value != []:
            yield leaf.path, leaf.field, leaf.value


def without_keys(kind: Kind, path: tuple[str, ...]) -> str:
    """The path of a field, whatever the keys that a document chose on the way to it."""
    field = kind.field(path[0])
    return ".".join(path) if field.shape.name == "struct" else path[0]


CASES: dict[str, list[Case]] = {}
for _case in cases():
    CASES.setdefault(_case.kind, []).append(_case)


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_field_comes_back_or_has_a_reason(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    back: set[str] = set()
    missing: set[str] = set()
    for case in CASES[name]:
        for variable, value in case.get("environment", {}).items():
            monkeypatch.setenv(variable, value)
        came, did_not = lost(case, tmp_path)
        back |= came
        missing |= did_not
    fields = {field.name: field for field in KINDS[name].fields}
    by_marker = {field.name for field in fields.values() if field.markers & NEVER_BACK.keys()}
    told = TABLE.get(name, {})
    unexplained = {path for path in missing if path.split(".")[0] not in by_marker} - told.keys()
    assert unexplained == set(), "an import loses it: mend that, or say in fields.yaml why"
    assert told.keys() - missing == set(), "needs no reason"
    # A field that the case files give a reason for is written by a test of its own; one that is null by itself says nothing.
    reasons = {each for case in CASES[name] for each in (*case.get("fixed", {}), *case.get("ordinary", ()))}
    silent = {field.name for field in fields.values() if field.default is None}
    seen = {path.split(".")[0] for path in back | missing}
    assert fields.keys() - by_marker - seen - reasons - silent == set(), "no case has it"


def test_the_table_is_of_kinds_that_there_are() -> None:
    assert TABLE.keys() <= CASES.keys()
    assert {name for name, kind in KINDS.items() if kind.section} <= CASES.keys(), (
        "of every kind with a section there is a case"
    )
