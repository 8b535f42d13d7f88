"""The other site of what two sites share; and the commands for what goes there only path by path. Reads only the document."""

from __future__ import annotations

from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.shell import word
from vastplan.operations.document import Document
from vastplan.operations.modes.group.pairs import TOGETHER, whole_of
from vastplan.operations.plan.pair import other_of


def opposite_of(document: Document, address: Address, site: str, option: str) -> str:
    """The site at the other end of the replicated path at `address`; `option` is what the site was typed with. Raises `VastplanError`, for
    a project or tenant with the command for each of its paths."""
    if address.kind in TOGETHER:
        raise not_as_a_whole(document, address, site, f"{option} {word(site)}")
    return other_of(document.objects(), address, site)


def not_as_a_whole(document: Document, address: Address, site: str, options: str) -> VastplanError:
    """The error for a mode that takes a project or tenant only path by path: the command with its `options` for each that has a side at
    the site; without options no commands."""
    commands = ""
    if options:
        entries, others = document.objects(), {site} if site != address.site else {*document.sites} - {site}
        paths = sorted({path for other in others for path in whole_of(entries, address, other).moving})
        commands = "".join(f"; vastplan move run {document.paths} {word(path)} {options}" for path in paths)
    return VastplanError(
        f"{inert(address, 200)}: only a planned or unplanned move takes a project or tenant as a whole; "
        f"take its volumes one by one{commands}"
    )
