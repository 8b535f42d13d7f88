"""Files of ours as a stranger would change them: `python -m tests.trust.mutations --mutations 20000 --jobs 2`.

A valid plan, ledger, approvals file or snapshot is changed in a few places: values of another type, another field's value, a
stranger's id, two actions that swap what they are about, blocks that are gone, consents that nobody gave. Its digest is made
anew. Then it is used, from the command line in this process. Whatever it does, it must be what the plan does that it was made
of, or less; a plan from it is refused; nothing outside is opened, nothing ends in a traceback, and the ledger owns no more.

What somebody typed to plan (consents, targets) is nowhere else but in the plan file: with that changed, too, it may do what he
could have typed, which still loses no data without approvals, and touches nothing that the ledger does not own.
A number is the same attack in every run of the same sources.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from tests.histories.history import Ran
from tests.trust.stage import Scene, Stage
from vastplan.app.files.plan import PLAN_FILE
from vastplan.app.files.snapshot import SNAPSHOT_FILE

PROGRESS = 1000
BATCH = 50
TYPED = frozenset({"consent", "targets", "keep_drift", "limited"})
"""The keys of a plan that hold what somebody typed."""
_OTHERS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 10**30, 1e300, "", "x", "*", "iad/*", "../outside/secret.yaml", "../outside/secret.txt",
    "/etc/hostname", "/dev/zero", "\x1b[2J", "\ud800", "a\0b", "x" * 70_000, [], {}, [None], [[]], {"a": 1},
    {"$ref": "iad/tenant/kept"}, {"$ref": "iad/nothing/x"}, {"$existing": "nowhere/tenant/x"}, {"$secret": {"env": "PATH"}},
    {"$secret": {"file": "../../outside/secret.txt"}},
    "2999-01-01T00:00:00+00:00", "iad/tenant/kept", "pdx/tenant/a", "delete", "create", "adopt", "release", "replace",
)  # fmt: skip
_Steps = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Attack:
    """One changed file, and what was done to it."""

    number: int
    file: str
    scene: str
    content: bytes
    deeds: tuple[str, ...]
    typed: bool = False


@dataclass(slots=True)
class Totals:
    """How the attacks of a run ended."""

    attacks: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    extents: Counter[str] = field(default_factory=Counter)
    deeds: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def add(self, other: Totals) -> None:
        """Those of another batch."""
        self.attacks += other.attacks
        self.codes += other.codes
        self.extents += other.extents
        self.deeds += other.deeds
        self.broken += other.broken

    def shown(self, seconds: float) -> Iterator[str]:
        """The lines that say how it went."""
        yield f"{self.attacks.total()} attacks in {seconds:.0f} s: {_counts(self.attacks)}"
        yield f"exit codes: {_counts(self.codes)}"
        yield f"written: {_counts(self.extents)}"
        yield f"done to the files: {_counts(self.deeds)}"
        yield f"{len(self.broken)} broke a promise"


def _counts(counter: Counter[Any]) -> str:
    return ", ".join(f"{name} {many}" for name, many in counter.most_common())


# --- what is done to a file


def _paths(value: Any, at: _Steps = ()) -> Iterator[_Steps]:
    if at:
        yield at
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield from _paths(member, (*at, step))


def _get(value: Any, at: _Steps) -> Any:
    for step in at:
        value = value[step]
    return value


def _set(value: Any, at: _Steps, new: Any) -> None:
    _get(value, at[:-1])[at[-1]] = new


def _any_path(data: Any, chance: Random) -> _Steps:
    """A place: first how deep, so that the few fields of the whole are met as often as the many of its parts."""
    paths = list(_paths(data))
    depth = chance.choice(sorted({len(path) for path in paths}))
    return chance.choice([path for path in paths if len(path) == depth])


def _another_value(data: Any, chance: Random, stage: Stage) -> None:
    _set(data, _any_path(data, chance), copy.deepcopy(chance.choice((*_OTHERS, *stage.strangers()))))


def _left_out(data: Any, chance: Random, stage: Stage) -> None:
    at = _any_path(data, chance)
    del _get(data, at[:-1])[at[-1]]


def _value_of_another(data: Any, chance: Random, stage: Stage) -> None:
    """The value that the same field has elsewhere."""
    at = _any_path(data, chance)
    alike = [path for path in _paths(data) if path[-1] == at[-1] and path != at]
    _set(data, at, copy.deepcopy(_get(data, chance.choice(alike)))) if alike else None


def _swapped(data: Any, chance: Random, stage: Stage) -> None:
    at = _any_path(data, chance)
    alike = [path for path in _paths(data) if path[-1] == at[-1] and path[: len(at)] != at and at[: len(path)] != path]
    if alike:
        other = chance.choice(alike)
        first, second = copy.deepcopy(_get(data, at)), copy.deepcopy(_get(data, other))
        _set(data, at, second)
        _set(data, other, first)


def _twice(data: Any, chance: Random, stage: Stage) -> None:
    lists = [path for path in _paths(data) if isinstance(_get(data, path), list) and _get(data, path)]
    if lists:
        items = _get(data, chance.choice(lists))
        items.insert(chance.randrange(len(items) + 1), copy.deepcopy(chance.choice(items)))


def _shuffled(data: Any, chance: Random, stage: Stage) -> None:
    lists = [path for path in _paths(data) if isinstance(_get(data, path), list) and len(_get(data, path)) > 1]
    if lists:
        chance.shuffle(_get(data, chance.choice(lists)))


def _changed_a_little(data: Any, chance: Random, stage: Stage) -> None:
    leaves = [path for path in _paths(data) if isinstance(_get(data, path), str | int)]
    if leaves:
        at = chance.choice(leaves)
        was = _get(data, at)
        _set(data, at, was + chance.choice((-1, 1)) if isinstance(was, int) else _typo(was, chance))


def _typo(text: str, chance: Random) -> str:
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice("a0/.*") + text[place + 1 :]


ANYWHERE: tuple[Callable[[Any, Random, Stage], None], ...] = (
    _another_value, _left_out, _value_of_another, _swapped, _twice, _shuffled, _changed_a_little,
)  # fmt: skip


# --- what only somebody does who knows what a plan is


def _unblocked(plan: Any, chance: Random, stage: Stage) -> None:
    for action in plan["actions"]:
        action["blocked"] = []
    known = {(operation["address"]) for operation in plan["operations"]}
    for action in plan["actions"]:
        if action["address"] not in known:
            plan["operations"].append({"address": action["address"], "step": "write", "after": []})


def _of_a_stranger(plan: Any, chance: Random, stage: Stage) -> None:
    action = chance.choice(plan["actions"])
    action["id"] = action["locator"] = chance.choice(stage.strangers())


def _of_another_action(plan: Any, chance: Random, stage: Stage) -> None:
    first, second = chance.choice(plan["actions"]), chance.choice(plan["actions"])
    for name in chance.sample(["id", "locator", "desired", "seen", "fingerprint", "changes", "verb", "blocked"], 3):
        first[name], second[name] = second[name], first[name]


def _deletes_instead(plan: Any, chance: Random, stage: Stage) -> None:
    action = chance.choice(plan["actions"])
    action |= {"verb": "delete", "desired": {}, "changes": [], "blocked": [], "fingerprint": "", "seen": {}}
    for operation in plan["operations"]:
        if operation["address"] == action["address"]:
            operation["step"] = "delete"


def _wants_more(plan: Any, chance: Random, stage: Stage) -> None:
    wanting = [action for action in plan["actions"] if action["desired"]]
    action = chance.choice(wanting)
    name = chance.choice([*action["desired"]])
    action["desired"][name] = copy.deepcopy(chance.choice((*_OTHERS, 7)))
    action["fingerprint"] = chance.choice(("", action["fingerprint"]))


def _of_what_is_no_change(plan: Any, chance: Random, stage: Stage) -> None:
    """An action on something that the ledger owns or that nobody has, and that the plan does nothing to."""
    action = copy.deepcopy(chance.choice(plan["actions"]))
    kind = action["address"].split("/")[1]
    action["address"] = chance.choice(
        (f"iad/{kind}/theirs", f"iad/{kind}/n", "iad/namespace/nlp-apps", "iad/tenant/theirs")
    )
    action["blocked"] = []
    plan["actions"].append(action)
    step = "delete" if action["verb"] == "delete" else "write"
    plan["operations"].append({"address": action["address"], "step": step, "after": []})


def _without_an_action(plan: Any, chance: Random, stage: Stage) -> None:
    gone = plan["actions"].pop(chance.randrange(len(plan["actions"])))["address"]
    kept = [index for index, operation in enumerate(plan["operations"]) if operation["address"] != gone]
    plan["operations"] = [
        {
            **plan["operations"][index],
            "after": [kept.index(one) for one in plan["operations"][index]["after"] if one in kept],
        }
        for index in kept
    ]
    for action in plan["actions"]:
        action["together"] = [other for other in action["together"] if other != gone]


def _in_no_order(plan: Any, chance: Random, stage: Stage) -> None:
    for operation in plan["operations"]:
        operation["after"] = []
    if chance.random() < 0.5:
        chance.shuffle(plan["operations"])


def _allowed_all(plan: Any, chance: Random, stage: Stage) -> None:
    approvals = [
        {"address": action["address"], "reason": "agreed", "until": "2999-01-01", "max_used": 2**62, "max_orphans": 99}
        for action in plan["actions"]
    ]
    plan["consent"] = {
        "allow_delete": ["*"], "adopt": True, "approvals": approvals, "max_count": 1000, "allow_narrow": ["*"],
        "believe_gone": ["*"],
    }  # fmt: skip
    _unblocked(plan, chance, stage)


def _limits(plan: Any, chance: Random, stage: Stage) -> None:
    for part in plan["parts"]:
        part["limits"] = {"count": 10_000, "percent": 100}


OF_A_PLAN: tuple[Callable[[Any, Random, Stage], None], ...] = (
    _unblocked, _of_a_stranger, _of_another_action, _deletes_instead, _wants_more, _of_what_is_no_change,
    _without_an_action, _in_no_order, _allowed_all, _limits,
)  # fmt: skip


def _claims_a_stranger(part: Any, chance: Random, stage: Stage) -> None:
    entry = part["entries"][chance.choice([*part["entries"]])]
    entry["id"] = entry["locator"] = chance.choice(stage.strangers())


def _claims_one_more(part: Any, chance: Random, stage: Stage) -> None:
    entry = copy.deepcopy(part["entries"][chance.choice([*part["entries"]])])
    entry["id"] = entry["locator"] = chance.choice(stage.strangers())
    part["entries"][chance.choice(("iad/tenant/x", "iad/view_policy/x", "iad/tenant/theirs"))] = entry


def _ids_swapped(part: Any, chance: Random, stage: Stage) -> None:
    first, second = (part["entries"][address] for address in chance.sample([*part["entries"]], 2))
    for name in ("id", "locator"):
        first[name], second[name] = second[name], first[name]


OF_A_LEDGER: tuple[Callable[[Any, Random, Stage], None], ...] = (_claims_a_stranger, _claims_one_more, _ids_swapped)
DEEDS = {"plan": OF_A_PLAN, "ledger": OF_A_LEDGER, "approvals": (), "snapshot": ()}
FILES = ("plan",) * 6 + ("ledger",) * 2 + ("approvals", "snapshot")


# --- the attacks


def attack(number: int, stage: Stage) -> Attack:
    """The attack of that number."""
    chance = Random(number)
    file, scene = chance.choice(FILES), chance.choice([*stage.scenes])
    whole = json.loads(
        {"plan": stage.plans[scene], "ledger": stage.part.read_bytes(), "approvals": stage.approvals.read_bytes(),
         "snapshot": stage.recorded}[file]
    )  # fmt: skip
    data, deeds = copy.deepcopy(whole), []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        known = DEEDS[file]
        deed = chance.choice(known if known and chance.random() < 0.4 else ANYWHERE)
        try:
            deed(data, chance, stage)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError):
            continue  # an earlier one has taken away what it would change
        deeds.append(deed.__name__.strip("_").replace("_", " "))
    typed = file == "plan" and isinstance(data, dict) and any(data.get(key) != whole.get(key) for key in TYPED)
    return Attack(number, file, scene, rewritten(file, data), tuple(deeds), typed)


def rewritten(file: str, data: Any) -> bytes:
    """The file, its digest made anew."""
    if isinstance(data, dict) and file in ("plan", "snapshot"):
        form: Any = PLAN_FILE if file == "plan" else SNAPSHOT_FILE
        data = {**data, "id": form.identity(data)}
    return json.dumps(data).encode()


@dataclass(frozen=True, slots=True)
class Ended:
    """How an attack ended: what the command said, how much of the plan was written, and what it achieved that it must not."""

    ran: Ran
    extent: str
    broken: list[str]


def carried_out(one: Attack, stage: Stage) -> Ended:
    """The attack, in the stage's world."""
    scene: Scene = stage.scenes[one.scene]
    if one.typed:
        scene = replace(scene, writes=scene.writes | stage.most.writes, owned=stage.most.owned)
    plan = one.content if one.file == "plan" else stage.plans[one.scene]
    if one.file == "snapshot":
        stage.snapshot.write_bytes(one.content)
        out = str(stage.folder / "other.json")
        ended = stage.run("plan", str(stage.document), "--snapshot", str(stage.snapshot), "--out", out)
        scene = replace(scene, writes=Counter())
    elif one.file == "ledger":
        ended = stage.attack(scene, plan, ledger=one.content)
    elif one.file == "approvals":
        ended = stage.attack(scene, plan, approvals=one.content)
    else:
        ended = stage.attack(scene, plan)
    same = ended.writes == stage.scenes[one.scene].writes
    extent = "none" if not ended.writes else "same" if same else "fewer"
    return Ended(ended.ran, extent, ended.broken(scene))


