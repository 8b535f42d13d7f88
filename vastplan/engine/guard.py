"""Guards: what stops an action, judged from live evidence. Each is one function; a guard stops that action and what waits for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from math import ceil

from vastplan.engine.diff import leaves
from vastplan.engine.match import Matcher
from vastplan.engine.order import Holder, Order
from vastplan.model.address import Address
from vastplan.model.plan import Action, Block, Evidence, Operation, Verb
from vastplan.model.state import path_text
from vastplan.model.units import show
from vastplan.model.value import from_json
from vastplan.words.kind import Kind
from vastplan.words.marks import Mark
from vastplan.words.references import raw_references, targets_of

_GOING = (Verb.DELETE, Verb.REPLACE)
DEFAULT_PERCENT, DEFAULT_COUNT = 30, 10


@dataclass(frozen=True, slots=True)
class Approval:
    """Consent of somebody else to the loss of data behind an address, until a day, up to an amount."""

    address: str
    reason: str
    until: str
    max_used: int = 0


@dataclass(frozen=True, slots=True)
class Consent:
    """What the person who runs the command has allowed."""

    allow_delete: tuple[str, ...] = ()
    adopt: bool = False
    approvals: tuple[Approval, ...] = ()
    max_percent: int = DEFAULT_PERCENT
    max_count: int = DEFAULT_COUNT


@dataclass(frozen=True, slots=True)
class Context:
    """What a guard may look at."""

    consent: Consent
    matcher: Matcher
    order: Order
    now: datetime
    owned_by_kind: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def kind(self, action: Action) -> Kind:
        """The action's kind."""
        return self.matcher.kinds[action.address.kind]


Guard = Callable[[Action, Context], Block | None]


def approved(action: Action, context: Context) -> Block | None:
    """A delete or replace names its address; where data hangs on it, in an approvals file that somebody else can review."""
    if action.verb not in _GOING:
        return None
    kind, address = context.kind(action), str(action.address)
    if not kind.data_bearing:
        if any(fnmatchcase(address, pattern) for pattern in context.consent.allow_delete):
            return None
        return Block("approval", f"a {action.verb.value} needs consent", f"--allow-delete {address}")
    approval = _approval(address, context)
    if approval is None:
        return Block(
            "approval",
            f"a {action.verb.value} of a {kind.name} loses data",
            f"an entry for {address} in --approvals FILE",
        )
    if datetime.fromisoformat(approval.until).date() < context.now.date():
        return Block("approval", f"its approval ended on {approval.until}", "a new date in the approvals file")
    return None


def in_use(action: Action, context: Context) -> Block | None:
    """What is in use is not deleted, unless an approval names how much may be lost."""
    if action.verb not in _GOING:
        return None
    live = context.matcher.match(action.address).live
    kind = context.kind(action)
    if live is None:
        return None
    approval = _approval(str(action.address), context)
    accepted = approval.max_used if approval else 0
    for fact in kind.facts:
        value = live.facts.get(fact.name)
        if fact.name in kind.in_use and isinstance(value, int | float) and value > accepted:
            seen = show(int(value), fact.unit) if fact.unit else str(value)
            fix = f"max_used: {ceil(value)} in its approval, or empty it first"
            return Block("in-use", f"{fact.name}: {seen}", fix)
    return None


def adopting(action: Action, context: Context) -> Block | None:
    """What exists and is not ours is taken over only when that is asked for, and never replaced by that."""
    if action.verb is not Verb.ADOPT:
        return None
    if any(change.replaces for change in action.changes):
        fields = ", ".join(change.path for change in action.changes if change.replaces)
        return Block(
            "adopt",
            f"it exists and differs where it cannot be changed: {fields}",
            "make the document say what is there",
        )
    return None if context.consent.adopt else Block("adopt", "it exists and is not ours", "--adopt, or another name")


def one_way(action: Action, context: Context) -> Block | None:
    """Switches that only turn on, and sizes that only grow."""
    kind = context.kind(action)
    for change in action.changes:
        name = change.path.partition(".")[0]
        marks = kind.field(name).marks
        if Mark.ONE_WAY in marks and change.before is True and change.after is False:
            return Block("one-way", f"{change.path} cannot be switched off again", f"{change.path}: true")
        if (
            Mark.GROW_ONLY in marks
            and isinstance(change.before, int)
            and isinstance(change.after, int)
            and change.after < change.before
        ):
            wanted, has = show(change.after, change.unit), show(change.before, change.unit)
            return Block(
                "shrink",
                f"{change.path} cannot shrink from {has} to {wanted}",
                f"{change.path}: {has} or more, or a new one of that size under another name",
            )
    return None


def below_use(action: Action, context: Context) -> Block | None:
    """A limit is not set below what is already used."""
    live = context.matcher.match(action.address).live
    if live is None or action.verb not in (Verb.UPDATE, Verb.ADOPT):
        return None
    changed = {change.path for change in action.changes}
    kind = context.kind(action)
    for leaf in leaves(kind.fields, from_json(dict(action.desired))):
        path, wanted = path_text(leaf.path), leaf.value
        used = _floor(kind, leaf.path, live.facts) if path in changed else None
        unlimited = wanted in leaf.field.cleared or not isinstance(wanted, int | float)
        if used is not None and not unlimited and wanted < used[0]:
            has, asked = show(used[0], used[1]), show(wanted, used[1])
            return Block("below-use", f"{path} {asked} is below what is used, {has}", "a larger limit")
    return None


