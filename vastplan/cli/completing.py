"""`vastplan __complete WORD... WORD`: what may stand in the place of the last word, for the scripts of `vastplan completion`.

The first line says how to take the others, each of which is a candidate: `words`, `open` where none is a whole word yet, and
`files` where it may also be a file. Nothing is printed where nothing is known, whatever the reason, and the exit code is 0:
somebody is typing. What is printed is visible text of one line; it is the shell that quotes it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vastplan.cli.parser import parser

if TYPE_CHECKING:
    from vastplan.app.completion import Source

MOST = 200
"""Candidates; where there are more, they are the beginnings of them."""
LONGEST = 400
"""Characters of a candidate."""
ADDRESSES = frozenset({"ADDRESS", "ADDRESS[.FIELD]", "OLD", "NEW"})
OPERATIONS = frozenset({"MOVE", "RESTORE"})
FREE = frozenset(
    {
        "NAME", "URL", "RANGES", "NETWORKS", "PATTERN", "VERSION", "NAMESPACE/NAME", "N", "DIR", "REASON",
        "RESTOREPOINT", "SNAPSHOT",
    }
)  # fmt: skip
"""What only who types it can know, by how it is called in the help."""
FILES = frozenset({"FILE", "[SITE=]FILE", "PATH|SYSTEM"})


@dataclass(frozen=True, slots=True)
class Candidates:
    """What may stand in a place; `files` where it may be a file, too."""

    texts: Collection[str] = ()
    files: bool = False
    separator: str = ""
    """Behind it begins what is completed next: a level of an address."""


def run(arguments: Sequence[str]) -> int:
    """Print the candidates; answers 0."""
    try:
        lines = _lines([unquoted(word) for word in arguments] or [""])
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
    except (Exception, SystemExit, KeyboardInterrupt):
        # Whatever is wrong is said by the command, once it is typed.
        return 0
    return 0


def _lines(words: Sequence[str]) -> list[str]:
    *before, typed = words
    place = Place.of(before)
    found, typed = place.candidates(typed)
    shown = [text for text in narrowed(found.texts, typed, found.separator) if _is_visible(text)]
    few = limited(shown, typed)
    if not few and not found.files:
        return []
    return [" ".join(["open" if few != shown else "words", *["files"] * found.files]), *few]


def narrowed(texts: Iterable[str], typed: str, separator: str) -> list[str]:
    """Those that begin with what is typed, sorted; with a separator up to the next one."""
    found = set()
    for text in texts:
        if text.startswith(typed):
            end = text.find(separator, len(typed)) if separator else -1
            found.add(text if end < 0 else text[: end + len(separator)])
    return sorted(found)


def limited(texts: Sequence[str], typed: str) -> list[str]:
    """At most so many: of more the longest beginnings that are few enough, which are as many as a person wants to read."""
    if len(texts) <= MOST:
        return list(texts)
    least, most = len(typed), max(map(len, texts))
    while most - least > 1:
        middle = (least + most) // 2
        if len({text[:middle] for text in texts}) > MOST:
            most = middle
        else:
            least = middle
    return sorted({text[:least] for text in texts})


def _is_visible(text: str) -> bool:
    from vastplan.model.escaping import inert

    return 0 < len(text) <= LONGEST and inert(text, None) == text


def unquoted(word: str) -> str:
    """A word as the shell will have it, as far as that is known without running anything; quotes may still be open."""
    text, quote, place = "", "", 0
    while place < len(word):
        char = word[place]
        following = word[place + 1 : place + 2]
        if char == "\\" and quote != "'" and (not quote or following in ("", *'$`"\\')):
            text += following
            place += 1
        elif char == quote:
            quote = ""
        elif char in "'\"" and not quote:
            quote = char
        else:
            text += char
        place += 1
    return text


@dataclass(slots=True)
class Place:
    """How far a command is typed: its parser, what has been said, and the option that waits for its value."""

    parser: argparse.ArgumentParser
    commands: list[str] = field(default_factory=list)
    said: dict[str, list[str]] = field(default_factory=dict)
    """By the names that the parser has for them."""
    waiting: argparse.Action | None = None
    only_words: bool = False
    """Whether `--` has been typed: what follows is no option."""
    taken: int = 0
    """How many words without an option the parser has."""

    @classmethod
    def of(cls, words: Sequence[str]) -> Place:
        """Where one is after these words."""
        command = next((word for word in words if not word.startswith("-")), "")
        place = cls(parser(command))
        for word in words:
            place.take(word)
        return place

    def take(self, word: str) -> None:
        """Go on by a word."""
        waiting, self.waiting = self.waiting, None
        if self._is_option(word):
            self._take_option(word)
        elif waiting is not None:
            self._say(waiting, word)
        else:
            self._take_word(word)

    def _is_option(self, word: str) -> bool:
        return not self.only_words and word.startswith("-") and word != "-"

    def _take_option(self, word: str) -> None:
        name, equals, value = word.partition("=")
        action = self._option(name)
        if word == "--":
            self.only_words = True
        elif action is not None and equals:
            self._say(action, value)
        elif action is not None and action.nargs != 0:
            self.waiting = action

    def _take_word(self, word: str) -> None:
        action = self._next()
        self.taken += 1
        if isinstance(action, argparse._SubParsersAction):
            if word in action.choices:
                self.parser, self.taken = action.choices[word], 0
                self.commands.append(word)
        elif action is not None:
            self._say(action, word)

    def _say(self, action: argparse.Action, word: str) -> None:
        self.said.setdefault(action.dest, []).append(word)

    def _option(self, name: str) -> argparse.Action | None:
        """The option of a name, which may be cut short as long as it is the only one."""
        known = self.parser._option_string_actions
        near = {id(known[one]): known[one] for one in known if one == name} or {
            id(known[one]): known[one] for one in known if name.startswith("--") and one.startswith(name)
        }
        return next(iter(near.values())) if len(near) == 1 else None

    def _next(self, after: int = 0) -> argparse.Action | None:
        """What the next word without an option is, or one that comes later; `None` where there is no such word."""
        left = self.taken + after
        for action in self.parser._get_positional_actions():
            if action.nargs in ("*", "+"):
                return action
            left -= action.nargs if isinstance(action.nargs, int) else 1
            if left < 0:
                return action
        return None

    def candidates(self, typed: str) -> tuple[Candidates, str]:
        """What may stand in the place of a word, and what is typed of that, which may be a part of the word."""
        name, equals, value = typed.partition("=")
        if self._is_option(typed) and equals:
            action = self._option(name)
            return (Candidates() if action is None or action.nargs == 0 else self._values(action, value)), value
        if self._is_option(typed) or typed == "-":
            return Candidates(self._options()), typed
        if self.waiting is not None:
            return self._values(self.waiting, typed), typed
        action = self._next()
        if action is None:
            return Candidates() if typed else Candidates(self._options()), typed
        return self._values(action, typed), typed

    def _options(self) -> list[str]:
        known = self.parser._option_string_actions
        return [one for one in known if one.startswith("--") and known[one].help != argparse.SUPPRESS]

    def _values(self, action: argparse.Action, typed: str) -> Candidates:
        """What an option or a word of the command may be."""
        if action.choices is not None:
            return Candidates([str(choice) for choice in action.choices])
        following = self._next(1) if action.dest == "paths" and action.nargs == "?" else None
        if following is not None:  # of the document that is here, which need not be named
            return replace(_if_known(lambda: self._named(following, typed)), files=True)
        return self._named(action, typed)

    def _named(self, action: argparse.Action, typed: str) -> Candidates:
        from vastplan.app import completion

        name = str(action.metavar)
        if action.type is Path or name in FILES:
            return Candidates(("kubernetes", "runai", "vast") if name == "PATH|SYSTEM" else (), files=True)
        if name == "CODE":
            return Candidates(completion.codes())
        if name == "PLACE":
            return Candidates(completion.places(typed))
        if name == "KIND" or action.dest == "kinds":
            return Candidates(completion.kinds())
        source = self._source()
        if name == "SITE":
            return Candidates(completion.sites(source))
        if name == "SITE[,SITE]":
            before = typed[: typed.rfind(",") + 1]
            return Candidates([before + site for site in completion.sites(source) if site not in before.split(",")])
        if name in OPERATIONS:
            return Candidates(completion.operations(source, name.lower()))
        if name in ADDRESSES:
            return Candidates(self._addresses(source, name, typed), separator="/")
        return Candidates()

    def _addresses(self, source: Source, name: str, typed: str) -> Collection[str]:
        from vastplan.app import completion

        site, slash, _ = typed.partition("/")
        maybe_file = not source.paths
        if not completion.is_plan(source) and (maybe_file or not slash):  # known at once, however large the document is
            sites = completion.sites(source)
            if site not in sites or not slash:
                return [f"{one}/" for one in sites]
        if self.commands[:1] == ["ledger"] and name != "NEW":
            return completion.owned(source)
        return completion.addresses(source)

    def _source(self) -> Source:
        from vastplan.app.completion import Source

        paths = tuple(Path(path).expanduser() for path in self.said.get("paths", ()))
        connections = [Path(path).expanduser() for path in self.said.get("connections", ())]
        return Source(paths, connections[-1] if connections else None)


def _if_known(candidates: Callable[[], Candidates]) -> Candidates:
    """None, where there is no document here, or one with mistakes."""
    try:
        return candidates()
    except Exception:
        return Candidates()
