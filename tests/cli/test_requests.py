"""What is typed becomes a frozen request, in one place; and what only answers a question starts at once."""

import argparse
import contextlib
import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from vastplan.cli.parse import parse
from vastplan.cli.parser import parser
from vastplan.cli.request import REQUESTS, Format, LedgerRequest, LedgerVerb, PlanRequest, Request

LEAST = {
    "init": [], "validate": [], "plan": ["doc"], "apply": ["doc"], "record": ["doc", "--out", "s.json"], "import": ["doc"],
    "export": ["skypilot", "doc", "--out", "sky"], "drift": ["doc"], "show": ["doc"],
    "ledger": ["list", "doc"], "move": ["run", "move.json"], "restore": ["run", "restore.json"], "sim": ["vast"], "explain": [], "schema": [], "completion": ["bash"],
}  # fmt: skip


@pytest.mark.parametrize("request_type", REQUESTS, ids=lambda request_type: request_type.command)
def test_every_command_has_a_frozen_request(request_type: type[Request]) -> None:
    request = parse([request_type.command, *LEAST[request_type.command]])
    assert type(request) is request_type
    hash(request)  # frozen all the way down: no list is left in it
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.paths = ()  # type: ignore[misc]


def test_every_command_that_can_be_typed_has_one() -> None:
    (commands,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    assert [*commands.choices] == [request_type.command for request_type in REQUESTS] == [*LEAST]


def test_what_was_typed_is_in_the_request() -> None:
    typed = ["--no-colour", "plan", "a", "b", "--target", "iad/view/*", "--target", "iad/quota/q", "--keep-drift", "*",
             "--max-changes", "3", "--report", "r.md", "--format", "json", "--adopt"]  # fmt: skip
    assert parse(typed) == PlanRequest(
        colour=False, paths=(Path("a"), Path("b")), targets=("iad/view/*", "iad/quota/q"), keep_drift=("*",),
        max_changes=3, reports=(Path("r.md"),), format=Format.JSON, adopt=True,
    )  # fmt: skip
    forget = LedgerRequest(paths=(Path("doc"),), verb=LedgerVerb.FORGET, subjects=("iad/view/v",))
    assert dataclasses.replace(parse(["ledger", "forget", "doc", "iad/view/v"]), colour=False) == forget


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
