"""Delivery of a value into a Secret, which is created if the document has none of that name; and the credentials that use it.

A Run:AI credential that names a Secret into which the document delivers is created after that. For an access key Run:AI reads the
keys `AccessKeyId` and `SecretKey` (its document of 2.24, the defaults of `secretKeyOfAccessKeyId` and `secretKeyOfSecretKey`), and
looks for Secrets with labels (Run:AI documentation, credentials: existing secrets). Which of the two a release uses is RAI-150 of
docs/unverified.md, so both are written.
"""

from collections.abc import Iterable

from vastplan.kinds.compose.realms import after_realms
from vastplan.kinds.runai.project import PREFIX, namespace_of
from vastplan.kinds.vast.manager import type_of
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry

_NAMES_OF_AWS = {
    "access_key": "AWS_ACCESS_KEY_ID",
    "secret_key": "AWS_SECRET_ACCESS_KEY",
}  # the defaults of `keys`
NAMES_FOR_RUNAI = {"access_key": "AccessKeyId", "secret_key": "SecretKey"}
LABELS_FOR_RUNAI = {"run.ai/credentials": "true", "run.ai/resource": "access-key"}


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    """The entry with a reference to its Secret, and the Secret itself if the document has none of that name; with the `labels` that
    a composition asks for."""
    to = entry.values["deliver"]
    path = to["secret"]
    if isinstance(path, Ref):  # the composition that created the entry resolved it
        yield entry
        return
    written = secret_at(entry.address.site, path, scope)
    secret = written.address if written is not None else Address(entry.address.site, "secret", path)
    if _logs_in(secret, scope):
        names = NAMES_FOR_RUNAI if dict(to["keys"]) == _NAMES_OF_AWS else to["keys"]
        to = {"labels": LABELS_FOR_RUNAI, **to, "keys": names}
    if written is not None:
        taken = ", ".join(sorted(set(to["keys"].values()) & set(written.values.get("data") or ())))
        if taken:
            text = f"secret {written.address.name} already has a value for {taken}"
            scope.refuse(entry, "VP279", text, "name another key in deliver, or remove it there")
        if written.values.get("immutable"):
            text = f"secret {written.address.name} is immutable, and nothing can be delivered into it"
            scope.refuse(entry, "VP279", text, "remove immutable there, or name another Secret")
    delivered, without_labels = (
        " and ".join(to["keys"]),
        {name: value for name, value in to.items() if name != "labels"},
    )
    yield entry.standing_for(
        {**entry.values, "deliver": {**without_labels, "secret": Ref(secret)}},
        chosen=(*entry.chosen, f"{delivered}: delivered to secret {path} as {' and '.join(to['keys'].values())}"),
    )
    if written is None:
        namespace, _, name = path.partition("/")
        secret_values = {"name": name, "namespace": room_of(entry.address.site, namespace, scope)}
        yield entry.part("secret", path, {**secret_values, **({"labels": to["labels"]} if "labels" in to else {})})


def _logs_in(secret: Address, scope: Scope) -> bool:
    """Whether an access key credential of Run:AI uses that Secret."""
    return secret in scope.indexed(secret.site, "access_key_credential", _secrets_of)


def _secrets_of(credentials: Iterable[Entry]) -> frozenset[Address]:
    """The Secrets that credentials name in `existing_secret`."""
    refs = (credential.values.get("existing_secret") for credential in credentials)
    return frozenset(ref.target for ref in refs if isinstance(ref, Ref))


def _delivered(secret: Address, scope: Scope) -> bool:
    """Whether the document delivers a key into a Secret that it does not have."""
    return any(secret.name in scope.indexed(secret.site, kind, _destinations) for kind in ("s3_key", "directory_key"))


def _destinations(keys: Iterable[Entry]) -> frozenset[str]:
    """The Secrets (NAMESPACE/NAME) into which keys are delivered."""
    to = (key.values["deliver"]["secret"] for key in keys)
    return frozenset(secret.target.name if isinstance(secret, Ref) else secret for secret in to)


def _of_credential(entry: Entry, scope: Scope) -> Iterable[Entry]:
    """A credential; its existing Secret becomes one of this document if the document delivers into it."""
    secret = entry.values.get("existing_secret")
    if isinstance(secret, Ref) and not secret.managed and _delivered(secret.target, scope):
        entry = entry.standing_for({**entry.values, "existing_secret": Ref(secret.target)})
    yield entry


def secret_at(site: str, path: str, scope: Scope) -> Entry | None:
    """The Secret of the document with that name (NAMESPACE/NAME)."""
    namespace, _, name = path.partition("/")
    called = scope.called(site, "secret", name)
    return next((entry for entry in called if _namespace(entry.values["namespace"], scope) == namespace), None)


def room_of(site: str, namespace: str, scope: Scope) -> Ref:
    """The namespace of that name: one of the document if the document or one of its projects creates it, else an existing one."""
    for kind, name in (("namespace", namespace), ("project", namespace.removeprefix(PREFIX))):
        for holder in scope.called(site, kind, name):
            if _namespace(Ref(holder.address), scope) == namespace:
                return Ref(holder.address)
    return Ref(Address(site, "namespace", namespace), managed=False)


def _namespace(of: Ref, scope: Scope) -> str | None:
    """The name that a namespace has in the cluster."""
    entry = scope.get(of.target) if of.managed else None
    if entry is None:
        return of.target.name
    return namespace_of({"name": entry.called, **entry.values}) if of.target.kind == "project" else entry.called


def _manager(entry: Entry, scope: Scope) -> Iterable[Entry]:
    entry = after_realms(entry, scope)
    typed = {**entry.values, "user_type": type_of(entry.values.get("tenant"))}
    if "deliver" in typed:
        yield from _compose(entry.standing_for(typed), scope)
    else:  # without deliver no password is drawn, so none can be drawn again
        yield entry.standing_for({name: value for name, value in typed.items() if name != "generation"})


def _token(entry: Entry, scope: Scope) -> Iterable[Entry]:
    yield from _compose(entry.standing_for(entry.without("tenant")), scope)


OF_API_TOKEN = Composition("api_token", _token)
OF_MANAGER = Composition("manager", _manager, chooses=frozenset({"user_type"}))


def _of_s3_key(entry: Entry, scope: Scope) -> Iterable[Entry]:
    """A key of a user of the document, else a directory key: of a user of another provider, whom vastplan neither creates nor lists."""
    user = entry.values["user"]
    if user.managed:
        yield from _compose(entry, scope)
    else:
        yield entry.part("directory_key", entry.address.name, {**entry.values, "user": user.target.name})


OF_S3_KEY = Composition("s3_key", _of_s3_key, creates=frozenset({"directory_key"}))
OF_DIRECTORY_KEY = Composition("directory_key", _compose)
OF_ACCESS_KEY = Composition("access_key_credential", _of_credential)
OF_DOCKER_REGISTRY = Composition("docker_registry_credential", _of_credential)
OF_GENERIC_SECRET = Composition("generic_secret_credential", _of_credential)
OF_PASSWORD = Composition("password_credential", _of_credential)
