"""Writes into the document at which site a replicated entry is active, after a move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from vastplan.app.drifting.edited_document import (
    Accepted,
    EditedDocument,
    Entries,
    TrialCopy,
    flat,
    on_trial,
    write_texts,
)
from vastplan.document.edit import Edit, edits
from vastplan.model.address import Address
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.finding import Where

ACTIVE = "active"


def accept_active(
    paths: Sequence[Path], connections: Path | None, sites: Mapping[Address, str], *, write: bool = True
) -> list[Accepted]:
    """Make the document say the active sites, by address: all of them or, raising `VastplanError`, none. Without `write` it only tries to.

    Returns those that were written: not those that it says already.
    """
    if not sites:
        return []
    accepted = []
    with on_trial(paths, connections) as (trial, draft):
        before = draft.texts
        for address, site in sites.items():
            edited, value = edit_active(trial, draft, address, site)
            accepted += [value] if edited is not draft else []
            draft = edited
    if write:
        write_texts(draft.texts, before)
    return accepted


def edit_active(
    trial: TrialCopy, draft: EditedDocument, address: Address, site: str
) -> tuple[EditedDocument, Accepted]:
    """The draft in which the entry at an address, or from which its object is composed, is active at the site; the same where it is
    already. Raises `VastplanError`."""
    named = draft.written.get(address) or draft.entries.get(address)
    where = None if named is None else named.where
    entry = next((one for one in draft.written.values() if one.where == where and ACTIVE in one.values), None)
    file = trial.file_of(where)
    if where is None or entry is None or file is None:
        raise VastplanError(f"--accept: {address} has no line `active` in the document")
    if entry.values[ACTIVE] == site:
        return draft, Accepted(str(address), ACTIVE, site, Where(str(file), where.line, where.column))
    problem = ""
    edit = Edit(entry.address.site, (ACTIVE,), entry.values[ACTIVE], site)
    for text, line in edits(draft.texts[file], where, edit):
        try:
            edited = trial.read({**draft.texts, file: text})
        except Invalid as invalid:
            problem = problem or f": {invalid}"
            continue
        if _changes_only(draft.written, edited.written, where, site):
            return edited, Accepted(str(address), ACTIVE, site, Where(str(file), line, 1))
    raise VastplanError(
        f"--accept: cannot make the document say active: {site} for {address}, at {file}:{where.line}, and all else as before; write it by hand{problem}"
    )


def _changes_only(before: Entries, after: Entries, where: Where, site: str) -> bool:
    """Whether only the entries of that place are active at another site, and that site is the wanted one."""
    active = (ACTIVE,)
    return before.keys() == after.keys() and all(
        flat(one) == flat(after[address])
        or (one.where == where and {**flat(one), active: site} == flat(after[address]))
        for address, one in before.items()
    )
