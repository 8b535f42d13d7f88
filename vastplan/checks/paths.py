"""Directories inside one another, by their parts: `/a` holds `/a/b` and not `/ab`."""

from __future__ import annotations

from collections.abc import Iterable


def parts(path: str) -> tuple[str, ...]:
    """The names on the way to a directory; `/` has none."""
    return tuple(part for part in path.split("/") if part)


def within(path: str, outer: str) -> bool:
    """Whether a directory is another one or lies inside it."""
    inner, above = parts(path), parts(outer)
    return inner[: len(above)] == above


def enclosing(paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Each of the paths with those others that it lies inside, outermost first.

    Sorted by parts a directory comes right before all it holds, so one walk with a stack does.
    """
    outer: dict[str, tuple[str, ...]] = {}
    stack: list[str] = []
    for path in sorted(set(paths), key=parts):
        while stack and not within(path, stack[-1]):
            stack.pop()
        outer[path] = tuple(stack)
        stack.append(path)
    return outer
