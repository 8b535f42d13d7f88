"""What was seen when projects tried to reach each other's data, as values."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class WayTried:
    """One way on one site: `refused` counts the requests of other projects that were refused, `by` says by whom.

    `through` are those that would have been carried out: the project, its namespace, and what it named. `own` counts the requests
    of projects for what is theirs that are accepted, `own_refused` are those that are not. `untried` says why nothing is known.
    """

    site: str
    way: str
    refused: int = 0
    by: tuple[str, ...] = ()
    through: tuple[tuple[str, str, str], ...] = ()
    own: int = 0
    own_refused: tuple[tuple[str, str, str], ...] = ()
    untried: str = ""
