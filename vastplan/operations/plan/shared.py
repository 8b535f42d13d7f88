"""The volumes of global access beside those that move: they stay where they are, and workloads at the target mount them as they are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.move_plan import UNPLANNED
from vastplan.model.operation import Facts
from vastplan.model.operation_plan import Fact
from vastplan.model.shell import word
from vastplan.operations.ends import ALONG
from vastplan.operations.plan.claims import claims_by_directory
from vastplan.operations.plan.pair import Pair, shared_between
from vastplan.schema.entries import Entry


def of_shared(
    entries: tuple[Entry, ...], moving: Iterable[tuple[Pair, tuple[Facts, ...]]], mode: str, whole: Iterable[Address]
) -> Iterator[Fact]:
    """A fact for each such volume that workloads mount, and for each whose path is of the `whole`. `moving` are the pairs with the
    workloads of each."""
    pairs = tuple(moving)
    source, target = pairs[0][0].source, pairs[0][0].target
    for path, claims in shared_between(entries, claims_by_directory(entries), source, target):
        if any(pair.path == path.address for pair, _ in pairs):
            continue
        users = dict.fromkeys(
            inert(fact["name"], 80) for pair, jobs in pairs for fact in jobs if _mounts(pair, fact, claims)
        )
        if users or path.address in whole:
            yield Fact(path.origin or str(path.address), _text(path.address.site, source, target, mode, tuple(users)))


def staying_alone(documents: str, path: Entry, source: str, target: str, mode: str) -> str:
    """The step by hand for the workloads that mount such a volume and nothing that moves."""
    address = path.origin or str(path.address)
    who = f"workloads that mount {address} and nothing that moves"
    if mode == UNPLANNED:
        return f"{who} are neither suspended at {source} nor submitted at {target}: submit them there yourself"
    command = f"vastplan move plan {documents} {word(address)} --to {target} --through-global-access --out move.json"
    return f"{who} keep running at {source}; to move them: {command}"


def _text(origin: str, source: str, target: str, mode: str, users: tuple[str, ...]) -> str:
    names = f", for {', '.join(users)}" if users else ""
    if origin == target:
        return f"shared by global access, stays at {origin}: {target} has the data itself{names}"
    text = f"shared by global access, stays at {origin}: {target} reads and writes it over the WAN{names}"
    if mode != UNPLANNED:
        return text
    lost = f"while {source} is lost {target} can read of it only what it has cached, and write nothing"
    return f"{text}; {lost}" + (f", so {', '.join(users)} may fail" if users else "")


def _mounts(pair: Pair, fact: Facts, claims: frozenset[tuple[Address, str]]) -> bool:
    """Whether a workload of a pair mounts one of the claims beside that of the pair."""
    projects = {claim.project for claim, _ in pair.work}
    return any(project in projects and name in fact.get(ALONG, ()) for project, name in claims)
