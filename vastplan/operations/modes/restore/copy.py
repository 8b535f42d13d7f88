"""The restore into a copy: a new directory, which loses nothing, and the lines of its volume for the document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from vastplan.document.emit import EntryText, emit
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import Operation
from vastplan.model.units import BYTES, amount_text
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.operations.calls import snapshot as calls
from vastplan.operations.calls.copy import patience
from vastplan.operations.clock import Clock
from vastplan.operations.document import Document
from vastplan.operations.modes.restore.mode import RestoreMet
from vastplan.operations.modes.restore.place import Place
from vastplan.operations.plan.claims import objects_on
from vastplan.operations.plan.owned import owned_at
from vastplan.operations.sites import Sites
from vastplan.operations.stage import Call, Gate, Holds, Stage
from vastplan.operations.subject import Parts
from vastplan.operations.wanted import WantedRestore
from vastplan.schema.ports.snapshots import DirectorySnapshot, SnapshotStore
from vastplan.schema.types import KubernetesName, Name

CLONE = "clone"
_NAME_OF_VIEW, _NAME_OF_VOLUME = TypeAdapter(Name), TypeAdapter(KubernetesName)
_CARRIED = (
    "tenant", "project", "size", "access_modes", "view_policy", "vip_pool", "secret", "snapshots", "max_inodes", "mount_options",
    "qos_policy",
)  # fmt: skip
_OF_VIEW = ("tenant", "view_policy")
"""The fields that a copy takes over from its origin. Its mount point and bucket are its own, and whether to replicate it is a decision."""
_OWN = frozenset({"name", "names", "sites", "path", "mount", "create_dir"})
"""The fields of which a copy has values of its own."""
_BY_PATH = frozenset({"NFS", "NFS4"})
"""The protocols that need nothing but the directory: a copy takes these over."""


@dataclass(frozen=True, slots=True)
class CopyMet(RestoreMet):
    """A directory whose snapshot is copied to a new one."""

    def refuse(self) -> str:
        """Why the new directory or its name is not free, "" if both are."""
        name, directory = self.wanted.name, self.wanted.directory
        kind = "view" if self.place.written is None else "volume"
        names = {entry.address.name for entry in self.document.written if entry.address.kind == kind}
        conflict = f"the document already has a {kind} {name} (choose another name: --as NAME)" if name in names else ""
        return conflict or _inside(self.document, self.place, directory) or self.source.taken(directory)

    def loss(self, snapshot: DirectorySnapshot) -> str:
        """Nothing."""
        return "nothing: the snapshot is copied, and the current data stays"

    def manual_steps(self) -> tuple[str, ...]:
        """The steps that remain by hand."""
        text = "write the lines into the document; the next apply creates view, quota and claim at the directory"
        name, left_out = self.place.address.name, some(_left_out(self.place))
        lines = f"the lines have the settings of {name} as they are now, not those of the snapshot's time"
        return (text, f"{lines}; they leave out {left_out}: add what the copy needs" if left_out else lines)

    def covers(self) -> tuple[str, ...]:
        """The addresses that the document already has at the new directory."""
        return tuple(sorted(set(objects_on(self.document.objects(), self.place.site, self.wanted.directory))))

    def lines(self) -> str:
        """The YAML of the copy."""
        return lines_of(self.place, self.wanted.name, self.wanted.directory)

    def stages(self) -> tuple[Stage, ...]:
        """One: the copy."""
        return (clone(self.source, self.bound),)

    def standing(self, operation: Operation) -> str:
        """The state of the new directory."""
        return standing(self.source, operation)


def restored_copy(
    document: Document, sites: Sites, place: Place, wanted: WantedRestore, parts: Parts, clock: Clock
) -> CopyMet:
    """The directory of a place. Raises `VastplanError` if its site lacks it."""
    owned = None if place.tenant_address is None else owned_at(parts, place.tenant_address)
    tenant_id = place.tenant_id or ("" if owned is None else owned.id)
    source, tenant = sites.directory(place.site, place.tenant, place.directory, tenant_id)
    bound = patience(source.used())
    return CopyMet(document, place, wanted, clock, source, f"clone {tenant} {wanted.directory}", bound)


def standing(source: SnapshotStore, operation: Operation) -> str:
    """The state of the new directory of a restore."""
    copy = source.copy(calls.copy_name(operation))
    state = f"is {copy.state}, {copy.progress}" if copy else "does not exist"
    return f"{source.directory} is unchanged; the copy to {operation.facts['directory']} {state}"


def clone(source: SnapshotStore, bound: float) -> Stage:
    """The stage that copies the snapshot to a new directory."""

    def precondition(operation: Operation) -> str:
        problem = calls.gone(source, calls.snapshot_of(operation))
        return problem or source.taken(str(operation.facts["directory"]))

    def unfinished(operation: Operation) -> tuple[Call, ...]:
        copy = source.copy(calls.copy_name(operation))
        begun = (copy is not None and not copy.complete) or operation.of(f"undo {CLONE}")
        return (calls.stop_clone(source, operation),) if begun else ()

    def undone(operation: Operation) -> Gate:
        copy = source.copy(calls.copy_name(operation))
        if copy is None or copy.complete:
            return Gate(Holds.YES, facts={"left": str(operation.facts["directory"]) if copy else ""})
        return Gate(Holds.NOT_YET, f"the copy is {copy.state}")

    return Stage(
        CLONE,
        f"clone the snapshot at {source.site} to a directory that does not exist yet",
        "the clone is Completed",
        bound=bound,
        back="stop the clone if it is not complete; a complete one stays",
        precondition=precondition,
        calls=lambda operation: (calls.clone(source, operation),),
        gate=lambda operation: calls.complete(source, operation),
        rollback=unfinished,
        undone=undone,
    )


def named(place: Place, wanted: WantedRestore) -> WantedRestore:
    """With the name and the directory of the new volume, by default beside the old one. Raises `VastplanError`."""
    name = wanted.name or f"{place.address.name}-restored"
    key = _NAME_OF_VOLUME if place.written is not None else _NAME_OF_VIEW
    try:
        key.validate_python(name)
    except ValidationError:
        rules = (
            " in Kubernetes: lowercase letters and digits, with - and . between them" if key is _NAME_OF_VOLUME else ""
        )
        raise VastplanError(f"{inert(name, 80)} is not a valid name{rules} (choose another: --as NAME)") from None
    directory = wanted.directory.rstrip("/") if wanted.directory else f"{place.directory.rpartition('/')[0]}/{name}"
    plain = (
        directory.startswith("/") and {"", ".", ".."}.isdisjoint(directory.split("/")[1:]) and directory.isprintable()
    )
    if not plain or f"{directory}/".startswith(f"{place.directory}/"):
        raise VastplanError(
            f"{inert(wanted.directory or directory, 200)} is not a directory beside {place.directory} (choose another: --directory DIR)"
        )
    return replace(wanted, name=name, directory=directory)


def _inside(document: Document, place: Place, directory: str) -> str:
    """Says which directory of the document contains the new one, whose replication, quota or protection would include it; "" for none."""
    tenant = place.entry.values.get("tenant")
    for entry in document.objects():
        same_tenant = entry.address.site == place.site and entry.values.get("tenant") == tenant
        outer = str(entry.values.get("source_dir" if entry.address.kind == "protected_path" else "path") or "").rstrip(
            "/"
        )
        if entry.address.kind == "protected_path" and entry.values.get("remote_tenant") == tenant:
            same_tenant, outer = True, str(entry.values.get("target_exported_dir")).rstrip("/")
        whole = entry.address.kind == "protected_path" or (entry.address.kind == "view" and entry.origin)
        if same_tenant and whole and outer not in ("", directory) and f"{directory}/".startswith(f"{outer}/"):
            return f"{directory} lies in {outer} of {entry.origin or entry.address} (choose another directory: --directory DIR)"
    return ""


def lines_of(place: Place, name: str, directory: str) -> str:
    """The YAML of the copy: a volume if the origin is one, else a view."""
    found, carried = _origin(place)
    values = {field: _typed(found[field], field) for field in carried if field in found}
    values |= {"sites": [place.site], "path": directory}
    if place.written is not None and "mount" in found:
        values["mount"] = f"/{name}"
    section = "views" if place.written is None else "volumes"
    return emit([EntryText(section, name, values)], ()).text


def _origin(place: Place) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The values of what is restored, and the names of those that a copy takes over."""
    found: Mapping[str, Any] = place.entry.values if place.written is None else place.written.values
    carried = _OF_VIEW if place.written is None else _CARRIED
    return found, (*carried, "protocols") if _BY_PATH.issuperset(found.get("protocols", ())) else carried


def _left_out(place: Place) -> list[str]:
    """The names of the values that a copy does not take over, and has no others for."""
    found, carried = _origin(place)
    return sorted(found.keys() - _OWN - set(carried))


def _typed(value: Any, field: str) -> Any:
    if isinstance(value, Ref):
        return value.target.name if value.managed else {"existing": value.target.name}
    return (amount_text(value, BYTES) or value) if field == "size" else value
