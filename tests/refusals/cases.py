"""What becomes of each rule: a case in `rows/*.yaml` that hits it and is foreseen, or the reason why nobody can foresee it.

    - rules: [KEY, ...]       keys of `tests/refusals/rules.py`; in a row with a reason, `*` stands for anything
      because: TEXT           the reason why no plan says it
      covers: NUMBER          beside a reason with `*`: how many rules have it, so that one more is noticed
    - rules: [KEY, ...]
      title: TEXT             what is wrong
      sites: [NAME, ...]      the sites of the document; `iad` alone where nothing is said
      before: SECTIONS        a document that is applied first
      by_hand: [REQUEST, ...] what somebody does then with the systems' own APIs: `METHOD SYSTEM PATH: BODY`
      state:                  what no request does: `{COLLECTION: FIELDS}` of a VMS, or `{DIRECTORY: TENANT}` for one that has files
      document: SECTIONS      the document that is wrong; `+` in the place of a section's name adds to `before`
      told: TEXT              what `validate` or `plan` says of it, by which somebody recognises it
      refused: REQUEST        what the system refuses: where it is left out, an apply of the document that nothing warned of

`{ADDRESS}` in a path or body is the id of the live object at that address.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
_KEYS = {"rules", "title", "sites", "before", "by_hand", "state", "document", "told", "refused", "because", "covers"}


@dataclass(frozen=True, slots=True)
class Case:
    """A document that hits rules, and what is said of it before anything is applied."""

    title: str
    rules: tuple[str, ...]
    document: dict[str, Any]
    told: str
    before: dict[str, Any] | None = None
    sites: tuple[str, ...] = ("iad",)
    by_hand: tuple[tuple[str, Any], ...] = ()
    state: dict[str, Any] = field(default_factory=dict)
    refused: tuple[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Excuse:
    """Rules that no plan can foresee, or that no request of vastplan hits, for one reason."""

    patterns: tuple[str, ...]
    because: str
    count: int | None

    def covers(self, rule: str) -> bool:
        """Whether the reason is this rule's."""
        return any(rule == pattern or fnmatchcase(rule, pattern.replace("[", "[[]")) for pattern in self.patterns)


def table() -> tuple[list[Case], list[Excuse]]:
    """All rows."""
    cases: list[Case] = []
    excuses: list[Excuse] = []
    for file in sorted(HERE.glob("rows/*.yaml")):
        for row in yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader):
            assert not set(row) - _KEYS, (file.name, row)
            if "because" in row:
                assert "NOT YET" not in row["because"].upper(), f"{row['rules']}: that is no reason"
                excuses.append(Excuse(tuple(row["rules"]), row["because"], row.get("covers")))
            else:
                cases.append(_case(row))
    return cases, excuses


def _case(row: dict[str, Any]) -> Case:
    before, document = row.get("before"), row["document"]
    if "+" in document:
        document = {**_merged(before or {}, document["+"])}
    requests = [
        next(iter(one.items())) for one in (*row.get("by_hand", ()), *([row["refused"]] if "refused" in row else ()))
    ]
    by_hand = requests[: len(row.get("by_hand", ()))]
    refused = requests[-1] if "refused" in row else None
    return Case(
        title=row["title"],
        rules=tuple(row["rules"]),
        document=document,
        told=row.get("told", ""),
        before=before,
        sites=tuple(row.get("sites", ("iad",))),
        by_hand=tuple(by_hand),
        state=row.get("state", {}),
        refused=refused,
    )


def _merged(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **{key: _merged(one.get(key), value) for key, value in other.items()}}
    return other


def unnamed(rules: list[str], cases: list[Case], excuses: list[Excuse]) -> Iterator[str]:
    """The rules that no row has."""
    hit = {rule for case in cases for rule in case.rules}
    yield from (rule for rule in rules if rule not in hit and not any(one.covers(rule) for one in excuses))
