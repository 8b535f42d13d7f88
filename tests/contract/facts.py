"""The facts of docs/unverified.md: an id, what it is about, what is assumed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "unverified.md"
SYSTEMS = {"VMS": "vast", "RAI": "runai", "K8S": "kubernetes"}
LINE = re.compile(r"- ((?:VMS|RAI|K8S)-\d{3}) (.+)")


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the document: what it is about, and what is assumed of that."""

    id: str
    about: str
    assumed: str

    @property
    def system(self) -> str:
        """The system that it is a fact about."""
        return SYSTEMS[self.id[:3]]


def facts(text: str | None = None) -> dict[str, Fact]:
    """All facts by id; raises `ValueError` for a line without an id or with one that is taken."""
    found: dict[str, Fact] = {}
    for line in (DOCUMENT.read_text(encoding="utf-8") if text is None else text).splitlines():
        if not line.startswith("- "):
            continue
        match = LINE.fullmatch(line)
        if match is None or match[1] in found:
            raise ValueError(f"docs/unverified.md: needs an id of its own: {line}")
        parts = match[2].split(" | ")
        # The lines about Kubernetes, and those without a third part, say what is assumed in the first.
        in_the_second = len(parts) == 3 and not match[1].startswith("K8S")
        found[match[1]] = Fact(match[1], *parts[:2]) if in_the_second else Fact(match[1], "", parts[0])
    return found
