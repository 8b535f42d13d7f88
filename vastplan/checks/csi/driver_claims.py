"""The claims that a CSI driver serves."""

from collections.abc import Iterator

from vastplan.checks.facts import Facts
from vastplan.schema.entries import Entry


def driven(facts: Facts, driver: str) -> Iterator[tuple[str, Entry]]:
    """The class name and the claim, for each claim of the document whose class uses a driver (`file` or `block`)."""
    for storage_class in facts.objects.all("storage_class"):
        if storage_class.values.get("driver") == driver:
            for claim in facts.claims.get(storage_class.address, ()):
                yield storage_class.address.name, claim
