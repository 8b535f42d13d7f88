"""VP357: a plan that deletes, of files that have further parts of a document beside them."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.app.current_folder import heads_and_parts
from vastplan.app.workspace import Workspace
from vastplan.document.merge import yaml_files
from vastplan.document.specs import HEAD_KEYS
from vastplan.document.yaml import load_mapping
from vastplan.model.errors import Invalid
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import GOING, Plan
from vastplan.model.shell import given, word, words
from vastplan.model.wording import counted, some

_SHOWN = 12


def unread_files(workspace: Workspace, plan: Plan) -> Iterator[Finding]:
    """A warning if the plan deletes objects and the given files are not all that their folder has of a document."""
    paths = workspace.document.paths
    if any(path.is_dir() for path in paths) or not any(action.verb in GOING for action in plan.actions):
        return
    folder, read = paths[0].parent, {path.resolve() for path in paths}
    keys = HEAD_KEYS | workspace.registry.sections.keys()
    try:
        parts = [part for part in heads_and_parts(folder)[1] if part.resolve() not in read]
        unread = [part for part in parts if load_mapping(part, str(part)).keys() <= keys]
        is_whole = {file.resolve() for file in yaml_files(folder)} <= read | {part.resolve() for part in unread}
    except (Invalid, OSError):
        return  # what cannot be read is no part that anybody left out
    if unread:
        names = some([word(part.name) for part in unread], _SHOWN)
        text = (
            f"the folder of {inert(words(paths), 400)} has {counted(len(unread), 'more file')} of a document, not read here: {names}; "
            "this plan deletes objects that they may have"
        )
        whole = [folder] if is_whole else [*paths, *unread]
        typed = [*whole, *given("--connections", workspace.document.connections_file)]
        yield Finding("VP357", Severity.WARNING, text, f"to read them too: vastplan plan {inert(words(typed), 400)}")
