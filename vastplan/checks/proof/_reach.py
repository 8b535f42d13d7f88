"""Which ways around the chain are closed, and by what: each way against each element that it may lead to.

Every element is looked at by itself and what is alike is one result, so the work grows with the document.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping

from vastplan.checks.index import Index
from vastplan.checks.proof._rules import RULES, WayAnswer, nothing_closes
from vastplan.checks.proof._surroundings import Beside, Surroundings, WayTarget
from vastplan.checks.proof._ways import WAYS, Way
from vastplan.checks.proof.chain import ChainElement
from vastplan.checks.proof.class_access import Namespaces, Projects, reference_name
from vastplan.model.isolation import WayResult, WayState
from vastplan.model.value import Ref

_LAYERS_BY_KIND = {
    "persistent_volume": "volume", "clone": "clone", "data_volume": "data volume", "data_source": "data source",
    "nfs_data_source": "data source", "s3_data_source": "data source", "host_path_data_source": "data source",
}  # fmt: skip
"""Objects that are no element of a chain, and that a way leads to."""


def ways_around(
    site: str,
    objects: Index,
    namespaces: Mapping[str, str],
    projects_by_namespace: Mapping[str, tuple[str, ...]],
    open_to: Mapping[str, Namespaces],
    seen: Mapping[str, frozenset[str]],
    reached: Iterable[tuple[ChainElement, Projects]],
    beside: Beside | None,
) -> tuple[WayResult, ...]:
    """The results of all ways, those of a way beside each other. `reached` are the elements of the chains with their projects."""
    targets = [
        WayTarget(element.layer, element.element, element.entry, projects, element.tenant, element.path)
        for element, projects in reached
    ]
    targets += [
        *_objects_beside(site, objects, namespaces, projects_by_namespace), *_of_tenants(site, objects, targets)
    ]  # fmt: skip
    if targets:  # what a pod may do to its node leads to all of them
        targets.append(WayTarget("cluster", site, targets[0].entry, None))
    around = Surroundings(site, objects, projects_by_namespace, open_to, seen, targets, beside or Beside(), namespaces)
    by_layer: dict[str, list[WayTarget]] = {}
    for target in targets:
        by_layer.setdefault(target.layer, []).append(target)
    results: list[WayResult] = []
    for way in WAYS:
        alike: dict[Hashable, list[WayAnswer]] = {}
        for layer in way.layers:
            for target in by_layer.get(layer, ()):
                answer = judge(around, way, target)
                if answer.state is not None:
                    alike.setdefault(_alike(answer), []).append(answer)
        found = [_result(way.name, answers, namespaces) for answers in alike.values()]
        results += sorted(found, key=lambda one: (one.state, one.reason, one.by))
    return tuple(results)


def unread_ways(read: Container[str]) -> tuple[WayResult, ...]:
    """The ways of which nothing is known, because not all kinds of their objects were read."""
    return tuple(
        WayResult(way.name, WayState.ASSUMED, "not read from the systems")
        for way in WAYS
        if not all(kind in read for kind in way.kinds)
    )


def judge(around: Surroundings, way: Way, target: WayTarget) -> WayAnswer:
    """The answer of the first rule that decides; without one the way is open."""
    for name in way.rules:
        answer = RULES[name](around, way, target)
        if answer is not None:
            return answer
    return nothing_closes(way, target, [target.entry])


def _objects_beside(
    site: str, objects: Index, namespaces: Mapping[str, str], projects_by_namespace: Mapping[str, tuple[str, ...]]
) -> Iterator[WayTarget]:
    for kind, layer in _LAYERS_BY_KIND.items():
        for entry in objects.on(site, kind).values():
            projects: tuple[str, ...] = ()
            if entry.values.get("claim_namespace") is not None:
                namespace = reference_name(entry.values["claim_namespace"], namespaces)
                projects = projects_by_namespace.get(namespace, ())
                if not projects:
                    continue  # a volume of nobody here
            elif isinstance(entry.values.get("project"), Ref):
                projects = (entry.values["project"].target.name,)
            yield WayTarget(layer, entry.address.name, entry, projects)


def _of_tenants(site: str, objects: Index, elements: Iterable[WayTarget]) -> Iterator[WayTarget]:
    """The other VIP pools, directories and buckets of the tenants that projects reach: these are their data too."""
    known = {(element.layer, element.name) for element in elements}
    owners = {element.name: element.projects for element in elements if element.layer == "tenant"}
    for pool in objects.on(site, "vip_pool").values():
        tenant = reference_name(pool.values.get("tenant"), {})
        if tenant in owners and ("VIP pool", pool.address.name) not in known:
            yield WayTarget("VIP pool", pool.address.name, pool, owners[tenant])
    for view in objects.on(site, "view").values():
        tenant, path, bucket = (
            reference_name(view.values.get("tenant"), {}),
            str(view.values["path"]),
            view.values.get("bucket"),
        )
        if tenant not in owners:
            continue
        if ("path", f"{tenant}:{path}") not in known:
            yield WayTarget("path", f"{tenant}:{path}", view, owners[tenant], tenant, path)
        if bucket and ("bucket", f"{tenant}:{bucket}") not in known:
            yield WayTarget("bucket", f"{tenant}:{bucket}", view, owners[tenant])


def _alike(answer: WayAnswer) -> Hashable:
    """What answers of one result have in common: of open ways who goes them, of what is shared both sides."""
    return answer.state, answer.reason, answer.to, answer.state is WayState.SHARED and answer.projects


def _result(name: str, answers: list[WayAnswer], namespaces: Mapping[str, str]) -> WayResult:
    """One result for answers that are alike."""
    first = answers[0]
    assert first.state is not None
    by = tuple(sorted({address for answer in answers for address in answer.by}))
    ranges = tuple(sorted({text for answer in answers for text in answer.ranges}))
    projects = _united((answer.projects for answer in answers), namespaces)
    to = _united((answer.to for answer in answers), namespaces)
    return WayResult(
        name, first.state, first.reason, by, projects or (), projects is None, to or (), to is None, ranges, first.fix
    )


def _united(parts: Iterable[Projects], namespaces: Mapping[str, str]) -> Projects:
    names: set[str] = set()
    for part in parts:
        if part is None:
            return None
        names.update(part)
    return None if names >= namespaces.keys() else tuple(sorted(names))
