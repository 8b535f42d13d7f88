"""The limits of QoS policies and tenants in one form: the ceiling, burst and loan of each way and unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.checks.facts import Facts
from vastplan.model.dataclass import dataclass
from vastplan.schema.entries import Entry

WAYS = ("reads_", "writes_")
_UNITS = (("bw_mbps", "bw_mb", "loan_mb"), ("iops", "iops", "loan_iops"))


@dataclass(frozen=True, slots=True)
class QosLimit:
    """One way (`reads_`, `writes_`, or "" for both together) and unit: numbers in MB/s, MB or IOPS, 0 for none.

    `path` is the struct in the entry; names are those of the fields.
    """

    entry: Entry
    path: str
    way: str
    unit: str
    ceiling: int
    burst: int
    loan: int

    @property
    def ceiling_name(self) -> str:
        """The field of the ceiling."""
        return f"{self.path}.max_{self.way}{self.unit}"

    @property
    def burst_name(self) -> str:
        """The field of the burst."""
        return f"{self.path}.burst_{self.way}{'bw_mb' if self.unit == 'bw_mbps' else 'iops'}"


def qos_limits(entry: Entry) -> Iterator[QosLimit]:
    """All limits of a policy, or of a tenant's own QoS, that are set."""
    qos, prefix = (entry.values.get("qos") or {}, "qos.") if entry.address.kind == "tenant" else (entry.values, "")
    for struct, ways in (("static_limits", WAYS), ("static_total_limits", ("",))):
        values: Mapping[str, Any] = qos.get(struct) or {}
        if not values:
            continue
        for way in ways:
            for unit, burst, loan in _UNITS:
                numbers = [
                    values.get(f"{bound}_{way}{suffix}") or 0
                    for bound, suffix in (("max", unit), ("burst", burst), ("burst", loan))
                ]
                if any(numbers):
                    yield QosLimit(entry, prefix + struct, way, unit, *numbers)


def all_qos_limits(facts: Facts) -> Iterator[QosLimit]:
    """The limits of every policy and every tenant."""
    for kind in ("qos_policy", "tenant"):
        for entry in facts.objects.all(kind):
            yield from qos_limits(entry)
