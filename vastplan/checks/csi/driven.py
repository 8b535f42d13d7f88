"""The claims that a driver of the CSI serves."""

from collections.abc import Iterator

from vastplan.checks.facts import Facts
from vastplan.schema.entries import Entry


def driven(facts: Facts, driver: str) -> Iterator[tuple[str, Entry]]:
    """Each claim of the document whose class is of a driver, `file` or `block`, after the name of that class."""
    for storage_class in facts.objects.all("storage_class"):
        if storage_class.values.get("driver") == driver:
            for claim in facts.claims.get(storage_class.address, ()):
                yield storage_class.address.name, claim
