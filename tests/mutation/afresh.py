"""A mutant in the place of its module when that is imported: what is loaded from it is the mutant's, too."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.util
import io
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from tests.mutation.graft import program
from tests.mutation.mistakes import Mutant
from tests.mutation.trial import OPTIONS


class Swapped(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a mutant in the place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The mutant's own."""
        return importlib.util.spec_from_loader(name, self) if name == self._mutant.module else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant."""
        exec(program(self._mutant), module.__dict__)


class Order:
    """Lets the tests run in an order: a rank by test, the unknown ones last."""

    def __init__(self, ranks: Mapping[str, float]) -> None:
        self._ranks = ranks

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Sort them."""
        items.sort(key=lambda item: self._ranks.get(item.nodeid, float("inf")))


def passes(mutant: Mutant, tests: Sequence[str], ranks: Mapping[str, float]) -> bool:
    """Whether the tests pass, in a process that has not loaded the mutant's module yet."""
    sys.meta_path.insert(0, Swapped(mutant))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return pytest.main([*OPTIONS, *tests], plugins=[Order(ranks)]) == 0
