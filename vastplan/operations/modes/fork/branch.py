"""The document's volume that a fork creates: a clone, at the target, of the pair's data there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from vastplan.model.address import Address
from vastplan.model.errors import Stale, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import Operation
from vastplan.model.shell import word
from vastplan.model.site_ledger import Owned, SiteLedger
from vastplan.model.value import Ref
from vastplan.operations.document import Document
from vastplan.operations.plan.claims import ClaimOf, mounted
from vastplan.operations.plan.owned import owned_at
from vastplan.operations.plan.pair import Branch, Pair
from vastplan.operations.sites import Sites
from vastplan.schema.entries import Entry

_LATEST = "latest"


def forked(entries: Iterable[Entry], pair: Pair, name: str, *, live: bool) -> Pair:
    """The pair with the volume `name` of the document as its branch. Raises `VastplanError` if that is not a clone of it."""
    all_entries = tuple(entries)
    address = Address(pair.target, "volume", name)
    clone = next(
        (entry for entry in all_entries if entry.address.kind == "clone" and entry.origin == str(address)), None
    )
    if clone is None:
        raise VastplanError(
            f"{inert(str(address), 200)} is not a clone in this document (declare a volume of the same tenant with "
            f"sites: [{pair.target}], its own path, and the volume at {pair.target_directory} as its source)"
        )
    problem = _no_branch(all_entries, pair, clone)
    if problem:
        raise VastplanError(f"{pair.path} cannot be forked to {address}: {problem}")
    directory = str(clone.values["path"]).rstrip("/")
    branch = Branch(address, clone.called, directory, clone.values.get("enabled") is not False, live)
    target_claims = mounted(all_entries, pair.target, directory)
    work = tuple((claim, _counterpart(claim, target_claims)) for claim, _ in pair.work)
    return replace(pair, branch=branch, work=work)


def forked_before(pair: Pair, operation: Operation) -> Pair:
    """The pair with the branch of a fork that has begun, from its record."""
    fork = operation.facts.get("fork")
    if not isinstance(fork, Mapping):
        return pair
    branch = Branch(
        Address.parse(str(fork["address"])), str(fork["name"]), str(fork["directory"]), bool(fork["background"]),
        bool(fork["live"]),
    )  # fmt: skip
    return replace(pair, branch=branch, covers=tuple(fork.get("covers", pair.covers)))


def facts_of(branch: Branch, covers: tuple[str, ...]) -> dict[str, object]:
    """A branch as the record of a fork has it; `covers` are those of the pair without it, because it is applied before the fork ends."""
    return {
        "address": str(branch.address), "name": branch.name, "directory": branch.directory,
        "background": branch.background, "live": branch.live, "covers": list(covers),
    }  # fmt: skip


def parts_of(document: Document, branch: Branch | None) -> tuple[str, ...]:
    """The entries of the document that a branch consists of."""
    return tuple(
        str(entry.address) for entry in document.objects() if branch is not None and entry.origin == str(branch.address)
    )


def refuse_changed(pair: Pair, operation: Operation) -> None:
    """Raises `Stale` if the clone in the document has changed since the fork began."""
    before = forked_before(pair, operation).branch
    if before != pair.branch:
        address = pair.branch.address if pair.branch else pair.path
        raise Stale(
            f"{address}: the clone in the document has changed since the fork {operation.id} began; write it as it was, or give up"
        )


def missing(document: Document, sites: Sites, branch: Branch, ledger: Mapping[str, SiteLedger]) -> str:
    """Which parts of a branch are not applied yet, and what to type; "" if all are applied and each claim is bound."""
    parts = [entry for entry in document.objects() if entry.origin == str(branch.address)]
    owned = ledger[branch.address.site].entries if branch.address.site in ledger else {}
    absent = [str(entry.address) for entry in parts if str(entry.address) not in owned]
    if not parts:
        return f"{branch.address} is no longer in the document"
    if not absent:
        absent = [f"{address} is not bound" for address in _unbound(sites, parts, owned)]
    if not absent:
        return ""
    command = apply_command(document, branch)
    return f"{branch.address} is not applied yet ({', '.join(absent[:4])}): type {command}, then go on"


def apply_command(document: Document, branch: Branch) -> str:
    """The command that creates view, quota, claim and data source of a branch, and adopts its clone."""
    return f"vastplan apply {document.paths} --adopt --target {word(str(branch.address))}"


def whose(branch: Branch, ledger: Mapping[str, SiteLedger]) -> str:
    """Who owns a clone besides the fork, "" for nobody."""
    owned = owned_at(ledger, branch.address._replace(kind="clone"))
    return "" if owned is None else f"{branch.address}, which an apply adopted"


def _unbound(sites: Sites, parts: Iterable[Entry], owned: Mapping[str, Owned]) -> list[str]:
    claims = [entry.address for entry in parts if entry.address.kind == "persistent_volume_claim"]
    return [str(address) for address in claims if not sites.bound(address.site, owned[str(address)].locator)]


def _no_branch(everything: tuple[Entry, ...], pair: Pair, clone: Entry) -> str:
    path = next(entry for entry in everything if entry.address == pair.path)
    tenant = path.values.get("tenant" if pair.path.site == pair.target else "remote_tenant")
    clone_tenant = clone.values.get("tenant")
    if "peer" in clone.values:
        return f"its source names a site; leave site out, so that the clone is created from the data that arrived at {pair.target}"
    if str(clone.values["source"]).rstrip("/") != pair.target_directory.rstrip("/"):
        return f"its source is {inert(clone.values['source'], 200)}, not {pair.target_directory}"
    if not isinstance(tenant, Ref) or not isinstance(clone_tenant, Ref) or tenant.target != clone_tenant.target:
        return "it belongs to another tenant"
    if clone.values["snapshot"] != _LATEST:
        return "its source names a snapshot; leave snapshot out, because a fork clones the restore point that it takes itself"
    return ""


def _counterpart(claim: ClaimOf, theirs: tuple[ClaimOf, ...]) -> ClaimOf | None:
    """The claim of the branch for workloads that use a claim of the source: the claim of the same project, or the only one."""
    same_project = [candidate for candidate in theirs if candidate.project.name == claim.project.name]
    return same_project[0] if len(same_project) == 1 else theirs[0] if len(theirs) == 1 else None
