"""Safe YAML with positions: mappings and lists that remember the place of each key and item.

The C parser's events are turned into values directly: composing a tree of nodes first takes six times as long, and recurses in
C, so a deeply nested text would crash the process. Refused, because a reviewer could not see what they do: tags, duplicate
keys, merge keys, anchors that would expand without bound, and characters that end a line only for YAML.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Where, error
from vastplan.schema import yaml_words

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML built without libyaml: slower, otherwise the same
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

MAX_BYTES = 10 * 1024 * 1024
MAX_DEPTH = 64
MAX_PROBLEMS = 1000  # nobody reads more, and a hostile file can hold millions
MAX_VALUES = 500_000  # in a file; an alias counts as all its values, so a few lines cannot become gigabytes

_LINE_ENDS = "\r\x85\u2028\u2029"
_CONTROL = re.compile(r"\r(?!\n)|[^\t\r\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML 1.2 §5.1 does not count as printable, and those that end a line in YAML 1.1 §4.2 besides LF and CR LF."""
_RESOLVER = yaml.SafeLoader.yaml_implicit_resolvers
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


class Mapping(dict[str, Any]):
    """A mapping that knows its own place (`at`) and the places of its keys (`keys_at`)."""

    __slots__ = ("at", "keys_at")

    def __init__(self, at: Where) -> None:
        super().__init__()
        self.at = at
        self.keys_at: dict[str, Where] = {}

    def where(self, key: str) -> Where:
        """The place of `key`, or that of the mapping itself."""
        return self.keys_at.get(key, self.at)

    def copy(self) -> Mapping:
        """A shallow copy with the same places."""
        twin = Mapping(self.at)
        twin.update(self)
        twin.keys_at.update(self.keys_at)
        return twin


class Sequence(list[Any]):
    """A list that knows the places of its items."""

    __slots__ = ("items_at",)

    def __init__(self) -> None:
        super().__init__()
        self.items_at: list[Where] = []


