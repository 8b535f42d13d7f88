"""How to remove imported objects from Terraform, as text: what to type, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from vastplan.model.escaping import inert
from vastplan.model.handover import ByHand, Handover, StateHandover
from vastplan.report.values import counted

_SHOWN = 20
"""Items of a list for which nothing is to be typed; a JSON report has all."""

_TWO_OWNERS = "Two tools own these objects until the last step is done. Do not run Terraform in between."
_CHANGE = (
    "Prepare a change of Terraform's configuration, without applying it. Delete the resource blocks in the same change, and the "
    "keys of `for_each` whose instances are removed alone: Terraform recreates what is still written. Where others call the same "
    "module, delete its call instead of the block in it."
)
_COMMANDS = (
    "Run this before you apply the change; Terraform destroys what the state still has and the change leaves out:"
)
_COUNTED = (
    "These use `count`, and the remaining instances move up when it shrinks: Terraform would destroy them. Move "
    "them with `terraform state mv`, or write `for_each`:"
)
_DEPENDS = "In the same change, let these refer to a data source, because they depend on removed resources:"
_MANUAL = "Check these adopted resources, too:"
_LAST = "Apply the change. Its `terraform plan` must destroy nothing and create nothing."
_LEFT = "Left to Terraform, because vastplan cannot determine which objects these are:"
_STALE = (
    "Left to Terraform, because the state is old: run `terraform apply -refresh-only`, write the state to a file again and import"
    " again. These were not found:"
)
_OTHERS = "Not compared, because vastplan has no such kind: "
_WHY = {
    ByHand.DEPOSED: "Terraform still has to destroy an earlier object of it; let `terraform apply` finish, then import again",
    ByHand.UNSHOWABLE: "its address cannot be shown; `terraform state list` shows it",
}


def handover_text(
    states: Sequence[StateHandover], apply: str, *, tried: bool = False, name: Callable[[object], str] = inert
) -> list[str]:
    """What to do, for people, in order: `apply` is the command that adopts the objects, "" if the ledger has them.

    Lines to type, and lines that name addresses, are indented by four spaces; in the others `name` shows names. If the import was only
    `tried`, there is nothing to do yet.
    """
    text = [_found(state, name) for state in states]
    needed = [state for state in states if state.handover.needed]
    if tried and needed:
        text += ["The steps to remove them from Terraform are printed when the files are written."]
    elif needed:
        text += ["", _TWO_OWNERS]
        steps = [["Adopt them:", "", f"    {apply}"]] if apply else []
        text += _numbered(steps, 1)
        number = len(steps) + 1
        for state in needed:
            if len(states) > 1:
                text += ["", f"In the configuration whose state is {name(state.state)}:"]
            steps = _steps(state.handover)
            text += _numbered(steps, number)
            number += len(steps)
    for state in states:
        left = (f"{each.address}: {each.why}" for each in state.handover.not_found)
        text += _listed(_STALE if state.handover.stale else _LEFT, left, _SHOWN)
    return text


def _found(state: StateHandover, name: Callable[[object], str]) -> str:
    """What a state has, and how much of it is in the document."""
    sites, others = ", ".join(map(name, state.sites)), state.handover.other_types
    text = (
        f"Terraform, {name(state.state)}: {counted(state.found, 'resource')} found on {sites},"
        f" {state.taken} of them in the document."
    )
    if others:
        listed = [f"{each.resources} {name(each.type)}" for each in others[:_SHOWN]]
        more = [f"{len(others) - _SHOWN} more types"] if len(others) > _SHOWN else []
        text += f" {_OTHERS}{', '.join(listed + more)}."
    return text


def _steps(handover: Handover) -> list[list[str]]:
    """What to do in one configuration, each step with its lines."""
    steps = [[_CHANGE]]
    if handover.blocks:
        steps[-1] += [
            "",
            "In the root module, instead of these resources (Terraform 1.7, OpenTofu 1.10, or later):",
            "",
        ]
        steps[-1] += [f"    {line}".rstrip() for block in handover.blocks for line in block.text.splitlines()]
    if handover.commands:
        steps += [[_COMMANDS, "", *(f"    {command.text}" for command in handover.commands)]]
        steps[-1] += _listed(_COUNTED, (f"{each.address} keeps {_numbers(each.staying)}" for each in handover.counted))
    if handover.staying:
        steps += [_listed(_DEPENDS, (f"{each.address}: {', '.join(each.depends_on)}" for each in handover.staying))[1:]]
    if handover.unsettled:
        steps += [_listed(_MANUAL, (f"{each.address}: {_WHY[each.reason]}" for each in handover.unsettled))[1:]]
    return [*steps, [_LAST]]


def _numbered(steps: Sequence[Sequence[str]], first: int) -> list[str]:
    text = []
    for number, step in enumerate(steps, first):
        text += ["", f"{number}. {step[0]}", *step[1:]]
    return text


def _listed(title: str, items: Iterable[str], most: int | None = None) -> list[str]:
    lines = [f"    {item}" for item in items]
    hidden = 0 if most is None else max(0, len(lines) - most)
    more = [f"    and {hidden} more (--format json lists all)"] if hidden else []
    return ["", title, "", *lines[: len(lines) - hidden], *more] if lines else []


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(f"[{number}]" for number in numbers)
