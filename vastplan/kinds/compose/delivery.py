"""What delivers a value into a Secret: the Secret, where the document has none of that name."""

from collections.abc import Iterable

from vastplan.kinds.runai.project import PREFIX, namespace_of
from vastplan.kinds.vast.manager import type_of
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Composition, Entry, Scope


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    """The entry with its destination, and the Secret where the document has none of that name; with the `labels` that a composition
    says it needs."""
    to = entry.values["deliver"]
    path = to["secret"]
    if isinstance(path, Ref):  # whoever made the entry saw to it
        yield entry
        return
    written = secret_at(entry.address.site, path, scope)
    if written is not None:
        taken = ", ".join(sorted(set(to["keys"].values()) & set(written.values.get("data") or ())))
        if taken:
            text = f"secret {written.address.name} says itself what its {taken} is"
            scope.refuse(entry, "VP279", text, "another key in deliver, or take it out there")
        if written.values.get("immutable"):
            text = f"secret {written.address.name} is immutable, and nothing can be delivered into it"
            scope.refuse(entry, "VP279", text, "take immutable out there, or name another Secret")
    secret = written.address if written is not None else Address(entry.address.site, "secret", path)
    told, without_labels = " and ".join(to["keys"]), {name: value for name, value in to.items() if name != "labels"}
    yield entry.standing_for(
        {**entry.values, "deliver": {**without_labels, "secret": Ref(secret)}},
        chosen=(*entry.chosen, f"{told}: delivered to secret {path} as {' and '.join(to['keys'].values())}"),
    )
    if written is None:
        namespace, _, name = path.partition("/")
        made = {"name": name, "namespace": room_of(entry.address.site, namespace, scope)}
        yield entry.part("secret", path, {**made, **({"labels": to["labels"]} if "labels" in to else {})})


def secret_at(site: str, path: str, scope: Scope) -> Entry | None:
    """The Secret of the document that is called so (NAMESPACE/NAME)."""
    namespace, _, name = path.partition("/")
    called = scope.called(site, "secret", name)
    return next((one for one in called if _namespace(one.values["namespace"], scope) == namespace), None)


def room_of(site: str, namespace: str, scope: Scope) -> Ref:
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


def _manager(entry: Entry, scope: Scope) -> Iterable[Entry]:
    typed = {**entry.values, "user_type": type_of(entry.values.get("tenant"))}
    if "deliver" in typed:
        yield from _compose(entry.standing_for(typed), scope)
    else:  # nothing is drawn that could be drawn again
        yield entry.standing_for({name: value for name, value in typed.items() if name != "generation"})


OF_S3_KEY = Composition("s3_key", _compose)
OF_MANAGER = Composition("manager", _manager, chooses=frozenset({"user_type"}))
