"""What can be typed: one module for each command, with its arguments and their help. `vastplan.cli.commands` has what each does."""

from __future__ import annotations

from importlib import import_module

from vastplan.cli.request import Request

COMMANDS = (
    "init", "validate", "plan", "apply", "record", "import", "export", "drift", "show", "ledger", "move", "watch", "restore", "sim", "explain",
    "schema", "completion",
)  # fmt: skip
"""The commands, in the order of the help."""


def module_of(command: str) -> str:
    """The name of a command's module, here and in `vastplan.cli.commands`."""
    return "import_" if command == "import" else command


def request_of(command: str) -> type[Request]:
    """The request of a command, or the base of those of its verbs: `PlanRequest` of `plan`. Loads only its module."""
    request: type[Request] = getattr(
        import_module(f"{__name__}.{module_of(command)}"), f"{command.capitalize()}Request"
    )
    return request
