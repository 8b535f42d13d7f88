"""How Terraform lets go of what a document has taken: what to type, in which order, and what stays behind.

A `removed` block (Terraform 1.7) lets go of all instances of a resource, and goes through review with the change that takes the
resource away. It takes no key, so where some instances stay, or a module on the way has a key, each is let go of by a command.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from vastplan.engine.match import LiveKey
from vastplan.importing.terraform.address import ResourceAddress, showable
from vastplan.importing.terraform.match import Matched, Standing
from vastplan.model.escaping import inert
from vastplan.model.shell import word


class ByHand(StrEnum):
    """Why nothing can be typed for a resource that was taken."""

    DEPOSED = "deposed"
    """Terraform still means to destroy an earlier object of it, and would forget that too."""
    UNSHOWABLE = "unshowable"
    """Its address cannot be shown as it is."""


@dataclass(frozen=True, slots=True)
class LetGo:
    """What was taken, and by which text Terraform lets go of it: a `removed` block, or a command."""

    address: str
    text: str


@dataclass(frozen=True, slots=True)
class Counted:
    """A resource with `count` of which instances stay, at other numbers than they will have: Terraform would destroy them."""

    address: str
    staying: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Staying:
    """What Terraform keeps, and of what was taken it depends on."""

    address: str
    depends_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unsettled:
    """What was taken, and has to be looked at first."""

    address: str
    reason: ByHand


@dataclass(frozen=True, slots=True)
class NotFound:
    """What stands for a kind, and is not matched: it stays with Terraform."""

    address: str
    standing: Standing
    why: str


@dataclass(frozen=True, slots=True)
class Handover:
    """All of it, each in the order of addresses. Addresses are as Terraform writes them, those of `unsettled` made inert."""

    blocks: tuple[LetGo, ...] = ()
    """Of resources all of whose instances were taken."""
    commands: tuple[LetGo, ...] = ()
    """Of single instances."""
    counted: tuple[Counted, ...] = ()
    unsettled: tuple[Unsettled, ...] = ()
    staying: tuple[Staying, ...] = ()
    not_found: tuple[NotFound, ...] = ()


def handover(matches: Sequence[Matched], taken: Set[LiveKey]) -> Handover:
    """How Terraform lets go of the objects that were taken; `matches` are all instances of its state."""
    instances: dict[ResourceAddress, list[Matched]] = {}
    for match in matches:
        instances.setdefault(match.instance.resource, []).append(match)
    blocks: list[LetGo] = []
    commands: list[LetGo] = []
    counted: list[Counted] = []
    unsettled: list[Unsettled] = []
    for resource, whole in sorted(instances.items(), key=lambda item: item[0].order()):
        gone = [match for match in whole if match.object in taken and not match.instance.deposed]
        if not gone:
            continue
        address = str(resource)
        if any(match.instance.deposed for match in whole):
            unsettled.append(Unsettled(inert(address), ByHand.DEPOSED))
        elif not all(showable(match.address) for match in gone):
            unsettled.append(Unsettled(inert(address), ByHand.UNSHOWABLE))
        elif len(gone) == len(whole) and not resource.keyed:
            blocks.append(LetGo(address, _block(address)))
        else:
            commands += [LetGo(match.address, f"terraform state rm {word(match.address)}") for match in gone]
            counted += _counted(address, whole, taken)
    return Handover(
        tuple(blocks),
        tuple(commands),
        tuple(counted),
        tuple(unsettled),
        tuple(_staying(matches, taken)),
        tuple(_not_found(matches)),
    )


def lines(handover: Handover, apply: str) -> list[str]:
    """What to do, for people, in order: `apply` is the command that takes the objects."""
    left = _told(_LEFT, (f"{each.address}: {each.why}" for each in handover.not_found))
    if not (handover.blocks or handover.commands or handover.unsettled):
        return left
    steps = [["Take them:", "", f"    {apply}"], [_CHANGE]]
    if handover.blocks:
        steps[-1] += ["", "In the root module, in the place of these resources (Terraform 1.7 or later):", ""]
        steps[-1] += [f"    {line}".rstrip() for block in handover.blocks for line in block.text.splitlines()]
    if handover.commands:
        steps += [[_COMMANDS, "", *(f"    {command.text}" for command in handover.commands)]]
        steps[-1] += _told(_COUNTED, (f"{each.address} keeps {_numbers(each.staying)}" for each in handover.counted))
    if handover.staying:
        steps += [_told(_DEPENDS, (f"{each.address}: {', '.join(each.depends_on)}" for each in handover.staying))[1:]]
    if handover.unsettled:
        steps += [_told(_BY_HAND, (f"{each.address}: {_WHY[each.reason]}" for each in handover.unsettled))[1:]]
    steps += [[_LAST]]
    text = [_TWO_OWNERS]
    for number, step in enumerate(steps, 1):
        text += ["", f"{number}. {step[0]}", *step[1:]]
    return [*text, *left]


_TWO_OWNERS = "Two tools own these objects until the last step is done. Let nobody run Terraform in between."
_CHANGE = (
    "Prepare a change of Terraform's configuration, without applying it. The resource blocks must go in the same change, and so"
    " must keys of `for_each` whose instances go alone: what is still written, Terraform makes again. Where others call the same"
    " module, take out its call instead of the block in it."
)
_COMMANDS = (
    "Run this before the change is applied; what the change leaves out and the state still has, Terraform destroys:"
)
_COUNTED = (
    "These are counted, and what stays moves up when `count` shrinks: Terraform would destroy it. Move it with"
    " `terraform state mv`, or write `for_each`:"
)
_DEPENDS = "In the same change, let what stays refer to a data source. It depends on what goes:"
_BY_HAND = "Look at these, which were taken, too:"
_LAST = "Apply the change. Its `terraform plan` must destroy nothing and create nothing."
_LEFT = (
    "Left to Terraform, because they were not found (`terraform apply -refresh-only` brings an old state up to date):"
)
_WHY = {
    ByHand.DEPOSED: "Terraform still means to destroy an earlier object of it; let `terraform apply` finish, then import again",
    ByHand.UNSHOWABLE: "its address cannot be shown as it is; `terraform state list` has it",
}


def _told(title: str, items: Iterable[str]) -> list[str]:
    told = [f"    {item}" for item in items]
    return ["", title, "", *told] if told else []


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(f"[{number}]" for number in numbers)


def _block(address: str) -> str:
    return f"removed {{\n  from = {address}\n\n  lifecycle {{\n    destroy = false\n  }}\n}}\n"


def _counted(address: str, whole: Sequence[Matched], taken: Set[LiveKey]) -> Iterator[Counted]:
    """Those that stay are counted from zero again."""
    keys = [match.instance.key for match in whole if match.object not in taken]
    numbers = sorted(key for key in keys if isinstance(key, int))
    if numbers != list(range(len(numbers))):
        yield Counted(address, tuple(numbers))


def _staying(matches: Sequence[Matched], taken: Set[LiveKey]) -> Iterator[Staying]:
    """Each resource once, whatever of its instances depends on what."""
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
