"""`vastplan __complete WORD... WORD`: prints candidates for the last word, for the scripts of `vastplan completion`.

The first line describes the candidates on the other lines: `words`, or `open` if they are only beginnings of words, and `files` if
a file is possible too. If nothing is known, for whatever reason, nothing is printed and the exit code is 0, because somebody is
typing. A candidate is visible text on one line; the shell quotes it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vastplan.cli.parser import parser
from vastplan.model.dataclass import dataclass

if TYPE_CHECKING:
    from vastplan.app.completion import CompletionSource

MOST = 200
"""The most candidates; if there are more, common beginnings replace them."""
LONGEST = 400
"""The most characters of a candidate."""
ADDRESSES = frozenset({"ADDRESS", "ADDRESS[.FIELD]", "OLD", "NEW"})
OPERATIONS = frozenset({"MOVE", "RESTORE"})
FILES = frozenset({"FILE", "[SITE=]FILE", "PATH|SYSTEM"})


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates for a word; `files` if it may be a file, too."""

    texts: Collection[str] = ()
    files: bool = False
    separator: str = ""
    """Candidates end at the next separator: an address is completed one level at a time."""


def run(arguments: Sequence[str]) -> int:
    """Print the candidates. Returns 0 in any case."""
    try:
        lines = _lines([unquoted(word) for word in arguments] or [""])
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
    except (Exception, SystemExit, KeyboardInterrupt):
        # The command itself reports what is wrong, once it is typed.
        return 0
    return 0


def _lines(words: Sequence[str]) -> list[str]:
    *before, typed = words
    place = Place.of(before)
    candidates, typed = place.candidates(typed)
    texts = [text for text in narrowed(candidates.texts, typed, candidates.separator) if _is_visible(text)]
    few = limited(texts, typed)
    if not few and not candidates.files:
        return []
    return [" ".join(["open" if few != texts else "words", *["files"] * candidates.files]), *few]


def narrowed(texts: Iterable[str], typed: str, separator: str) -> list[str]:
    """The texts that begin with `typed`, sorted; with a separator each is cut after the next one."""
    cut = set()
    for text in texts:
        if text.startswith(typed):
            end = text.find(separator, len(typed)) if separator else -1
            cut.add(text if end < 0 else text[: end + len(separator)])
    return sorted(cut)


