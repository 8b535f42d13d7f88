"""The operands that are typed after a command, and whether the document is left out of them: then it is that of the current folder.

Imports nothing heavy, because every command is parsed with it.
"""

from __future__ import annotations

import argparse
import copy
import os
from collections.abc import Sequence

from vastplan.cli.request import Argument, Request

_OF_DOCUMENTS = (".yaml", ".yml")  # as model.yaml_text.ENDINGS


class _Typed(str):
    """A word of its own: two that are typed alike are told apart."""


def operands_and_options(command: argparse.ArgumentParser, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words after a command: those that are neither options nor their values, and the others."""
    typed = [_Typed(word) for word in words]
    options = type(command)(prog=command.prog, add_help=False)
    for action in command._actions:
        if action.option_strings and not isinstance(action, argparse._HelpAction):
            optional = copy.copy(action)
            optional.required = False
            options._add_action(optional)
    left = [word for word in options.parse_known_args(typed)[1] if not word.startswith("-")]
    others = [word for word in typed if not any(word is operand for operand in left)]
    return [str(word) for word in left], [str(word) for word in others]


def lacks_document(request: type[Request], typed: Sequence[str]) -> bool:
    """Whether the operands are all without a document. A path that exists is one, unless it can only be the file that follows it."""
    positionals = [(name, argument) for name, argument in request.arguments.items() if not argument.flag]
    place = [name for name, _ in positionals].index("paths")
    followers = [argument for _, argument in positionals[place + 1 :]]
    before, typed = typed[:place], typed[place:]
    if not typed:
        return len(before) == place
    needed = sum(argument.required for argument in followers)
    if os.path.exists(typed[0]):
        return len(typed) == needed and _is_file(followers[0], typed[0])
    if not followers or typed[0].endswith(_OF_DOCUMENTS):
        return False
    return len(typed) <= needed or _is_operand(followers[-1], typed)


def _is_file(argument: Argument, word: str) -> bool:
    """Whether a word is the file that an operand names, and no document."""
    return argument.settings.get("metavar") == "FILE" and not os.path.isdir(word) and not word.endswith(_OF_DOCUMENTS)


def _is_operand(argument: Argument, typed: Sequence[str]) -> bool:
    """Whether the first word, which is no path, is for an operand that may be left out as well: an address, a pattern or a name."""
    first = typed[0]
    if first.startswith((".", "/")) or argument.required:
        return False
    is_name = len(typed) == 1 and argument.settings.get("nargs") == "?" and "/" not in first
    return is_name or first.count("/") >= 2 or not {"*", "?", "["}.isdisjoint(first)
