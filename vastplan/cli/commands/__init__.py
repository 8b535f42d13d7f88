"""What each command does, one module for each: it takes the request, calls the app, prints the result and returns the exit code."""

from __future__ import annotations

from importlib import import_module

from vastplan.cli.request import Request
from vastplan.cli.requests import module_of
from vastplan.cli.screen import Screen


def run(request: Request, screen: Screen) -> int:
    """Run one command; imports only what it needs."""
    exit_code: int = import_module(f"{__name__}.{module_of(request.command)}").run(request, screen)
    return exit_code
