"""Receives the progress of reads, so that the terminal shows what vastplan waits for. Any thread may call it."""

from __future__ import annotations


class Watch:
    """A watch that ignores all progress; others override it."""

    def begins(self, site: str, system: str, what: str) -> None:
        """A read begins: of a collection, or of the system's version."""

    def page(self, site: str, system: str, what: str) -> None:
        """A page of the read has arrived."""

    def ends(self, site: str, system: str, what: str) -> None:
        """The read has ended."""


UNWATCHED = Watch()
