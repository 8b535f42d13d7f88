"""Rules of Namespace, Secret, ConfigMap and Lease."""

from __future__ import annotations

import base64
import re

from vastplan.sim.kubernetes import names
from vastplan.sim.kubernetes.rules.rule import Object, Rules
from vastplan.sim.kubernetes.status import StatusCause, forbidden_field, immutable, invalid, required_field, too_long

MAX_DATA = 1024 * 1024
_KEY = "[-._a-zA-Z0-9]+"
_FROZEN = "field is immutable when `immutable` is set"
_NEEDED = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
}
_ACCOUNT_TYPE, _ACCOUNT = "kubernetes.io/service-account-token", "kubernetes.io/service-account.name"
_NAME_LABEL = "kubernetes.io/metadata.name"


def _namespace_defaults(body: Object) -> None:
    name = body["metadata"].get("name")
    if name:  # the label cannot be removed
        body["metadata"]["labels"] = {**body["metadata"].get("labels", {}), _NAME_LABEL: name}


def _namespace_create(body: Object) -> None:
    body["spec"] = {"finalizers": ["kubernetes"]}
    body["status"] = {"phase": "Active"}


def _keys(field: str, data: Object) -> list[StatusCause]:
    causes = []
    for key in sorted(data):
        if not re.fullmatch(_KEY, key) or len(key) > 253 or key in (".", ".."):
            why = (
                "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
                f"'KEY_NAME',  or 'key-name', regex used for validation is '{_KEY}')"
            )
            causes.append(invalid(f"{field}[{key}]", key, why))
    return causes


def _secret_defaults(body: Object) -> None:
    body.setdefault("type", "Opaque")
    plain = body.pop("stringData", {})
    if plain:
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in plain.items()}
        body["data"] = {**body.get("data", {}), **encoded}


def _check_secret(body: Object) -> list[StatusCause]:
    data = body.get("data", {})
    causes = _keys("data", data)
    if sum(len(base64.b64decode(value)) for value in data.values()) > MAX_DATA:
        causes.append(too_long("data", MAX_DATA))
    causes += [required_field(f"data[{key}]") for key in _NEEDED.get(body["type"], ()) if key not in data]
    if body["type"] == _ACCOUNT_TYPE and not body["metadata"].get("annotations", {}).get(_ACCOUNT):
        causes.append(required_field(f"metadata.annotations[{_ACCOUNT}]"))
    if body["type"] == "kubernetes.io/basic-auth" and not {"username", "password"} & set(data):
        causes += [required_field("data[username]"), required_field("data[password]")]
    return causes


def _check_secret_update(new: Object, old: Object) -> list[StatusCause]:
    causes = [immutable("type", new["type"])] if new["type"] != old["type"] else []
    return causes + _frozen(new, old, ("data",))


def _frozen(new: Object, old: Object, fields: tuple[str, ...]) -> list[StatusCause]:
    if not old.get("immutable"):
        return []
    causes = [] if new.get("immutable") else [forbidden_field("immutable", _FROZEN)]
    return causes + [forbidden_field(field, _FROZEN) for field in fields if new.get(field, {}) != old.get(field, {})]


def _check_config_map(body: Object) -> list[StatusCause]:
    data, binary = body.get("data", {}), body.get("binaryData", {})
    causes = _keys("data", data) + _keys("binaryData", binary)
    causes += [
        invalid(f"data[{key}]", key, "duplicate of key present in binaryData") for key in sorted(data) if key in binary
    ]
    size = sum(len(value.encode()) for value in data.values())
    if size + sum(len(base64.b64decode(value)) for value in binary.values()) > MAX_DATA:
        causes.append(too_long("", MAX_DATA))
    return causes


def _lease_defaults(body: Object) -> None:
    spec = body.setdefault("spec", {})
    for field in ("strategy", "preferredHolder"):  # fields of a feature that is off by default
        spec.pop(field, None)


def _check_lease(body: Object) -> list[StatusCause]:
    spec = body.get("spec", {})
    causes = []
    if spec.get("leaseDurationSeconds", 1) <= 0:
        causes.append(invalid("spec.leaseDurationSeconds", spec["leaseDurationSeconds"], "must be greater than 0"))
    if spec.get("leaseTransitions", 0) < 0:
        causes.append(invalid("spec.leaseTransitions", spec["leaseTransitions"], "must be greater than or equal to 0"))
    return causes


NAMESPACE = Rules(name=names.namespace, defaults=_namespace_defaults, create=_namespace_create)
SECRET = Rules(defaults=_secret_defaults, check=_check_secret, check_update=_check_secret_update)
CONFIG_MAP = Rules(check=_check_config_map, check_update=lambda new, old: _frozen(new, old, ("data", "binaryData")))
LEASE = Rules(defaults=_lease_defaults, check=_check_lease)
