"""Parses the command line into a request, with errors that say what to type. Imports nothing heavy, so that `--version` and `-h` are fast."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from vastplan import __version__
from vastplan.cli import other_tools
from vastplan.cli.operands import lacks_document, operands_and_options
from vastplan.cli.request import Format, Request
from vastplan.cli.requests import COMMANDS, request_of

ERROR = 1  # as in model.errors, which is not imported for `-h`
_MISSING = "the following arguments are required: "
_NO_VALUE = re.compile(r"argument (\S+): expected (?:one|at least one) argument")
_FEW = 4
_NO_COLOUR = ("--no-colour", "--no-color")
_NO_COMMAND = ("-h", "--help", "--version")
"""What ends the process before a command is looked at."""
_EXIT_CODES = """\
exit codes:
  0  fine           1  error                     2  changes or drift present
  3  blocked by a guard or check                 4  applied in part
  5  refused: the plan is stale                  6  incomplete: a system could not be read
Where several hold, the first of 1, 5, 4, 3, 2, 6 is the exit code.
"""
_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def parse(words: Sequence[str]) -> Request:
    """The request. Like argparse, ends the process for `--version`, `-h` and invalid arguments."""
    as_json = "--format=json" in words or ("--format", "json") in itertools.pairwise(words)
    # If the command comes first, only its parser is built.
    top = parser(words[0] if words else "", as_json=as_json)
    _refuse_other_tools(top, words)
    values = vars(top.parse_args(_arranged(top, words)))
    request: type[Request] = values.pop("request")
    typed = {name: _frozen(request, name, values[name]) for name in request.arguments if values.get(name) is not None}
    return request(colour=values["colour"], **typed)


def _refuse_other_tools(top: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Ends the process for words of another tool at the beginning, with what to type here."""
    words = list(itertools.dropwhile(lambda word: word in _NO_COLOUR, words))
    first, pair = words[0] if words else "", " ".join(words[:2])
    typed = pair if pair in other_tools.COMMANDS else first
    if typed in other_tools.COMMANDS:
        top.error(f"{top.prog}: unknown command {typed} ({other_tools.COMMANDS[typed]})")
    if first in other_tools.OPTIONS and other_tools.OPTIONS[first] in top._option_string_actions:
        top.error(f"{top.prog}: no option {first} (did you mean {other_tools.OPTIONS[first]}?)")


def _arranged(top: argparse.ArgumentParser, words: Sequence[str]) -> Sequence[str]:
    """The words with all operands of the command before its options, because argparse takes several operands only side by side; with the
    current folder as the document, where that is left out before or after other operands."""
    command, rest = _chosen(top, words)
    request: type[Request] | None = command.get_default("request")
    if request is None or "--" in rest:
        return words
    typed, options = operands_and_options(command, rest)
    paths = request.arguments.get("paths")
    if paths is not None and paths.or_here and lacks_document(request, typed):
        is_first = next(name for name, argument in request.arguments.items() if not argument.flag) == "paths"
        typed = [".", *typed] if is_first else [*typed, "."]
    return [*words[: len(words) - len(rest)], *typed, *options]


def _chosen(top: argparse.ArgumentParser, words: Sequence[str]) -> tuple[argparse.ArgumentParser, Sequence[str]]:
    """The parser of the command that was typed, and the words after the command."""
    chosen, rest = top, words
    for place, word in enumerate(words):
        for action in chosen._actions:
            if isinstance(action, argparse._SubParsersAction) and word in action.choices:
                chosen, rest = action.choices[word], words[place + 1 :]
                break
    return chosen, rest


def _frozen(request: type[Request], name: str, value: Any) -> Any:
    if name == "format":
        return Format(value)
    if request.arguments[name].default == ():
        return tuple(value) if isinstance(value, list) else (value,)
    return value


