"""Words of Terraform and kubectl: each is answered with what to type, and what is proposed can be typed."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.cli.test_requests import LEAST
from vastplan.cli import other_tools
from vastplan.cli.parser import parse

WORDS = (
    "state list", "state mv", "state rm", "state show", "force-unlock", "fmt", "graph", "output", "refresh", "workspace", "taint",
    "untaint", "console", "login", "get", "describe", "diff", "help", "version", "destroy",
)  # fmt: skip


def is_taken(words: list[str]) -> bool:
    """Whether the parser takes the words, or prints what they ask for."""
    try:
        parse(words)
    except SystemExit as end:
        return end.code in (0, None)
    return True


@pytest.mark.parametrize("advice", [*other_tools.COMMANDS.values(), *other_tools.OPTIONS.values()])
def test_what_is_proposed_can_be_typed(advice: str) -> None:
    commands = [shlex.split(command) for command in re.findall(r"vastplan ([^;,()]+)", advice)]
    if advice.startswith("--"):
        commands = [[name, *LEAST[name], *advice.split()] for name in LEAST]
        assert advice == "--version" or any(map(is_taken, commands))
    else:
        assert commands and all(map(is_taken, commands))


@pytest.mark.parametrize("words", WORDS)
def test_a_word_of_another_tool_is_answered(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    for before in ([], ["--no-color"]):
        with pytest.raises(SystemExit):
            parse([*before, *words.split(), "more"])
        told = capsys.readouterr().err
        assert told == f"error: vastplan: unknown command {words} ({other_tools.COMMANDS[words]})\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("-v", "vastplan: no option -v (did you mean --version?)"),
        ("plan -var a=b", "vastplan plan: no option -var (write values in the document"),
        ("plan --json", "vastplan plan: no option --json (did you mean --format json?)"),
        ("plan -auto-approve", "vastplan plan: no option -auto-approve (it is an option of apply)"),
        ("plan -replace=x", "vastplan plan: no option -replace (nothing is replaced on demand"),
        ("sim --json", "vastplan sim: no option --json (see vastplan sim -h)"),
        ("ledger rm x", "vastplan: unknown command ledger rm (vastplan ledger forget ADDRESS)"),
        ("apply --max-changes -1", "vastplan apply: --max-changes -1 is less than 0 (write a whole number from 0 on)"),
        ("sim vast --rate -1", "vastplan sim: --rate -1 is less than 0"),
    ],
)
def test_an_option_of_another_tool_is_answered(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(words.split())
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", ["--no-color plan", "plan --no-color", "ledger list --no-colour", "move status --no-color"]
)
def test_colour_is_switched_off_before_and_after_the_command(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vastplan.cli.parser._colour", lambda: True)
    assert parse(words.split()).colour is False
    assert parse([word for word in words.split() if "colo" not in word]).colour is True
