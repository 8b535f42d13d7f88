"""`dataclass` as in the standard library, with methods that are written when they are first called.

The standard one writes and compiles six methods for each class when it is defined, half a millisecond a class: a third of the CPU of
a small plan, which calls the methods of less than half of its classes, and compares and hashes one in ten of them.

To a type checker it is the standard one. `init`, `eq`, `order`, `kw_only`, `frozen` and `slots` are known, and `InitVar` is not.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, init=True, eq=True, order=False, slots=False, kw_only=False):
        """Make a class a dataclass, with or without arguments as the standard one."""

        def made(plain: type) -> type:
            plain.__doc__ = (
                plain.__doc__ or plain.__name__
            )  # or the standard one writes the signature, which takes longest
            standard = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)
            return _with_methods(standard(plain), vars(plain), frozen=frozen, init=init, eq=eq, order=order)

        return made if cls is None else made(cls)


def _with_methods(cls: Any, own: Any, *, frozen: bool, init: bool, eq: bool, order: bool) -> type:
    """Give a class what the standard `dataclass` would have written; methods in its `own` text stay."""
    if init:
        cls.__init__ = _written_later(cls, "__init__", lambda: _init(cls, frozen))
    if "__repr__" not in own:
        cls.__repr__ = _repr
    if eq and "__eq__" not in own:
        cls.__eq__ = _written_later(cls, "__eq__", lambda: _comparison(cls, "__eq__", "=="))
    if eq and "__hash__" not in own:
        cls.__hash__ = _written_later(cls, "__hash__", lambda: _hash(cls)) if frozen else None
    if order:
        for name, sign in (("__lt__", "<"), ("__le__", "<="), ("__gt__", ">"), ("__ge__", ">=")):
            setattr(cls, name, _written_later(cls, name, lambda name=name, sign=sign: _comparison(cls, name, sign)))  # type: ignore[misc]
    if frozen:
        cls.__setattr__, cls.__delattr__ = _refuse_assignment, _refuse_deletion
        cls.__getstate__, cls.__setstate__ = _state, _restore
    return cls  # type: ignore[no-any-return]


def _written_later(cls: type, name: str, write: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
    """A method that replaces itself at the first call. Threads that call it at once write the same twice."""

    def method(self: object, /, *words: Any, **named: Any) -> Any:
        written = write()
        setattr(cls, name, written)
        return written(self, *words, **named)

    return method


def _init(cls: Any, frozen: bool) -> Callable[..., None]:
    places: dict[str, Any] = {"_missing": dataclasses.MISSING}
    positional: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    for field in dataclasses.fields(cls):
        name, value = field.name, field.name
        parameter = name
        if field.default is not dataclasses.MISSING:
            places[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
            value = name if field.init else f"_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            places[f"_new_{name}"] = field.default_factory
            parameter = f"{name}=_missing"
            value = f"_new_{name}() if {name} is _missing else {name}" if field.init else f"_new_{name}()"
        elif not field.init:
            continue  # `__post_init__` sets it
        if field.init:
            (named if field.kw_only else positional).append(parameter)
        if frozen:
            places[f"_set_{name}"] = _setter(cls, name)
        lines.append(f"_set_{name}(self, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ["self", *positional, *(["*", *named] if named else [])]
    return _compiled(cls, "__init__", parameters, lines or ["pass"], places)


def _setter(cls: Any, name: str) -> Callable[[object, Any], None]:
    """What sets a field of a frozen object: its slot, which is faster than `object.__setattr__` and knows no `__setattr__` either."""
    slot = getattr(cls, name, None)
    if isinstance(slot, MemberDescriptorType):
        return slot.__set__
    return lambda made, value: object.__setattr__(made, name, value)


def _comparison(cls: Any, name: str, sign: str) -> Callable[..., Any]:
    compared = [field.name for field in dataclasses.fields(cls) if field.compare]
    lines = [
        f"if other.__class__ is self.__class__: return {_values('self', compared)} {sign} {_values('other', compared)}",
        "return NotImplemented",
    ]
    return _compiled(cls, name, ["self", "other"], lines, {})


def _hash(cls: Any) -> Callable[..., Any]:
    hashed = [field.name for field in dataclasses.fields(cls) if (field.compare if field.hash is None else field.hash)]
    return _compiled(cls, "__hash__", ["self"], [f"return hash({_values('self', hashed)})"], {})


def _values(owner: str, names: list[str]) -> str:
    return f"({''.join(f'{owner}.{name}, ' for name in names)})"


def _compiled(
    cls: Any, name: str, parameters: list[str], lines: list[str], places: dict[str, Any]
) -> Callable[..., Any]:
    body = "".join(f"\n {line}" for line in lines)
    exec(f"def {name}({', '.join(parameters)}):{body}", places)  # noqa: S102 - of the names of a class's own fields  # nosec B102
    method: Callable[..., Any] = places.pop(name)
    method.__qualname__, method.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
    return method


@recursive_repr("...")
def _repr(self: Any) -> str:
    fields = ", ".join(
        f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr
    )
    return f"{self.__class__.__qualname__}({fields})"


def _refuse_assignment(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
