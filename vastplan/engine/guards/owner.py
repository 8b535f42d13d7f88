"""The guard of one owner: what another document owns is not taken over, however much that is wanted here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vastplan.engine.match import Matches
from vastplan.engine.observe import Live
from vastplan.model.address import Address
from vastplan.model.claims import Claim, SiteClaims
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Block, Verb
from vastplan.schema.entries import Entry

_NAMES = 80  # characters of what another ledger says


@dataclass(frozen=True, slots=True)
class Owners:
    """Who owns what beside the document: by the ledgers of others, and by what objects say themselves. Made by `owners`."""

    document: str
    sites: Mapping[str, SiteClaims] = field(default_factory=dict)
    _claims: Mapping[tuple[str, str, str], Claim] = field(default_factory=dict)

    def claim(self, live: Live) -> Claim | None:
        """What another document's ledger says of an object."""
        return self._claims.get((live.site, live.kind.name, live.id))

    def mark(self, live: Live) -> str | None:
        """The other document that an object says it is of; `None` for none, and where that one's ledger says that it let go."""
        if live.document in ("", self.document):
            return None
        site = self.sites.get(live.site, SiteClaims())
        return None if (live.document, live.kind.system) in site.known else live.document

    def of(self, live: Live) -> str:
        """The other document that an object is of, "" for none that is known."""
        claim = self.claim(live)
        return claim.document if claim is not None else self.mark(live) or ""

    def block(self, live: Live) -> Block | None:
        """Why an object that is not ours may not become it."""
        site, claim, mark = self.sites.get(live.site, SiteClaims()), self.claim(live), self.mark(live)
        if claim is not None:
            document, address = inert(claim.document, _NAMES), inert(claim.address, _NAMES)
            text = f"the document {document} owns it as {address}; its ledger is at {inert(site.ledger, 2 * _NAMES)}"
            return Block(
                "other-document",
                text,
                f"let go of it there (vastplan ledger forget DOCUMENT {address}), or leave it out here",
            )
        if mark:
            text = f"the document {inert(mark, _NAMES)} wrote it, and its ledger is not where this one's is"
            return Block("other-document", text, "let go of it there and take its mark away, or leave it out here")
        for document, reason in sorted(site.unread.items()):
            text = f"it cannot be told whether the document {inert(document, _NAMES)} owns it: {inert(reason, 200)}"
            return Block("other-document", text, "plan again when that ledger can be read")
        return None

    def warning(self, address: str, live: Live) -> Finding | None:
        """What to say of an object of ours that another document claims too."""
        claim, mark = self.claim(live), self.mark(live)
        if claim is not None:
            text = f"the document {inert(claim.document, _NAMES)} owns it too, as {inert(claim.address, _NAMES)}"
        elif mark:
            text = f"the document {inert(mark, _NAMES)} has written it since, as if it were its own"
        else:
            return None
        fix = "keep it in one document; in the other remove it and vastplan ledger forget it"
        return Finding("VP311", Severity.WARNING, text, fix, address)


def left_to_others(
    actions: Mapping[Address, Action], desired: Mapping[Address, Entry], matches: Matches, owners: Owners
) -> tuple[dict[Address, Action], tuple[Finding, ...]]:
    """The actions without those on what there is one of on a site and another document keeps as it is wanted here.

    All that comes of one origin is left, or nothing: what is not as it is wanted is refused, and its owner has to mend it
    before anything here relies on it.
    """
    kept: dict[str, dict[Address, str]] = {}
    for address, entry in desired.items():
        action = actions.get(address) if entry.common else None
        if action is not None:
            live = matches.match(address).live
            as_wanted = live is not None and action.verb is Verb.ADOPT and not action.changes
            kept.setdefault(entry.origin, {})[address] = owners.of(live) if live is not None and as_wanted else ""
    left = {address: document for group in kept.values() if all(group.values()) for address, document in group.items()}
    findings = [
        Finding(
            "VP314",
            Severity.NOTE,
            f"the document {inert(document, _NAMES)} keeps it, as it is wanted here too: it is left to that one",
            address=str(address),
        )
        for address, document in left.items()
    ]
    return {address: action for address, action in actions.items() if address not in left}, tuple(findings)


def owners(document: str, sites: Mapping[str, SiteClaims]) -> Owners:
    """What is known of other owners, indexed once."""
    claims = {(site, claim.kind, claim.id): claim for site, here in sites.items() for claim in here.claims}
    return Owners(document, sites, claims)
