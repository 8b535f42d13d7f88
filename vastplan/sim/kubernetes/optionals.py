"""CEL's optional syntax (`a.?b`, `a[?b]`) as calls of one function: the library has optional values, but not the syntax.

The expression is scanned into tokens and its chains of selections are rewritten from the left, so that
`object.spec.?volumes[0].?csi.orValue({})` becomes `_optional(_optional(_optional(object.spec, "volumes"), 0),
"csi").orValue({})`. Optional elements of lists and maps (`[?a]`, `{?"k": a}`) are not rewritten.
"""

from __future__ import annotations

import re
from typing import Any

import cel

FUNCTION = "_optional"
_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*)+)|(?P<name>[A-Za-z_]\w*(?!["'\w]))"""
    r"""|(?P<literal>[rRbB]{0,2}(?:'''(?:\\.|[^\\])*?'''|\"""(?:\\.|[^\\])*?\"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"""|\d[\w.]*)|(?P<sign>\.\?|\[\?|.)""",
    re.DOTALL,
)
_CLOSING = {"(": ")", "[": "]", "[?": "]", "{": "}"}


def select_optional(value: Any, key: Any) -> Any:
    """The optional value at a key of a map or an index of a list, which may itself be optional; raises `TypeError`."""
    if isinstance(value, cel.OptionalValue):
        if not value.has_value():
            return value
        value = value.value()
    if isinstance(value, dict):
        return cel.OptionalValue.of(value[key]) if key in value else cel.OptionalValue.none()
    if isinstance(value, list) and isinstance(key, int):
        return cel.OptionalValue.of(value[key]) if 0 <= key < len(value) else cel.OptionalValue.none()
    raise TypeError("optional selection needs a map or a list")


def rewritten(text: str) -> str:
    """The expression without optional syntax; one that cannot be scanned is returned unchanged, for the compiler to refuse."""
    if ".?" not in text and "[?" not in text:
        return text
    try:
        return _Rewriter(text).until("")
    except _Unbalanced:
        return text


class _Unbalanced(Exception):
    """A bracket is not closed, or a dot is not followed by a name."""


class _Rewriter:
    """Reads tokens from the left; every method returns the rewritten text of what it has read."""

    def __init__(self, text: str) -> None:
        self._tokens = [(str(match.lastgroup), match[0]) for match in _TOKEN.finditer(text)]
        self._at = 0

    def until(self, closing: str) -> str:
        """Everything up to `closing`, which is read too; `""` is the end of the text."""
        parts: list[str] = []
        while (token := self._peek()) is not None:
            group, text = token
            if group == "sign" and text == closing:
                self._at += 1
                return "".join(parts)
            if text in _CLOSING or (group in ("name", "literal") and text != "in"):
                parts.append(self._chain())
            else:
                self._at += 1
                parts.append(text)
        if closing:
            raise _Unbalanced
        return "".join(parts)

    def _chain(self) -> str:
        _, chain = self._next()
        if chain in _CLOSING:
            chain += self.until(_CLOSING[chain]) + _CLOSING[chain]
        optional = False  # whether the chain's value is optional: then so is all selected from it
        while True:
            sign = self._sign()
            if sign in ("[", "[?"):
                index = self.until("]")
                optional = optional or sign == "[?"
                chain = f"{FUNCTION}({chain}, {index})" if optional else f"{chain}[{index}]"
            elif sign == "(":
                chain += f"({self.until(')')})"
                optional = False
            elif sign in (".", ".?"):
                name = self._name()
                if sign == "." and self._peek() == ("sign", "("):
                    self._at += 1
                    optional = chain == "optional" or (optional and name == "or")
                    chain += f".{name}({self.until(')')})"
                else:
                    optional = optional or sign == ".?"
                    chain = f'{FUNCTION}({chain}, "{name}")' if optional else f"{chain}.{name}"
            else:
                return chain

    def _peek(self) -> tuple[str, str] | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        if token is None:
            raise _Unbalanced
        self._at += 1
        return token

    def _sign(self) -> str | None:
        """The sign that continues a chain, read with the space before it; `None` if the chain ends here."""
        start = self._at
        while (token := self._peek()) is not None and token[0] == "space":
            self._at += 1
        if token is not None and token[0] == "sign" and token[1] in (".", ".?", "(", "[", "[?"):
            self._at += 1
            return token[1]
        self._at = start
        return None

    def _name(self) -> str:
        group, text = self._next()
        while group == "space":
            group, text = self._next()
        if group != "name":
            raise _Unbalanced
        return text
