"""`vastplan explain`."""

from __future__ import annotations

from vastplan.app.explain import explain_path as text_of
from vastplan.cli.requests.explain import ExplainRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors


def run(request: ExplainRequest, screen: Screen) -> int:
    """Print what may be written at a place of the document."""
    screen.show(text_of(request.place, min(screen.style.width, 100), recursive=request.recursive))
    return errors.OK
