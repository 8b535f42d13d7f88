"""What a site promises and what it has, before and after an apply: a figure for a table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Commitment:
    """One sum on one site. `before` is what is live, `after` what the document makes of it, `limit` what the site has.

    `None` is not known; `unit` is `bytes`, `MB/s`, `IOPS` or `GPUs`.
    """

    site: str
    what: str
    unit: str
    after: int | float
    before: int | float | None = None
    limit: int | float | None = None

    @property
    def over(self) -> bool:
        """Whether more is promised than there is."""
        return self.limit is not None and self.after > self.limit
