"""`vastplan init`: writes a first valid document."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from vastplan.app.clock import now
from vastplan.app.current_folder import heads_and_parts
from vastplan.app.validate import Checked, check_document
from vastplan.app.workspace import open_workspace
from vastplan.document.first_document import NO_RUNAI, First, first_document
from vastplan.document.scalars import Unwritable
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.finding import Finding, Severity
from vastplan.model.shell import word
from vastplan.model.yaml_text import ENDINGS

_PLACE = re.compile(r"^[\w.-]+: ")
_EXAMPLE = {
    "site": "site", "tenant": "team", "project": "project", "context": "site",
    "vast_url": "https://vms.example.com", "runai_url": NO_RUNAI,
}  # fmt: skip
"""Placeholders for the values that are not typed yet."""


def folder_for(path: Path | None) -> Path:
    """The folder of the document to write. Raises `VastplanError` where a document, or its file, already exists."""
    path = path or Path()
    if path.suffix in ENDINGS and os.path.lexists(path):
        raise VastplanError(f"{word(path)} exists already, and init overwrites nothing")
    folder = path.parent if path.suffix in ENDINGS else path
    if os.path.lexists(folder) and not folder.is_dir():
        raise VastplanError(f"{word(folder)} is not a folder; a document's file is NAME.yaml")
    heads, parts = heads_and_parts(folder) if folder.is_dir() else ([], [])
    if heads:
        document = word(heads[0])
        raise VastplanError(
            f"this folder has a document already: {document}; use that (vastplan plan {document}), or name another folder"
        )
    if parts:
        raise VastplanError(
            f"{word(parts[0])} is in this folder, and all YAML files of a folder are one document; name another folder"
        )
    return folder


def complaint(folder: Path, values: dict[str, str], field: str) -> str:
    """The error that a document with the value of one field would have; "" if there is none."""
    first = First(**{**_EXAMPLE, field: values[field]})
    if field == "kubeconfig":
        first = replace(first, context="", kubeconfig=relative_path(folder, values[field]))
    try:
        _checked(folder, first)
    except Invalid as problem:
        return _words(problem.findings)
    return ""


def relative_path(folder: Path, file: str) -> str:
    """The path of a file relative to the document's folder."""
    return Path(os.path.relpath(file, folder)).as_posix() if file else ""


def write_document(path: Path | None, first: First) -> tuple[Path, Checked]:
    """Write the document; returns its file and the findings. Raises `VastplanError`, and writes nothing, if it is not valid."""
    folder = folder_for(path)
    file = path if path is not None and path.suffix in ENDINGS else folder / f"{first.site}.yaml"
    first = replace(first, kubeconfig=relative_path(folder, first.kubeconfig))
    checked = _checked(folder, first)
    folder.mkdir(parents=True, exist_ok=True)
    with open(file, "x", encoding="utf-8") as written:
        written.write(first_document(first))
    return file, checked


def _checked(folder: Path, first: First) -> Checked:
    """The document, validated as if it were in the folder. Raises `Invalid`."""
    try:
        text = first_document(first)
    except Unwritable as problem:
        raise Invalid([Finding("VP101", Severity.ERROR, str(problem))]) from None
    with TemporaryDirectory() as place:
        copy = Path(place) / "first.yaml"
        copy.write_text(text, encoding="utf-8")
        checked = check_document(open_workspace([copy], folder=folder.absolute()), now().date())
    wrong = [finding for finding in checked.findings if finding.severity is Severity.ERROR]
    if wrong:
        raise Invalid(wrong)
    return checked


def _words(findings: Iterable[Finding]) -> str:
    """The message and fix of the first finding, without its place in the example."""
    finding = next(iter(findings))
    return _PLACE.sub("", finding.message) + (f" ({finding.fix})" if finding.fix else "")
