"""`vastplan restore`: plans a restore (only reads), carries it out from its file, shows its progress, aborts it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

from pydantic import TypeAdapter, ValidationError

from vastplan.app.connect import connected
from vastplan.app.files.restore_plan import RESTORE_FILE
from vastplan.app.locks import locked_ledgers
from vastplan.app.moving.begun import found_to_go_on, found_to_take_back
from vastplan.app.operating.course import (
    all_parts,
    carried,
    heading,
    heard,
    paths_of,
    refuse_another,
    refuse_newcomers,
    refuse_second,
    shown,
    to_take_back,
)
from vastplan.app.operating.record import by_id, journal, of_kind
from vastplan.app.restoring.ends import Met, meet, snapshot_named
from vastplan.app.restoring.evidence import newer, of_path, of_snapshot
from vastplan.app.restoring.lines import lines_of
from vastplan.app.restoring.place import PLACE, Place, facts_of, place_begun, place_of
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import Operation, Phase
from vastplan.model.restore_plan import IN_PLACE, NEW, RestorePlan
from vastplan.model.site_ledger import SiteLedger, last_on
from vastplan.operations.clock import CLOCK, Clock
from vastplan.operations.ends import noted
from vastplan.operations.modes.restore.stages import amiss
from vastplan.operations.plan.pair import standing
from vastplan.operations.plan.steps import to_stop
from vastplan.operations.stages.run import Run, abort
from vastplan.schema.ports.snapshots import Snapshot
from vastplan.schema.types import KubernetesName, Name

RESTORE = "restore"
_OF_VIEW, _OF_VOLUME = TypeAdapter(Name), TypeAdapter(KubernetesName)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The requested restore. `name` and `directory` are those of the new volume; if empty, they follow from the old one."""

    address: Address
    snapshot: str
    mode: str = NEW
    name: str = ""
    directory: str = ""


def plan_restore(workspace: Workspace, wanted: Wanted, clock: Clock | None = None) -> RestorePlan:
    """Read the site and plan the restore. Raises `VastplanError` if it is not possible."""
    clock = clock or CLOCK
    place = place_of(workspace, wanted.address)
    name, directory = _new(place, wanted)
    parts = _parts(workspace, place)
    with connected(workspace.document, sites=(place.site,), writable=False) as providers:
        met = meet(workspace, providers, place, wanted.mode, directory, parts, clock)
        refuse_second(parts, met.subject)
        snapshot = snapshot_named(met.source, wanted.snapshot)
        _refuse(workspace, place, met, name, directory)
        now, users = clock.now(), met.users()
        evidence = of_snapshot(met.source, snapshot)
        if met.home is not None:
            evidence += newer(met.home.source, place, snapshot, now) + of_path(met.home.source, met.home, users)
        plan = RestorePlan(
            **heading(workspace, now),
            address=str(wanted.address),
            path=_path(place, wanted.mode),
            mode=wanted.mode,
            source=place.site,
            subject=met.subject,
            snapshot=asdict(snapshot),
            name=name,
            directory=directory,
            lines=lines_of(place, name, directory) if name else "",
            loss=_loss(place, snapshot, wanted.mode),
            jobs=tuple(noted(work, job) for work, job in users),
            covers=_covers(workspace, place, wanted.mode, directory),
            stages=tuple(shown(stage) for stage in met.stages),
            evidence=evidence,
            by_hand=_by_hand(place, wanted.mode),
        )
        return RESTORE_FILE.sealed(plan)


