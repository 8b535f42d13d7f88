"""Documents as a person keeps them: entries that refer to each other, spread over files, some of them inside their tenant."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Body = dict[str, Any]
Key = tuple[str, str]
"""Section and name."""

# What a field of an entry names, by section; a list names several.
REFERENCES: dict[str, dict[str, str]] = {
    "tenants": {"local_provider": "local_providers"},
    "users": {"tenant": "tenants"},
    "s3_keys": {"tenant": "tenants", "user": "users"},
    "vip_pools": {"tenant": "tenants"},
    "view_policies": {"tenant": "tenants", "vip_pools": "vip_pools"},
    "qos_policies": {"tenant": "tenants"},
    "views": {
        "tenant": "tenants", "view_policy": "view_policies", "qos_policy": "qos_policies", "snapshots": "snapshot_schedules",
    },
    "quotas": {"tenant": "tenants"},
    "snapshot_schedules": {"replicate_to": "replication_peers"},
    "secrets": {"namespace": "namespaces"},
    "storage_classes": {
        "tenant": "tenants", "view_policy": "view_policies", "vip_pool": "vip_pools", "qos_policy": "qos_policies",
        "secret": "secrets",
    },
    "projects": {"tenant": "tenants", "department": "departments", "storage_classes": "storage_classes"},
    "volumes": {
        "tenant": "tenants", "project": "projects", "storage_class": "storage_classes", "view_policy": "view_policies",
        "vip_pool": "vip_pools", "secret": "secrets", "snapshots": "snapshot_schedules", "replicate": "snapshot_schedules",
    },
}  # fmt: skip
SECTIONS = (
    "namespaces", "secrets", "departments", "snapshot_schedules", "tenants", "vip_pools", "view_policies", "qos_policies",
    "storage_classes", "projects", "views", "quotas", "volumes", "local_providers", "users", "s3_keys", "replication_peers",
)  # fmt: skip
SINGULAR = {
    "vip_pools": "vip_pool", "view_policies": "view_policy", "qos_policies": "qos_policy", "projects": "project",
    "storage_classes": "storage_class", "views": "view", "quotas": "quota", "volumes": "volume",
}  # fmt: skip
"""What may stand inside a tenant, and how one of the tenant's own name is written there."""


@dataclass(slots=True)
class Entry:
    """One entry: its fields, whether it stands inside its tenant, in which file it is if it does not, its former name."""

    body: Body
    inside: bool = False
    file: int = 0
    renamed_from: str = ""


@dataclass(slots=True)
class Document:
    """A document. `sites` are those that it has, `retired` those of them that it empties."""

    name: str
    sites: list[str]
    entries: dict[Key, Entry] = field(default_factory=dict)
    files: int = 1
    retired: set[str] = field(default_factory=set)
    ledger: Body = field(default_factory=dict)

    def copy(self) -> Document:
        """The same, for whoever goes on changing this one."""
        return copy.deepcopy(self)

    def names(self, section: str, **having: Any) -> list[str]:
        """The names of a section's entries whose fields are these."""
        return [
            name
            for (other, name), entry in self.entries.items()
            if other == section and all(entry.body.get(key) == value for key, value in having.items())
        ]

    def users(self, key: Key) -> Iterator[tuple[Key, str]]:
        """The entries that refer to one, and the field by which they do."""
        section, name = key
        for other, entry in self.entries.items():
            for part, target in REFERENCES.get(other[0], {}).items():
                value = entry.body.get(part)
                if target == section and (value == name or (isinstance(value, list) and name in value)):
                    yield other, part

    def naming(self, key: Key) -> Iterator[tuple[Key, str]]:
        """The entries that refer to one as existing: it was taken over, and they still write what they wrote."""
        section, name = key
        for other, entry in self.entries.items():
            for part, target in REFERENCES.get(other[0], {}).items():
                if target == section and entry.body.get(part) == {"existing": name}:
                    yield other, part

    def remove(self, key: Key) -> None:
        """Remove an entry and what cannot be without it; lists lose its name."""
        if self.entries.pop(key, None) is None:
            return
        for other, part in list(self.users(key)):
            if other not in self.entries:
                continue
            body = self.entries[other].body
            if isinstance(body[part], list):
                body[part] = [name for name in body[part] if name != key[1]]
                if not body[part]:
                    del body[part]
            elif part in ("snapshots", "qos_policy", "local_provider"):
                del body[part]
            else:
                self.remove(other)

    def rename(self, key: Key, name: str) -> Key:
        """Give an entry another name, everywhere; the entry says what it was called."""
        section, former = key
        using = [*self.users(key), *self.naming(key)]
        self.entries = {(section, name) if other == key else other: entry for other, entry in self.entries.items()}
        new = self.entries[section, name]
        new.renamed_from = former
        for other, part in using:
            body = self.entries[other].body
            body[part] = (
                [name if one == former else one for one in body[part]] if isinstance(body[part], list) else name
            )
        return section, name

    def written(self) -> dict[str, str]:
        """The files, by name."""
        files: list[Body] = [{} for _ in range(self.files)]
        files[0] = {
            "version": 1,
            "name": self.name,
            "sites": {site: {"sim": {}, **({"retire": True} if site in self.retired else {})} for site in self.sites},
            **({"ledger": self.ledger} if self.ledger else {}),
        }
        tenants: dict[str, Body] = {}
        for (section, name), entry in self.entries.items():
            if section == "tenants":
                body = _with_past(entry, dict(entry.body))
                files[entry.file % self.files].setdefault("tenants", {})[name] = tenants[name] = body
        for (section, name), entry in self.entries.items():
            if section == "tenants":
                continue
            body = _with_past(entry, dict(entry.body))
            tenant = body.get("tenant")
            if entry.inside and isinstance(tenant, str) and tenant in tenants and section in SINGULAR:
                del body["tenant"]
                if name == tenant and len(self.names(section, tenant=tenant)) == 1:
                    tenants[tenant][SINGULAR[section]] = body
                else:
                    tenants[tenant].setdefault(section, {})[name] = body
            else:
                files[entry.file % self.files].setdefault(section, {})[name] = body
        return {
            f"{index:02}.yaml": yaml.dump(one, Dumper=_Dumper, sort_keys=False, width=110)
            for index, one in enumerate(files)
            if one
        }

    def write(self, folder: Path) -> None:
        """Make these the files of a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        texts = self.written()
        for file in folder.glob("*.yaml"):
            if file.name not in texts:
                file.unlink()
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "csi-password").write_text("a-password\n", encoding="utf-8")


def _with_past(entry: Entry, body: Body) -> Body:
    return body | ({"renamed_from": entry.renamed_from} if entry.renamed_from else {})


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """No anchors: a value that is used twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        """Always."""
        return True