class Rounded(float):
    """A number that was written with a zero at its end; its text is kept, because as a version `2.10` is not 2.1."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, number: float, text: str) -> Rounded:
        """Returns the number with the text that was written for it."""
        rounded = super().__new__(cls, number)
        rounded.text = text
        return rounded


def too_large(shown: str) -> Finding:
    """The finding for a file that is larger than `MAX_BYTES`."""
    return error("VP102", f"the file is larger than {MAX_BYTES // 2**20} MiB", where=Where(shown, 1, 1))


def too_many(problems: list[Finding]) -> Invalid:
    """The error for a text with too many problems: those found so far, and a note that there may be more."""
    text = f"reading stopped after {len(problems):,} errors: there may be more"
    return Invalid([*problems, error("VP116", text, fix="correct these, then run the command again")])


def decoded(raw: bytes, shown: str) -> str:
    """The text of a file. Raises `Invalid` for one that is too large or not UTF-8."""
    if len(raw) > MAX_BYTES:
        raise Invalid([too_large(shown)])
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        binary = b"\0" in raw[:8192] or raw.startswith((b"\x1f\x8b", b"PK"))
        description = "a binary file, not YAML" if binary else "not valid UTF-8"
        fix = (
            "save it as text in UTF-8"
            if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or not binary
            else "give a YAML file"
        )
        raise Invalid([error("VP103", description, fix=fix, where=Where(shown, line, 1))]) from None


def parsed(text: str, shown: str, *, typed: bool = True) -> Any:
    """The value of a YAML text, `None` for an empty one. Raises `Invalid` with the place of each problem.

    `shown` is the file's name in messages. Without `typed` every scalar stays text, whatever it looks like.
    """
    _refuse_controls(text, shown)
    start = Where(shown, 1, 1)
    try:
        return _Reader(text, shown, typed=typed).read()
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        where = Where(shown, mark.line + 1, mark.column + 1) if mark else start
        if "nesting depth" in (
            problem.problem or ""
        ):  # since PyYAML 6.0.4 its scanner looks ahead no deeper than 1,000
            raise Invalid([_too_deep(where)]) from None
        words = (text, problem.problem or "", problem.context or "", mark, problem.context_mark)
        problem_text, fix = yaml_words.problem(*words)
        raise Invalid([error("VP104", f"not YAML: {problem_text}", fix=fix, where=where)]) from None
    except yaml.YAMLError:
        problem_text, fix = yaml_words.problem(text, "", "", None, None)
        raise Invalid([error("VP104", f"not YAML: {problem_text}", fix=fix, where=start)]) from None


def refused_control(text: str) -> int | None:
    """The index of the first control character, or of the first line break that only YAML sees and no editor or diff shows.

    After such a line break the rest of what looks like a comment would be content.
    """
    match = _CONTROL.search(text)
    return None if match is None else match.start()


def _refuse_controls(text: str, shown: str) -> None:
    """Raises `Invalid` with VP104 for the first refused character."""
    place = refused_control(text)
    if place is None:
        return
    code = ord(text[place])
    description = (
        "is a line break that most editors do not show" if text[place] in _LINE_ENDS else "is a control character"
    )
    where = Where(shown, text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place))
    fix = f'remove it; a value that has it is in double quotes, where it is "\\u{code:04x}"'
    raise Invalid([error("VP104", f"not YAML: U+{code:04X} {description}", fix=fix, where=where)])


def _no_key(event: Any) -> tuple[str, Any, str]:
    """The message, event and fix for an event that cannot be a key of a mapping."""
    if type(event) is yaml.ScalarEvent and event.tag is None:
        return (
            "<< merges keys from elsewhere, which a reviewer does not see here",
            event,
            "write the keys here, or under defaults: for all entries of the section",
        )
    if type(event) is yaml.MappingStartEvent:
        return (
            "a mapping cannot be a key, and templates such as {{ NAME }} are not supported",
            event,
            "write the value itself",
        )
    return "a key must be plain text", event, "put it in quotes"


def _too_deep(where: Where) -> Finding:
    return error("VP108", f"nested deeper than {MAX_DEPTH} levels", where=where)


class _Reader:
    """Builds values from parse events; one reader per file."""

    def __init__(self, text: str, shown: str, *, typed: bool) -> None:
        self._loader = _Loader(text)
        self._shown = shown
        self._typed = typed
        self._anchors: dict[str, tuple[Any, int, int]] = {}  # the value, its number of values, and its number of levels
        self._count = 0
        self._deepest = 0  # deepest level so far in the mapping or list that is being read
        self._problems: list[Finding] = []

    def read(self) -> Any:
        """The value of the only document, `None` for an empty text; raises `Invalid` with all problems."""
        try:
            self._loader.get_event()
            first_event = self._loader.get_event()
            if isinstance(first_event, yaml.StreamEndEvent):
                return None
            value = self._value(self._loader.get_event(), 0)
            self._loader.get_event()
            next_event = self._loader.get_event()
            if not isinstance(next_event, yaml.StreamEndEvent):
                self._problem(
                    "VP106",
                    "a second document in one file",
                    next_event,
                    "remove the ---, or put what follows into a file of its own",
                )
        finally:
            self._loader.dispose()
        if self._problems:
            raise Invalid(self._problems)
        return value

    def _value(self, event: Any, depth: int) -> Any:
        self._count += 1
        if self._count > MAX_VALUES:
            raise Invalid([error("VP107", f"more than {MAX_VALUES} values", where=self._where(event))])
        self._descend(depth, event)
        kind = type(event)
        if kind is yaml.ScalarEvent:
            value = self._scalar(event)
            if event.anchor:
                self._anchors[event.anchor] = (value, 1, 0)
            return value
        if kind is yaml.AliasEvent:
            return self._alias(event, depth)
        if event.tag is not None:
            self._problem(
                "VP109", f"the tag {event.tag} is not allowed", event, "write the value itself, without the tag"
            )
        before, outer_depth = self._count, self._deepest
        self._deepest = depth
        value = self._mapping(event, depth) if kind is yaml.MappingStartEvent else self._sequence(depth)
        if value:
            self._deepest = max(self._deepest, depth + 1)  # plain values are not counted one by one
        if event.anchor:
            self._anchors[event.anchor] = (value, self._count - before + 1, self._deepest - depth)
        self._deepest = max(self._deepest, outer_depth)
        return value

    def _descend(self, depth: int, event: Any) -> None:
        if depth > MAX_DEPTH:
            raise Invalid([_too_deep(self._where(event))])
        self._deepest = max(self._deepest, depth)

    def _mapping(self, event: Any, depth: int) -> Mapping:
        mapping = Mapping(self._where(event))
        get, shown, deeper = self._loader.get_event, self._shown, depth < MAX_DEPTH
        while True:
            key_event = get()
            if type(key_event) is yaml.MappingEndEvent:
                return mapping
            if type(key_event) is not yaml.ScalarEvent or key_event.tag is not None or key_event.value == "<<":
                self._problem("VP110", *_no_key(key_event))
                self._skip(key_event, depth)
                self._value(get(), depth + 1)
                continue
            if key_event.anchor is not None:
                self._anchors[key_event.anchor] = (self._scalar(key_event), 1, 0)
            key, event = key_event.value, get()
            if type(event) is yaml.ScalarEvent and event.anchor is None and deeper and self._count < MAX_VALUES:
                self._count += 1
                value = self._scalar(event)
            else:
                value = self._value(event, depth + 1)
            if key in mapping:
                self._problem(
                    "VP111",
                    f"{key} is given twice",
                    key_event,
                    f"remove one of them, or write another key; the first is at line {mapping.keys_at[key].line}",
                )
                continue
            mapping[key] = value
            mark: Any = key_event.start_mark
            mapping.keys_at[key] = Where(shown, mark.line + 1, mark.column + 1)

    def _sequence(self, depth: int) -> Sequence:
        sequence = Sequence()
        while True:
            event = self._loader.get_event()
            if type(event) is yaml.SequenceEndEvent:
                return sequence
            sequence.items_at.append(self._where(event))
            sequence.append(self._value(event, depth + 1))

    def _skip(self, event: Any, depth: int) -> None:
        if type(event) in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
            self._value(event, depth + 1)

    def _alias(self, event: Any, depth: int) -> Any:
        if event.anchor not in self._anchors:
            fix = f"write &{event.anchor} before a value further up, or put *{event.anchor} in quotes"
            self._problem("VP112", f"*{event.anchor} has no &{event.anchor} before it", event, fix)
            return None
        value, size, levels = self._anchors[event.anchor]
        self._count += size
        self._descend(depth + levels, event)
        return value

    def _scalar(self, event: Any) -> Any:
        text = event.value
        if event.tag is not None:
            self._problem(
                "VP109", f"the tag {event.tag} is not allowed", event, "write the value itself, without the tag"
            )
        if not (event.implicit[0] and self._typed):
            return text  # quoted: text, whatever it looks like
        patterns = _RESOLVER.get(text[:1])
        if patterns is None:
            return text
        if text in _BOOLEANS:
            return _BOOLEANS[text]
        for tag, pattern in patterns:
            if pattern.match(text):
                return self._resolved(tag.rsplit(":", 1)[1], text, event)
        return text

    def _resolved(self, tag: str, text: str, event: Any) -> Any:
        if tag == "null":
            return None
        if tag == "int" and text.lstrip("+-").isdecimal() and (text.lstrip("+-") == "0" or text.lstrip("+-")[0] != "0"):
            if len(text) > 20:
                self._problem("VP113", "a number of more than 20 digits", event, "put it in quotes, if it is text")
                return 0
            return int(text)
        if tag == "float" and text.lstrip("+-").replace(".", "", 1).isdecimal():
            if len(text.partition(".")[0]) > 20:
                self._problem("VP113", "a number of more than 20 digits", event, "put it in quotes, if it is text")
                return 0
            number = float(text)
            return Rounded(number, text) if "." in text and text.endswith("0") else number
        # yes/no, octals, sexagesimals and dates have other meanings for other YAML readers: they stay text
        return text

    def _where(self, event: Any) -> Where:
        mark = event.start_mark
        return Where(self._shown, mark.line + 1, mark.column + 1)

    def _problem(self, code: str, message: str, event: Any, fix: str) -> None:
        self._problems.append(error(code, message, fix=fix, where=self._where(event)))
        if len(self._problems) >= MAX_PROBLEMS:
            raise too_many(self._problems)
