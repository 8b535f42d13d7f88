"""What an export wrote, as values for reports."""

from __future__ import annotations

from typing import Literal

from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding

State = Literal["new", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """One file, and whether it is new, changed or unchanged."""

    path: str
    state: State


@dataclass(frozen=True, slots=True)
class ExportedMount:
    """A mount of a task: a bucket or a claim at a path."""

    task: str
    path: str
    kind: Literal["bucket", "claim"]
    name: str
    mode: str
    address: str


@dataclass(frozen=True, slots=True)
class ExportedFolder:
    """What was written for a tenant on a site. `credentials` is what the folder has: none (not needed), a template, or the key."""

    site: str
    tenant: str
    folder: str
    infra: str
    endpoint: str
    credentials: Literal["none", "template", "key"]
    mounts: tuple[ExportedMount, ...]
    files: tuple[ExportedFile, ...]


@dataclass(frozen=True, slots=True)
class Export:
    """The result of `export skypilot`: the folders, the findings, and files of earlier exports that are no longer part of it."""

    document: str
    folders: tuple[ExportedFolder, ...]
    findings: tuple[Finding, ...] = ()
    left_over: tuple[str, ...] = ()
    format_version: str = "1.0"
