"""Commands that vastplan prints, taken out of its output: each has to be one that vastplan takes, as it stands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from vastplan.cli.parser import parse

_LEADS = (
    "carry it out with: ", "to do it: ", "to apply it: ", "to read them too: ", "go on: ", "give up: ", "Next: ",
    "no longer runs: ", "to release them: ", "plan again, or: ", "if it is that one: ", "if it moved: ", "consent to it: ",
)  # fmt: skip
"""What stands before a command that can be typed."""
_TO_FILL_IN = ("PATH", "FILE", "DOCUMENT")
_LED = re.compile(rf"(?:{'|'.join(map(re.escape, _LEADS))})(vastplan [^\n]*)")


def printed_commands(text: str) -> Iterator[str]:
    """The commands of an output, without what is said behind them."""
    if text.lstrip()[:1] in ("{", "["):  # JSON
        return
    after_next = False
    for line in text.splitlines():
        if after_next and line.startswith("  vastplan "):
            yield line.strip().partition("  # ")[0]
            continue
        after_next = line == "Next:" or (line.startswith("To ") and line.endswith(":"))
        for command in _LED.findall(line):
            yield re.split(r"; |, or |\)$", command)[0]


def refused(command: str, typed: Sequence[str]) -> str:
    """Why a printed command cannot be typed after what was typed; "" if it can."""
    try:
        words = shlex.split(command)[1:]
    except ValueError as problem:
        return str(problem)
    try:
        parse(words)
    except SystemExit:
        return "the parser refuses it"
    has_place = any(word in _TO_FILL_IN for word in words)
    if not has_place and "--connections" in typed and "--connections" not in words:
        return "the connections file that was typed is not in it"
    return ""


def apart(document: Path, connections: Path) -> Path:
    """Take the simulators out of a document and write them, and the variables of its secrets, into a file of connections."""
    whole = yaml.safe_load(document.read_text())
    sites = {site: {"sim": settings.pop("sim")} for site, settings in whole["sites"].items()}
    document.write_text(yaml.safe_dump(whole))
    variables = sorted(set(re.findall(r"env: (\w+)", document.read_text())))
    connections.write_text(yaml.safe_dump({"version": 1, "sites": sites, "secrets": {"env": variables}}))
    return connections