def parser(only: str = "", *, as_json: bool = False) -> argparse.ArgumentParser:
    """The parser of the command line, with all commands, or only one if `only` names it; for `-h` and `--version` without arguments.

    With `as_json`, errors in the arguments are also printed as JSON.
    """
    parser_class = type("Parser", (Parser,), {"as_json": as_json})
    top: argparse.ArgumentParser = parser_class(
        prog="vastplan",
        description="Plan and apply AI storage across VAST, Kubernetes and NVIDIA Run:AI from one YAML document.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"vastplan {__version__}")
    top.add_argument(*_NO_COLOUR, dest="colour", action="store_false", default=_colour(), help="plain output")
    commands: _Commands = top.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=parser_class
    )
    for name in (only,) if only in COMMANDS else COMMANDS:
        request = request_of(name)
        command = _add_command(commands, name, request)
        if only in _NO_COMMAND:
            continue
        if request.verbs:
            verbs = command.add_subparsers(dest="verb", required=True, metavar="COMMAND")
            for verb in request.verbs:
                _add_arguments(_add_command(verbs, verb.verb, verb), verb)
        else:
            _add_arguments(command, request)
    return top


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _add_command(commands: _Commands, name: str, request: type[Request]) -> argparse.ArgumentParser:
    summary, example = (text.format(request=request) for text in (request.summary, request.example))
    return commands.add_parser(
        name,
        help=summary,
        description=request.description or f"{summary[:1].upper()}{summary[1:]}.",
        epilog=f"example:\n  vastplan {request.typed_name()} {example}\n\n{_EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_arguments(command: argparse.ArgumentParser, request: type[Request]) -> None:
    command.set_defaults(request=request)
    command.add_argument(
        *_NO_COLOUR, dest="colour", action="store_false", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    alternatives: argparse._MutuallyExclusiveGroup | None = None
    for name, argument in request.arguments.items():
        settings = {
            setting: value.format(request=request) if setting in ("metavar", "help") and value else value
            for setting, value in argument.settings.items()
        }
        if argument.alternative:
            alternatives = alternatives or command.add_mutually_exclusive_group(required=True)
        group = alternatives if argument.alternative and alternatives else command
        if argument.flag:
            group.add_argument(argument.flag, dest=name, default=argparse.SUPPRESS, **settings)
        else:
            group.add_argument(name, **settings)


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
            self._left_over(next((word for word in rest if word.startswith("-")), rest[0]), _chosen(self, typed)[0])
        return values

    def _left_over(self, word: str, chosen: argparse.ArgumentParser) -> NoReturn:
        option = word.partition("=")[0]
        if not option.startswith("-"):
            self.error(f"{chosen.prog}: {word} is one argument too many (see {chosen.prog} -h)")
        options = [name for name in chosen._option_string_actions if name.startswith("--")]
        meant = other_tools.OPTIONS.get(option) or other_tools.OPTIONS.get(f"-{option}", f"-{option}")
        if meant.partition(" ")[0] in options:
            near = f"did you mean {meant}?"
        elif "vastplan " in meant:
            near = meant
        else:
            near = self._elsewhere(option) or self._elsewhere(f"-{option}") or _nearest(option, options)
        self.error(f"{chosen.prog}: no option {option} ({near or f'see {chosen.prog} -h'})")

    def _elsewhere(self, option: str) -> str:
        """Names the other commands that have the option; "" if there are none or too many."""
        having = [name for name, command in _commands(parser()).items() if option in command._option_string_actions]
        return f"it is an option of {_either(having)}" if 0 < len(having) <= _FEW else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        command = f"{self.prog} {value}".removeprefix("vastplan ")
        hint = other_tools.COMMANDS.get(command) or _nearest(str(value), choices) or f"write {_either(choices)}"
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"{self.prog}: unknown command {value} ({hint})")
        value_text = f"{action.option_strings[-1]} {value}" if action.option_strings else str(value)
        raise argparse.ArgumentError(None, f"{self.prog}: no {value_text} ({hint})")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        if action.type is int and not re.fullmatch(r"[+-]?\d{1,18}", arg_string.strip()):
            name = action.option_strings[-1] if action.option_strings else action.metavar
            raise argparse.ArgumentError(
                None, f"{self.prog}: {name} {arg_string} is not a number (write a whole number)"
            )
        if action.type is int and int(arg_string) < 0:
            name = action.option_strings[-1] if action.option_strings else action.metavar
            raise argparse.ArgumentError(
                None, f"{self.prog}: {name} {arg_string} is less than 0 (write a whole number from 0 on)"
            )
        return super()._get_value(action, arg_string)

    def _in_words(self, message: str) -> str:
        """A message of argparse itself, in vastplan's wording."""
        if message.startswith(_MISSING):
            names = message.removeprefix(_MISSING).split(", ")
            missing = ", ".join(name for name in names if not name.startswith("["))  # these may be left out
            if missing == "COMMAND":
                return f"{self.prog}: COMMAND is missing (write {_either(list(_commands(self)))})"
            return f"{self.prog}: {missing} is missing{self._example()}"
        if option := _NO_VALUE.match(message):
            return f"{self.prog}: {option[1]} needs a value (see {self.prog} -h)"
        return message if message.startswith(self.prog) else f"{self.prog}: {message.removeprefix('argument ')}"

    def _example(self) -> str:
        example = re.search(r"example:\n  (.+)", self.epilog or "")
        return f" (for example {example[1]})" if example else ""


def _commands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """The subcommands of a parser, by name."""
    return next(action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))


def _nearest(word: str, words: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word[:100], words, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else ""


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
