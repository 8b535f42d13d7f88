"""What is asked of all kinds at once, such as which of them refer to a kind: known from an index, without loading their modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from vastplan.schema.kind import Kind
from vastplan.schema.references import targets_of


class KindFacts(NamedTuple):
    """What is known of a kind without its module."""

    system: str
    targets: frozenset[str] = frozenset()  # the kinds that its live objects can refer to
    places: frozenset[str] = frozenset()  # of these, those that its top-level fields refer to
    shields: frozenset[str] = frozenset()  # the kinds that its objects keep from being bypassed
    as_evidence: bool = False
    read_by_name: bool = False
    distinct_by_id: bool = False
    lag: bool = False  # its members on several sites show how far behind they are
    closes: bool = False
    mounts: str = ""  # the kind that workloads mount through its objects

    def listed(self) -> dict[str, Any]:
        """As JSON, without what is empty or false."""
        pairs = self._asdict().items()
        return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in pairs if value}

    @classmethod
    def read(cls, listed: Mapping[str, Any]) -> KindFacts:
        """From what `listed` returned."""
        values: dict[str, Any] = {
            name: frozenset(value) if isinstance(value, list) else value for name, value in listed.items()
        }
        return cls(**values)


def facts_of(kind: Kind) -> KindFacts:
    """The facts of a kind that is loaded."""
    return KindFacts(
        system=kind.system,
        targets=frozenset(targets_of(kind.fields)),
        places=frozenset(
            name
            for _, field, _ in kind.fields.referring
            if field.refers is not None
            for name in field.refers.attributes
        ),
        shields=frozenset(
            name
            for field in kind.fields
            if field.refers is not None and field.refers.shields
            for name in field.refers.attributes
        ),
        as_evidence=kind.as_evidence,
        read_by_name=kind.read_by_name,
        distinct_by_id=kind.distinct_by_id,
        lag=kind.grouped is not None and kind.grouped.lag is not None,
        closes=bool(kind.closes),
        mounts="" if kind.mounts is None else kind.mounts.kind,
    )


def facts(kinds: Mapping[str, Kind]) -> Mapping[str, KindFacts]:
    """The facts of all kinds by name: those of the index, if the table has one."""
    index: Mapping[str, KindFacts] | None = getattr(kinds, "facts", None)
    return {name: facts_of(kind) for name, kind in kinds.items()} if index is None else index


def mounting_kinds(kinds: Mapping[str, Kind], name: str) -> list[str]:
    """The kinds through whose objects workloads mount those of a kind; sorted by name."""
    return sorted(other for other, kind_facts in facts(kinds).items() if kind_facts.mounts == name)


def reaching(kinds: Mapping[str, Kind], kind: Kind) -> list[str]:
    """The kinds whose objects can refer to those of a kind or mount them, directly or through others; sorted by name."""
    facts_by_kind, reaching_it = facts(kinds), set[str]()
    queue = [kind.name]
    while queue:
        target = queue.pop()
        new = {
            name
            for name, kind_facts in facts_by_kind.items()
            if target in kind_facts.targets or kind_facts.mounts == target
        } - reaching_it
        reaching_it |= new
        queue += new
    return sorted(reaching_it)
