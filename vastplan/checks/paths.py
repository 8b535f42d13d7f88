"""Directories inside one another, by their parts: `/a` holds `/a/b` and not `/ab`."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter


def path_names(path: str) -> tuple[str, ...]:
    """The names on the path to a directory; `/` has none."""
    return tuple(filter(None, path.split("/")))


def names_around(path: str) -> tuple[tuple[str, ...], ...]:
    """The names on the path to each directory around one, from `/` on, and to itself."""
    names = path_names(path)
    return tuple(names[:length] for length in range(len(names) + 1))


def lies_within(path: str, outer: str) -> bool:
    """Whether a directory is another one or lies inside it."""
    inner_names, outer_names = path_names(path), path_names(outer)
    return inner_names[: len(outer_names)] == outer_names


def enclosing(paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Each of the paths with those others that it lies inside, outermost first.

    Sorted by parts, a directory comes right before all that is in it, so one walk with a stack is enough.
    """
    enclosing_paths: dict[str, tuple[str, ...]] = {}
    stack: list[tuple[tuple[str, ...], str]] = []
    for names, path in sorted([(path_names(path), path) for path in set(paths)], key=_names):
        while stack and names[: len(stack[-1][0])] != stack[-1][0]:
            stack.pop()
        enclosing_paths[path] = tuple([outer for _, outer in stack])
        stack.append((names, path))
    return enclosing_paths


_names = itemgetter(0)