def run_restore(
    workspace: Workspace,
    plan: RestorePlan,
    tell: Callable[[str], None],
    again: str,
    clock: Clock | None = None,
    consent: Mapping[str, object] | None = None,
) -> Operation:
    """Carry out the restore, or continue one that has begun. `consent` are the consents given now, `again` the command to go on.

    The file only identifies the restore that a person reviewed; the run follows the document and what it reads from the systems.
    Raises `Stopped`, `Stale`.
    """
    clock = clock or CLOCK
    refuse_another(workspace, plan)
    back = f"vastplan restore abort {paths_of(workspace)} {plan.id[:8]}"
    place = found_to_go_on(workspace, plan, lambda: place_of(workspace, Address.parse(plan.address)), again, back)
    with _opened(workspace, place, plan.mode, plan.directory, clock, again) as (met, parts, write):
        if met.subject != plan.subject or _path(place, plan.mode) != plan.path:
            raise Stale(f"{plan.path} has changed since the restore was planned; plan it again")
        known = last_on(parts, plan.subject)
        run = _run(workspace, met, write, tell, clock, again, back)
        return carried(
            workspace, plan, known, parts, run,
            record=lambda: _record(workspace, plan, place, met, known, clock, consent or {}),
            stages=lambda _: met.stages,
        )  # fmt: skip


def abort_restore(workspace: Workspace, id: str, tell: Callable[[str], None], clock: Clock | None = None) -> Operation:
    """Abort a restore and take back what it did. Raises `Stopped` past the point of no return."""
    clock = clock or CLOCK
    known = to_take_back(workspace, RESTORE, id)
    again = f"vastplan restore abort {paths_of(workspace)} {known.id}"
    place = _to_take_back(workspace, known, again)
    with _opened(workspace, place, known.mode, str(known.facts["directory"]), clock, again) as (met, parts, write):
        if met.subject != known.subject:
            raise Stale(f"{known.address} is not the object that is being restored")
        known = by_id(parts, RESTORE, known.id)
        if known.phase is Phase.ABORTED:
            return known
        return abort(known, met.stages, _run(workspace, met, write, tell, clock, again))


def restores(workspace: Workspace) -> tuple[Operation, ...]:
    """The last restore of each protected path and of each new directory, from the ledger. Reads no system."""
    return of_kind(all_parts(workspace), RESTORE)


def _to_take_back(workspace: Workspace, known: Operation, again: str) -> Place:
    """The place of a begun restore, from its record or else the document. Raises `VastplanError`, which says what to put back."""
    place = place_begun(known)
    if place is not None:
        return place
    return found_to_take_back(workspace, known, lambda: place_of(workspace, Address.parse(known.address)), again)


@contextmanager
def _opened(
    workspace: Workspace, place: Place, mode: str, directory: str, clock: Clock, again: str
) -> Iterator[tuple[Met, Mapping[str, SiteLedger], Callable[[Operation], None]]]:
    with (
        locked_ledgers(workspace, (place.site,)) as ledgers,
        connected(workspace.document, sites=(place.site,), writable=True) as providers,
    ):
        parts = ledgers.parts()
        with heard(str(place.address), again):
            met = meet(workspace, providers, place, mode, directory, parts, clock)
        yield met, parts, journal(ledgers)


def _run(
    workspace: Workspace, met: Met, write: Callable[[Operation], None], tell: Callable[[str], None], clock: Clock,
    again: str, back: str = "",
) -> Run:  # fmt: skip
    standing = met.clone.standing if met.home is None else met.home.standing
    return Run(clock, write, tell, standing, again, back)


def _record(
    workspace: Workspace, plan: RestorePlan, place: Place, met: Met, last: Operation | None, clock: Clock,
    consent: Mapping[str, object],
) -> Operation:  # fmt: skip
    """The operation to record, from the present state. Raises `Stale` if that differs from the plan."""
    snapshot = snapshot_named(met.source, str(plan.snapshot.get("name")))
    if snapshot.guid != plan.snapshot.get("guid"):
        raise Stale(
            f"{plan.path}: {inert(snapshot.name, 200)} is another snapshot than when the restore was planned; plan it again"
        )
    users = met.users()
    refuse_newcomers(plan, users)
    return Operation(
        id=plan.id[:8],
        kind=RESTORE,
        mode=plan.mode,
        subject=met.subject,
        address=str(place.address),
        source=place.site,
        target=place.site,
        document=plan.digest,
        began=clock.now().isoformat(timespec="seconds"),
        term=1 if last is None else last.term + 1,
        covers=_covers(workspace, place, plan.mode, plan.directory),
        consent={**consent, "plan": plan.id},
        facts={
            "jobs": [noted(work, job) for work, job in users], "snapshot": asdict(snapshot), "directory": plan.directory,
            PLACE: facts_of(place),
        },
    )  # fmt: skip


