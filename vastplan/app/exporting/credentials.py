"""The key that an export writes on request: read only from the Secret that it was delivered to."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.app.connect import connected
from vastplan.app.workspace import Workspace
from vastplan.checks.facts import Facts
from vastplan.exporting.skypilot import Folder
from vastplan.exporting.texts import is_key
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.sensitive import keep_secret
from vastplan.model.wording import some

# The names of the pair in a delivered Secret, unless the `s3_keys` entry sets others; then the names that other tools use.
_NAMES = (("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), ("aws_access_key_id", "aws_secret_access_key"))


@dataclass(frozen=True, slots=True)
class Delivered:
    """A Secret with an S3 key pair: `NAMESPACE/NAME`, and the possible names of the two entries, the likeliest first."""

    path: str
    names: tuple[tuple[str, str], ...] = _NAMES


def read_keys(
    workspace: Workspace, facts: Facts, folders: tuple[Folder, ...], secret: str
) -> dict[Folder, tuple[str, str]]:
    """The access key and the secret key for each folder that has buckets; `secret` is the Secret to read, "" for the one that the
    document delivers to. Raises `VastplanError`, which never holds a key."""
    needed = [folder for folder in folders if folder.endpoint]
    if secret and len({folder.tenant for folder in needed}) > 1:
        names = some(sorted({folder.tenant for folder in needed}))
        raise VastplanError(f"--secret holds the key of one tenant, and this exports {names}: choose with --tenant")
    chosen = [(folder, _given(facts, folder, secret) if secret else _delivered(facts, folder)) for folder in needed]
    keys = {}
    sites = tuple(sorted({folder.site for folder in needed}))
    with connected(workspace.document, sites=sites, writable=False) as providers:
        for folder, delivered in chosen:
            provider = providers.get((folder.site, "kubernetes"))
            if provider is None:
                raise VastplanError(f"site {folder.site} has no kubernetes to read the key from")
            if isinstance(provider, Exception):
                raise provider
            row = provider.read(workspace.registry.kinds["secret"], delivered.path)
            if row is None:
                fix = "give --secret the one with the key" if secret else "vastplan apply delivers the key"
                raise VastplanError(f"{folder.site}: Secret {inert(delivered.path)} does not exist; {fix}")
            keys[folder] = _pair(row, delivered, folder.site)
    return keys


def _given(facts: Facts, folder: Folder, path: str) -> Delivered:
    """The Secret of `--secret`. The document knows the names of the pair where it delivers to that Secret."""
    tenant = Address(folder.site, "tenant", folder.tenant)
    names = [delivered.names for _, delivered in _deliveries(facts, tenant) if delivered.path == path]
    return Delivered(path, tuple(dict.fromkeys(sum((*names, _NAMES), ()))))


def _delivered(facts: Facts, folder: Folder) -> Delivered:
    """The Secret to which the document delivers a key of the tenant. Raises `VastplanError` if there are several or none."""
    tenant = Address(folder.site, "tenant", folder.tenant)
    deliveries = dict(_deliveries(facts, tenant))
    if len(deliveries) == 1:
        return next(iter(deliveries.values()))
    which = f"{folder.site}: which key of tenant {folder.tenant}?"
    if deliveries:
        each = some([f"--secret {inert(delivered.path)} ({name})" for name, delivered in sorted(deliveries.items())])
        raise VastplanError(f"{which} Several are delivered: give one of {each}")
    fix = "give the tenant an entry of s3_keys and apply it, or give --secret NAMESPACE/NAME"
    raise VastplanError(f"{which} The document delivers none: {fix}")


def _deliveries(facts: Facts, tenant: Address) -> Iterator[tuple[str, Delivered]]:
    """The Secrets with keys of a tenant, each with the entry that delivers it: one of `s3_keys` or of `buckets`."""
    objects = facts.objects
    for key in (*objects.on(tenant.site, "s3_key").values(), *objects.on(tenant.site, "directory_key").values()):
        if key.values["tenant"].target == tenant:
            written = facts.written.at(key.origin or str(key.address))
            secret, names = (written or key).values["deliver"]["secret"], key.values["deliver"]["keys"]
            pair = str(names["access_key"]), str(names["secret_key"])
            yield f"{(written or key).address.kind} {(written or key).address.name}", Delivered(str(secret), (pair,))


def _pair(row: Mapping[str, Any], delivered: Delivered, site: str) -> tuple[str, str]:
    data = row.get("data")
    for access, secret in delivered.names:
        if isinstance(data, Mapping) and access in data and secret in data:
            pair = _text(data[access]), _text(data[secret])
            for name, text in zip((access, secret), pair, strict=True):
                keep_secret(text)
                if not is_key(text):
                    problem = f"{inert(name)} is not a key: a key is one word without blanks"
                    raise VastplanError(f"{site}: Secret {inert(delivered.path)}: {problem}; nothing was written")
            return pair
    names = " or ".join(f"{access} and {secret}" for access, secret in delivered.names)
    raise VastplanError(f"{site}: Secret {inert(delivered.path)} has no {inert(names)}; nothing was written")


def _text(value: object) -> str:
    """The decoded text; "" if the value is not base64 of UTF-8."""
    try:
        return base64.b64decode(str(value), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
