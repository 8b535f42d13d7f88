"""A plan from a few rows: one site `iad`, everything read and empty but what a case says.

rows: {kind: [row]}         # what the system answers, as on the wire
there: {site: {kind: [row]}}    # what those of other sites answer
unread: {kind: why}         # collections that could not be read
unasked: [kind]             # collections that nobody asked for
absent: [kind]              # collections of a system that the site does not have
owned: {kind/name: id}      # the ledger
applied: TIME               # when all of that was applied
intents: {kind/name: verb}  # what an earlier apply was about to do
desired: {kind/name: {...}} # values as plans write them, references as {"$ref": ADDRESS}
claims: {...}               # what other documents own there: ledger, claims, known, unread; a row may say `wrote: DOCUMENT` and `at: TIME`
retired: true               # the site is to be emptied
consent: {...}              # of the person; approvals as mappings without reason
limits: {...}               # in force
targets: [address]
common: {kind/name: origin} # of what is desired: which there is one of on a site, and what each comes of
actions: {kind/name: verb}  # all of the plan, where a case says it
blocks: {kind/name: [[guard, message, fix]]}    # all there are
warns: [message]            # all there are
seen: {kind/name: {name: value}}    # all evidence of these actions
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

import vastplan.kinds
from vastplan.engine.deciding.plan import PlanInputs, build
from vastplan.engine.live.consent import Approval, ChangeLimits, Consent
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Observed, ObservedCollection, live_of
from vastplan.model.address import Address
from vastplan.model.claims import Claim, SiteClaims
from vastplan.model.plan import Plan
from vastplan.model.site_ledger import Intent, Owned, SiteLedger
from vastplan.model.value import from_json
from vastplan.schema.codec import item_id
from vastplan.schema.discover import discover
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Row
from vastplan.schema.provider import Mark

FOLDER = Path(__file__).parent
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
Case = dict[str, Any]


@lru_cache
def kinds() -> Mapping[str, Kind]:
    """All kinds."""
    return discover(vastplan.kinds).kinds


def cases() -> list[Case]:
    """The cases of all files, each with the name of its file."""
    found = []
    for file in sorted(FOLDER.glob("*.yaml")):
        found += [{**case, "file": file.stem} for case in yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)]
    return found


class Nobody:
    """What rows come from, as far as reading them needs it."""

    system, writable = "", False

    def locator(self, kind: Kind, row: Row) -> str:
        """The id."""
        return item_id(kind.endpoint, row)

    def writers(self, row: Row) -> tuple[str, ...]:
        """Nobody."""
        return ()

    def mark_of(self, row: Row) -> Mark:
        """What the row itself says."""
        return Mark(str(row.get("wrote", "")), str(row.get("at", "")))


def observed(case: Case) -> Observed:
    """What was read."""
    found: dict[tuple[str, str], ObservedCollection] = {}
    for name, kind in kinds().items():
        rows = case.get("rows", {}).get(name, [])
        objects = [live_of("iad", kind, row, Nobody()) for row in rows]  # type: ignore[arg-type]
        found["iad", name] = ObservedCollection(objects)
    for site, rows in case.get("there", {}).items():
        for name, those in rows.items():
            found[site, name] = ObservedCollection([live_of(site, kinds()[name], row, Nobody()) for row in those])  # type: ignore[arg-type]
    for name, why in case.get("unread", {}).items():
        found["iad", name] = ObservedCollection(error=why)
    for name in case.get("absent", ()):
        found["iad", name] = ObservedCollection(error="site iad has none", absent=True)
    for name in case.get("unasked", ()):
        del found["iad", name]
    return Observed(found)


def consent(given: Case) -> Consent:
    """What somebody allowed."""
    words: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    words["approvals"] = tuple(
        Approval(
            f"iad/{one['of']}",
            "in a test",
            str(one.get("until", "2026-05-01")),
            one.get("used", 0),
            one.get("orphans", 0),
            str(one.get("id", "")),
        )
        for one in given.get("approvals", ())
    )
    return Consent(**words)


def ledger(case: Case) -> dict[str, SiteLedger]:
    """What is ours."""
    entries = {
        f"iad/{name}": Owned(str(one), str(one), applied=case.get("applied", ""))
        for name, one in case.get("owned", {}).items()
    }
    intents = {f"iad/{name}": Intent(verb) for name, verb in case.get("intents", {}).items()}
    return {"iad": SiteLedger("test", "iad", "lineage", "00", entries=entries, intents=intents)}


def claims(case: Case) -> dict[str, SiteClaims]:
    """What other documents own."""
    if "claims" not in case:
        return {}
    given = {"ledger": "here", **case["claims"]}
    given["claims"] = tuple(Claim(**one) for one in given.get("claims", ()))
    given["known"] = tuple((document, system) for document, system in given.get("known", ()))
    return {"iad": SiteClaims(**given)}


def planned(case: Case) -> tuple[Plan, Matches]:
    """The plan of a case, and how it was matched."""
    common = case.get("common", {})
    entries = tuple(
        Entry(Address.parse(f"iad/{name}"), from_json(values), origin=common.get(name, ""), common=name in common)
        for name, values in case.get("desired", {}).items()
    )
    limits = {"iad": ChangeLimits(**case["limits"])} if "limits" in case else {}
    return build(
        PlanInputs(
            document="test", digest="", source="test.yaml", kinds=kinds(), entries=entries, observed=observed(case),
            ledger=ledger(case), endpoints={}, consent=consent(case.get("consent", {})), reveal=str, now=NOW,
            targets=tuple(case.get("targets", ())), limits=limits, claims=claims(case),
            retired=frozenset({"iad"} if case.get("retired") else ()),
        )
    )  # fmt: skip
