"""What each version of the VAST CSI drivers understands, where a site says which one it has (`csi: 2.6.3`).

A parameter that a driver does not know is ignored by it in silence, and classes are immutable: better to hear of it now.
The versions are those of the driver's change log, up to 2.7.1; what is older than 2.4 is taken to be there.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.kinds.kubernetes._common import FILE_DRIVER
from vastplan.model.value import Ref
from vastplan.schema.entries import Composition, Entry, Scope

Version = tuple[int, ...]
_BLOCK: Version = (2, 6, 0)
_STATIC: Version = (2, 5, 0)
_FIELDS: Mapping[str, Version] = {"vip_pool_fqdn": (2, 4, 1), "secret": (2, 4, 1), "cluster_name": (2, 4, 3)}
_BLOCK_FIELDS: Mapping[str, Version] = {"qos_policy": (2, 6, 3)}
_PARAMETERS: Mapping[str, Version] = {
    "qos_policy_id": (2, 5, 1),
    "blocking_clones": (2, 6, 3),
    "vip_pool_fqdn_random_prefix": (2, 6, 3),
    "host_encryption": (2, 6, 3),
    "csi.storage.k8s.io/node-expand-secret-name": (2, 6, 5),
    "csi.storage.k8s.io/node-expand-secret-namespace": (2, 6, 5),
}
_BLOCK_PARAMETERS: Mapping[str, Version] = {"qos_policy_id": (2, 6, 3)}
_SECRET_KEYS: Mapping[str, Version] = {"token": (2, 6, 1), "tenant": (2, 6, 3), "passphrase": (2, 6, 3)}


def refuse_unknown(entry: Entry, scope: Scope) -> None:
    """Refuse what a class asks of a driver that is too old for it; without a version on the site nothing is said."""
    has = _version(entry, scope)
    if has is None:
        return
    block = entry.values.get("driver") == "block"
    if block:
        _needs(entry, scope, has, "the block driver", _BLOCK)
    fields = {**_FIELDS, **(_BLOCK_FIELDS if block else {})}
    for name in fields.keys() & entry.values.keys():
        _needs(entry, scope, has, name, fields[name])
    parameters = {**_PARAMETERS, **(_BLOCK_PARAMETERS if block else {})}
    for name in entry.values.get("parameters") or {}:
        since = parameters.get(name) or parameters.get(name.partition(".")[0])
        if since is not None:
            _needs(entry, scope, has, f"parameters.{name}", since)
    secret = entry.values.get("secret")
    held = scope.get(secret.target) if isinstance(secret, Ref) else None
    for key in _SECRET_KEYS.keys() & ((held.values.get("data") or {}).keys() if held else set()):
        _needs(entry, scope, has, f"the key {key} of secret {secret}", _SECRET_KEYS[key])


def _static(entry: Entry, scope: Scope) -> Iterable[Entry]:
    has = _version(entry, scope)
    if has is not None and entry.values.get("driver") == FILE_DRIVER:
        _needs(entry, scope, has, "a volume that shows existing data", _STATIC)
    yield entry


def _version(entry: Entry, scope: Scope) -> Version | None:
    found: Any = scope.sites[entry.address.site].settings.get("csi")
    return found or None


def _needs(entry: Entry, scope: Scope, has: Version, what: str, since: Version) -> None:
    if has < since:
        there, needed = (".".join(map(str, one)) for one in (has, since))
        message = f"{what} needs version {needed} of the CSI driver, and site {entry.address.site} has {there}"
        scope.refuse(entry, "VP251", message, "leave it out, or upgrade the driver and say so in the site's csi")


EXPANSION = Composition("persistent_volume", _static)
