"""The rights that VAST's CSI drivers need in VMS, as a role that grants these and nothing else.

They follow from the drivers' source, versions 2.4 to 2.7 (https://github.com/vast-data/vast-csi: `vast_csi/session/resources.py`,
`builders`, `plugins`): which collections they read, create, change and delete. The types are those of realms, in lower case; that a
type is spelled like its schema in the API document of VMS is an inference (`docs/unverified.md`, VMS-113). Versions, tasks and the
drivers' own reports need no right. `tests/sim/test_csi_rights.py` runs the simulated drivers with these rights, and with one less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

Verbs = frozenset[str]
_LOOK: Verbs = frozenset({"view"})
_ALL: Verbs = frozenset({"create", "view", "edit", "delete"})

FILE: Mapping[str, Verbs] = {
    "view": frozenset({"create", "view", "delete"}),
    "quota": _ALL,
    "snapshot": _ALL,  # a clone is an edit of the snapshot
    "globalsnapstream": frozenset({"view", "edit", "delete"}),
    "folder": frozenset({"delete"}),
    "viewpolicy": _LOOK,
    "qospolicy": _LOOK,
}
BLOCK: Mapping[str, Verbs] = {
    "volume": _ALL,
    "blockhost": frozenset({"create", "view"}),
    "blockhostvolume": frozenset({"view", "edit"}),
    "snapshot": _ALL,
    "globalsnapstream": frozenset({"view", "edit", "delete"}),
    "view": _LOOK,
    "qospolicy": _LOOK,
}
DRIVERS: Mapping[str, Mapping[str, Verbs]] = {"file": FILE, "block": BLOCK}


@dataclass(frozen=True, slots=True)
class RealmRights:
    """The object types of one realm, and the verbs that a role has for all of them."""

    verbs: tuple[str, ...]
    object_types: tuple[str, ...]

    @property
    def called(self) -> str:
        """The realm's verbs, which distinguish it from the other realms of the role."""
        return "-".join(self.verbs)


def realms(drivers: Iterable[str]) -> tuple[RealmRights, ...]:
    """The realms for exactly the rights that `drivers` need: one for each set of verbs, as a verb of a role applies to all object
    types of a realm."""
    needed: dict[str, set[str]] = {}
    for driver in drivers:
        for object_type, verbs in DRIVERS[driver].items():
            needed.setdefault(object_type, set()).update(verbs)
    by_verbs: dict[tuple[str, ...], list[str]] = {}
    for object_type, wanted in needed.items():
        by_verbs.setdefault(tuple(sorted(wanted)), []).append(object_type)
    return tuple(RealmRights(verbs, tuple(sorted(types))) for verbs, types in sorted(by_verbs.items()))


def role(entry: Entry, tenant: Ref, name: str, drivers: Iterable[str]) -> Iterator[Entry]:
    """The realms, and the role called `name`, that give a manager of `tenant` the rights that `drivers` need."""
    permissions: list[str] = []
    needed: list[Address] = []
    for realm in realms(drivers):
        called = f"{name}-{realm.called}"
        part = entry.part("realm", called, {"name": called, "tenant": tenant, "object_types": list(realm.object_types)})
        permissions += [f"{verb}_{called}" for verb in realm.verbs]
        needed.append(part.address)
        yield part
    values = {"name": name, "tenant": tenant, "permissions_list": sorted(permissions)}
    yield entry.part("manager_role", name, values, after=tuple(needed))
