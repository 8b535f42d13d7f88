"""What a verdict is; and whether an object that exists is updated, replaced, adopted, only recorded in the ledger, or left as it is."""

from __future__ import annotations

from collections.abc import Sequence

from vastplan.engine.live.diff import Difference, moved_by
from vastplan.engine.live.matches import Match
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding
from vastplan.model.plan import Action, Verb

INTERRUPTED, RUNNING = "an interrupted apply", "the apply that holds the ledger"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result for one address: an action, in sync, or why neither can be determined."""

    action: Action | None = None
    unknown: str = ""
    compared: bool = True
    findings: Sequence[Finding] = ()


def verb_of(
    difference: Difference,
    match: Match,
    *,
    recovered: bool,
    noted: bool,
    renamed_from: str,
    imported: bool,
    resourced: str = "",
    writer: str = INTERRUPTED,
    refused: str = "",
) -> tuple[Verb, str, tuple[str, ...]] | None:
    """What to do about an object that exists: verb, reason, and the released fields; `None` for nothing.

    `writer` is the apply that has not recorded its write, `recovered` says that it created it, `noted` that the ledger has recorded all that such an apply did,
    `resourced` which secrets have the same values from other sources, `refused` what the system answered to a change in place.
    """
    fixed = [change.path for change in difference.changes if change.replaces]
    if match.owned is None and not recovered:
        return Verb.ADOPT, "it exists and is not in the ledger", difference.released
    if fixed:
        return Verb.REPLACE, f"{', '.join(fixed)} cannot be changed in place{refused}", difference.released
    if difference.changes:
        return Verb.UPDATE, moved_by(difference.changes), difference.released
    # From here on the object is as the document says, and only the ledger has to be updated.
    if recovered:
        return Verb.RELEASE, f"created by {writer}; added to the ledger", difference.released
    if not noted:
        return Verb.RELEASE, f"done by {writer}; recorded in the ledger", ()
    if renamed_from:
        name = Address.parse(renamed_from).name
        return Verb.RELEASE, f"renamed from {name}; the live object does not change", difference.released
    if imported:
        return Verb.RELEASE, "imported from another ledger; recorded as it is", difference.released
    if resourced:
        return Verb.RELEASE, f"the same secret from another source: {resourced}; recorded", difference.released
    if difference.released:
        return (
            Verb.RELEASE,
            "it stays managed, without fields that the document no longer has: these keep their values",
            difference.released,
        )
    if difference.unrecorded:
        fields = ", ".join(difference.unrecorded)
        return Verb.RELEASE, f"{fields}: the document now has the value of the system; recorded in the ledger", ()
    return None
