"""The stage that tries a draft: it plans the document with the new files, from a copy."""

from __future__ import annotations

import tempfile
from pathlib import Path

from vastplan.app.importing.draft import DraftFiles
from vastplan.app.importing.verify import Line, VerifiedRound, verify
from vastplan.app.importing.world import ImportWorld
from vastplan.app.planning.request import PlanOptions
from vastplan.document import merge
from vastplan.document.load import folder_of
from vastplan.importing.model import Degraded


def try_files(world: ImportWorld, draft: DraftFiles, degraded: Degraded, *, patient: bool) -> VerifiedRound:
    """Plan the document with the new files, from a copy."""
    paths, connections = world.workspace.document.paths, world.options.connections
    with tempfile.TemporaryDirectory(prefix="vastplan-") as folder:
        copies, lines = [], []
        for number, path in enumerate(paths):
            part = Path(folder) / str(number)
            part.mkdir()
            for file in merge.yaml_files(path):
                (part / file.name).write_bytes(file.read_bytes())
            copies.append(part if path.is_dir() else part / path.name)
        new = Path(folder) / "new"
        new.mkdir()
        for text in draft.texts:
            target = new / text.name
            target.write_text(text.written.text, encoding="utf-8")
            lines += [
                Line(str(target), *at, text.entries[where], where.inside)
                for where, at in sorted(text.written.lines.items(), key=lambda item: item[1][0] - item[1][1])
                if where in text.entries
            ]
        if draft.texts:
            copies.append(new)
        options = PlanOptions(sites=world.options.sites, snapshot=world.snapshot)
        return verify(
            copies,
            folder_of(paths),
            world.workspace,
            connections,
            world.snapshot,
            options,
            world.source,
            world.observed,
            lines,
            degraded,
            patient=patient,
        )
