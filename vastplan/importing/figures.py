"""How many values of taken objects the document has, how many it leaves to system defaults, and how many are withheld or dropped. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from vastplan.importing.flatten import Flat, is_unset
from vastplan.model.import_result import ImportedValues
from vastplan.model.value import REDACTED
from vastplan.schema.markers import DefaultEvidence
from vastplan.schema.walk import leaves


def value_counts(flats: Iterable[Flat]) -> ImportedValues:
    """The counts over all these objects; unset values do not count."""
    written, withheld, fallen = 0, 0, 0
    confirmed: Counter[DefaultEvidence] = Counter()
    for flat in flats:
        gone = {left.path for left in flat.fallen}
        entry_values = flat.entry.values if flat.whole is None else flat.whole
        spoken = {leaf.path for leaf in leaves(flat.live.kind.fields, entry_values)}
        for leaf in leaves(flat.live.kind.fields, flat.full):
            if leaf.value is REDACTED or (leaf.path not in spoken and is_unset(leaf.field, leaf.value)):
                continue
            if leaf.path[0] in gone or ".".join(leaf.path[:2]) in gone:
                fallen += 1
            elif leaf.path in flat.known and leaf.path not in spoken:
                confirmed[flat.known[leaf.path]] += 1
            else:
                written += 1
        withheld += sum(
            1
            for field in flat.live.kind.fields
            if field.keys_of_others is None
            for _ in _redacted(flat.live.values.get(field.name))
        )
    unconfirmed = confirmed.pop(DefaultEvidence.WITNESS, 0)
    return ImportedValues(written, sum(confirmed.values()), unconfirmed, withheld, fallen)


def _redacted(value: Any) -> Iterator[None]:
    """Each value in here that is withheld."""
    if value is REDACTED:
        yield None
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _redacted(item)
