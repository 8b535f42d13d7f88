"""Errors in typed arguments: says what is wrong, and what to type. Imports nothing heavy."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

ERROR = 1  # as in model.errors, which is not imported for `-h`
_REQUIRED = "the following arguments are required: "
_VALUE = re.compile(r"argument (\S+): expected (?:one|at least one) argument")

_FEW = 4
_OF_OTHERS = {  # words of other tools, and what to type here
    "destroy": "remove the entries from the document, then: vastplan apply PATH",
    "--yes": "--auto-approve",
}


class Parser(argparse.ArgumentParser):
    """A parser that exits with 1 for invalid arguments: argparse's own 2 means changes or drift in vastplan."""

    as_json = False

    def error(self, message: str) -> NoReturn:
        """Print the error on standard error, and as JSON if requested, and exit."""
        text = self._in_words(message)
        sys.stderr.write(f"error: {text}\n")
        if self.as_json:
            from vastplan.report.json_report import Problems, dumps

            sys.stdout.write(dumps(Problems(text)))
        raise SystemExit(ERROR)

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse like argparse, but with vastplan's own errors for arguments that are left over."""
        typed = sys.argv[1:] if args is None else list(args)
        values, rest = self.parse_known_args(typed, namespace)
        if rest:
            self._left_over(rest[0], self._chosen(typed))
        return values

    def _left_over(self, word: str, chosen: Parser) -> NoReturn:
        option = word.partition("=")[0]
        if not option.startswith("-"):
            self.error(f"{chosen.prog}: {word} is one argument too many (see {chosen.prog} -h)")
        options = [name for name in chosen._option_string_actions if name.startswith("--")]
        meant = _OF_OTHERS.get(option, "")
        near = f"did you mean {meant}?" if meant in options else self._elsewhere(option) or _nearest(option, options)
        self.error(f"{chosen.prog}: no option {option} ({near or f'see {chosen.prog} -h'})")

    def _elsewhere(self, option: str) -> str:
        """Names the other commands that have the option; "" if there are none or too many."""
        from vastplan.cli.parser import parser  # a cyclic import; and only an error needs the parsers of all commands

        having = [name for name, command in _commands(parser()).items() if option in command._option_string_actions]
        return f"it is an option of {_either(having)}" if 0 < len(having) <= _FEW else ""

    def _chosen(self, typed: Iterable[str]) -> Parser:
        """The parser of the command that was typed."""
        chosen = self
        for word in typed:
            for action in chosen._actions:
                if isinstance(action, argparse._SubParsersAction) and word in action.choices:
                    chosen = action.choices[word]
                    break
        return chosen

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        hint = _OF_OTHERS.get(str(value)) or _nearest(str(value), choices) or f"write {_either(choices)}"
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"{self.prog}: unknown command {value} ({hint})")
        what = f"{action.option_strings[-1]} {value}" if action.option_strings else str(value)
        raise argparse.ArgumentError(None, f"{self.prog}: no {what} ({hint})")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        if action.type is int and not re.fullmatch(r"[+-]?\d{1,18}", arg_string.strip()):
            name = action.option_strings[-1] if action.option_strings else action.metavar
            raise argparse.ArgumentError(
                None, f"{self.prog}: {name} {arg_string} is not a number (write a whole number)"
            )
        return super()._get_value(action, arg_string)

    def _in_words(self, message: str) -> str:
        """A message of argparse itself, in vastplan's wording."""
        if message.startswith(_REQUIRED):
            missing = message.removeprefix(_REQUIRED)
            if missing == "COMMAND":
                return f"{self.prog}: COMMAND is missing (write {_either(list(_commands(self)))})"
            return f"{self.prog}: {missing} is missing{self._example()}"
        value = _VALUE.match(message)
        if value:
            return f"{self.prog}: {value[1]} needs a value (see {self.prog} -h)"
        return message if message.startswith(self.prog) else f"{self.prog}: {message.removeprefix('argument ')}"

    def _example(self) -> str:
        found = re.search(r"example:\n  (.+)", self.epilog or "")
        return f" (for example {found[1]})" if found else ""


def _commands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """The subcommands of a parser, by name."""
    return next(one.choices for one in parser._actions if isinstance(one, argparse._SubParsersAction))


def _nearest(word: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word[:100], known, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else ""


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
