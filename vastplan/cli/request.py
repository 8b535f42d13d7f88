"""What can be typed after a command, declared once: from a request's class the parser is built, and its values are what was typed.

Imports nothing heavy, because `-h` needs it: to import `dataclasses` would make that a third slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypeVar, cast, overload

T = TypeVar("T")
_REQUIRED: Any = object()


class Format(Enum):
    """The format of standard output."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"

    @property
    def ending(self) -> str:
        """The ending of a report in this format."""
        return {"text": ".txt", "json": ".json", "markdown": ".md", "html": ".html"}[self.value]


class Argument:
    """The declaration of an argument: its option ("" if it is positional), its value if it is not typed, and the settings
    for argparse. Metavar and help may quote the request's class: `{request.command}`."""

    def __init__(
        self,
        flag: str,
        default: Any,
        *,
        alternative: bool = False,
        endings: tuple[str, ...] = (),
        or_here: bool = False,
        **settings: Any,
    ) -> None:
        self.flag, self.default, self.settings = flag, default, settings
        self.alternative = alternative
        """Whether exactly one of the command's alternatives has to be typed."""
        self.endings = endings
        """The endings that a file may have, which select its format; empty for any."""
        self.or_here = or_here
        """Whether it is the document, which may be left out before other operands: then it is that of the current folder."""

    @property
    def required(self) -> bool:
        """Whether it has to be typed."""
        return self.default is _REQUIRED

    def words(self, value: Any) -> list[str]:
        """The words that give the option this value."""
        if value is True:
            return [self.flag]
        return [word for each in (value if isinstance(value, tuple) else (value,)) for word in (self.flag, str(each))]


# An argument's declaration has the type of its value, as it is read from a request.
@overload
def option(flag: str, of: Callable[[str], T], metavar: str | None, text: str) -> T | None: ...
@overload
def option(
    flag: str, of: Callable[[str], T], metavar: str | None, text: str, *, default: T, alternative: bool = False
) -> T: ...
@overload
def option(flag: str, of: Callable[[str], T], metavar: str | None, text: str, *, required: Literal[True]) -> T: ...
def option(
    flag: str, of: Any, metavar: str | None, text: str, *, default: Any = None, required: bool = False, **more: Any
) -> Any:
    """An option with a value. `of` converts the value, and raises `ArgumentTypeError` for an invalid one."""
    settings = {"type": of, "metavar": metavar, "help": text, "required": required, **more}
    return Argument(flag, _REQUIRED if required else default, **settings)


def repeatable(
    flag: str, of: Callable[[str], T], metavar: str, text: str, *, alone: str | None = None
) -> tuple[T, ...]:
    """An option that may be repeated. `alone` is its value if it is typed without one; `None` if it needs one."""
    settings: dict[str, Any] = {} if alone is None else {"nargs": "?", "const": alone}
    settings |= {"action": "append", "type": of, "metavar": metavar, "help": text}
    return cast("tuple[T, ...]", Argument(flag, (), **settings))


def switch(flag: str, text: str) -> bool:
    """An option without a value."""
    return cast(bool, Argument(flag, False, action="store_true", help=text))


def choice(flag: str, choices: Sequence[str], text: str | None, *, default: str = "") -> str:
    """One of some words: an option, or without a flag a positional argument, which is required if it has no default."""
    settings: dict[str, Any] = {} if flag else {"nargs": "?" if default else None}
    return cast(str, Argument(flag, default or _REQUIRED, choices=choices, help=text, **settings))


def positional(metavar: str, of: Callable[[str], T], text: str) -> T:
    """A positional argument, which is required."""
    return cast(T, Argument("", _REQUIRED, type=of, metavar=metavar, help=text))


def optional_positional(metavar: str, text: str, default: T) -> str | T:
    """A positional argument, which may be left out."""
    return cast("str | T", Argument("", default, nargs="?", metavar=metavar, help=text))


def positionals(
    metavar: str, of: Callable[[str], T], text: str, count: Literal["?", "*", "+", 1], *, or_here: bool = False
) -> tuple[T, ...]:
    """Positional arguments, as many as `count` says in the manner of argparse; a document with `or_here` may be left out."""
    shown = f"[{metavar}]" if or_here else metavar
    return cast("tuple[T, ...]", Argument("", (), or_here=or_here, nargs=count, type=of, metavar=shown, help=text))


class Request:
    """What was typed: a frozen value, the only form in which code below the parser sees the arguments.

    A subclass is a command, or one of a command's verbs, and declares its arguments in the order of its help.
    """

    command: ClassVar[str]
    verb: ClassVar[str] = ""
    verbs: ClassVar[tuple[type[Request], ...]] = ()
    """The requests of a command that has verbs, which are subclasses of its own class."""
    summary: ClassVar[str]
    description: ClassVar[str] = ""
    """The text above the arguments in the help, if it is not the summary."""
    example: ClassVar[str]
    """What to type after the command, for the help and for errors."""
    arguments: ClassVar[Mapping[str, Argument]] = MappingProxyType({})

    colour: bool = False
    paths: tuple[Path, ...] = ()
    connections: Path | None = None
    lock_timeout: int = 0
    format: Format = Format.TEXT
    reports: tuple[Path, ...] = ()

    def __init_subclass__(cls) -> None:
        declared = {name: value for name, value in vars(cls).items() if isinstance(value, Argument)}
        cls.arguments = MappingProxyType({**cls.arguments, **declared})
        for name, argument in declared.items():
            setattr(cls, name, argument.default)

    def __init__(self, **typed: Any) -> None:
        vars(self).update(typed)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a request is frozen: {name}")

    def replace(self, **values: Any) -> Self:
        """The request with other values."""
        return type(self)(**{**vars(self), **values})

    @classmethod
    def typed_name(cls) -> str:
        """The command as it is typed: `ledger list`."""
        return f"{cls.command} {cls.verb}".rstrip()
