"""Arming for the loss of a whole site: what is armed, from the document and the ledger, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable

from vastplan.model.address import Address
from vastplan.model.arming import Arming
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import ARM
from vastplan.model.operation import Operation, Phase
from vastplan.model.site_ledger import latest_operations
from vastplan.operations.modes.arm import NOT_KEPT, WORKLOADS, lapsed
from vastplan.operations.modes.group.pairs import to_arm, whole_of
from vastplan.operations.modes.group.stages import jobs_together
from vastplan.operations.plan.claims import claims_by_directory
from vastplan.operations.plan.gpus import shortage
from vastplan.operations.plan.owned import guid_of
from vastplan.operations.plan.pair import movable
from vastplan.operations.subject import Parts
from vastplan.schema.entries import Entry
from vastplan.schema.ports.workloads import Jobs


def all_to_arm(entries: tuple[Entry, ...], parts: Parts, site: str, to: str) -> dict[Address, str]:
    """What to arm so that all that moves from a site goes on at another: the projects that move as a whole, and all other paths; each
    with why what was armed before no longer counts, "" if it does or nothing was.

    Raises `VastplanError` if nothing moves.
    """
    claims, found = claims_by_directory(entries), dict[Address, str]()
    last, here = {one.subject: one for one in latest_operations(parts)}, dict[Address, tuple[Entry, str]]()
    for path in entries:
        if path.address.kind != "protected_path" or movable(path).keys() != {site, to}:
            continue
        guid = guid_of(parts, path.address, (site, to))
        last_move, arming, source = last.get(guid), last.get(f"{ARM} {guid}"), path.address.site
        if last_move is not None:
            source = last_move.target if last_move.phase is Phase.DONE else last_move.source
        if source == site:
            here[path.address] = path, "" if arming is None else lapsed(arming, source, last_move)
    for path, why in here.values():
        projects = {claim.project for claim in claims.get((site, movable(path)[site]), ())}
        address = to_arm(entries, path.address, projects, to)
        if address != path.address and not here.keys() >= {*whole_of(entries, address, to).moving}:
            address = path.address  # another path of the project has its source elsewhere
        found[address] = found.get(address) or why
    if not found:
        raise VastplanError(
            f"{inert(site, 80)}: no path of this document has its source there and its destination at {inert(to, 80)}, so there is "
            "nothing to arm"
        )
    return found


def arming_of(address: Address, to: str, records: Iterable[Operation], target: Jobs | None, why: str) -> Arming:
    """What was armed, by the records of its paths; `why` is why what was armed before no longer counts."""
    kept, not_kept = [], dict[str, str]()
    for record in records:
        kept.append(tuple(record.facts[WORKLOADS].values()))
        not_kept |= {key: f"{one['name']}: {one['why']}" for key, one in record.facts[NOT_KEPT].items()}
    jobs = jobs_together(kept)
    return Arming(
        address=str(address),
        target=to,
        kept=len(jobs),
        unsubmitted=tuple(str(fact["name"]) for fact in jobs if not fact["to_claim"]),
        not_kept=tuple(not_kept.values()),
        gpus=shortage(jobs, target),
        lapsed=why,
    )
