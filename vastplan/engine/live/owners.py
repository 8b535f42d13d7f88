"""What other documents own: a claim of their ledger or a mark on a live object. Neither is adopted, not even with `--adopt`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from operator import itemgetter

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.model.address import Address
from vastplan.model.claims import Claim, SiteClaims
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.shell import word
from vastplan.model.site_ledger import Owned
from vastplan.model.wording import some
from vastplan.schema.entries import Entry
from vastplan.schema.history import zoned_moment

_NAMES = 80  # characters of a text from another ledger


@dataclass(frozen=True, slots=True)
class Owners:
    """What other documents own: by their ledgers, and by the marks on live objects. Created by `owners`."""

    document: str
    sites: Mapping[str, SiteClaims] = field(default_factory=dict)
    _claims: Mapping[tuple[str, str, str], Claim] = field(default_factory=dict)

    def claim(self, live: Live) -> Claim | None:
        """The claim of another document's ledger to an object."""
        return self._claims.get((live.site, live.kind.name, live.id))

    def mark(self, live: Live) -> str | None:
        """The other document that the mark of an object names; `None` for none, and where that document's ledger has released it."""
        document = live.mark.document
        if document in ("", self.document):
            return None
        site = self.sites.get(live.site, SiteClaims())
        return None if (document, live.kind.system) in site.known else document

    def of(self, live: Live) -> str:
        """The other document that owns an object, by claim or mark; "" if none is known."""
        claim = self.claim(live)
        return claim.document if claim is not None else self.mark(live) or ""

    def block(self, live: Live) -> Block | None:
        """Why an object that this document does not own may not be adopted."""
        site, claim, mark = self.sites.get(live.site, SiteClaims()), self.claim(live), self.mark(live)
        if claim is not None:
            document, address = inert(claim.document, _NAMES), inert(claim.address, _NAMES)
            text = f"owned by document {document} as {address}; its ledger is at {inert(site.ledger, 2 * _NAMES)}"
            return Block(
                "other-document",
                text,
                f"release it there (vastplan ledger forget DOCUMENT {word(address)}), or remove it here",
            )
        if mark:
            text = f"marked as owned by document {inert(mark, _NAMES)}, whose ledger is elsewhere"
            return Block(
                "other-document",
                text,
                "release it there and remove its mark (docs/ledger.md, Several documents), or remove it here",
            )
        for document, reason in sorted(site.unread.items()):
            text = f"cannot determine whether document {inert(document, _NAMES)} owns it: {inert(reason, 200)}"
            return Block("other-document", text, "plan again when that ledger can be read")
        return None

    def contested(self, owned_objects: Iterable[tuple[Address, Owned, Live]]) -> Iterator[Finding]:
        """VP311: a warning for each owned object that another ledger owns too, and a note for each other document that wrote some.

        A write before the last apply here is not reported: the object was handed over.
        """
        claimed: list[tuple[Address, Claim]] = []
        written: dict[str, list[Address]] = {}
        for address, owned, live in owned_objects:
            claim, mark = self.claim(live), self.mark(live)
            if claim is not None:
                claimed.append((address, claim))
            elif mark and _may_be_later(live.mark.at, owned.applied):
                written.setdefault(mark, []).append(address)
        for address, claim in sorted(claimed, key=itemgetter(0)):
            text = f"also owned by document {inert(claim.document, _NAMES)}, as {inert(claim.address, _NAMES)}"
            fix = "keep it in one document; remove it from the other and release it there (vastplan ledger forget)"
            yield Finding("VP311", Severity.WARNING, text, fix, str(address))
        for document, addresses in sorted(written.items()):
            names = some(list(map(str, sorted(addresses))))
            text = f"document {inert(document, _NAMES)} has written these since they were last applied here: {names}"
            fix = (
                "keep each in one document: remove it from the other and release it there (vastplan ledger forget), then "
                "remove its mark (docs/ledger.md, Several documents)"
            )
            yield Finding("VP311", Severity.NOTE, text, fix)


def _may_be_later(written: str, applied: str) -> bool:
    """Whether one time is after another, both in whole seconds; true also where one of them is unknown."""
    at, since = zoned_moment(written), zoned_moment(applied)
    return at is None or since is None or at > since


def left_to_others(
    actions: Mapping[Address, Action], desired: Mapping[Address, Entry], matches: Matches, owners: Owners
) -> tuple[dict[Address, Action], tuple[Finding, ...]]:
    """The actions without those on objects that all documents of a site share (`common`) and another document has as wanted here.

    All objects of one origin are left to the other document, or none. An object that differs from what is wanted is blocked: its
    owner has to correct it before anything here relies on it.
    """
    kept: dict[str, dict[Address, str]] = {}
    for address, entry in desired.items():
        action = actions.get(address) if entry.common else None
        if action is not None:
            live = matches.match(address).live
            as_wanted = action.verb is Verb.ADOPT and not action.changes
            kept.setdefault(entry.origin, {})[address] = owners.of(live) if live is not None and as_wanted else ""
    left = {address: document for group in kept.values() if all(group.values()) for address, document in group.items()}
    findings = [
        Finding(
            "VP314",
            Severity.NOTE,
            f"owned by document {inert(document, _NAMES)}; this document needs it too, and leaves it to that one",
            address=str(address),
        )
        for address, document in left.items()
    ]
    return {address: action for address, action in actions.items() if address not in left}, tuple(findings)


def owners(document: str, sites: Mapping[str, SiteClaims]) -> Owners:
    """What is known of other owners, indexed once."""
    claims = {
        (site, claim.kind, claim.id): claim for site, site_claims in sites.items() for claim in site_claims.claims
    }
    return Owners(document, sites, claims)
