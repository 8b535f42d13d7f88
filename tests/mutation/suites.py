"""What is mutated and by which tests it is tried: the suites of `suites.yaml`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import yaml

from tests.mutation.mistakes import Mutant, mutants

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent


@dataclass(frozen=True, slots=True)
class Suite:
    """Modules (globs of files), the tests that are about them, and what is loaded once for all mutants."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    preload: tuple[str, ...] = ()

    def files(self) -> list[Path]:
        """The files of the modules."""
        return [file for pattern in self.modules for file in sorted(ROOT.glob(pattern)) if file.read_text().strip()]

    def load(self) -> None:
        """Import what the mutants are forked with, none of what is mutated.

        Raises:
            RuntimeError: One of the modules is loaded by it.
        """
        for name in self.preload:
            importlib.import_module(name)
        loaded = [module_of(file) for file in self.files() if module_of(file) in sys.modules]
        if loaded:
            raise RuntimeError(f"loaded before they could be mutated: {', '.join(loaded)}")

    def mutants(self, every: int, only: Sequence[str]) -> Iterator[Mutant]:
        """The mutants that are asked for."""
        for file in self.files():
            for number, mutant in enumerate(mutants(file.read_text(encoding="utf-8"), module_of(file))):
                if number % every == 0 and any(meant(mutant.name, one) for one in only):
                    compile(mutant.tree, mutant.name, "exec")  # one that is no program would count as killed
                    yield mutant


def suites() -> dict[str, Suite]:
    """All suites, by name."""
    found = yaml.safe_load((FOLDER / "suites.yaml").read_text(encoding="utf-8"))
    return {name: Suite(**{part: tuple(value) for part, value in one.items()}) for name, one in found.items()}


def module_of(file: Path) -> str:
    """The name that a file is imported by."""
    steps = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(steps[:-1] if steps[-1] == "__init__" else steps)


def reasons(suite: str) -> dict[str, str]:
    """Why a mutant may live, by its name or a pattern of names."""
    everything = yaml.safe_load((FOLDER / "code-survivors.yaml").read_text(encoding="utf-8")) or {}
    return everything.get(suite) or {}


def meant(name: str, pattern: str) -> bool:
    """Whether a mutant is meant by a name or a pattern of names."""
    return name == pattern or fnmatchcase(name, pattern)
