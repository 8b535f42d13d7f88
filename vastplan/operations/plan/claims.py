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
        view
        for view in everything
        if (view.address.site, view.address.kind) == (site, "view") and view.values.get("path") == directory
    ]
    origins = {view.origin or str(view.address) for view in views}
    yield from (str(view.address) for view in views)
    yield from sorted(origins)
    for entry in everything:
        of_entry = entry.origin in origins or str(entry.address) in origins
        of_directory = entry.address.kind == "quota" and entry.values.get("path") == directory
        if entry.address.site == site and (of_entry or of_directory):
            yield str(entry.address)


def mounted(everything: tuple[Entry, ...], site: str, directory: str) -> tuple[ClaimOf, ...]:
    """The claims on a site whose volume has the directory as its handle."""
    return claims_by_directory(everything).get((site, directory), ())


def claims_by_directory(everything: tuple[Entry, ...]) -> Claims:
    """All claims, in their order, by site and directory."""
    volumes = {
        volume.address: (volume.address.site, str(volume.values.get("volume_handle")))
        for volume in everything
        if volume.address.kind == "persistent_volume"
    }
    by_place: dict[tuple[str, str], list[ClaimOf]] = {}
    for entry in everything:
        volume, namespace = entry.values.get("volume"), entry.values.get("namespace")
        if (
            entry.address.kind != "persistent_volume_claim"
            or not isinstance(volume, Ref)
            or volume.target not in volumes
        ):
            continue
        if isinstance(namespace, Ref) and namespace.target.kind == "project":
            claim = ClaimOf(entry.address, entry.called, namespace.target)
            by_place.setdefault(volumes[volume.target], []).append(claim)
    return {place: tuple(sorted(claims, key=lambda claim: claim.address)) for place, claims in by_place.items()}
