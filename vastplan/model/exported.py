"""What an export wrote, as values for reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vastplan.model.finding import Finding

State = Literal["new", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """One file, and what became of it."""

    path: str
    state: State


@dataclass(frozen=True, slots=True)
class ExportedMount:
    """What a task mounts where: a bucket, or a claim."""

    task: str
    path: str
    kind: Literal["bucket", "claim"]
    name: str
    mode: str
    address: str


@dataclass(frozen=True, slots=True)
class ExportedFolder:
    """What was written for a tenant on a site. `credentials` is how the key got there: nothing is needed, a template, or the key."""

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
    """`export skypilot`: the folders, what was found, and files of earlier exports that the document no longer has."""

    document: str
    folders: tuple[ExportedFolder, ...]
    findings: tuple[Finding, ...] = ()
    left_over: tuple[str, ...] = ()
    format_version: str = "1.0"