def _new(place: Place, wanted: Wanted) -> tuple[str, str]:
    """Name and directory of the new volume (by default beside the old one); empty for a restore in place. Raises `VastplanError`."""
    if wanted.mode == IN_PLACE:
        return "", ""
    name = wanted.name or f"{place.address.name}-restored"
    key = _OF_VOLUME if place.written is not None else _OF_VIEW
    try:
        key.validate_python(name)
    except ValidationError:
        said = " in Kubernetes: lowercase letters and digits, with - and . between them" if key is _OF_VOLUME else ""
        raise VastplanError(f"{inert(name, 80)} is not a valid name{said} (choose another: --as NAME)") from None
    directory = wanted.directory.rstrip("/") if wanted.directory else f"{place.directory.rpartition('/')[0]}/{name}"
    plain = (
        directory.startswith("/") and {"", ".", ".."}.isdisjoint(directory.split("/")[1:]) and directory.isprintable()
    )
    if not plain or f"{directory}/".startswith(f"{place.directory}/"):
        raise VastplanError(
            f"{inert(wanted.directory or directory, 200)} is not a directory beside {place.directory} (choose another: --directory DIR)"
        )
    return name, directory


def _refuse(workspace: Workspace, place: Place, met: Met, name: str, directory: str) -> None:
    if met.home is not None:
        problem = amiss(met.home.source)
    else:
        kind = "view" if place.written is None else "volume"
        known = {one.address.name for one in workspace.document.entries if one.address.kind == kind}
        there = f"the document already has a {kind} {name} (choose another name: --as NAME)" if name in known else ""
        problem = there or _inside(workspace, place, directory) or met.source.taken(directory)
    if problem:
        raise VastplanError(f"{place.address} cannot be restored: {inert(problem, 600)}")


def _inside(workspace: Workspace, place: Place, directory: str) -> str:
    """Says which directory of the document contains the new one, whose replication, quota or protection would include it; "" for none."""
    tenant = place.entry.values.get("tenant")
    for one in workspace.entries()[0]:
        here = one.address.site == place.site and one.values.get("tenant") == tenant
        theirs = str(one.values.get("source_dir" if one.address.kind == "protected_path" else "path") or "").rstrip("/")
        if one.address.kind == "protected_path" and one.values.get("remote_tenant") == tenant:
            here, theirs = True, str(one.values.get("target_exported_dir")).rstrip("/")
        whole = one.address.kind == "protected_path" or (one.address.kind == "view" and one.origin)
        if here and whole and theirs not in ("", directory) and f"{directory}/".startswith(f"{theirs}/"):
            return f"{directory} lies in {theirs} of {one.origin or one.address} (choose another directory: --directory DIR)"
    return ""


def _covers(workspace: Workspace, place: Place, mode: str, directory: str) -> tuple[str, ...]:
    """In place: the addresses on the directory; otherwise those that the document already has at the new directory."""
    if mode == IN_PLACE:
        return place.covers
    return tuple(sorted(set(standing(workspace.entries()[0], place.site, directory))))


def _path(place: Place, mode: str) -> str:
    return str(place.path.address) if mode == IN_PLACE and place.path is not None else str(place.address)


def _parts(workspace: Workspace, place: Place) -> dict[str, SiteLedger]:
    with workspace.ledger() as backend:
        return {place.site: backend.read(place.site)}


def _loss(place: Place, snapshot: Snapshot, mode: str) -> str:
    if mode != IN_PLACE:
        return "nothing: the snapshot is copied, and the current data stays"
    return (
        f"all that was written to {place.directory} since {snapshot.created} ({snapshot.name}); a snapshot that is taken first keeps it "
        "for a week"
    )


def _by_hand(place: Place, mode: str) -> tuple[str, ...]:
    if mode != IN_PLACE:
        return ("write the lines into the document; the next apply creates view, quota and claim at the directory",)
    return (
        f"before the restore, {to_stop(place.site)}",
        "clients with open files in it have to reopen them or mount it again",
    )
