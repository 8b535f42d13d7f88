"""QTA-05: quotas of users where a view policy squashes all users."""

from collections.abc import Iterator, Mapping

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.paths import enclosing
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

_NFS = {"NFS", "NFS4"}
_OF_USERS = ("user_quotas", "group_quotas", "default_user_quota", "default_group_quota")


def _run(facts: Facts) -> Iterator[Violation]:
    squashing = {policy.address for policy in facts.objects.all("view_policy") if policy.values.get("nfs_all_squash")}
    views: dict[Address, dict[str, Entry]] = {}
    for view in facts.objects.all("view"):
        tenant, policy = view.values.get("tenant"), view.values.get("view_policy")
        by_nfs = _NFS & set(view.values.get("protocols") or _NFS)
        if by_nfs and isinstance(tenant, Ref) and isinstance(policy, Ref) and policy.target in squashing:
            views.setdefault(tenant.target, {})[view.values["path"]] = view
    quotas: dict[Address, list[Entry]] = {}
    for quota in facts.objects.all("quota"):
        tenant = quota.values.get("tenant")
        limits_users = any(quota.values.get(name) for name in _OF_USERS)
        if limits_users and isinstance(tenant, Ref) and tenant.target in views:
            quotas.setdefault(tenant.target, []).append(quota)
    for owner, limited in quotas.items():
        yield from _squashed(limited, views[owner])


def _squashed(quotas: list[Entry], views: Mapping[str, Entry]) -> Iterator[Violation]:
    """For each quota the first view of its directory, of a directory in it, or of one that it lies in."""
    outer = enclosing([*views, *(quota.values["path"] for quota in quotas)])
    first_views: dict[str, Entry] = {}
    for path, view in views.items():
        for outer_path in (*outer[path], path):
            first_views.setdefault(outer_path, view)
    for quota in quotas:
        path = quota.values["path"]
        outer_views = (views[outer_path] for outer_path in outer[path] if outer_path in views)
        squashed = first_views.get(path) or next(outer_views, None)
        if squashed is not None:
            text = f"view {squashed.address.name} has policy {squashed.values['view_policy']}"
            yield Violation(quota, f"limits users, and {text}, whose nfs_all_squash makes one user of all")


CHECK = Check(
    code="QTA-05",
    title="quotas of users have no effect: the view policy squashes all users",
    severity=Severity.WARNING,
    why="nfs_all_squash makes one user of all clients: that user owns what they write, and quotas of other users limit nobody.",
    fix="limit the directory instead, or squash root only",
    source="inferred: files are counted for the user that owns them, who is the one that clients are squashed to",
    run=_run,
)
