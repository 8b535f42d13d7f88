"""`vastplan completion`."""

from __future__ import annotations

from vastplan.cli.completion_scripts import SCRIPTS
from vastplan.cli.requests.completion import CompletionRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors


def run(request: CompletionRequest, screen: Screen) -> int:
    """Print a completion script."""
    screen.rendered(SCRIPTS.get(request.shell) or _static(request.shell), is_json=False)
    return errors.OK


def _static(shell: str) -> str:
    """A script that completes commands and options, and nothing from documents."""
    import shtab

    from vastplan.cli.parser import parser

    script: str = shtab.complete(parser(), shell=shell)  # nosec B604 # the name of a shell; none is started
    return script
