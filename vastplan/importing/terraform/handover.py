"""How to remove adopted objects from Terraform: what to type, in which order, and what stays behind.

A `removed` block (Terraform 1.7) removes all instances of a resource, in all instances of its modules, and goes through review with the
change that deletes the resource. It takes no key, so if some instances stay, a command removes each of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from vastplan.engine.live.matches import LiveKey
from vastplan.importing.terraform.address import ResourceAddress, showable
from vastplan.importing.terraform.match import Matched
from vastplan.importing.terraform.resource_types import RESOURCE_TYPES
from vastplan.model.escaping import inert
from vastplan.model.handover import (
    ByHand,
    Counted,
    Handover,
    LetGo,
    NotFound,
    OtherType,
    Standing,
    Staying,
    Unsettled,
)
from vastplan.model.shell import word


def handover(matches: Sequence[Matched], taken: Set[LiveKey]) -> Handover:
    """How to remove the adopted objects from Terraform; `matches` are all instances of its state."""
    configured: dict[ResourceAddress, list[Matched]] = {}
    for match in matches:
        configured.setdefault(match.instance.resource.configured, []).append(match)
    blocks: list[LetGo] = []
    commands: list[LetGo] = []
    counted: list[Counted] = []
    unsettled: list[Unsettled] = []
    for resource, whole in sorted(configured.items(), key=lambda item: item[0].order()):
        if all(_goes(match, taken) for match in whole) and showable(str(resource)):
            blocks.append(LetGo(str(resource), _block(str(resource))))
            continue
        for address, instances in _in_modules(whole):
            gone = [match for match in instances if _goes(match, taken)]
            if not gone:
                continue
            if any(match.instance.deposed for match in instances):
                unsettled.append(Unsettled(inert(address), ByHand.DEPOSED))
            elif not all(showable(match.address) for match in gone):
                unsettled.append(Unsettled(inert(address), ByHand.UNSHOWABLE))
            else:
                commands += [LetGo(match.address, f"terraform state rm {word(match.address)}") for match in gone]
                counted += _counted(address, instances, taken)
    return Handover(
        tuple(blocks),
        tuple(commands),
        tuple(counted),
        tuple(unsettled),
        tuple(_staying(matches, taken)),
        tuple(_not_found(matches)),
        tuple(_other_types(matches)),
    )


def _goes(match: Matched, taken: Set[LiveKey]) -> bool:
    return match.object in taken and not match.instance.deposed


def _in_modules(matches: Sequence[Matched]) -> Iterator[tuple[str, list[Matched]]]:
    """The instances of a resource by the module instance that they are in, each group with the address of the resource there."""
    by_resource: dict[ResourceAddress, list[Matched]] = {}
    for match in matches:
        by_resource.setdefault(match.instance.resource, []).append(match)
    for resource in sorted(by_resource, key=ResourceAddress.order):
        yield str(resource), by_resource[resource]


def _block(address: str) -> str:
    return f"removed {{\n  from = {address}\n\n  lifecycle {{\n    destroy = false\n  }}\n}}\n"


def _counted(address: str, whole: Sequence[Matched], taken: Set[LiveKey]) -> Iterator[Counted]:
    """The resource and the indexes that stay, if those have gaps: Terraform counts the instances that stay from zero again."""
    keys = [match.instance.key for match in whole if match.object not in taken]
    numbers = sorted(key for key in keys if isinstance(key, int))
    if numbers != list(range(len(numbers))):
        yield Counted(address, tuple(numbers))


def _staying(matches: Sequence[Matched], taken: Set[LiveKey]) -> Iterator[Staying]:
    """The resources that stay and depend on removed ones, each once, whichever of their instances depend on what."""
    gone = {match.instance.resource.configured for match in matches if match.object in taken}
    stays: dict[ResourceAddress, set[ResourceAddress]] = {}
    for match in matches:
        if match.object not in taken:
            needed = gone.intersection(match.instance.dependencies)
            stays.setdefault(match.instance.resource.configured, set()).update(needed)
    for resource, needed in sorted(stays.items(), key=lambda item: item[0].order()):
        needed.discard(resource)
        if needed:
            depends_on = sorted(needed, key=ResourceAddress.order)
            yield Staying(inert(resource), tuple(map(inert, depends_on)))


def _not_found(matches: Sequence[Matched]) -> Iterator[NotFound]:
    for match in matches:
        if match.standing not in (Standing.MATCHED, Standing.KINDLESS):
            yield NotFound(inert(match.address), match.standing, match.why)


def _other_types(matches: Sequence[Matched]) -> Iterator[OtherType]:
    """The resource types in Terraform that vastplan has no kind for, with their counts; data sources do not count."""
    addresses = (match.instance.resource for match in matches)
    counts = Counter(address.type for address in addresses if not address.data and address.type not in RESOURCE_TYPES)
    yield from (OtherType(inert(name), count) for name, count in sorted(counts.items()))
