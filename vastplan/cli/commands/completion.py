"""`vastplan completion`."""

from __future__ import annotations

from vastplan.cli.request import CompletionRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors


def completion(request: CompletionRequest, screen: Screen) -> int:
    """Print a completion script."""
    import shtab

    from vastplan.cli.parser import parser

    screen.rendered(shtab.complete(parser(), shell=request.shell), is_json=False)  # nosec B604 # the name of one, which nothing starts
    return errors.OK
