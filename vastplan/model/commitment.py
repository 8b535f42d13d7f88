"""What a site promises and what it has, before and after an apply: one row of a table."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Commitment:
    """One sum on one site: `before` of the live objects, `after` by the document; `limit` is what the site has.

    `None` means not known; `unit` is `bytes`, `MB/s`, `IOPS` or `GPUs`.
    """

    site: str
    what: str
    unit: str
    after: int | float
    before: int | float | None = None
    limit: int | float | None = None

    @property
    def over(self) -> bool:
        """Whether the site promises more than it has."""
        return self.limit is not None and self.after > self.limit
