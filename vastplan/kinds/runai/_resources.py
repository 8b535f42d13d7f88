"""GPU, CPU and memory quota by node pool, the same for departments and projects.

The document has `gpus: {default: 64}`, or the long form by pool; the API has one list item per pool. Pools that the
document does not name stay as they are: they are read, and sent back unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from vastplan.model.natural_order import natural
from vastplan.schema.markers import (
    SCHEMA,
    SMALLER,
    TIGHTER,
    WITNESS,
    Clears,
    Codec,
    ListMap,
    Refers,
    ServerDefault,
    Shorthand,
    Wire,
)
from vastplan.schema.rows import ABSENT, dig
from vastplan.schema.types import MISSING, Bytes, Spec, VendorName

_LARGEST = 10**15  # so that sums stay numbers, whatever systems and documents say
_UNLIMITED = Clears(None, also=(-1,))
_NONE = ServerDefault(None, WITNESS)
_MEGABYTE, _MEBIBYTE = 10**6, 2**20
_BY_UNIT = {"Mib": _MEBIBYTE, "MB": _MEGABYTE, "GB": 10**9}


def _plain(value: Any) -> Any:
    """64.0 as 64: the API's numbers are floating, and both must be equal. Raises `ValueError` above 10^15."""
    if isinstance(value, int | float) and not -_LARGEST <= value <= _LARGEST:  # NaN is not between them either
        raise ValueError("must be a number up to 10^15")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _in_unit(size: int | float, unit: int) -> Any:
    return size // unit if isinstance(size, int) and size % unit == 0 else size / unit


Amount = Annotated[float | int, Field(ge=0), AfterValidator(_plain), Codec(_plain, _plain)]

_Weight = Annotated[Amount, Field(le=20)]  # 1 to 20 since 2.24, 0 to 3 before: the control plane itself knows which


def _refuse_low_limit(deserved: Any, limit: Any) -> None:
    """Raises `ValueError` for a limit below what is guaranteed, or beside a guarantee without a limit."""
    if isinstance(limit, int | float) and (
        deserved is None or (isinstance(deserved, int | float) and limit < deserved)
    ):
        raise ValueError("limit is below deserved")


class GpuQuota(Spec):
    """Quota of GPUs, whole or fractions, in a node pool."""

    deserved: Annotated[Amount, ServerDefault(0, SCHEMA, since="2.22"), SMALLER]
    """GPUs that are guaranteed, whole or fractions."""
    limit: Annotated[Amount | None | MISSING, _UNLIMITED, _NONE, TIGHTER] = MISSING
    """Most GPUs at once, spare ones included, and not below `deserved`; null for no limit."""
    over_quota_weight: Annotated[_Weight | MISSING, Wire("overQuotaWeight"), ServerDefault(2, WITNESS)] = MISSING
    """Weight in the sharing of spare GPUs. A control plane may have these weights switched off."""

    @model_validator(mode="after")
    def _limit_above_deserved(self) -> GpuQuota:
        _refuse_low_limit(self.deserved, self.limit)
        return self


class CpuQuota(Spec):
    """CPU in millicores. A control plane whose setting for CPU quota is off drops these, and the drift stays."""

    deserved: Annotated[Amount | None | MISSING, _UNLIMITED, _NONE, SMALLER] = MISSING
    """Guaranteed CPU in millicores; null for no limit."""
    limit: Annotated[Amount | None | MISSING, _UNLIMITED, _NONE, TIGHTER] = MISSING
    """Most CPU at once in millicores, spare CPU included; null for no limit."""
    over_quota_weight: Annotated[_Weight | MISSING, Wire("overQuotaWeight"), ServerDefault(2, WITNESS)] = MISSING
    """Weight in the sharing of spare CPU. A control plane may have these weights switched off."""

    @model_validator(mode="after")
    def _limit_above_deserved(self) -> CpuQuota:
        _refuse_low_limit(self.deserved, self.limit)
        return self


class MemoryQuota(Spec):
    """Memory, in whole MB (10^6 bytes) or whole MiB, as Run:AI counts it. The CPU quota setting governs it too."""

    deserved: Annotated[Bytes | None | MISSING, _UNLIMITED, _NONE, SMALLER] = MISSING
    """Guaranteed memory in bytes, a whole number of MB (10^6) or MiB; null for no limit."""
    limit: Annotated[Bytes | None | MISSING, _UNLIMITED, _NONE, TIGHTER] = MISSING
    """Most memory at once in bytes, a whole number of MB (10^6) or MiB; null for no limit."""
    over_quota_weight: Annotated[_Weight | MISSING, Wire("overQuotaWeight"), ServerDefault(2, WITNESS)] = MISSING
    """Weight in the sharing of spare memory. A control plane may have these weights switched off."""

    @model_validator(mode="after")
    def _whole(self) -> MemoryQuota:
        limits = [value for value in (self.deserved, self.limit) if isinstance(value, int)]
        if _unit_for(limits) is None:
            raise ValueError("memory is whole MB (10^6 bytes) or whole MiB, the same for deserved and limit")
        _refuse_low_limit(self.deserved, self.limit)
        return self


