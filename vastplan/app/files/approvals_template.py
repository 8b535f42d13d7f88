"""Writes a template of the approvals that a plan needs: the evidence in comments, the reasons empty for somebody to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

import yaml

from vastplan.app.files.approvals import ADDRESS
from vastplan.model.address import fits
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Block, Plan
from vastplan.model.yaml_text import ENDINGS
from vastplan.report.values import plain_value

VALID = timedelta(days=7)


def to_approve(plan: Plan) -> list[Action]:
    """The actions that an approval would unblock, alone or with others."""
    return [action for action in plan.actions if any(_is_approvable(block) for block in action.blocked)]


def _is_approvable(block: Block) -> bool:
    return block.in_file or bool(block.max_used or block.max_orphans)


def refuse_file(file: Path, document: Sequence[Path]) -> None:
    """Raises `VastplanError` if the file exists, or would be read as a part of the document."""
    if file.exists() or file.is_symlink():
        raise VastplanError(f"--approvals-template {file}: it exists already, and vastplan overwrites no approvals")
    folders = [path.resolve() for path in document if path.is_dir()]
    if file.suffix in ENDINGS and file.resolve().parent in folders:
        raise VastplanError(
            f"--approvals-template {file}: it would be read as a part of the document; name another folder"
        )


def write_approvals(file: Path, plan: Plan, today: date, patterns: Sequence[str] = ()) -> int:
    """Write a new file and return the number of actions in it; writes nothing if no approval is needed. What one of the patterns
    matches is in one entry, which lists the objects."""
    actions = to_approve(plan)
    if not actions:
        return 0
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(approvals_text(plan, actions, today, patterns))
    except OSError as problem:
        raise VastplanError(f"--approvals-template {file}: it cannot be written: {problem.strerror}") from None
    return len(actions)


def approvals_text(plan: Plan, actions: Sequence[Action], today: date, patterns: Sequence[str] = ()) -> str:
    """The text of the file. Names and texts from systems are in one-line comments, addresses in quotes."""
    head = (
        f"Approvals that the plan {plan.id[:12]} of {inert(plan.document, 80)}, made {plan.created}, needs.",
        "Write in each reason why it may be deleted, remove the entries of what stays, and have the file reviewed;",
        "then give it to plan with --approvals.",
    )
    approvable = any(re.fullmatch(ADDRESS, str(action.address)) for action in actions)
    lines = [*(f"# {line}" for line in head), "version: 1", "approvals:" if approvable else "approvals: []"]
    left = list(actions)
    for pattern in dict.fromkeys(patterns):
        matched = [action for action in left if _matches(pattern, action)]
        lines += _entry(matched, today + VALID, pattern) if matched else ()
        left = [action for action in left if not _matches(pattern, action)]
    for action in left:
        lines += _entry([action], today + VALID)
    return "\n".join(lines) + "\n"


def _matches(pattern: str, action: Action) -> bool:
    address = str(action.address)
    return bool(action.id and re.fullmatch(ADDRESS, address)) and fits(address, pattern)


def _entry(actions: Sequence[Action], until: date, pattern: str = "") -> Iterator[str]:
    """The entry of one action, or of those that a pattern matches."""
    for action in actions:
        yield from _seen(action, pattern)
    address = str(actions[0].address)
    if not pattern and not re.fullmatch(ADDRESS, address):
        yield f"  # {inert(address)}: a name like this cannot be approved in a file"
        return
    yield f"  - address: {_text(pattern or address)}"
    if pattern:
        yield "    objects:"
        yield from (f"      {_text(str(action.address))}: {_text(action.id)}" for action in actions)
    elif actions[0].id:
        yield f"    id: {_text(actions[0].id)}"
    yield '    reason: ""'
    yield f'    until: "{until.isoformat()}"'
    blocks = [block for action in actions for block in action.blocked]
    for key, most in (
        ("max_used", max(block.max_used for block in blocks)),
        ("max_orphans", max(block.max_orphans for block in blocks)),
    ):
        if most:
            yield f"    {key}: {most}"


def _seen(action: Action, pattern: str) -> Iterator[str]:
    """What is known of an action, in comments."""
    of = f"{inert(str(action.address))}: " if pattern else ""
    yield f"  # {of}{action.verb.value}: {inert(action.reason)}"
    for evidence in action.evidence:
        yield f"  # seen: {inert(evidence.name)} {plain_value(evidence.value, evidence.unit)}"
    for block in action.blocked:
        also = f"; to go on: {inert(block.fix)}" if block.fix and not _is_approvable(block) else ""
        yield f"  # blocked ({inert(block.guard)}): {inert(block.message)}{also}"


def _text(value: str) -> str:
    """Any text as one line of quoted YAML."""
    return yaml.safe_dump(value, default_style='"', width=float("inf")).rstrip("\n")
