"""The objects of the document on a directory, and the claims that workloads use it through. Reads only the document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class ClaimOf:
    """A claim of the document and the project whose namespace it is in."""

    address: Address
    name: str
    project: Address

    def recorded(self) -> list[str]:
        """The claim as the record of an operation keeps it."""
        return [str(self.address), self.name, str(self.project)]

    @classmethod
    def of_record(cls, data: list[str]) -> ClaimOf:
        """A claim from a record; raises `ValueError` or `TypeError` for anything else."""
        address, name, project = data
        return cls(Address.parse(address), str(name), Address.parse(project))


Claims: TypeAlias = Mapping[tuple[str, str], tuple[ClaimOf, ...]]
"""Claims by site and directory."""


def objects_on(everything: tuple[Entry, ...], site: str, directory: str) -> Iterable[str]:
    """The addresses on a directory: its view, the document's entry that the view is part of, and that entry's other parts."""
    views = [
        one
        for one in everything
        if (one.address.site, one.address.kind) == (site, "view") and one.values.get("path") == directory
    ]
    origins = {one.origin or str(one.address) for one in views}
    yield from (str(one.address) for one in views)
    yield from sorted(origins)
    for one in everything:
        of_entry = one.origin in origins or str(one.address) in origins
        of_directory = one.address.kind == "quota" and one.values.get("path") == directory
        if one.address.site == site and (of_entry or of_directory):
            yield str(one.address)


def mounted(everything: tuple[Entry, ...], site: str, directory: str) -> tuple[ClaimOf, ...]:
    """The claims on a site whose volume has the directory as its handle."""
    return claims_by_directory(everything).get((site, directory), ())


def claims_by_directory(everything: tuple[Entry, ...]) -> Claims:
    """All claims, in their order, by site and directory."""
    volumes = {
        one.address: (one.address.site, str(one.values.get("volume_handle")))
        for one in everything
        if one.address.kind == "persistent_volume"
    }
    found: dict[tuple[str, str], list[ClaimOf]] = {}
    for one in everything:
        volume, namespace = one.values.get("volume"), one.values.get("namespace")
        if one.address.kind != "persistent_volume_claim" or not isinstance(volume, Ref) or volume.target not in volumes:
            continue
        if isinstance(namespace, Ref) and namespace.target.kind == "project":
            claim = ClaimOf(one.address, one.called, namespace.target)
            found.setdefault(volumes[volume.target], []).append(claim)
    return {place: tuple(sorted(claims, key=lambda claim: claim.address)) for place, claims in found.items()}
