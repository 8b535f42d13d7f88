"""What is typed becomes a frozen request, in one place; and what only answers a question starts at once."""

import argparse
import contextlib
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest

from vastplan.cli import commands
from vastplan.cli.parser import parse, parser
from vastplan.cli.request import Format
from vastplan.cli.requests import COMMANDS, module_of, request_of
from vastplan.cli.requests.ledger import LedgerForgetRequest
from vastplan.cli.requests.plan import PlanRequest
from vastplan.cli.requests.sim import SimRequest
from vastplan.cli.screen import Screen

LEAST = {
    "init": [], "validate": [], "plan": ["doc"], "apply": ["doc"], "record": ["doc", "--out", "s.json"], "import": ["doc"],
    "export": ["skypilot", "doc", "--out", "sky"], "drift": ["doc"], "show": ["doc"],
    "ledger": ["list", "doc"], "move": ["run", "move.json"],
    "watch": ["doc", "--place", "pdx"], "restore": ["run", "restore.json"], "sim": ["vast"],
    "explain": [], "schema": [], "completion": ["bash"],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_frozen_request(command: str) -> None:
    request = parse([command, *LEAST[command]])
    assert isinstance(request, request_of(command)) and request.command == command
    hash(tuple(getattr(request, name) for name in request.arguments))  # frozen all the way down: no list is left in it
    with pytest.raises(AttributeError, match="frozen"):
        request.paths = ()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_does_takes_its_request(command: str) -> None:
    run = import_module(f"{commands.__name__}.{module_of(command)}").run
    assert get_type_hints(run) == {"request": request_of(command), "screen": Screen, "return": int}


def test_every_command_that_can_be_typed_has_one() -> None:
    (commands,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    assert [*commands.choices] == [*COMMANDS] == [*LEAST]


def test_an_argument_that_was_not_typed_has_its_default() -> None:
    request = parse(["sim"])
    assert isinstance(request, SimRequest)
    assert (request.port, request.user, request.password, request.subject) == (0, "admin", None, "")
    assert (request.paths, request.format, request.reports) == ((), Format.TEXT, ())


def test_what_was_typed_is_in_the_request() -> None:
    typed = ["--no-colour", "plan", "a", "b", "--target", "iad/view/*", "--target", "iad/quota/q", "--keep-drift", "*",
             "--max-changes", "3", "--report", "r.md", "--format", "json", "--adopt"]  # fmt: skip
    plan = parse(typed)
    assert type(plan) is PlanRequest and vars(plan) == {
        "colour": False, "paths": (Path("a"), Path("b")), "targets": ("iad/view/*", "iad/quota/q"), "keep_drift": ("*",),
        "max_changes": 3, "reports": (Path("r.md"),), "format": Format.JSON, "adopt": True,
    }  # fmt: skip
    forget = parse(["--no-colour", "ledger", "forget", "doc", "iad/view/v"])
    assert type(forget) is LedgerForgetRequest
    assert vars(forget) == {"colour": False, "paths": (Path("doc"),), "addresses": ("iad/view/v",)}


@pytest.mark.parametrize("typed", [["--version"], ["-h"], ["plan", "-h"]], ids=" ".join)
def test_what_only_answers_a_question_loads_nothing_heavy(typed: list[str]) -> None:
    program = (
        "import sys\nfrom vastplan.cli import main\ntry:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print([name for name in sys.modules if name.startswith('vastplan.') and not name.startswith('vastplan.cli')])\n"
        "print([name for name in ('pydantic', 'yaml', 'requests', 'kubernetes', 'dataclasses') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program, *typed], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-2:] == ["[]", "[]"]


@pytest.mark.parametrize("command", LEAST)
@pytest.mark.parametrize("typed", [["-h"], ["--nonsense"], []], ids=" ".join)
def test_a_command_by_itself_says_what_it_says_among_the_others(
    command: str, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for only in ("", command):
        with contextlib.suppress(SystemExit):
            said.append(str(vars(parser(only).parse_args([command, *typed]))))
        said.append(str(capsys.readouterr()))
    assert said[: len(said) // 2] == said[len(said) // 2 :]


def test_help_before_a_command_names_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["-h", "plan"])
    said = capsys.readouterr().out
    assert [command for command in LEAST if f"\n    {command} " in said] == [*LEAST]


WITH_SEVERAL = (
    "plan a.yaml b.yaml", "drift a.yaml b.yaml", "show a.yaml iad/view/v", "ledger list a.yaml iad", "ledger move a.yaml iad/view/v iad/view/w",
    "ledger forget a.yaml iad/view/v iad/view/w", "ledger log a.yaml iad/view/v", "ledger import a.yaml x.json", "move plan a.yaml iad/volume/v --to pdx",
    "move run a.yaml iad/volume/v --to pdx", "move run a.yaml 1a2b3c4d", "move arm a.yaml iad/volume/v --to pdx", "move status a.yaml 1a2b3c4d",
    "move abort a.yaml 1a2b3c4d", "restore plan a.yaml iad/volume/v --snapshot s", "restore run a.yaml 1a2b3c4d", "restore abort . 1a2b3c4d",
)  # fmt: skip


@pytest.mark.parametrize("typed", WITH_SEVERAL)
def test_an_option_may_be_typed_before_between_and_after_operands(typed: str) -> None:
    """Its value may be a word that is an operand, too."""
    words = typed.split()
    verb = sum(one.isalpha() for one in words[:2])
    option = ["--connections", words[verb]]
    expected = vars(parse([*words, *option]))
    for place in range(verb, len(words)):
        if not words[place - 1].startswith("--"):
            assert vars(parse([*words[:place], *option, *words[place:]])) == expected, place
