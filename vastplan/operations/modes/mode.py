"""A mode of a move: what each mode says and does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from vastplan.model.errors import Unreachable
from vastplan.model.operation import Facts
from vastplan.model.operation_plan import Fact
from vastplan.operations.document import Document
from vastplan.operations.ends import Ends, Work, noted
from vastplan.operations.plan.evidence import of_sides, of_work
from vastplan.operations.plan.pair import Pair
from vastplan.operations.plan.steps import of_document, to_stop, unmounted_claims
from vastplan.operations.stage import Stage
from vastplan.operations.wanted import WantedMove
from vastplan.schema.ports.workloads import Job

Users = tuple[tuple[Work, Job], ...]


class Mode(ABC):
    """One mode of a move. What is not abstract is what most modes have in common."""

    submits = True
    """Whether workloads are submitted at the target."""
    tried = False
    """Whether a rehearsal tries it, so that its plan shows the last one."""

    def aimed(self, document: Document, pair: Pair, wanted: WantedMove) -> Pair:
        """The pair with what the mode adds to it. Raises `VastplanError`."""
        return pair

    @abstractmethod
    def stages(self, ends: Ends, broken: str) -> tuple[Stage, ...]:
        """Its stages, in order. `broken` is why somebody gives the source up although it answers."""

    @abstractmethod
    def refuse(self, ends: Ends, broken: str, pair: Pair) -> None:
        """Raises `VastplanError` if the present state does not allow it."""

    def amiss_of_source(self, ends: tuple[Ends, ...], broken: str) -> str:
        """Why the source does not allow it, "" if it does: one site, asked once for all paths that move together."""
        return ""

    @abstractmethod
    def loss(self, ends: Ends) -> tuple[dict[str, str], str]:
        """The restore point to go back to, as consent names it, and what is lost, in words."""

    def users(self, ends: Ends) -> Users:
        """The workloads that use the data at the source. Raises `Unreachable` if they, or their claims at the target, cannot be read."""
        unread = [
            f"which claim at {ends.target.site} corresponds to {work.source.address}: {work.unread}"
            for work in ends.work
            if work.unread
        ]
        if unread:
            raise Unreachable(f"cannot determine {'; '.join(unread)}")
        return ends.users()

    def users_of_each(self, ends: tuple[Ends, ...]) -> tuple[Users, ...]:
        """The workloads that use the data of each path that moves together. Raises like `users`."""
        return tuple(map(self.users, ends))

    def jobs(self, ends: tuple[Ends, ...], users: tuple[Users, ...]) -> tuple[tuple[Facts, ...], ...]:
        """The workloads of each path for the record."""
        return tuple(tuple(noted(work, job) for work, job in of_path) for of_path in users)

    def evidence(self, ends: Ends, users: Users) -> tuple[Fact, ...]:
        """What a person weighs."""
        return (*of_sides(ends), *of_work(ends, users, submits=self.submits))

    def manual_steps(self, pair: Pair) -> tuple[str, ...]:
        """The steps that remain by hand."""
        return (
            *of_document(pair),
            *unmounted_claims(pair, f"the data at {pair.target}", "submitted there"),
            to_stop(pair.source),
        )

    def facts(self, pair: Pair, ends: Ends, users: Users, id: str) -> Mapping[str, Any]:
        """What the record of a move with an id keeps beside its pair and its workloads."""
        return {}
