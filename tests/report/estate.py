"""Plans of any size as an estate has them: one change to many, many of one kind, and a few that somebody has to look at. Made by a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from tests.report.reading import plan
from vastplan.model.address import Address
from vastplan.model.consent import Consent
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Block, Cause, Evidence, FieldChange, Node, Plan, Stage, Verb

TIB = 2**40
TENANTS = 40
_REASON = "the document changed"
Made = tuple[Action, Node]


def _ref(address: str) -> dict[str, str]:
    return {"$ref": address}


def _tenant(number: int) -> tuple[str, str]:
    """The site and the name of the tenant that the action of this number is of."""
    tenant = number // 3 % TENANTS
    return ("pdx" if tenant % 4 == 3 else "iad"), f"team-{tenant:02}"


def _made(number: int, kind: str, stage: Stage | None, verb: Verb, **more: Any) -> Made:
    site, tenant = _tenant(number)
    address = Address(site, kind, f"{tenant}-{kind.replace('_', '-')}-{number}")
    node = Node(str(address), "vast", stage, (f"{site}/tenant/{tenant}",))
    return Action(address, verb, more.pop("reason", _REASON), **more), node


def _quota(number: int) -> Made:
    """The same for all of them."""
    change = FieldChange("hard_limit", 10 * TIB, 12 * TIB, Cause.DOCUMENT, "bytes")
    return _made(number, "quota", None, Verb.UPDATE, changes=(change,))


def _size(number: int) -> Made:
    """The same field, to a value of its own."""
    change = FieldChange("soft_limit", number * TIB, (number + 1) * TIB, Cause.DOCUMENT, "bytes")
    return _made(number, "quota", None, Verb.UPDATE, changes=(change,))


def _view(number: int) -> Made:
    site, tenant = _tenant(number)
    changes = (
        FieldChange("path", None, f"/{tenant}/data-{number}", Cause.NEW),
        FieldChange("tenant", None, _ref(f"{site}/tenant/{tenant}"), Cause.NEW),
        FieldChange("protocols", None, ["NFS"], Cause.NEW, unordered=True),
    )
    return _made(number, "view", Stage.DATA, Verb.CREATE, reason="does not exist yet", changes=changes)


def _claim(number: int) -> Made:
    site, tenant = _tenant(number)
    changes = (
        FieldChange("namespace", None, tenant, Cause.NEW),
        FieldChange("size", None, 5 * TIB, Cause.NEW, "bytes"),
        FieldChange("storage_class", None, _ref(f"{site}/storage_class/{tenant}"), Cause.NEW),
    )
    return _made(
        number, "persistent_volume_claim", Stage.VOLUME, Verb.CREATE, reason="does not exist yet", changes=changes
    )


def _opening(number: int) -> Made:
    hosts = [f"10.{number % 200}.0.0/16"]
    change = FieldChange(
        "nfs_read_write", hosts, [*hosts, f"192.0.2.{number % 250}/32"], Cause.DOCUMENT, unordered=True, admits=True
    )
    return _made(number, "view_policy", Stage.POLICY, Verb.UPDATE, changes=(change,))


def _narrowing(number: int) -> Made:
    hosts = [f"10.{number % 200}.0.0/16"]
    change = FieldChange("nfs_read_only", [*hosts, "198.51.100.0/24"], hosts, Cause.DOCUMENT, unordered=True)
    seen = (Evidence("clients that have it mounted", number % 7),)
    return _made(number, "view_policy", Stage.POLICY, Verb.UPDATE, changes=(change,), evidence=seen)


def _lost(number: int) -> Made:
    """Deletes of what holds data, each of which waits for its own approval."""
    site, tenant = _tenant(number)
    address = f"{site}/view/{tenant}-view-{number}"
    block = Block(
        "approval",
        "a delete of a view needs an approval because data depends on it",
        f"approve {address} in the file from --approvals-template FILE and pass --approvals FILE",
        max_used=number,
    )
    seen = (Evidence("used", (number + 1) * 2**30, "bytes"),)
    return _made(
        number, "view", Stage.DATA, Verb.DELETE, reason="no longer in the document", evidence=seen, blocked=(block,),
        holds_data=True,
    )  # fmt: skip


def _replaced(number: int) -> Made:
    change = FieldChange("storage_path", "/old", "/new", Cause.DOCUMENT, replaces=True)
    reason = "storage_path cannot be changed in place"
    return _made(number, "storage_class", Stage.POLICY, Verb.REPLACE, reason=reason, changes=(change,))


def _reverted(number: int) -> Made:
    change = FieldChange("quota.gpus", 8 * (number % 9 + 1), 64, Cause.SYSTEM)
    reason = "changed outside vastplan"
    return _made(number, "project", Stage.TEAM, Verb.UPDATE, reason=reason, changes=(change,))


def _policy(number: int) -> Made:
    changes = (
        FieldChange("static_limits.max_reads_bw_mbps", 4000, 6000, Cause.DOCUMENT, "MB/s"),
        FieldChange("static_limits.max_writes_bw_mbps", 2000, 3000, Cause.DOCUMENT, "MB/s"),
    )
    return _made(number, "qos_policy", Stage.POLICY, Verb.UPDATE, changes=changes)


# Of thirty, so many of each; what is rare comes once, and of these the first is never left out.
_RULE: tuple[Callable[[int], Made], ...] = (
    _quota, _quota, _view, _claim, _lost, _quota, _size, _view, _opening, _claim,
    _quota, _quota, _view, _claim, _replaced, _quota, _size, _view, _narrowing, _claim,
    _quota, _quota, _view, _policy, _reverted, _quota, _size, _view, _policy, _claim,
)  # fmt: skip


def _all(count: int) -> Iterator[Made]:
    for number in range(count):
        yield _RULE[number % len(_RULE)](number)


@cache
def estate(count: int) -> Plan:
    """A plan of `count` changes."""
    made = [*_all(count)]
    owners = [
        Node(f"{site}/tenant/{name}", "vast", Stage.OWNER)
        for site, name in sorted({_tenant(number) for number in range(count)})
    ]
    notes = tuple(
        Finding("QTA-01", Severity.NOTE, "the soft limit is not below the hard limit", "lower it", str(action.address))
        for action, _ in made
        if action.address.kind == "quota" and any(change.path == "soft_limit" for change in action.changes)
    )
    return replace(
        plan("empty"), actions=tuple(action for action, _ in made), topology=(*(node for _, node in made), *owners),
        in_sync=8_000, findings=notes, consent=Consent(allow_narrow=("*/view_policy/*",)),
    )  # fmt: skip
