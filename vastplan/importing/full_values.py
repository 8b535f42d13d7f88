"""The stage that writes every readable value of the kinds that `--full` selects. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vastplan.importing.flatten import Flat
from vastplan.importing.recover import Written
from vastplan.model.address import Address


def full_entries(written: Sequence[Written], of_address: Mapping[Address, Flat]) -> list[Written]:
    """The entries; those of `--full` objects have all their values. A value that recovery has put into another form keeps that form: it
    means the same."""
    return [_in_full(entry, of_address.get(entry.entry.address)) for entry in written]


def _in_full(written: Written, flat: Flat | None) -> Written:
    if flat is None or flat.whole is None:
        return written
    entry, alone = written.entry, flat.entry.values
    more = {
        name: value
        for name, value in flat.whole.items()
        if (name in entry.values) == (name in alone) and entry.values.get(name) == alone.get(name)
    }
    return replace(written, entry=entry.standing_for({**entry.values, **more}))
