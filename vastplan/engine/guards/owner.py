"""The guard of one owner: what another document owns is not adopted, also with `--adopt`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter

from vastplan.engine.match import Matches
from vastplan.engine.observe import Live
from vastplan.model.address import Address
from vastplan.model.claims import Claim, SiteClaims
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.shell import word
from vastplan.model.site_ledger import Owned
from vastplan.model.wording import some
from vastplan.schema.entries import Entry
from vastplan.schema.history import moment

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
        """The other document that the mark of an object names; `None` for none, and where that document's ledger has released it."""
        document = live.mark.document
        if document in ("", self.document):
            return None
        site = self.sites.get(live.site, SiteClaims())
        return None if (document, live.kind.system) in site.known else document

    def of(self, live: Live) -> str:
        """The other document that an object is of, "" for none that is known."""
        claim = self.claim(live)
        return claim.document if claim is not None else self.mark(live) or ""

    def block(self, live: Live) -> Block | None:
        """Why an object that is not ours may not become it."""
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

    def contested(self, ours: Iterable[tuple[Address, Owned, Live]]) -> Iterator[Finding]:
        """VP311: a warning for each object of ours that another ledger owns too, and a note for each document that wrote some.

        What it wrote before we last applied the object is no news: the object was handed over.
        """
        claimed: list[tuple[Address, Claim]] = []
        written: dict[str, list[Address]] = {}
        for address, owned, live in ours:
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
    """Whether one time is after another, both in whole seconds; so it may be where one of them is not known."""
    at, since = moment(written), moment(applied)
    return at is None or since is None or at > since


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
    claims = {(site, claim.kind, claim.id): claim for site, here in sites.items() for claim in here.claims}
    return Owners(document, sites, claims)
