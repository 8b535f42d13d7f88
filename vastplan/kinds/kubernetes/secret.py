"""Secret, such as the log-in of a CSI driver to VAST. The document says where its credentials are, and never contains them."""

import base64
import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import StringConstraints, model_validator

from vastplan.kinds.kubernetes._common import RUNAI_CREATED, InNamespace, Labelled, ObjectName, manifest
from vastplan.model.value import Ref
from vastplan.schema.import_keys import Keyed
from vastplan.schema.kind import Kind
from vastplan.schema.live import Attribute, ControllerOwned
from vastplan.schema.markers import (
    IMMUTABLE,
    ONE_WAY,
    PROSE,
    SENSITIVE,
    WITNESS,
    Codec,
    FixedWhile,
    Opens,
    ServerDefault,
)
from vastplan.schema.types import MISSING, SecretKey, SecretSource

_Plain = Annotated[str, StringConstraints(max_length=2**20)]
_GUARDED = re.compile(
    r"pass(word|wd|phrase|code)|token|secret|credential|private|api[-_.]?key|dockerc|[-_.]key$|(^|[-_.])(pwd|pass)$",
    re.I,
)
"""Keys whose text is a credential, by the names that people and products give them."""
_LOGIN = re.compile(r"://[^/?#\s]*:[^/?#\s]*@|-----BEGIN [A-Z ]*PRIVATE KEY-----")
"""A password in an address, and a private key: a credential under any name."""
BASE64 = Codec(
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda raw: base64.b64decode(raw, validate=True).decode(),
)

# A list does not show types, so Secrets that others create for themselves are recognised by their metadata: Helm's storage driver
# uses these names, a token always has the annotation (API validation), and a ledger is annotated with its site.
_CREATED_BY_OTHERS = (
    ControllerOwned("Helm", ("metadata", "name"), r"sh\.helm\.release\.v1\..+"),
    ControllerOwned("Kubernetes", ("metadata", "annotations", "kubernetes.io/service-account.name")),
    ControllerOwned("a ledger", ("metadata", "annotations", "vastplan/site")),
)
_NEEDED = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
}
"""The keys that Kubernetes requires, by the type of a Secret."""


class Secret(Labelled):
    """A Secret of Kubernetes, such as the log-in of a CSI driver to VAST."""

    name: ObjectName = MISSING
    """Name of the Secret in Kubernetes, where it is not the entry's key."""
    namespace: InNamespace
    """Namespace that holds the Secret; the name of a project means its namespace."""
    type: Annotated[str | MISSING, IMMUTABLE, ServerDefault("Opaque", WITNESS)] = MISSING
    """Type of the Secret in Kubernetes, such as `kubernetes.io/tls`, which decides what keys must be in its data."""
    data: Annotated[
        dict[SecretKey, _Plain | SecretSource | None] | MISSING, BASE64, SENSITIVE, Opens(), FixedWhile("immutable")
    ] = MISSING
    """Values by key: `{env: NAME}`, `{file: PATH}` or, except for log-in secrets, text; null removes a key."""
    immutable: Annotated[bool | MISSING, ONE_WAY, ServerDefault(False, PROSE)] = MISSING
    """Whether Kubernetes refuses every change of the data. Only deleting the Secret undoes it."""

    @model_validator(mode="after")
    def _no_credentials_in_the_document(self) -> "Secret":
        for key, value in self.data.items() if isinstance(self.data, dict) else ():
            if isinstance(value, str) and (_GUARDED.search(key) or _LOGIN.search(value)):
                raise ValueError(f"data.{key} is a credential: write {{env: NAME}} or {{file: PATH}}")
        return self

    @model_validator(mode="after")
    def _keys_of_its_type(self) -> "Secret":
        given = [key for key, value in self.data.items() if value is not None] if isinstance(self.data, dict) else None
        for key in _NEEDED.get(str(self.type), ()):
            if given is not None and key not in given:
                raise ValueError(f"a Secret of type {self.type} needs {key} in data")
        return self


def _path(values: Mapping[str, Any]) -> str | None:
    namespace = values.get("namespace")
    return None if isinstance(namespace, Ref) else f"{namespace}/{values.get('name')}"


KIND = Kind(
    Secret,
    name="secret",
    system="kubernetes",
    section="secrets",
    endpoint=manifest("v1", "Secret", "secrets", namespaced=True, names_only=True),
    attributes=(Attribute("path", (), _path, ("namespace", "name")),),
    controller_owned=(*RUNAI_CREATED, *_CREATED_BY_OTHERS),
    read_by_name=True,
    keyed=Keyed(within="namespace", always=True),
    on_request=True,
    system_owned=tuple(
        (("type",), text) for text in ("helm.sh/release.v1", "kubernetes.io/service-account-token", "vastplan/ledger")
    ),
)
