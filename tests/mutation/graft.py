"""Puts a mutant's functions into the module that is loaded: quick, for all that is done within functions."""

from __future__ import annotations

import ast
import functools
import gc
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType, FunctionType

from tests.mutation.mistakes import Mutant

Pairs = list[tuple[CodeType, CodeType]]
"""Functions as they are, and as a mutant has them."""


class Loaded:
    """The functions that are loaded, by their code."""

    def __init__(self) -> None:
        self._functions: dict[CodeType, list[FunctionType]] = defaultdict(list)
        self._memories = []
        gc.unfreeze()  # what is frozen is not among the objects
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                self._functions[one.__code__].append(one)
            elif isinstance(one, functools._lru_cache_wrapper):
                self._memories.append(one)

    def can(self, pairs: Pairs) -> bool:
        """Whether these functions are loaded and can become the new ones; none at all cannot."""
        return bool(pairs) and all(
            self._functions.get(old) and len(old.co_freevars) == len(new.co_freevars) for old, new in pairs
        )

    def put(self, pairs: Pairs) -> None:
        """From now on the functions are the new ones; what the old ones answered is forgotten."""
        for old, new in pairs:
            for function in self._functions[old]:
                function.__code__ = new
        self.forget()

    def forget(self) -> None:
        """Nothing that a function has answered before is remembered."""
        for memory in self._memories:
            memory.cache_clear()


def code_of(source: str, file: str) -> CodeType:
    """The code of a module as it is."""
    return compile(ast.parse(source), file, "exec", dont_inherit=True)


def program(mutant: Mutant) -> CodeType:
    """The code of a mutant."""
    return compile(mutant.tree, f"<{mutant.name}>", "exec", dont_inherit=True)


def changed(old: CodeType, new: CodeType) -> Pairs:
    """The outermost functions of a module that differ; none where something differs outside of them."""
    found: Pairs = []
    for before, after in _pairs(old, new):
        if before is None or after is None or not _alike(before, after):
            return []
        found += [
            (one, other)
            for one, other in zip(_inner(before), _inner(after), strict=True)
            if _is_function(one) and one != other
        ]
    return found


def _pairs(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType | None, CodeType | None]]:
    """The module and its classes, of both."""
    yield old, new
    mine, others = ([one for one in _inner(code) if not _is_function(one)] for code in (old, new))
    if len(mine) != len(others):
        yield None, None
        return
    for one, other in zip(mine, others, strict=True):
        yield from _pairs(one, other)


def _inner(code: CodeType) -> list[CodeType]:
    return [one for one in code.co_consts if isinstance(one, CodeType)]


def _is_function(code: CodeType) -> bool:
    return bool(code.co_flags & 2)  # CO_NEWLOCALS: a class's body has not got it


def _alike(old: CodeType, new: CodeType) -> bool:
    """Whether two bodies do the same, their functions left aside."""
    mine, others = ([one for one in code.co_consts if not isinstance(one, CodeType)] for code in (old, new))
    return (
        (old.co_code, old.co_names, old.co_varnames) == (new.co_code, new.co_names, new.co_varnames)
        and [(type(one), one) for one in mine] == [(type(one), one) for one in others]
        and len(_inner(old)) == len(_inner(new))
    )