def _unit_for(sizes: list[int]) -> str | None:
    """The unit in which all sizes are whole numbers; `None` if there is none."""
    return next((name for name in ("MB", "Mib") if not any(size % _BY_UNIT[name] for size in sizes)), None)


class PoolQuota(Spec):
    """Quota of a project or department in one node pool."""

    gpu: GpuQuota | MISSING = MISSING
    """Quota of GPUs in the node pool."""
    cpu: CpuQuota | MISSING = MISSING
    """Quota of CPU in the node pool. Run:AI drops it where the control plane's CPU quota is off."""
    memory: MemoryQuota | MISSING = MISSING
    """Quota of memory in the node pool. Run:AI drops it where the control plane's CPU quota is off."""


def _gathered(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The short form `gpus`, if all pools have only guaranteed GPUs, else `None`; the inverse of `spread`."""
    pools = values.get("node_pools")
    if not isinstance(pools, dict) or not pools:
        return None
    gpus = {pool: _deserved_alone(pools[pool]) for pool in sorted(pools, key=natural)}
    return None if None in gpus.values() else {"gpus": gpus}


def _deserved_alone(quota: Any) -> int | float | None:
    """The guaranteed GPUs of a pool; `None` if any other quota is written for it."""
    match quota:
        case {"gpu": {"deserved": int() | float() as deserved, **more}, **others} if not more and not others:
            return deserved
    return None


Pools = Annotated[
    dict[VendorName, PoolQuota] | MISSING,
    ListMap(("nodePool", "name"), refers=Refers("node_pool"), writes=("nodePool", "id")),
    Wire("resources"),
    Shorthand(_gathered),
]


def spread(values: Any) -> Any:
    """The short form `gpus: {POOL: N}` as `node_pools: {POOL: {gpu: {deserved: N}}}`."""
    if not isinstance(values, dict) or "gpus" not in values:
        return values
    if "node_pools" in values:
        raise ValueError("give either gpus or node_pools")
    gpus = values["gpus"]
    if not isinstance(gpus, dict):
        raise ValueError("gpus must be a mapping of node pools to numbers, for example {default: 64}")
    for pool, count in gpus.items():
        if isinstance(count, bool) or not isinstance(count, int | float) or not 0 <= count <= _LARGEST:
            raise ValueError(f"gpus.{pool} is not a number of GPUs; write a number, such as {pool}: 64")
    long = {pool: {"gpu": {"deserved": count}} for pool, count in gpus.items()}
    return {**{key: value for key, value in values.items() if key != "gpus"}, "node_pools": long}


def with_units(body: dict[str, Any], _values: dict[str, Any]) -> dict[str, Any]:
    """The body with memory in MB or MiB instead of bytes in every item of `resources`, and with the unit, which Run:AI requires."""
    for item in body.get("resources") or []:
        for name in ("cpu", "memory"):
            if item.get(name) == {}:  # a create in which all of its values are null
                del item[name]
        memory = item.get("memory")
        if memory and any(isinstance(memory.get(name), str) for name in ("deserved", "limit")):
            del item["memory"]  # in an unknown unit: Run:AI gets back what was read
        elif memory:
            sizes = {name: memory[name] for name in ("deserved", "limit") if (memory.get(name) or 0) > 0}
            memory["units"] = _unit_for(list(sizes.values())) or "MB"
            memory |= {name: _in_unit(size, _BY_UNIT[memory["units"]]) for name, size in sizes.items()}
    return body


def in_bytes(values: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Memory of every pool in bytes, whatever unit the row gives it in; an unknown unit stays as it is."""
    pools, items = values.get("node_pools"), row.get("resources")
    for item in items if isinstance(items, list) and isinstance(pools, dict) else ():
        pool = dig(item, ("nodePool", "name"))
        decoded, units = dig(pools, (str(pool), "memory")), dig(item, ("memory", "units"))
        if not isinstance(decoded, dict):
            continue
        scale = 1 if units in (None, ABSENT) else _BY_UNIT.get(units) if isinstance(units, str) else None
        for name in ("deserved", "limit"):
            size = decoded.get(name)
            if isinstance(size, int | float) and size >= 0:
                decoded[name] = f"{size} {units}" if scale is None else round(size * scale)
    return values
