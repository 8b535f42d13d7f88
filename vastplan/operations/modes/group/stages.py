"""Several moves as one: each stage for all paths, before the next stage of any.

Workloads are suspended and submitted once; copies and roles belong to each path. The record has the calls of a path with its key before
their names, and the facts and the consent of a path in a table of its own, so that the stages of one path see only theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from vastplan.model.operation import PATHS, Attempt, Facts, Operation
from vastplan.operations.ends import LACKS, RESUME
from vastplan.operations.stage import Call, Gate, Holds, Stage
from vastplan.operations.stages.work import FENCE, FREEZE, START

OF_EACH = "of each"  # the facts of each path, and the consent to what it loses, by its key


def as_one(parts: Mapping[str, tuple[Stage, ...]]) -> tuple[Stage, ...]:
    """The stages of several paths as one list. `parts` are the stages of each, equal in number and names, by its key."""
    keys = tuple(parts)
    columns = zip(*parts.values(), strict=True)
    return tuple(_one(keys, stages) for stages in columns)


def seen_by(operation: Operation, key: str, keys: tuple[str, ...]) -> Operation:
    """A record as the stages of one path know it: its own calls and facts, and those that all share."""
    attempts = tuple(_own(attempt, key) for attempt in operation.attempts if _whose(attempt, keys) in (key, ""))
    consent = (operation.consent.get(OF_EACH) or {}).get(key) or {}
    return replace(
        operation,
        attempts=attempts,
        facts={**operation.facts, **_facts_of(operation, key)},
        consent={**operation.consent, **consent},
    )


def jobs_together(jobs: Iterable[tuple[Facts, ...]]) -> tuple[Facts, ...]:
    """The workloads of several paths, as the record keeps them, each once, with all the claims that it mounts.

    A workload with a claim that has no counterpart at the target, or with claims in different projects there, has no `to_claim`: it is
    submitted nowhere.
    """
    facts_by_job: dict[str, list[Facts]] = {}
    for of_one in jobs:
        for fact in of_one:
            facts_by_job.setdefault(str(fact["id"]), []).append(fact)
    return tuple(_merged(facts) for facts in facts_by_job.values())


def _merged(facts: list[Facts]) -> Facts:
    first_fact, *more_facts = facts
    others = {str(fact["claim"]): str(fact["to_claim"]) for fact in more_facts}
    whole = all(fact["to_claim"] and fact["to_project"] == first_fact["to_project"] for fact in facts)
    resume = {claim: how for fact in facts for claim, how in fact.get(RESUME, {}).items()}
    lacks = sorted({claim for fact in facts for claim in fact.get(LACKS, ())})
    merged = {**first_fact, "to_claim": first_fact["to_claim"] if whole else "", "others": others}
    return {**merged, **({RESUME: resume} if resume else {}), **({LACKS: lacks} if lacks else {})}


def _one(keys: tuple[str, ...], stages: tuple[Stage, ...]) -> Stage:
    first = stages[0]
    if first.name in (FENCE, START):  # of workloads alone: each is suspended once, and submitted once
        return first
    keyed_stages = tuple(zip(keys, stages, strict=True))

    def problem(operation: Operation) -> str:
        return _first(
            _of(operation, key, stage.precondition(seen_by(operation, key, keys))) for key, stage in keyed_stages
        )

    def crossed(operation: Operation) -> str:
        return _first(stage.crossed(seen_by(operation, key, keys)) for key, stage in keyed_stages)

    def calls(operation: Operation) -> tuple[Call, ...]:
        return tuple(
            _named(key, call) for key, stage in keyed_stages for call in stage.calls(seen_by(operation, key, keys))
        )

    def rollback(operation: Operation) -> tuple[Call, ...]:
        return tuple(
            _named(key, call) for key, stage in keyed_stages for call in stage.rollback(seen_by(operation, key, keys))
        )

    def gate(operation: Operation) -> Gate:
        return _all(operation, {key: stage.gate(seen_by(operation, key, keys)) for key, stage in keyed_stages})

    def undone(operation: Operation) -> Gate:
        return _all(operation, {key: stage.undone(seen_by(operation, key, keys)) for key, stage in keyed_stages})

    together = replace(
        first,
        does=f"{first.does}, for each of {len(keys)} paths",
        until=f"for each path: {first.until}",
        bound=max(stage.bound for stage in stages),  # the calls of all are sent, then one gate waits for all
        pause=max(stage.pause for stage in stages),
        precondition=problem,
        crossed=crossed,
        gate=gate,
    )
    if first.name == FREEZE:
        # whether each is still is read one after the other
        return replace(together, does=first.does, pause=sum(stage.pause for stage in stages))
    return replace(together, calls=calls, rollback=rollback, undone=undone)


def _of(operation: Operation, key: str, problem: str) -> str:
    """A problem with the path that it is of."""
    paths = [path for path, guid in operation.facts.get(PATHS, {}).items() if guid == key]
    return ": ".join((*paths, problem)) if problem else ""


def _first(problems: Iterable[str]) -> str:
    return next((problem for problem in problems if problem), "")


def _all(operation: Operation, gates: Mapping[str, Gate]) -> Gate:
    """The gate of all paths: it holds when each one holds."""
    text = "; ".join(dict.fromkeys(gate.says for gate in gates.values() if gate.says and gate.holds is not Holds.YES))
    for holds in (Holds.NEVER, Holds.NOT_YET):
        if any(gate.holds is holds for gate in gates.values()):
            return Gate(holds, text)
    facts = {key: {**_facts_of(operation, key), **gate.facts} for key, gate in gates.items()}
    return Gate(Holds.YES, facts={OF_EACH: facts})


def _facts_of(operation: Operation, key: str) -> Facts:
    facts_by_key = operation.facts.get(OF_EACH) or {}
    facts: Facts = facts_by_key.get(key) or {}
    return facts


def _named(key: str, call: Call) -> Call:
    return replace(call, name=f"{key}: {call.name}")


def _whose(attempt: Attempt, keys: tuple[str, ...]) -> str:
    return next((key for key in keys if attempt.call.startswith(f"{key}: ")), "")


def _own(attempt: Attempt, key: str) -> Attempt:
    return replace(attempt, call=attempt.call.removeprefix(f"{key}: "))