def limited(texts: Sequence[str], typed: str) -> list[str]:
    """The texts, or if there are more than `MOST`, the longest beginnings of equal length of which there are at most `MOST`."""
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
    """A word after the shell's quote removal, without any expansion; a quote may still be open."""
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
    """The state of a partly typed command: its parser, the values so far, and the option that has no value yet."""

    parser: argparse.ArgumentParser
    commands: list[str] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)
    """The values so far, by the parser's name for each argument (`dest`)."""
    open_option: argparse.Action | None = None
    only_words: bool = False
    """Whether `--` has been typed: the following words are not options."""
    taken: int = 0
    """How many positional words the parser has taken."""

    @classmethod
    def of(cls, words: Sequence[str]) -> Place:
        """The place after these words."""
        command = next((word for word in words if not word.startswith("-")), "")
        place = cls(parser(command))
        for word in words:
            place.take(word)
        return place

    def take(self, word: str) -> None:
        """Take the next word."""
        option, self.open_option = self.open_option, None
        if self._is_option(word):
            self._take_option(word)
        elif option is not None:
            self._keep(option, word)
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
            self._keep(action, value)
        elif action is not None and action.nargs != 0:
            self.open_option = action

    def _take_word(self, word: str) -> None:
        action = self._next()
        if action is not None and self._is_left_out(action, word):
            self.taken += 1
            action = self._next()
        self.taken += 1
        if isinstance(action, argparse._SubParsersAction):
            if word in action.choices:
                self.parser, self.taken = action.choices[word], 0
                self.commands.append(word)
        elif action is not None:
            self._keep(action, word)

    def _is_left_out(self, action: argparse.Action, word: str) -> bool:
        """Whether a word is no path, but the operand after a document that may be left out."""
        return action.metavar == "[PATH]" and action.nargs == 1 and not Path(word).expanduser().exists()

    def _keep(self, action: argparse.Action, word: str) -> None:
        self.values.setdefault(action.dest, []).append(word)

    def _option(self, name: str) -> argparse.Action | None:
        """The option with a name, which may be abbreviated if it is unique."""
        options = self.parser._option_string_actions
        if name in options or not name.startswith("--"):
            return options.get(name)
        near = {id(action): action for option, action in options.items() if option.startswith(name)}
        return next(iter(near.values())) if len(near) == 1 else None

    def _next(self, after: int = 0) -> argparse.Action | None:
        """The argument of the next positional word, or of the one `after` words later; `None` if the parser takes no more."""
        left = self.taken + after
        for action in self.parser._get_positional_actions():
            if action.nargs in ("*", "+"):
                return action
            left -= action.nargs if isinstance(action.nargs, int) else 1
            if left < 0:
                return action
        return None

    def candidates(self, typed: str) -> tuple[Candidates, str]:
        """The candidates for a word, and the typed text that they continue, which may be a part of the word (`--option=VALUE`)."""
        name, equals, value = typed.partition("=")
        if self._is_option(typed) and equals:
            action = self._option(name)
            return (Candidates() if action is None or action.nargs == 0 else self._values(action, value)), value
        if self._is_option(typed) or typed == "-":
            return Candidates(self._options()), typed
        if self.open_option is not None:
            return self._values(self.open_option, typed), typed
        action = self._next()
        if action is None:
            return Candidates() if typed else Candidates(self._options()), typed
        return self._values(action, typed), typed

    def _options(self) -> list[str]:
        return [option for option in self.parser._option_string_actions if option.startswith("--")]

    def _values(self, action: argparse.Action, typed: str) -> Candidates:
        """The candidates for the value of an option or positional argument."""
        if action.choices is not None:
            return Candidates([str(choice) for choice in action.choices])
        following = self._next(1) if action.dest == "paths" and action.nargs in ("?", 1) else None
        if following is not None:  # the path may be left out: the word may belong to the document of the current folder
            return replace(_if_known(lambda: self._named(following, typed)), files=True)
        return self._named(action, typed)

    def _named(self, action: argparse.Action, typed: str) -> Candidates:
        from vastplan.app import completion

        metavar = str(action.metavar)
        if action.type is Path or metavar in FILES:
            return Candidates(("kubernetes", "runai", "vast") if metavar == "PATH|SYSTEM" else (), files=True)
        if metavar == "CODE":
            return Candidates(completion.codes())
        if metavar == "PLACE":
            return Candidates(completion.explain_places(typed))
        if metavar == "KIND" or action.dest == "kinds":
            return Candidates(completion.kind_names())
        source = self._source()
        if metavar == "SITE":
            return Candidates(completion.site_names(source))
        if metavar == "SITE[,SITE]":
            before = typed[: typed.rfind(",") + 1]
            return Candidates(
                [before + site for site in completion.site_names(source) if site not in before.split(",")]
            )
        if metavar in OPERATIONS:
            return Candidates(completion.operation_names(source, metavar.lower()))
        if metavar in ADDRESSES:
            return Candidates(self._addresses(source, metavar, typed), separator="/")
        return Candidates()

    def _addresses(self, source: CompletionSource, metavar: str, typed: str) -> Collection[str]:
        from vastplan.app import completion

        site, slash, _ = typed.partition("/")
        is_whole = self.commands == ["move", "arm"]
        maybe_file = not source.paths or (is_whole and site == "site")
        if not completion.is_plan(source) and (maybe_file or not slash):  # fast, however large the document is
            sites = completion.site_names(source)
            if site not in sites or not slash:
                whole = [f"site/{name}" for name in sites] if is_whole else []
                return [*(f"{name}/" for name in sites), *whole]
        if self.commands[:1] == ["ledger"] and metavar != "NEW":
            return completion.owned_addresses(source)
        return completion.addresses(source)

    def _source(self) -> CompletionSource:
        from vastplan.app.completion import CompletionSource

        paths = tuple(Path(path).expanduser() for path in self.values.get("paths", ()))
        connections = [Path(path).expanduser() for path in self.values.get("connections", ())]
        return CompletionSource(paths, connections[-1] if connections else None)


def _if_known(candidates: Callable[[], Candidates]) -> Candidates:
    """The candidates; none if the current folder has no valid document."""
    try:
        return candidates()
    except Exception:
        return Candidates()
