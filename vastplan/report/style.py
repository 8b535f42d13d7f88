"""The style of text for a terminal: colour on or off, and the width of the window."""

from __future__ import annotations

import textwrap

_COLOURS = {"green": "32", "yellow": "33", "red": "31", "cyan": "36", "magenta": "35", "dim": "2", "bold": "1"}
NO_BREAK = "\xa0"  # a space at which no line breaks; inert text has none


class Style:
    """Colour on or off, and the width of the window."""

    def __init__(self, *, colour: bool, width: int = 100) -> None:
        self._colour = colour
        self.width = max(40, width)

    def paint(self, text: str, colour: str) -> str:
        """`text` in a colour."""
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._colour else text

    def cut(self, text: str) -> str:
        """`text`, cut to the width of the window."""
        return text if len(text) <= self.width else text[: self.width - 1] + "…"

    def wrapped(self, text: str, indent: str) -> list[str]:
        """`text` on as many lines as the window needs, broken at its spaces; names stay whole.

        No line begins with `::`, as `::/0` does: in a log, that would be a command to the system that runs the job.
        """
        lines = textwrap.wrap(
            text.replace(" ::", f"{NO_BREAK}::"), self.width, initial_indent=indent, subsequent_indent=f"{indent}  ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        return [line.replace(NO_BREAK, " ") for line in lines]