def _floor(kind: Kind, path: tuple[str, ...], facts: Mapping[str, object]) -> tuple[float, str] | None:
    """What is used of the limit at a path, with its unit."""
    for pattern, name in kind.floors:
        steps = pattern.split(".")
        if len(steps) != len(path) or any(step not in ("*", here) for step, here in zip(steps, path, strict=True)):
            continue
        used = facts.get(name)
        if isinstance(used, Mapping) and "*" in steps:
            used = used.get(path[steps.index("*")])
        if isinstance(used, int | float):
            return used, next((one.unit for one in kind.facts if one.name == name), "")
    return None


def still_shields(action: Action, context: Context) -> Block | None:
    """What keeps something closed is not removed while that something stays."""
    live = context.matcher.match(action.address).live
    if action.verb is not Verb.DELETE or live is None:
        return None
    for _, refers, raw in raw_references(live.kind.fields, live.values):
        for kind, attribute in refers.targets if refers.shields else ():
            target = context.matcher.observed.find(live.site, kind, attribute, raw)
            if target is None and not context.matcher.observed.error(live.site, kind):
                continue
            other = context.order.actions.get(context.matcher.address_of(target) or action.address) if target else None
            if other is None or other.verb is not Verb.DELETE:
                return Block(
                    "opens-access",
                    f"without it {kind} {raw} is open to everybody",
                    f"remove the {kind} with it, or keep both",
                )
    return None


def unread_users(action: Action, context: Context) -> Block | None:
    """Nothing is deleted while it cannot be seen whether something still refers to it."""
    if action.verb not in _GOING:
        return None
    site = action.address.site
    for name, kind in context.matcher.kinds.items():
        found = context.matcher.observed.collections.get((site, name))
        reason = found.error if found and not found.absent else ""
        if reason and action.address.kind in targets_of(kind.fields):
            return Block(
                "unseen",
                f"it cannot be told whether a {name} still refers to it: {reason}",
                "plan again when it answers",
            )
    return None


def mass(action: Action, context: Context) -> Block | None:
    """A large share of one kind at once is looked at twice: creates and adoptions are not counted."""
    if action.verb not in (Verb.UPDATE, Verb.DELETE, Verb.REPLACE):
        return None
    site, kind = action.address.site, action.address.kind
    touched = sum(
        1
        for one in context.order.actions.values()
        if one.address.site == site
        and one.address.kind == kind
        and one.verb in (Verb.UPDATE, Verb.DELETE, Verb.REPLACE)
    )
    owned = context.owned_by_kind.get((site, kind), 0)
    limit = max(context.consent.max_count, owned * context.consent.max_percent // 100)
    if touched <= limit:
        return None
    return Block(
        "mass-change",
        f"{touched} of {owned} {kind}s on {site} would change; the limit is {limit}",
        "--target a part, or raise --max-changes",
    )


GUARDS: tuple[Guard, ...] = (approved, in_use, adopting, one_way, below_use, still_shields, unread_users, mass)


def judge(context: Context, guards: tuple[Guard, ...] = GUARDS) -> None:
    """Put every guard's finding on its action."""
    for address, action in list(context.order.actions.items()):
        found = tuple(block for guard in guards if (block := guard(action, context)) is not None)
        if found:
            context.order.actions[address] = replace(action, blocked=(*action.blocked, *found))


def hold_back(actions: Mapping[Address, Action], operations: tuple[Operation, ...]) -> dict[Address, Action]:
    """Block what waits for something blocked; `operations` come in an order in which causes precede effects."""
    held = dict(actions)
    changed = True
    while changed:  # an action has several steps, so a block can travel back to an earlier one
        changed = False
        for operation in operations:
            if held[operation.address].blocked:
                continue
            for index in operation.after:
                cause = held[operations[index].address]
                if cause.blocked and cause.address != operation.address:
                    block = Block("waits", f"waits for {cause.address}, which is blocked")
                    held[operation.address] = replace(held[operation.address], blocked=(block,))
                    changed = True
                    break
    return held


def evidence(action: Action, context: Context) -> tuple[Evidence, ...]:
    """The live figures a person should see next to an action."""
    live = context.matcher.match(action.address).live
    if live is None or action.verb is Verb.CREATE:
        return ()
    kind = context.kind(action)
    found = []
    if action.verb in _GOING or action.changes:
        told = [fact for fact in kind.facts if _tells(live.facts.get(fact.name))]
        found = [Evidence(fact.name, live.facts[fact.name], fact.unit) for fact in told]
    if action.verb is Verb.REPLACE:
        untouched: dict[str, int] = {}
        for holder in context.order.referrers(action):
            shields = holder.field.refers is not None and holder.field.refers.shields
            if not (holder.holds or shields or _going(context, holder)):
                untouched[holder.live.kind.name] = untouched.get(holder.live.kind.name, 0) + 1
        found += [
            Evidence(f"existing {name}s that change", f"0 of {count}") for name, count in sorted(untouched.items())
        ]
    return tuple(found)


def _tells(figure: object) -> bool:
    return bool(figure) and not isinstance(figure, Mapping)


def _going(context: Context, holder: Holder) -> bool:
    address = context.matcher.address_of(holder.live)
    action = context.order.actions.get(address) if address else None
    return action is not None and action.verb in _GOING


def _approval(address: str, context: Context) -> Approval | None:
    return next((one for one in context.consent.approvals if one.address == address), None)