def batch(numbers: range) -> Totals:
    """Attacks on a stage of their own."""
    totals = Totals()
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="trust-", dir=memory) as folder:
        stage = Stage(Path(folder))
        with stage.at_work():
            for number in numbers:
                one = attack(number, stage)
                ended = carried_out(one, stage)
                totals.attacks[one.file] += 1
                totals.codes[ended.ran.code] += 1
                totals.extents[ended.extent] += 1
                totals.deeds.update(one.deeds)
                totals.broken += [
                    f"attack {number} ({one.file}, {one.scene}: {', '.join(one.deeds)}): {text}"
                    for text in ended.broken
                ]
    return totals


def main() -> int:
    """All of them; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.trust.mutations", description=__doc__)
    parser.add_argument("--mutations", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1, help="the first number; the others follow")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    last = options.seed + options.mutations
    batches = [range(first, min(first + BATCH, last)) for first in range(options.seed, last, BATCH)]
    totals, begun = Totals(), time.perf_counter()
    for done in _all(batches, options.jobs):
        for text in done.broken:
            print(text[:600], flush=True)
        before = totals.attacks.total() // PROGRESS
        totals.add(done)
        if totals.attacks.total() // PROGRESS > before:
            print(f"{totals.attacks.total()} so far", flush=True)
    for line in totals.shown(time.perf_counter() - begun):
        print(line, flush=True)
    return 1 if totals.broken else 0


def _all(batches: list[range], jobs: int) -> Iterator[Totals]:
    if jobs == 1:
        yield from map(batch, batches)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(partial(batch), batches)


if __name__ == "__main__":
    sys.exit(main())
