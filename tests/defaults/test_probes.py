"""What no schema says is asked of a live system: each default of words or witnesses is in a probe of the contract suite."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.probes import FOLDER, Probe, read
from tests.defaults.marks import KINDS, ONE, leaf_fields
from vastplan.schema.codec import decode_row
from vastplan.schema.defaults import known_defaults
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import AsWitness, DefaultEvidence, Marker, SameAs
from vastplan.schema.rows import ABSENT, Path, dig, put
from vastplan.schema.walk import leaves

PROBES: dict[str, Probe] = {
    key: one for file in FOLDER.glob("*.defaults.yaml") for key, one in read(file.read_text(encoding="utf-8")).items()
}
FACTS = {
    "VMS-070": "tenant", "VMS-071": "vip_pool", "VMS-072": "view_policy", "VMS-073": "view", "VMS-074": "quota",
    "VMS-075": "qos_policy", "VMS-076": "protection_policy", "VMS-077": "protected_path", "VMS-078": "replication_peer",
    "VMS-090": "local_provider", "VMS-091": "user", "VMS-092": "group", "VMS-093": "s3_policy",
    "VMS-094": "s3_lifecycle_rule", "VMS-120": "s3_key", "VMS-143": "user_right", "VMS-144": "group_right", "VMS-146": "directory_key",
    "RAI-080": "department", "RAI-081": "project", "RAI-082": "data_source", "RAI-084": "nfs_data_source", "RAI-100": "data_volume",
    "K8S-040": "storage_class", "K8S-041": "persistent_volume", "K8S-042": "persistent_volume_claim", "K8S-043": "secret",
}  # fmt: skip
NOT_SHOWN = {
    "storage_class.transport_type": "the driver takes it, and shows it nowhere",
    "s3_lifecycle_rule.abort_mpu_days_after_initiation": "a rule does something, and the probe's does this",
    "snapshot_class.default": "the controller of snapshots takes no annotation for false",
}


def expected(probe: Probe) -> Any:
    """What the last answer of a probe has to hold."""
    wanted = probe.steps[-1].options["has"]
    return wanted[0] if isinstance(wanted, list) else wanted  # of what is only shown in a list


def a_row(wanted: Any, kind: Kind, absent: set[Path], place: Path = ()) -> Any:
    """An answer that holds what is expected; `absent` takes up what must not be there."""
    if isinstance(wanted, dict) and len(wanted) == 1 and next(iter(wanted)).startswith("$"):
        ((operator, inner),) = wanted.items()
        if operator == "$absent":
            absent.add(place)
            return ABSENT
        if operator == "$keys":
            return {}
        assert operator == "$all", operator
        item = a_row(inner, kind, absent, place)
        (keyed,) = (field for field in kind.fields if field.key)
        put(item, keyed.key, ONE)
        return [item]
    if isinstance(wanted, dict):
        made = {key: a_row(inner, kind, absent, (*place, key)) for key, inner in wanted.items()}
        return {key: value for key, value in made.items() if value is not ABSENT}
    return wanted


def wires(kind: Kind, path: Path) -> Path:
    """Where a leaf is in an answer; of the members of a list, without the list's index."""
    fields: tuple[Field, ...] = kind.fields
    place: Path = ()
    for name in path:
        if name == ONE:
            continue
        field = next(one for one in fields if one.name == name)
        place, fields = (*place, *field.read_at), field.fields
    return place


@pytest.mark.parametrize("fact", [fact for fact in sorted(FACTS) if PROBES[fact].steps])
def test_a_probe_expects_what_the_kind_says(fact: str) -> None:
    kind, probe = KINDS[FACTS[fact]], PROBES[fact]
    absent: set[Path] = set()
    values = decode_row(kind, a_row(expected(probe), kind, absent))
    for _, field in leaf_fields(kind.fields):  # what the probe calls it
        if field.server_default is not None and isinstance(field.server_default.value, SameAs):
            values[field.server_default.value.field] = values[field.name]
    shipped = any(
        field.server_default is not None and isinstance(field.server_default.value, AsWitness) for field in kind.fields
    )
    known = known_defaults(
        kind, values, values if shipped else None
    )  # what its own row shows is what the probe has of it
    told = {leaf.path for leaf in leaves(kind.fields, values)}
    for path, field in leaf_fields(kind.fields):
        default = field.server_default
        if default is None or default.evidence is DefaultEvidence.SCHEMA or field.has(Marker.WRITE_ONLY):
            continue
        place = wires(kind, path)
        if any(place[: len(gone)] == gone for gone in absent):
            assert not default.value or place not in absent, f"{path} is expected to be absent"
        elif f"{kind.name}.{path[0]}" not in NOT_SHOWN:
            assert path in told, f"{fact} does not ask for {'.'.join(path)}"
            assert path in known, f"{fact} expects {dig(values, path)} of {'.'.join(path)}, and it is {default.value}"


def test_every_kind_with_such_a_default_has_a_probe() -> None:
    assert PROBES.keys() == FACTS.keys()
    without = {
        f"{name}.{'.'.join(path)}"
        for name, kind in KINDS.items()
        for path, field in leaf_fields(kind.fields)
        if field.server_default is not None and name not in FACTS.values()
    }
    assert without == {"snapshot_class.default"}
    assert NOT_SHOWN.keys() >= without
