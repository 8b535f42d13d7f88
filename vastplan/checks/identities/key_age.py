"""IDN-09: a key that is older than its max_age."""

from collections.abc import Iterable, Iterator
from datetime import date

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model import units
from vastplan.model.finding import Severity
from vastplan.schema.entries import Entry

_KINDS = ("s3_key", "directory_key")


def _limited(facts: Facts) -> Iterator[Entry]:
    for kind in _KINDS:
        yield from (key for key in facts.objects.all(kind) if isinstance(key.values.get("max_age"), int))


def _wanted(facts: Facts) -> Iterable[str]:
    return {key.address.site for key in _limited(facts)}


def _run(facts: Facts) -> Iterator[Violation]:
    for key in _limited(facts):
        created = _made(facts, key)
        if created is None or facts.today is None:
            continue
        days, max_age = (facts.today - created).days, key.values["max_age"]
        if days * units.SPANS["d"] > max_age:
            next_generation = key.values.get("generation", 1) + 1
            text = f"was created on {created}, {days} days ago, and its max_age is {units.span_text(max_age)}"
            yield Violation(key, text, fix=f"write generation: {next_generation} to create and deliver a new key")


def _made(facts: Facts, key: Entry) -> date | None:
    """The day on which the live key was created, from the system, else from the ledger; `None` if unknown."""
    for live in facts.seen.get((key.address.site, key.address.kind), ()):
        if live.address == key.address:
            days = (_day(live.attributes.get("creation_time")), _day(live.delivered_at))
            return next((day for day in days if day is not None), None)
    return None


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


CHECK = Check(
    code="IDN-09",
    title="a key that is older than its max_age",
    severity=Severity.WARNING,
    why="Whoever copied a key can use it until the key is deleted; a new key ends that.",
    fix="raise generation to create and deliver a new key",
    source="VMS API 5.5 locals3keys.creation_time, users/query access_keys.creation_time, or else when the ledger had it delivered; max_age is the document's word",
    run=_run,
    reads=_KINDS,
    wanted=_wanted,
)
