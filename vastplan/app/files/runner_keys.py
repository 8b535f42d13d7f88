"""Keys of the runner (`--sign`, `--review-key`): refused where a document could read them as a secret, or supply its own."""

from __future__ import annotations

from pathlib import Path

from vastplan.document.load import Document
from vastplan.model.errors import VastplanError


def refuse_in_reach(file: Path, name: str, document: Document) -> None:
    """Raises `VastplanError` for a key in the document's folder, or in a folder that its secrets may come from."""
    own = [(path if path.is_dir() else path.parent).resolve() for path in document.paths]
    key = file.resolve()
    for folders, which in (
        (own, "the document's folder"),
        (document.secrets.folders, "a folder that its secrets may come from"),
    ):
        if any(key.is_relative_to(folder) for folder in folders):
            raise VastplanError(f"{name} is in {which}: keep it where only the runner writes")
