"""Whoever gets in by a change is in the section of a report that says so, and where nobody gets in the section is empty.

Who gets in is decided here a second time, from the vendors' documents and without our code: VAST KB "host-based access rules" (lists of
hosts by protocol: addresses, CIDRs, `10.1.*.*`, `@netgroup`, `*`), the VMS API on `permission_per_vip_pool` (no pools: all of them), and
the Run:AI API on access rules. Which list counts for a host that is in several no document says: somebody gets in who does so if the
weakest counts, or if the strongest does. Root rights, hosts and pools are judged one by one: a root right counts although no list of
hosts lets in its host.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import lru_cache
from ipaddress import ip_address, ip_network
from itertools import permutations, product
from typing import Any, NamedTuple

import pytest

from tests.guards.stage import planned
from vastplan.model.plan import Plan
from vastplan.report.openings import opening_lines

FEW, MANY = 120, 5_000  # of each: policies, views, access rules
HOSTS = ["*", "10.0.0.5", "10.0.0.0/24", "10.0.0.0/16", "10.0.*.*", "0.0.0.0/0", "192.0.2.0/24", "fd00::/64", "::/0"]
NAMES = ["@staff", "10.*.0.5"]  # these are compared as text, so that more may be said than is true
ADDRESSES = [
    "10.0.0.5",
    "10.0.0.6",
    "10.0.1.5",
    "10.9.0.5",
    "10.9.1.1",
    "192.0.2.9",
    "203.0.113.1",
    "fd00::5",
    "fe80::1",
]
POOLS = {"pool-a": 7, "pool-b": 8}
UNLISTED = "pool-c"  # one that no policy names
LISTS = [f"{protocol}_{rights}" for protocol in ("nfs", "smb", "s3") for rights in ("read_write", "read_only")]
SQUASH = ["nfs_all_squash", "nfs_root_squash", "nfs_no_squash"]
Policy = dict[str, Any]


class Client(NamedTuple):
    """Somebody who mounts, or tries to."""

    address: str
    staff: bool
    pool: str
    protocol: str


CLIENTS = [
    Client(*one)
    for one in product(ADDRESSES, (False, True), [*POOLS, UNLISTED], ("nfs", "smb", "s3"))
    if one[-1] == "nfs" or not one[1]  # groups of hosts are of NFS
]


@lru_cache(None)
def meant(entry: str, client: Client) -> bool:
    """Whether an entry of a list of hosts is about a client."""
    if entry == "*" or entry.startswith("@"):
        return entry == "*" or (client.staff and client.protocol == "nfs")
    if "*" in entry:
        return re.fullmatch(entry.replace(".", r"\.").replace("*", r"\d+"), client.address) is not None
    return ip_address(client.address) in ip_network(entry)


def ranks(policy: Policy, names: list[str], client: Client) -> list[int]:
    """What the lists, from the weakest to the strongest, give a client, by every order in which they could count; 0 for nothing."""
    found = [number for number, name in enumerate(names, 1) if any(meant(entry, client) for entry in policy[name])]
    return [next((one for one in order if one in found), 0) for order in permutations(range(1, len(names) + 1))]


def rights(policy: Policy, client: Client) -> dict[str, list[int]]:
    """What a client has, more is better: by its host, by its pool, as root, and without TLS."""
    anywhere = not policy["vip_pools"] and not policy["vip_pools_read_only"]
    pool = 2 if anywhere or client.pool in policy["vip_pools"] else int(client.pool in policy["vip_pools_read_only"])
    hosts = ranks(policy, [f"{client.protocol}_read_only", f"{client.protocol}_read_write"], client)
    nfs = (
        {"root": ranks(policy, SQUASH, client), "tls": [int(not policy["nfs_enforce_tls"])]}
        if client.protocol == "nfs"
        else {}
    )
    return {"host": hosts, "pool": [pool], **nfs}


def gaining(before: dict[str, Policy], after: dict[str, Policy], was: Policy) -> tuple[list[tuple[Client, str]], bool]:
    """The clients that have more, and by what; and whether anybody could have. `before` and `after` are the policy by open protocol."""
    found, possible = [], False
    for client in CLIENTS:
        if client.protocol not in after:
            continue
        new = rights(after[client.protocol], client)
        if client.protocol not in before:  # whoever the lists of hosts let in: the other rights come with it
            found += [(client, "host")] if max(new["host"]) and max(new["pool"]) else []
            possible |= new["pool"] > rights(was, client)["pool"] or max(new["host"]) > 0
            continue
        old = rights(before[client.protocol], client)
        for right, now in new.items():
            more = [b > a for a, b in zip(old[right], now, strict=True)]
            possible |= any(more)
            found += [(client, right)] if more[0] or more[-1] else []  # the weakest list counts, or the strongest
    return found, possible


def hosts(choice: random.Random, names: bool) -> list[str]:
    pool = HOSTS + (NAMES if names else [])
    return sorted(choice.sample(pool, choice.choice([0, 0, 1, 1, 2, 3])))


def policy(choice: random.Random, names: bool) -> Policy:
    made: Policy = {name: hosts(choice, names and name.startswith("nfs")) for name in (*LISTS, *SQUASH)}
    modes = {pool: choice.choice(["", "", "RW", "RO"]) for pool in POOLS}
    made["vip_pools"] = [pool for pool, mode in modes.items() if mode == "RW"]
    made["vip_pools_read_only"] = [pool for pool, mode in modes.items() if mode == "RO"]
    return each_once({**made, "nfs_enforce_tls": choice.random() < 0.3})


def each_once(made: Policy) -> Policy:
    """Every entry in one list only, as a document has to have it."""
    for lists in (
        *((f"{one}_read_only", f"{one}_read_write") for one in ("nfs", "smb", "s3")),
        SQUASH,
        ("vip_pools_read_only", "vip_pools"),
    ):
        for number, name in enumerate(lists):
            stronger = [entry for other in lists[number + 1 :] for entry in made[other]]
            made[name] = [entry for entry in made[name] if entry not in stronger]
    return made


def changed(choice: random.Random, old: Policy, names: bool) -> Policy:
    """One with a few fields of another."""
    new = policy(choice, names)
    fields = choice.sample(sorted(new), choice.choice([0, 1, 2, len(new)]))
    return each_once({**old, **{name: new[name] for name in fields}})


def row(number: int, name: str, values: Policy) -> dict[str, Any]:
    kept = {key: value for key, value in values.items() if not key.startswith("vip_pools")}
    modes = {
        str(POOLS[pool]): mode
        for key, mode in (("vip_pools", "RW"), ("vip_pools_read_only", "RO"))
        for pool in values[key]
    }
    base = {"read_write": [], "read_only": [], "flavor": "NFS"}
    return {"id": number, "name": name, "tenant_id": 1, **base, **kept, "permission_per_vip_pool": modes}


def wanted(name: str, values: Policy) -> dict[str, Any]:
    pools = {
        key: [{"$existing": f"iad/vip_pool/{pool}"} for pool in values[key]]
        for key in ("vip_pools", "vip_pools_read_only")
    }
    return {"name": name, "tenant": {"$existing": "iad/tenant/t"}, "read_write": [], "read_only": [], **values, **pools}


def stage(rows: dict[str, Any], desired: dict[str, Any], owned: dict[str, Any]) -> Plan:
    around = {
        "tenant": [{"id": 1, "name": "t"}],
        "vip_pool": [{"id": one, "name": name, "tenant_id": 1} for name, one in POOLS.items()],
    }
    plan, _ = planned(
        {"rows": {**around, **rows}, "desired": desired, "owned": owned, "consent": {"allow_narrow": ["*"]}}
    )
    return plan


def said(plan: Plan) -> list[str]:
    return [line.written(str) for line in opening_lines(plan, str)]


def names_of(line: str, client: Client, of: str) -> bool:
    """Whether a line says that a client gets in: by an entry that means it, by its pool, or by everybody."""
    if of == "tls":
        return "nfs_enforce_tls" in line
    if of == "pool":
        return "vip_pools" in line and any(word in line for word in (client.pool, "everybody", "becomes: empty"))
    lists = {"host": (f"{client.protocol}_read_write", f"{client.protocol}_read_only"), "root": tuple(SQUASH)}[of]
    shown = line if "becomes" in line else line.partition(" (before:")[0]
    for part in re.split(r";|: lets in by view policy \S+: ", shown):
        entries = re.split(r"[ ,()]+", re.sub(r" - ", "-", part))
        if any(name in part for name in lists) and any(_means(entry, client) for entry in entries):
            return True
    return False


def _means(entry: str, client: Client) -> bool:
    try:
        if "-" in entry:
            first, last = map(ip_address, entry.split("-"))
            return first.version == ip_address(client.address).version and int(first) <= int(
                ip_address(client.address)
            ) <= int(last)
        return meant(entry, client)
    except ValueError:
        return False


def policies(seed: int) -> tuple[Plan, list[tuple[Client, str]], bool]:
    """A policy that changes."""
    choice, names = random.Random(seed), seed % 3 == 0
    old = policy(choice, names)
    new = changed(choice, old, names)
    plan = stage({"view_policy": [row(5, "p", old)]}, {"view_policy/p": wanted("p", new)}, {"view_policy/p": 5})
    every = ("nfs", "smb", "s3")
    gained, possible = gaining(dict.fromkeys(every, old), dict.fromkeys(every, new), old)
    return plan, gained, possible or names


def views(seed: int) -> tuple[Plan, list[tuple[Client, str]], bool]:
    """A view that gets other protocols, another policy, or both."""
    choice, names = random.Random(f"view {seed}"), seed % 3 == 0
    old = policy(choice, names)
    new = changed(choice, old, names)
    had, has = (sorted(choice.sample(["NFS", "SMB", "S3"], choice.choice([1, 2, 3]))) for _ in range(2))
    has = had if choice.random() < 0.4 else has
    target = choice.choice(["p", "q"])
    rows = {
        "view_policy": [row(5, "p", old), row(6, "q", new)],
        "view": [{"id": 3, "path": "/a", "tenant_id": 1, "policy_id": 5, "protocols": had}],
    }
    view = {
        "path": "/a",
        "tenant": {"$existing": "iad/tenant/t"},
        "protocols": has,
        "view_policy": {"$existing": f"iad/view_policy/{target}"},
    }
    plan = stage(rows, {"view/a": view}, {"view/a": 3})
    after = new if target == "q" else old
    gained, possible = gaining(dict.fromkeys(map(str.lower, had), old), dict.fromkeys(map(str.lower, has), after), old)
    return plan, gained, possible or names


@pytest.mark.parametrize("of", [policies, views])
def test_of_each_of_some_pairs_it_is_said_who_gets_in(of: Any) -> None:
    check(of, range(FEW))


@pytest.mark.slow
@pytest.mark.parametrize("of", [policies, views])
def test_of_each_of_many_pairs_it_is_said_who_gets_in(of: Any) -> None:
    check(of, range(FEW, FEW + MANY))


def check(of: Any, seeds: range) -> None:
    let_in = quiet = 0
    for seed in seeds:
        plan, gained, possible = of(seed)
        lines = said(plan)
        for client, right in gained:
            assert any(names_of(line, client, right) for line in lines), (seed, client, right, lines)
        if not possible:
            assert lines == [], seed
        let_in += bool(gained)
        quiet += not possible
    assert let_in > len(seeds) // 5 and quiet > len(seeds) // 20  # both have been tried


SUBJECTS, SCOPES, ROLES = ("eve", "kim"), {"p": "4", "r": "6"}, {"engineer": 2, "viewer": 3}
Rule = tuple[str, str, str]


def rules(seed: int) -> tuple[Plan, dict[str, Rule], dict[str, Rule]]:
    """Rules that are added, removed and changed, some of them under a key that stays: to that key another rule is a new one."""
    choice = random.Random(f"rules {seed}")
    every = list(product(SUBJECTS, SCOPES, ROLES))
    before, after = (
        {f"k{n}": one for n, one in enumerate(choice.sample(every, choice.randint(0, 4)))} for _ in range(2)
    )
    after = before if choice.random() < 0.2 else after
    after = dict(list(after.items())[: choice.randint(0, 4)])
    number = {key: n for n, key in enumerate(before, 10)}
    rows = {
        "project": [{"id": one, "name": name, "status": {}} for name, one in SCOPES.items()],
        "role": [{"id": one, "name": name} for name, one in ROLES.items()],
        "access_rule": [
            {
                "id": number[key],
                "subjectId": who,
                "subjectType": "group",
                "roleId": ROLES[role],
                "scopeId": SCOPES[where],
                "scopeType": "project",
            }
            for key, (who, where, role) in before.items()
        ],
    }
    desired = {
        f"access_rule/{key}": {
            "subject": who, "subject_type": "group", "role": {"$existing": f"iad/role/{role}"},
            "scope": {"$existing": f"iad/project/{where}"}, "scope_type": "project",
        }
        for key, (who, where, role) in after.items()
    }  # fmt: skip
    plan, _ = planned({"rows": rows, "desired": desired, "owned": {f"access_rule/{key}": one for key, one in number.items()},
                       "consent": {"allow_delete": ["*"], "allow_narrow": ["*"]}})  # fmt: skip
    plan = replace(plan, parts=tuple(replace(part, lineage="applied before") for part in plan.parts))
    return plan, before, after


def test_of_each_access_rule_that_comes_it_is_said_where() -> None:
    check_rules(range(FEW))


@pytest.mark.slow
def test_of_each_of_many_access_rules_that_come_it_is_said_where() -> None:
    check_rules(range(FEW, FEW + MANY))


def check_rules(seeds: range) -> None:
    for seed in seeds:
        plan, before, after = rules(seed)
        lines = said(plan)
        for who, where, role in set(after.values()) - set(before.values()):
            new = [line for line in lines if all(word in line for word in (who, where, role))]
            assert new, (seed, who, where, role, lines)
        if not after.items() - before.items():
            assert lines == [], (seed, lines)
