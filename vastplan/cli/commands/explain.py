"""`vastplan explain`."""

from __future__ import annotations

from vastplan.app.explain import explain_path as text_of
from vastplan.cli.requests.explain import ExplainRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors

_IN_A_FILE = 100  # columns


def run(request: ExplainRequest, screen: Screen) -> int:
    """Print what may be written at a place of the document."""
    width = screen.style.width if screen.read_at_once else _IN_A_FILE
    screen.show(text_of(request.place, width, recursive=request.recursive))
    return errors.OK
