"""Addresses: the one name of an object across document, ledger, plan and reports."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from vastplan.model.wording import quoted

GLOBAL = "global"


class Address(NamedTuple):
    """`site/kind/name`; the site is `global` for an object that belongs to no site. The name may hold slashes.

    It is a tuple because addresses are the keys of nearly every table: tuples are hashed and compared without running Python.
    """

    site: str
    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.site}/{self.kind}/{self.name}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """Parses `site/kind/name`; raises `ValueError` when `text` has fewer than three parts, or an empty one."""
        parts = text.split("/", 2)
        if len(parts) != 3 or not all(parts):
            raise ValueError(f"not an address: {quoted(text)} (an address is site/kind/name)")
        return cls._make(parts)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> dict[str, Any]:
        """For pydantic: an address in Python values, text in JSON; code that reads files has parsed the addresses already."""
        own = {"type": "is-instance", "cls": cls}
        text = {"type": "str"}
        return {"type": "json-or-python", "ref": f"{__name__}.Address:1", "json_schema": text, "python_schema": own}


def kind_of(text: str) -> str:
    """The kind in an address that is written as text."""
    return text.split("/", 2)[1]


def fits(text: str, pattern: str) -> bool:
    """Whether an address or another name matches a pattern of `*` and `?`. Brackets are literal: names of tenants and directories have
    some."""
    return fnmatchcase(text, pattern.replace("[", "[[]"))
