"""QTA-06: claims for which somebody's ResourceQuota has no room."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.live_values import mapping_of, number_of
from vastplan.checks.proof.class_access import reference_name
from vastplan.checks.proof.proof import namespaces_of
from vastplan.kinds.kubernetes._common import QUANTITY, read_amount
from vastplan.model.finding import Severity
from vastplan.schema.entries import Entry

_CLAIM = "persistent_volume_claim"
_BYTES = "requests.storage"


def _run(facts: Facts) -> Iterator[Violation]:
    for site in dict.fromkeys(_wanted(facts)):
        if (site, _CLAIM) not in facts.seen:
            continue
        added: dict[str, Counter[str]] = defaultdict(Counter)
        last: dict[str, Entry] = {}
        for namespace, claim, amounts in _added(facts, site):
            added[namespace].update(amounts)
            last[namespace] = claim
        for quota in facts.seen.get((site, "resource_quota"), ()):
            namespace = str(quota.values.get("namespace"))
            used = mapping_of(quota.attributes.get("used"))
            for name, hard in mapping_of(quota.values.get("hard")).items():
                more = added[namespace][name] if namespace in added else 0
                limit, so_far = _amount(hard), _amount(used.get(name, 0))
                if more > 0 and limit is not None and so_far is not None and so_far + more > limit:
                    text = f"with the claims of this document, namespace {namespace} would have {name} {_shown(name, so_far + more)}, "
                    yield Violation(
                        last[namespace], f"{text}and its ResourceQuota {quota.values.get('name')} allows {hard}"
                    )


def _added(facts: Facts, site: str) -> Iterator[tuple[str, Entry, Counter[str]]]:
    """The claims that are created or grow, each with its namespace and what it adds, by the names of quota resources."""
    sizes = {row.address: int(number_of(row.values.get("size"))) for row in facts.seen[site, _CLAIM]}
    namespaces = namespaces_of(site, facts.objects)
    for claim in facts.objects.on(site, _CLAIM).values():
        values, new = claim.values, claim.address not in sizes
        size = int(number_of(values.get("size", values.get("nominal_size") if new else None)))
        more = Counter({_BYTES: max(0, size - sizes.get(claim.address, 0))})
        if new:
            more.update({"persistentvolumeclaims": 1, "count/persistentvolumeclaims": 1})
        if values.get("storage_class") is not None:
            of_class = f"{reference_name(values['storage_class'], {})}.storageclass.storage.k8s.io/"
            more.update({of_class + name: more[name] for name in (_BYTES, "persistentvolumeclaims")})
        yield reference_name(values.get("namespace"), namespaces), claim, more


def _amount(raw: Any) -> Fraction | None:
    try:
        return read_amount(str(raw))
    except ValueError:
        return None


def _shown(name: str, amount: Fraction) -> str:
    return str(QUANTITY.write(int(amount))) if name.endswith(_BYTES) else str(amount)


def _wanted(facts: Facts) -> Iterator[str]:
    yield from {claim.address.site for claim in facts.objects.all(_CLAIM)}


CHECK = Check(
    code="QTA-06",
    title="claims above a ResourceQuota",
    severity=Severity.WARNING,
    why="Kubernetes refuses a claim, and a larger size of one, that takes the namespace above one of its ResourceQuotas.",
    fix="have the quota raised, or write fewer or smaller claims; claims that this plan deletes are still counted",
    source="Kubernetes 1.34, resource quotas: storage resource quota",
    run=_run,
    reads=("resource_quota", _CLAIM),
    wanted=_wanted,
)
