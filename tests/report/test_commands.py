"""No line of a log is a command to what runs the job, whatever the names and the values in it are."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest

from tests.report.reading import plan
from vastplan.cli.screen import Screen
from vastplan.model.address import Address
from vastplan.model.escaping import inert, no_commands
from vastplan.model.plan import Action, Cause, FieldChange, Plan, Verb
from vastplan.report.text import Style, plan_text

COMMANDS = [
    "::add-mask::0.0.0.0/0",
    "::stop-commands::x",
    "##[add-mask]x",
    "##vso[task.setvariable variable=a]b",
    "###[x]y",
]
A_COMMAND = re.compile(r"^(?:\s|\x1b\[[0-9;]*m)*::|##[a-z]*\[", re.MULTILINE | re.IGNORECASE)
AT = Address("iad", "view", "a")


def created(*values: tuple[str, str]) -> Plan:
    changes = tuple(FieldChange(path, None, value, Cause.NEW) for path, value in values)
    return replace(plan("empty"), actions=(Action(AT, Verb.CREATE, "does not exist yet", changes),))


def printed(text: str) -> str:
    out = io.StringIO()
    Screen(out, io.StringIO(), colour=False).show(text)
    return out.getvalue()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_value_that_wraps_begins_no_line_with_a_command(command: str) -> None:
    for before in range(60, 160):
        text = plan_text(
            created(("annotations.a", f"{'x' * before} {command} {command}")), Style(colour=False, width=140)
        )
        assert not A_COMMAND.search(text) and "x" * before in text, text


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("command", COMMANDS)
def test_nor_does_a_name_of_a_plan_that_somebody_wrote(command: str, colour: bool) -> None:
    change = FieldChange(command, "a", "b", Cause.DOCUMENT)
    written = Action(Address(command, "view", "a"), Verb.UPDATE, "the document changed", (change,))
    text = printed(plan_text(replace(plan("empty"), actions=(written,)), Style(colour=colour, width=140)))
    assert not A_COMMAND.search(text) and text.count("\\x3a:") + text.count("\\x23") >= 2, text


def test_addresses_of_version_six_stay_as_they_are() -> None:
    text = printed(
        plan_text(
            created(("nfs_read_write", ", ".join(["10.10.10.10/32", "::/0"] * 30))), Style(colour=False, width=100)
        )
    )
    assert "::/0" in text and "x3a" not in text and not A_COMMAND.search(text)


def test_json_says_the_same() -> None:
    out = io.StringIO()
    Screen(out, io.StringIO(), colour=False).rendered(json.dumps(COMMANDS), is_json=True)
    assert json.loads(out.getvalue()) == COMMANDS and "##" not in out.getvalue()


def test_what_is_no_command_is_left() -> None:
    for text in ("a::b", "# ##", "#[a]", "##1[", "a ::b"):
        assert no_commands(inert(text)) == text


@pytest.mark.parametrize("forged", ["b, labels.c: d", 'b", labels.c: "d', "", " b"])
def test_one_value_is_not_shown_as_two_fields(forged: str) -> None:
    text = plan_text(created(("labels.c", forged), ("path", "/a")), Style(colour=False, width=200))
    quoted = forged.replace('"', '\\"')
    assert f'labels.c: "{quoted}", path: /a' in text, text


def test_nor_is_a_key() -> None:
    text = plan_text(created(("labels.c: d, labels.e", "f"), ("labels.g[0]", "h")), Style(colour=False, width=200))
    assert '"labels.c: d, labels.e": f, labels.g[0]: h' in text, text
