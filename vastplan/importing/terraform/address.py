"""Addresses of Terraform: `module.teams["nlp"].vastdata_view.data[0]`, read from a state and written for a command.

Text in quotes is escaped as Terraform does it. A character that is invisible or looks like another one is written as `\\uNNNN`, which
Terraform reads as that character.
"""

from __future__ import annotations

import re
from typing import NoReturn

from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert, json_without_commands
from vastplan.model.look_alikes import is_invisible, taken_for_others

Key = int | str | None
"""The key of an instance: a number for `count`, a text for `for_each`, `None` for neither."""
LONGEST = 2000  # characters of an address that is still shown in full, and pasted
_STEP = re.compile(r'module\.([^.\[\]"]+)(?:\[(?:(\d{1,18})|"((?:[^"\\]|\\.)*)")\])?(?:\.|\Z)', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|(.))|([$%])\5(?=\{)", re.DOTALL)
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_WRITTEN = {char: f"\\{letter}" for letter, char in _PLAIN.items()}


@dataclass(frozen=True, slots=True)
class ModuleCall:
    """One call of a module, with the key of its instance."""

    name: str
    key: Key = None


@dataclass(frozen=True, slots=True)
class ResourceAddress:
    """A resource (or, with `data`, a data source) in an instance of a module, without the key of the resource."""

    module: tuple[ModuleCall, ...]
    type: str
    name: str
    data: bool = False

    @property
    def configured(self) -> ResourceAddress:
        """The same address in the configuration, where modules have no keys."""
        if not self.keyed:
            return self
        return ResourceAddress(tuple(ModuleCall(step.name) for step in self.module), self.type, self.name, self.data)

    @property
    def keyed(self) -> bool:
        """Whether a module in its path has a key."""
        return any(step.key is not None for step in self.module)

    def __str__(self) -> str:
        return self.at(None)

    def at(self, key: Key) -> str:
        """The address of an instance, as Terraform reads it: on one line, without invisible characters in quotes."""
        steps = [f"module.{step.name}{_index(step.key)}" for step in self.module]
        return ".".join([*steps, *(["data"] if self.data else []), self.type, self.name]) + _index(key)

    def order(self, key: Key = None) -> tuple[object, ...]:
        """The sort key of an instance: as Terraform sorts, modules first, numbers as numbers."""
        steps = tuple((step.name, *_order(step.key)) for step in self.module)
        return (steps, self.data, self.type, self.name, *_order(key))


def showable(address: str) -> bool:
    """Whether an address can be pasted from a terminal as it is: names in it are not quoted, so they cannot be escaped."""
    return len(address) <= LONGEST and inert(address, None) == address


def is_identifier(text: object) -> bool:
    """Whether Terraform accepts a name."""
    return isinstance(text, str) and text[:1] != "-" and text.replace("-", "_").isidentifier()


def parse_module(text: str) -> tuple[ModuleCall, ...]:
    """The steps of `module.a["x"].module.b[0]`, empty for an empty text. Raises `ValueError`, without the text in its message."""
    steps, rest = _steps(text)
    if rest:
        raise ValueError("not the address of a module")
    return steps


def parse_resource(text: str) -> ResourceAddress:
    """The address that `module.a.data.vastdata_view.x` stands for. Raises `ValueError`, without the text in its message."""
    module, rest = _steps(text)
    names = rest.split(".")
    data = names[0] == "data" and len(names) == 3
    if len(names) != 2 + data or not all(map(is_identifier, names)):
        raise ValueError("not the address of a resource")
    return ResourceAddress(module, names[-2], names[-1], data)


def _steps(text: str) -> tuple[tuple[ModuleCall, ...], str]:
    """The modules that an address begins with, and the rest."""
    steps, place = [], 0
    while match := _STEP.match(text, place):
        name, number, quoted = match.groups()
        if not is_identifier(name):
            raise ValueError("not the address of a module")
        steps.append(
            ModuleCall(name, int(number) if number is not None else None if quoted is None else _unquoted(quoted))
        )
        place = match.end()
    return tuple(steps), text[place:]


def _unquoted(text: str) -> str:
    return _ESCAPE.sub(_meant, text)


def _meant(match: re.Match[str]) -> str:
    code, letter, dollar = match[1] or match[2] or match[3], match[4], match[5]
    if dollar:
        return dollar
    if code:
        return chr(int(code, 16)) if int(code, 16) < 0xD800 or 0xDFFF < int(code, 16) < 0x110000 else _damaged()
    return _PLAIN.get(letter) or _damaged()


def _damaged() -> NoReturn:
    raise ValueError("not the address of a module")


def _index(key: Key) -> str:
    if key is None:
        return ""
    return f"[{_quoted(key)}]" if isinstance(key, str) else f"[{key}]"


def _quoted(text: str) -> str:
    """A key in the quotes of Terraform's language, in which `${` and `%{` begin a template."""
    marked = taken_for_others(text)
    parts = []
    for place, char in enumerate(text):
        if char in _WRITTEN:
            parts.append(_WRITTEN[char])
        elif place in marked or is_invisible(char):
            parts.append(f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}")
        else:
            parts.append(char * 2 if char in "$%" and text[place + 1 : place + 2] == "{" else char)
    return json_without_commands(f'"{"".join(parts)}"')


def _order(key: Key) -> tuple[int, int, str]:
    return (1, key, "") if isinstance(key, int) else (0, 0, "") if key is None else (2, 0, key)
