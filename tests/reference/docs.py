"""Writes the pages of the reference into a folder: `python -m tests.reference.docs docs/reference`."""

from __future__ import annotations

import sys
from pathlib import Path

from vastplan.app.reference.markdown import pages
from vastplan.app.reference.read import document_sections


def main(folder: Path) -> None:
    """All pages, and no other is left there."""
    folder.mkdir(parents=True, exist_ok=True)
    made = pages(document_sections())
    for one in folder.glob("*.md"):
        if one.name not in made:
            one.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
