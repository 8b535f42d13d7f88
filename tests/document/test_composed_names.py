"""Every reference in the vocabulary reaches what the document itself makes: an object that another entry creates is named like an entry."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import vastplan.kinds
from tests.lab import Lab
from vastplan.model.address import Address
from vastplan.schema.discover import discover
from vastplan.schema.entries import Entry
from vastplan.schema.field import Field

REGISTRY = discover(vastplan.kinds)
POOL = {"role": "REPLICATION", "subnet_cidr": 24}
# Entries that create other objects, with at least one of every kind that an entry may refer to and another one creates.
CREATING: dict[str, Any] = {
    "namespaces": {"vast-csi": {}, "log-ins": {}},
    "departments": {"research": {"gpus": {"default": 8}}},
    "local_providers": {"people": {}},
    "vip_pools": {
        "over": {**POOL, "per_site": {"iad": {"ip_ranges": ["10.9.1.1"]}, "pdx": {"ip_ranges": ["10.9.2.1"]}}},
    },
    "replication_peers": {"link": {"between": {"iad": {"vip_pool": "over"}, "pdx": {"vip_pool": "over"}}}},
    "tenants": {
        "a": {
            "sites": ["iad"],
            "local_provider": "people",
            "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.1.1.1"], "s3_endpoint": "https://s3.example.com"},
            "view_policies": {"files": {"flavor": "NFS"}, "objects": {"flavor": "S3_NATIVE"}},
            "csi_user": {"endpoint": "vms.example.com"},
            "storage_class": {"driver": "file", "storage_path": "/a/k8s", "view_policy": "files"},
            "project": {"department": "research", "gpus": {"default": 4}},
            "managers": {"boss": {"roles": ["a-csi"], "deliver": {"secret": "log-ins/boss"}}},
            "users": {"jobs": {"uid": 1001}},
            "volumes": {
                "home": {
                    "path": "/a/home", "size": "1 TiB", "mount": "/home", "view_policy": "files", "secret": "vast-csi/a-csi",
                    "qos": {"static_limits": {"max_reads_bw_mbps": 100}},
                },
                "plain": {"storage_class": "a", "size": "1 TiB", "mount": "/plain"},
            },
            "buckets": {
                "objects": {
                    "bucket": "objects", "size": "1 TiB", "owner": "jobs", "read": [{"existing": "grp"}], "mount": "/objects",
                    "view_policy": "objects", "deliver": {"secret": "runai-a/s3"},
                },
            },
        },
    },
}  # fmt: skip
NAME, SELF = "NAME OF THE OBJECT", "NAME OF THE ENTRY"
_VOLUME = {"tenant": "a", "size": "1 GiB", "path": f"/a/{SELF}", "view_policy": "files", "secret": "vast-csi/a-csi"}
_OTHER = {key: value for key, value in _VOLUME.items() if key != "secret"}
_BUCKET = {"tenant": "a", "bucket": SELF, "size": "1 GiB", "owner": "jobs", "view_policy": "objects"}
_CLASS = {"tenant": "a", "driver": "file", "storage_path": f"/a/{SELF}", "view_policy": "files"}
_OF_CLASS = dict.fromkeys(("provisioner", "controller_publish", "node_publish", "controller_expand"), NAME)
_KEY = {"deliver": {"secret": f"vast-csi/{SELF}"}}
_DELIVERS = {"secret": NAME, "keys": {"access_key": f"{SELF}-id", "secret_key": f"{SELF}-key"}}
_LOG_IN = {"username": f"{SELF}-user", "password": f"{SELF}-password"}
_SYNCHRONOUS = {"capabilities": "SYNC_REPLICATION", "sync_disconnect_time": 20}
_FRAME = {"every": "1h", "keep_local": "1d", "keep_remote": "1d"}
_BLOCK = {"tenant": "a", "driver": "block", "subsystem": {"existing": "block"}}
# An entry for each field and each kind of object that it may name and another entry creates.
REFERRING: dict[tuple[str, str], dict[str, Any]] = {
    ("access_key_credentials.existing_secret", "secret"): {"project": "a", "existing_secret": NAME},
    ("api_tokens.deliver.secret", "secret"): {"owner": "a-csi", "deliver": {"secret": NAME, "keys": {"token": SELF, "id": f"{SELF}-id"}}},
    ("api_tokens.owner", "manager"): {"owner": NAME, **_KEY},
    ("buckets.deliver.secret", "secret"): {**_BUCKET, "deliver": _DELIVERS},
    ("buckets.qos_policy", "qos_policy"): {**_BUCKET, "qos_policy": NAME},
    ("buckets.secret", "secret"): {**_BUCKET, "protocols": ["S3", "NFS"], "mount": "/m", "secret": NAME},
    ("data_sources.claim", "persistent_volume_claim"): {"project": "a", "mount": "/m", "claim": NAME},
    ("data_volumes.claim", "persistent_volume_claim"): {"project": "a", "claim": NAME},
    ("docker_registry_credentials.existing_secret", "secret"): {"project": "a", "existing_secret": NAME},
    ("generic_secret_credentials.existing_secret", "secret"): {"project": "a", "existing_secret": NAME},
    ("group_rights.s3_policies", "s3_policy"): {"tenant": "a", "group": "grp2", "s3_policies": [NAME]},
    ("groups.s3_policies", "s3_policy"): {"local_provider": "people", "gid": 2001, "s3_policies": [NAME]},
    ("managers.deliver.secret", "secret"): {"tenant": "a", "roles": ["a-csi"], "deliver": {"secret": NAME, "keys": _LOG_IN}},
    ("managers.roles", "manager_role"): {"tenant": "a", "roles": [NAME], **_KEY},
    ("password_credentials.existing_secret", "secret"): {"project": "a", "existing_secret": NAME},
    ("protected_paths.peer", "replication_peer"): {"tenant": "a", "source_dir": "/a/sync", "peer": NAME, "remote_tenant": {"existing": "a"}, **_SYNCHRONOUS},
    ("s3_data_sources.access_key", "access_key_credential"): {"project": "a", "mount": "/m", "bucket": "b", "url": "https://s3.example.com", "access_key": NAME},
    ("s3_keys.deliver.secret", "secret"): {"tenant": "a", "user": "jobs", "deliver": _DELIVERS},
    ("s3_lifecycle_rules.view", "view"): {"view": NAME, "expiration_days": 3},
    ("secret_data_sources.credential", "access_key_credential"): {"project": "a", "mount": "/m", "credential": NAME},
    ("snapshot_classes.secret", "secret"): {"driver": "file", "deletion_policy": "Delete", "secret": NAME},
    ("snapshot_schedules.peer", "replication_peer"): {"frames": [_FRAME], "peer": NAME, "clone_type": "NATIVE_REPLICATION"},
    ("storage_classes.qos_policy", "qos_policy"): {**_CLASS, "qos_policy": NAME},
    ("storage_classes.secret", "secret"): {**_CLASS, "secret": NAME},
    **{(f"storage_classes.secrets.{purpose}", "secret"): {**_CLASS, "secrets": _OF_CLASS} for purpose in _OF_CLASS},
    ("storage_classes.secrets.node_expand", "secret"): {**_CLASS, "secrets": {**_OF_CLASS, "node_expand": NAME}},
    ("storage_classes.secrets.node_stage", "secret"): {**_BLOCK, "secrets": {**_OF_CLASS, "node_stage": NAME}},
    ("storage_classes.subsystem", "view"): {"tenant": "a", "driver": "block", "subsystem": NAME},
    ("user_rights.s3_policies", "s3_policy"): {"tenant": "a", "user": "carol", "s3_policies": [NAME]},
    ("users.s3_policies", "s3_policy"): {"local_provider": "people", "uid": 2001, "s3_policies": [NAME]},
    ("views.qos_policy", "qos_policy"): {"tenant": "a", "path": f"/a/{SELF}", "view_policy": "files", "qos_policy": NAME},
    ("volumes.qos_policy", "qos_policy"): {**_VOLUME, "qos_policy": NAME},
    ("volumes.secret", "secret"): {**_VOLUME, "secret": NAME},
    **{(f"volumes.secrets.{purpose}", "secret"): {**_OTHER, "secrets": {purpose: NAME}}
       for purpose in ("controller_publish", "node_publish", "node_stage", "controller_expand", "node_expand")},
    ("workload_policies.data_sources", "data_source"): {"project": "a", "type": "training", "data_sources": [NAME]},
    ("workload_policies.data_sources", "s3_data_source"): {"project": "a", "type": "workspace", "data_sources": [NAME]},
}  # fmt: skip


def reference_fields(fields: Iterable[Field], prefix: str) -> Iterator[tuple[str, str]]:
    """Each reference field, by its place in the document, with each kind that it may name."""
    for field in fields:
        place = f"{prefix}.{field.name}"
        for kind, _ in field.refers.targets if field.refers is not None else ():
            yield place, kind
        yield from reference_fields(field.fields, place)


def filled_in(value: Any, name: str, own: str) -> Any:
    """The entry with the name of the object, and its own, in their places."""
    if isinstance(value, Mapping):
        return {key: filled_in(inner, name, own) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled_in(inner, name, own) for inner in value]
    return name if value == NAME else value.replace(SELF, own) if isinstance(value, str) else value


def test_a_reference_reaches_what_another_entry_creates(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"], "pdx": ["vast"]}) as lab:
        lab.write(CREATING)
        workspace = lab.workspace()
        written = {entry.address for entry in workspace.document.entries}
        created: dict[str, Entry] = {}
        for entry in workspace.entries()[0]:
            if entry.address not in written:
                created.setdefault(entry.address.kind, entry)
        fields = {
            (place, kind)
            for section, of in REGISTRY.sections.items()
            for place, kind in reference_fields(of.fields, section)
            if kind in created
        }
        assert fields == REFERRING.keys()

        document, wanted = copy.deepcopy(CREATING), dict[tuple[str, str], tuple[str, Address]]()
        for number, ((place, kind), referring) in enumerate(REFERRING.items()):
            section, own = place.partition(".")[0], f"referring-{number}"
            target = created[kind].address
            document.setdefault(section, {})[own] = {"sites": ["iad"], **filled_in(referring, target.name, own)}
            wanted[place, kind] = (f"iad/{REGISTRY.sections[section].name}/{own}", target)
        lab.write(document)
        plan = lab.plan()
        origins = {action.address: action.origin for action in plan.actions}
        waits: dict[str, set[Address]] = {}
        for operation in plan.operations:
            for name in (str(operation.address), origins[operation.address]):
                waits.setdefault(name, set()).update(plan.operations[index].address for index in operation.after)
        assert {field for field, (own, target) in wanted.items() if target not in waits[own]} == set()
