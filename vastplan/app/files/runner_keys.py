"""Keys of the runner (`--sign`, `--review-key`): none lies where a document could take it for a secret, or bring its own."""

from __future__ import annotations

from pathlib import Path

from vastplan.document.load import Document
from vastplan.model.errors import VastplanError


def refuse_in_reach(file: Path, name: str, document: Document) -> None:
    """Raises `VastplanError` for a key in the document's folder, or in one that a connections file opens to its secrets."""
    own = [(path if path.is_dir() else path.parent).resolve() for path in document.paths]
    key = file.resolve()
    for folders, which in (
        (own, "the document's folder"),
        (document.secrets.folders, "a folder that its secrets may come from"),
    ):
        if any(key.is_relative_to(folder) for folder in folders):
            raise VastplanError(f"{name} is in {which}: keep it where only the runner writes")
