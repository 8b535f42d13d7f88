"""Tries the ways to other projects' data on the live clusters: every request is one that the server answers and does not carry out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from vastplan.app.connect import PARALLEL, connected
from vastplan.app.plan import Planned
from vastplan.app.workspace import Workspace
from vastplan.checks.proof._trials import CLAIMS, TRIALS, Trial
from vastplan.engine.live.observe import Live
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Refused, VastplanError
from vastplan.model.isolation import Isolation
from vastplan.model.isolation_trial import WayTried
from vastplan.schema.provider import Trying

_POLICY = re.compile(r"ValidatingAdmissionPolicy '([^']+)'")
_QUOTA = re.compile(r"exceeded quota: ([^,\s]+)")
_LEVEL = re.compile(r"violates PodSecurity \"([^\"]+)\"")
_NO_RIGHT = re.compile(r"cannot create resource")


@dataclass(frozen=True, slots=True)
class _Sent:
    trial: Trial
    project: str
    namespace: str
    target: str
    own: bool


def try_isolation(workspace: Workspace, planned: Planned) -> tuple[WayTried, ...]:
    """What each site answers to the requests of each project, by way. A site without a proof or a cluster is left out."""
    sites = tuple(proof.site for proof in planned.isolation if not proof.unknown and proof.namespaces)
    found: list[WayTried] = []
    with connected(workspace.document, sites=sites, writable=False) as providers:
        for proof in planned.isolation:
            provider: object = providers.get((proof.site, "kubernetes"))
            if proof.site in sites and isinstance(provider, Trying):
                found += _by_way(proof.site, _answered(provider, list(_requests(proof, planned))))
    return tuple(found)


def _answered(provider: Trying, sent: list[_Sent]) -> Iterable[tuple[_Sent, tuple[str, str]]]:
    """Each request with its answer, several at a time."""
    with ThreadPoolExecutor(max_workers=PARALLEL) as pool:
        answers = pool.map(lambda one: answer_to(provider, one.namespace, one.trial, one.target), sent)
        return list(zip(sent, answers, strict=True))


def _requests(proof: Isolation, planned: Planned) -> Iterator[_Sent]:
    """Each class that is not shared from each namespace; the other ways from each namespace to what another project has."""
    classes = {_name(live, planned): live for live in planned.observed.objects(proof.site, "storage_class")}
    shared = {
        str(policy.values.get("storage_class"))
        for policy in planned.observed.objects(proof.site, "admission_policy")
        if policy.values.get("open") is True
    }
    closed = {
        **proof.classes,
        **{
            name: proof.seen.get(name, ())
            for name in proof.shared
            if name in classes and classes[name].name not in shared
        },
    }
    pools = {
        pool.name: address
        for pool in planned.observed.objects(proof.site, "vip_pool")
        if pool.values.get("role", "PROTOCOLS") == "PROTOCOLS" and (address := _address(pool))
    }
    for number, (project, namespace) in enumerate(proof.namespaces.items()):
        for name, allowed in closed.items():
            for trial in CLAIMS if name in classes else ():
                yield _Sent(trial, project, namespace, classes[name].name, namespace in allowed)
        own = {
            str(classes[name].values.get("vip_pool"))
            for name, allowed in proof.classes.items()
            if namespace in allowed and name in classes
        }
        others = [address for name, address in pools.items() if name not in own]
        neighbour = others[number % len(others) :][:1] if others else []
        for trial in TRIALS:
            for target in neighbour if trial.to_server else trial.names:
                yield _Sent(trial, project, namespace, target, own=False)


def _name(live: Live, planned: Planned) -> str:
    address = planned.matches.address_of(live)
    return address.name if address is not None else live.name


def _address(pool: Live) -> str:
    ranges = pool.values.get("ip_ranges") or [""]
    return str(ranges[0]).partition(" - ")[0]


def answer_to(provider: Trying, namespace: str, trial: Trial, target: str) -> tuple[str, str]:
    """Who refuses a create in a namespace, "" for nobody; and why that is not known."""
    try:
        provider.attempt(namespace, trial.collection, trial.body(target))
    except Refused as refusal:
        text = str(refusal)
        if _NO_RIGHT.search(text):
            return "", text
        for pattern, who in ((_POLICY, "admission policy"), (_QUOTA, "resource quota"), (_LEVEL, "Pod Security")):
            if match := pattern.search(text):
                return f"{who} {match[1]}", ""
        return "", text
    except VastplanError as problem:
        return "", str(problem)
    return "", ""


def _by_way(site: str, answered: Iterable[tuple[_Sent, tuple[str, str]]]) -> Iterator[WayTried]:
    ways: dict[str, list[tuple[_Sent, tuple[str, str]]]] = {}
    for sent, answer in answered:
        ways.setdefault(sent.trial.way, []).append((sent, answer))
    for way, answers in ways.items():
        refused = [(sent, by) for sent, (by, why) in answers if by]
        passed = [sent for sent, (by, why) in answers if not by and not why]
        yield WayTried(
            site,
            way,
            refused=sum(not sent.own for sent, _ in refused),
            by=tuple(sorted({by for sent, by in refused if not sent.own})),
            through=tuple(dict.fromkeys(_named(sent) for sent in passed if not sent.own)),
            own=sum(sent.own for sent in passed),
            own_refused=tuple(_named(sent) for sent, _ in refused if sent.own),
            untried=next((why for _, (_, why) in answers if why), ""),
        )


def _named(sent: _Sent) -> tuple[str, str, str]:
    return sent.project, sent.namespace, sent.target
