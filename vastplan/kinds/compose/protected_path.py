"""Protected paths: the site and the tenant of the copy, which follow from the schedule or the peer."""

from collections.abc import Iterable
from typing import Any

from vastplan.kinds.compose.peering import other_site, peer_at
from vastplan.kinds.vast.protected_path import SYNCHRONOUS
from vastplan.model.address import Address
from vastplan.model.nearest import nearest
from vastplan.model.value import Ref
from vastplan.model.yaml_text import yaml_scalar
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry
from vastplan.schema.recovery import Pieces, Recovered


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    values = {
        **entry.values,
        "target_exported_dir": entry.values.get("target_exported_dir", entry.values["source_dir"]),
    }
    if "protection_policy" not in values:
        yield _with_a_peer(entry, scope, values)
        return
    schedule = values["protection_policy"]
    policy = scope.get(schedule.target)
    policy_values = policy.values if policy else {}
    replicate_to = policy_values.get("replicate_to")
    peering = scope.get(replicate_to.target) if isinstance(replicate_to, Ref) else None
    if peering is not None:
        _to_a_site(entry, scope, values, other_site(peering, entry.address.site))
    elif "remote_tenant" in values:
        del values["remote_tenant"]
        if policy is None or "peer" in policy_values:
            text = f"{schedule} does not replicate to a site of this document, and remote_tenant has no effect"
            scope.refuse(entry, "VP247", text, "write remote_tenant_guid")
        else:
            scope.refuse(entry, "VP247", f"{schedule} does not replicate, and remote_tenant has no effect", "remove it")
    elif "remote_tenant_guid" in values:
        if policy is not None and "peer" not in policy_values:
            text = f"{schedule} does not replicate, and remote_tenant_guid has no effect"
            scope.refuse(entry, "VP247", text, "remove it")
    elif "peer" in policy_values:
        text = f"{schedule} replicates to a peer outside this document, and the tenant there is not known"
        scope.refuse(entry, "VP247", text, "write it in protected_paths, with remote_tenant_guid")
    else:
        _local(entry, scope, values)
    yield entry.standing_for(values)


def _of_a_bucket(entry: Entry, scope: Scope) -> None:
    """Refuse synchronous replication of a directory for which the document has a view that is not a bucket."""
    values, site = entry.values, entry.address.site
    views = scope.owned_by(values["tenant"], site, "view") if values.get("capabilities") == SYNCHRONOUS else []
    same_path = [view for view in views if view.values.get("path") == values["source_dir"]]
    if same_path and not any("S3" in (view.values.get("protocols") or ()) for view in same_path):
        text = f"synchronous replication is for S3 buckets only, and view {same_path[0].address.name} is not a bucket"
        scope.refuse(
            entry,
            "VP247",
            text,
            "write an entry of buckets with synchronous_replication, or use a schedule that replicates",
        )


def _with_a_peer(entry: Entry, scope: Scope, values: dict[str, Any]) -> Entry:
    """A path without a schedule, with its peer, which is created first, and the tenant of the copy on the peer's other site."""
    _of_a_bucket(entry, scope)
    site, written = entry.address.site, values["peer"]
    name = _name_of(written)
    peering = scope.get(Address(site, "peering", name))
    if peering is not None:
        values["peer"], before = peer_at(peering, site)
        _to_a_site(entry, scope, values, other_site(peering, site))
        return entry.standing_for(values, after=tuple(dict.fromkeys((*entry.after, *before))))
    values["peer"] = Ref(Address(site, "replication_peer", name), managed=False)
    if isinstance(written, str):
        names = [link.address.name for link in scope.of(site, "peering")]
        fix = nearest(name, names) or f"for one outside this document write {{existing: {yaml_scalar(name)}}}"
        scope.refuse(entry, "VP209", f"no replication_peer {name}", fix)
    elif "remote_tenant_guid" not in values:
        text = f"{values['peer']} is not a link to a site of this document, and the tenant there is not known"
        scope.refuse(entry, "VP247", text, "write remote_tenant_guid")
    return entry.standing_for(values)


def _name_of(peer: Ref | dict[str, str] | str) -> str:
    """The name of a peer: of one that another entry passes on, or as it is written in this one."""
    if isinstance(peer, Ref):
        return peer.target.name
    return peer["existing"] if isinstance(peer, dict) else peer


def _to_a_site(entry: Entry, scope: Scope, values: dict[str, Any], site: str) -> None:
    """Fill in the tenant of the copy: the one in the entry, else the one of the same name."""
    if "remote_tenant_guid" in values:
        fix = "write remote_tenant: NAME"
        scope.refuse(
            entry, "VP247", f"it replicates to {site}, a site of this document: its tenants are written by name", fix
        )
        return
    written, tenant = values.get("remote_tenant"), values.get("tenant")
    if isinstance(written, str):
        name, managed = written, True
    elif isinstance(written, dict):
        name, managed = str(written["existing"]), False
    elif isinstance(tenant, Ref):
        name, managed = tenant.target.name, tenant.managed
    else:
        return
    remote = Address(site, "tenant", name)
    declared = scope.get(remote) is not None
    if managed and not declared:
        fix = (
            f"add {site} to its sites"
            if written is None
            else f"for one outside this document write {{existing: {yaml_scalar(name)}}}"
        )
        scope.refuse(entry, "VP237", f"it replicates to {site}, and tenant {name} is not on that site", fix)
    values["remote_tenant"] = Ref(remote, managed=declared)


def _local(entry: Entry, scope: Scope, values: dict[str, Any]) -> None:
    """Check a path without a copy elsewhere: its target is its own directory."""
    if values["target_exported_dir"] != values["source_dir"]:
        text = f"{values['protection_policy']} does not replicate, so the target is the source_dir"
        scope.refuse(entry, "VP247", text, "remove target_exported_dir")
    if values.get("capabilities", "ASYNC_REPLICATION") != "ASYNC_REPLICATION":
        text = f"{values['capabilities']} needs a schedule that replicates"
        scope.refuse(entry, "VP247", text, "name a snapshot schedule with replicate_to")


def _recover(pieces: Pieces) -> Iterable[Recovered]:
    """A path without the fields that composing fills in: a target equal to the source, and a tenant of the copy of the same name."""
    for entry in pieces.of("protected_path"):
        values, remote, tenant = entry.values, entry.values.get("remote_tenant"), entry.values.get("tenant")
        followed = {"remote_tenant_guid"} if isinstance(remote, Ref) else set()
        if isinstance(remote, Ref) and isinstance(tenant, Ref) and remote.target.name == tenant.target.name:
            followed.add("remote_tenant")
        if values.get("target_exported_dir") == values["source_dir"]:
            followed.add("target_exported_dir")
        if followed & values.keys():
            yield Recovered(entry.standing_for(entry.without(*followed)), (entry.address,))


COMPOSITION = Composition("protected_path", _compose, recover=_recover, rank=2)
