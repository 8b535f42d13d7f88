"""Quotas: one per directory, with their limits and usage."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import directories, durations, limits
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import Problem
from vastplan.sim.vast.records import ApiCollection, Memo, Reference

TERABYTE = 1e12
RULES = ("user_quotas", "group_quotas")
ENTITY = ("name", "identifier", "identifier_type", "email", "vast_id", "is_group")
TYPES = frozenset({"username", "group", "groupname", "uid", "gid", "sid_str"})
LIMITS = frozenset({"hard_limit", "soft_limit", "hard_limit_inodes", "soft_limit_inodes"})


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    for name in ("hard_limit", "soft_limit"):  # text in the PATCH body of one release
        if isinstance(row[name], str) and row[name].isdecimal():
            row[name] = int(row[name])
    if row["grace_period"] is not None:
        row["grace_period"] = durations.clock_form(row["grace_period"])
    for name in RULES:
        if name in body:
            row[name] = [_rule(rule, group=name == "group_quotas") for rule in body[name]]


def _identity(rule: Row) -> Row:
    """Whom a rule is about: sent flat by clients of live clusters, within `entity` as one release's document has it."""
    nested = rule.get("entity") or {}
    return {name: nested.get(name) if rule.get(name) is None else rule[name] for name in ENTITY}


def _rule(rule: Row, *, group: bool) -> Row:
    entity = _identity(rule)
    if entity["is_group"] is None:  # neither document requires it: the list says it
        entity["is_group"] = group
    kept = {name: rule.get(name) for name in (*sorted(LIMITS), "grace_period")}
    nothing = dict.fromkeys(("used_capacity", "used_inodes", "percent_capacity", "percent_inodes"), 0)
    return {
        **kept,
        **nothing,
        "state": "OK",
        "time_to_block": None,
        "entity": entity,
    }


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    if old is None:
        yield from directories.path_problems("path", row["path"])
        yield from directories.presence_problems(cluster, row, body)
    elif old["is_user_quota"] and not row["is_user_quota"]:
        yield "is_user_quota", "Cannot be disabled once enabled."
    yield from limits.soft_below_hard(row)
    yield from limits.grace_period(row)
    for name in ("default_user_quota", "default_group_quota"):
        yield from limits.soft_below_hard(row[name], name)
        yield from limits.grace_period(row[name], name)
    for name in RULES:
        for rule in body.get(name, ()):
            yield from limits.soft_below_hard(rule, name)
            yield from limits.grace_period(rule, name)
            entity = _identity(rule)
            if not entity["identifier"] or not entity["identifier_type"]:
                yield name, "identifier and identifier_type are required."
            elif entity["identifier_type"] not in TYPES:
                yield name, f'identifier_type: "{entity["identifier_type"]}" is not a valid choice.'
            elif entity["is_group"] not in (None, name == "group_quotas"):
                yield name, f"is_group must be {str(name == 'group_quotas').lower()}."
    if len(body.get("quota_groups_ids", ())) > 4:
        yield "quota_groups_ids", "Ensure this field has no more than 4 elements."


def _stored(cluster: VastCluster, row: Row) -> None:
    directories.make_directory(cluster, row["tenant_id"], row["path"])


def _state(size: int, inodes: int, row: Row) -> str:
    def over(level: str) -> tuple[bool, bool]:
        capacity, files = row[f"{level}_limit"], row[f"{level}_limit_inodes"]
        return bool(capacity) and size >= capacity, bool(files) and inodes >= files

    for level, word in (("hard", "HARD"), ("soft", "SOFT")):
        capacity, files = over(level)
        if capacity and files:
            return f"{word}_BOTH_EXCEEDED"
        if capacity or files:
            return f"{word}_EXCEEDED" if capacity else f"INODE_{word}_EXCEEDED"
    return "OK"


def _percent(value: int, limit: int | None) -> int:
    return value * 100 // limit if limit else 0


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    size, inodes = directories.used(cluster, row["tenant_id"], row["path"], memo)
    state = _state(size, inodes, row)
    return {
        "used_capacity": size,
        "used_effective_capacity": size,
        "used_limited_capacity": size,
        "used_capacity_tb": size / TERABYTE,
        "used_effective_capacity_tb": size / TERABYTE,
        "used_inodes": inodes,
        "percent_capacity": _percent(size, row["hard_limit"]),
        "percent_inodes": _percent(inodes, row["hard_limit_inodes"]),
        "state": state,
        "pretty_state": state.replace("_", " ").capitalize(),
        "pretty_grace_period": row["grace_period"] or "Not set",
        "system_id": row["id"],
    }


QUOTAS = ApiCollection(
    "quotas",
    unique=(("path", "tenant_id"), ("name", "tenant_id")),
    references=(Reference("tenant_id", "tenants"),),
    defaults={
        "tenant_id": DEFAULT_TENANT,
        "cluster_id": 1,
        "enable_alarms": True,
        "hard_limit_inodes": 0,
        "soft_limit_inodes": 0,
        "num_blocked_users": 0,
        "num_exceeded_users": 0,
        "sync_state": "SYNCHRONIZED",
    },
    structs=frozenset({"default_user_quota", "default_group_quota"}),
    nullable=LIMITS | {"grace_period", "default_email"},
    either={"hard_limit": int, "soft_limit": int},  # text in one release's document
    unlisted=dict.fromkeys(RULES, "show_user_rules"),
    fill=_fill,
    check=_check,
    show=_show,
    stored=_stored,
)
