"""Of the operations and fields that the kinds use, which the tests have sent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from tests.documented.facts import facts
from tests.documented.used import BESIDES, kinds, operations, sent

UNSEEN = Path(__file__).parent / "unseen.yaml"


@dataclass(frozen=True)
class Coverage:
    """What there is to see, and what of it was not."""

    operations: frozenset[str]
    places: frozenset[str]
    unseen: frozenset[str]

    def lines(self) -> list[str]:
        """For people."""
        found = []
        for what, all_of_them in (("operations", self.operations), ("fields", self.places)):
            missing = all_of_them & self.unseen
            found.append(f"{what} that the kinds use: {len(all_of_them) - len(missing)} of {len(all_of_them)} seen")
        reasons = excused()
        return [*found, *(f"  unseen: {one}: {reasons.get(one, 'for no reason')}" for one in sorted(self.unseen))]


@lru_cache
def expected() -> tuple[frozenset[str], frozenset[str]]:
    """The names of all operations and places that the kinds use, as `Recorder` writes them."""
    asked, places = set(), set()
    for system, pairs in BESIDES.items():
        asked |= {f"{system} {method} {path.replace('{id}', '{}')}" for method, path in pairs}
    for kind in kinds():
        for method, path in operations(kind):
            name = f"{kind.system} {method} {path}"
            asked.add(name)
            for place in sent(kind, method, path):
                places.add(f"{name} {'.'.join(facts(kind.system).known(method, path, place) or place)}")
    return frozenset(asked), frozenset(places)


def coverage(seen: set[str]) -> Coverage:
    """What of it all is in `seen`."""
    asked, places = expected()
    return Coverage(asked, places, (asked | places) - seen)


def excused() -> dict[str, str]:
    """What no test sends, with the reason of each."""
    found: dict[str, str] = yaml.safe_load(UNSEEN.read_text(encoding="utf-8")) or {}
    return found
