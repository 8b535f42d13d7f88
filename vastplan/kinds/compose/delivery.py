"""What delivers a value into a Secret: the Secret, where the document has none of that name; and what logs in with such a Secret.

A credential of Run:AI that names a Secret into which something of the document is delivered waits for that. Of an access key
Run:AI reads the keys `AccessKeyId` and `SecretKey` (its document of 2.24, the defaults of `secretKeyOfAccessKeyId` and
`secretKeyOfSecretKey`), and looks for Secrets that are labelled `run.ai/resource` with the type of credential (Run:AI documentation,
credentials: existing secrets).
"""

from collections.abc import Iterable

from vastplan.kinds.runai.project import PREFIX, namespace_of
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Composition, Entry, Scope

_AWS = {"access_key": "AWS_ACCESS_KEY_ID", "secret_key": "AWS_SECRET_ACCESS_KEY"}  # what a key says that says nothing
_RUNAI = {"access_key": "AccessKeyId", "secret_key": "SecretKey"}
_RESOURCE = "run.ai/resource"


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    to = entry.values["deliver"]
    path = to["secret"]
    namespace, _, name = path.partition("/")
    written = [
        secret
        for secret in scope.called(entry.address.site, "secret", name)
        if _namespace(secret.values["namespace"], scope) == namespace
    ]
    secret = written[0].address if written else Address(entry.address.site, "secret", path)
    logs_in = _logs_in(secret, scope)
    if logs_in and dict(to["keys"]) == _AWS:
        to = {**to, "keys": _RUNAI}
    if written and "data" in written[0].values and set(to["keys"].values()) & set(written[0].values["data"]):
        taken = ", ".join(sorted(set(to["keys"].values()) & set(written[0].values["data"])))
        text = f"secret {written[0].address.name} says itself what its {taken} is"
        scope.refuse(entry, "VP279", text, "another key in deliver, or take it out there")
    if written and written[0].values.get("immutable"):
        text = f"secret {written[0].address.name} is immutable, and nothing can be delivered into it"
        scope.refuse(entry, "VP279", text, "take immutable out there, or name another Secret")
    told = " and ".join(to["keys"])
    yield entry.standing_for(
        {**entry.values, "deliver": {**to, "secret": Ref(secret)}},
        chosen=(*entry.chosen, f"{told}: delivered to secret {path} as {' and '.join(to['keys'].values())}"),
    )
    if not written:
        labels = {"labels": {_RESOURCE: "access-key"}} if logs_in else {}
        room = _room(entry.address.site, namespace, scope)
        yield entry.part("secret", path, {"name": name, "namespace": room, **labels})


def _logs_in(secret: Address, scope: Scope) -> bool:
    """Whether an access key of Run:AI is that Secret."""
    credentials = scope.of(secret.site, "access_key_credential")
    return any(
        isinstance(said := one.values.get("existing_secret"), Ref) and said.target == secret for one in credentials
    )


def _delivered(secret: Address, scope: Scope) -> bool:
    """Whether something of the document delivers into a Secret that the document does not have."""
    for key in scope.of(secret.site, "s3_key"):
        to = key.values["deliver"]["secret"]
        if (to.target.name if isinstance(to, Ref) else to) == secret.name:
            return True
    return False


def _of_credential(entry: Entry, scope: Scope) -> Iterable[Entry]:
    """The Secret that it names is of this document where something of it is delivered there."""
    said = entry.values.get("existing_secret")
    if isinstance(said, Ref) and not said.managed and _delivered(said.target, scope):
        entry = entry.standing_for({**entry.values, "existing_secret": Ref(said.target)})
    yield entry


def _room(site: str, namespace: str, scope: Scope) -> Ref:
    """The namespace of that name: of the document, where it or one of its projects makes it."""
    for kind, name in (("namespace", namespace), ("project", namespace.removeprefix(PREFIX))):
        for found in scope.called(site, kind, name):
            if _namespace(Ref(found.address), scope) == namespace:
                return Ref(found.address)
    return Ref(Address(site, "namespace", namespace), managed=False)


def _namespace(of: Ref, scope: Scope) -> str | None:
    """The name that a namespace has in the cluster."""
    entry = scope.get(of.target) if of.managed else None
    if entry is None:
        return of.target.name
    return namespace_of({"name": entry.called, **entry.values}) if of.target.kind == "project" else entry.called


OF_S3_KEY = Composition("s3_key", _compose)
OF_ACCESS_KEY = Composition("access_key_credential", _of_credential)
OF_DOCKER_REGISTRY = Composition("docker_registry_credential", _of_credential)
OF_GENERIC_SECRET = Composition("generic_secret_credential", _of_credential)
OF_PASSWORD = Composition("password_credential", _of_credential)
