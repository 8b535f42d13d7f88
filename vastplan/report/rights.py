"""The rights that a document needs, in the form that each system takes: a role's entry, RBAC manifests, a list. The text is YAML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vastplan.model.escaping import inert
from vastplan.model.rights import DocumentRights, NamedObjects, Right, SystemRights
from vastplan.model.yaml_text import yaml_scalar

READER, WRITER = "vastplan-read", "vastplan-apply"
_CREATE = "create"
_FOR_READING = "plan, drift, show, import, record"


def rights_text(rights: DocumentRights) -> str:
    """All of it, one YAML document for each object that somebody has to create."""
    return "\n".join(line for part in rights.systems for line in _part(part))


def _part(part: SystemRights) -> Iterator[str]:
    yield f"# {inert(part.site, 253)} {part.system}: for {_FOR_READING}, then for apply"
    if part.optional:
        names = ", ".join(_permission(part.system, right) for right in part.optional)
        yield f"# optional: vastplan works without these: {names}"
    yield from {"vast": _vast, "kubernetes": _kubernetes}.get(part.system, _listed)(part)
    yield "---"


def _permission(system: str, right: Right) -> str:
    return f"{right.verb}_{right.on}" if system == "vast" else f"{right.verb} {right.on}"


def _vast(part: SystemRights) -> Iterator[str]:
    yield "roles:"
    for name, rights in ((READER, part.read), (WRITER, (*part.read, *part.write))):
        yield f"  {name}: {{tenant: null, permissions_list: [{', '.join(_permission('vast', right) for right in rights)}]}}"


def _listed(part: SystemRights) -> Iterator[str]:
    for name, rights in ((READER, part.read), (WRITER, (*part.read, *part.write))):
        yield f"{name}:"
        for on, verbs in _by_subject(rights):
            yield f"  {on}: [{', '.join(verbs)}]"


def _kubernetes(part: SystemRights) -> Iterator[str]:
    yield from _cluster_role(READER, part.read)
    yield "---"
    yield from _cluster_role(WRITER, (*part.read, *part.write))
    for named in part.named:
        place = f", namespace: {yaml_scalar(named.namespace)}" if named.namespace else ""
        for name, rules in ((READER, _rules(named, writing=False)), (WRITER, _rules(named, writing=True))):
            yield "---"
            yield from _head("Role", name, place)
            yield from ("rules:", *(f"  - {{{rule}}}" for rule in rules))


def _rules(named: NamedObjects, *, writing: bool) -> Iterator[str]:
    """Rules by name, except for the create: Kubernetes cannot allow a create by name."""
    group, _, resource = named.on.rpartition("/")
    resources = f'apiGroups: ["{group}"], resources: [{resource}]'
    yield f"{resources}, resourceNames: [{', '.join(map(yaml_scalar, named.names))}], verbs: [{', '.join(named.read)}]"
    if writing and named.written:
        by_name = [verb for verb in named.write if verb != _CREATE]
        yield f"{resources}, resourceNames: [{', '.join(map(yaml_scalar, named.written))}], verbs: [{', '.join(by_name)}]"
        yield from (f"{resources}, verbs: [{verb}]" for verb in named.write if verb == _CREATE)


def _cluster_role(name: str, rights: Iterable[Right]) -> Iterator[str]:
    yield from _head("ClusterRole", name, "")
    yield "rules:"
    for on, verbs in _by_subject(rights):
        group, _, resource = on.rpartition("/")
        yield f'  - {{apiGroups: ["{group}"], resources: [{resource}], verbs: [{", ".join(verbs)}]}}'


def _head(kind: str, name: str, place: str) -> Iterator[str]:
    yield "apiVersion: rbac.authorization.k8s.io/v1"
    yield f"kind: {kind}"
    yield f"metadata: {{name: {name}{place}}}"


def _by_subject(rights: Iterable[Right]) -> list[tuple[str, list[str]]]:
    verbs: dict[str, list[str]] = {}
    for right in sorted(rights):
        verbs.setdefault(right.on, []).append(right.verb)
    return list(verbs.items())
