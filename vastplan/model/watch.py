"""Who receives the progress of a read, so that the terminal shows what vastplan waits for. Any thread may report."""

from __future__ import annotations


class Watch:
    """Is told, and does nothing about it."""

    def begins(self, site: str, system: str, what: str) -> None:
        """A system is asked for something: a collection, or its version."""

    def page(self, site: str, system: str, what: str) -> None:
        """It has answered with a page of that."""

    def ends(self, site: str, system: str, what: str) -> None:
        """Nothing more of that is waited for."""


UNWATCHED = Watch()
