"""Rewords pydantic's errors for users: what is written, and what to write instead. Values are shown only where their type allows
it (`Says`)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from vastplan.model.wording import counted, quoted
from vastplan.schema.choices import form
from vastplan.schema.types import GIVEN, QUANTITY

_NUMBER, _WHOLE = "a number", "a whole number"
_TYPES = {  # the word for the expected type, by pydantic's error
    "string_type": "text",
    "int_type": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "finite_number": _NUMBER,
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping, such as {KEY: VALUE}",
    "model_type": "a mapping",
    "none_required": "null",
}
_BOUNDS = {
    "greater_than_equal": ("small", "{ge} or more"),
    "greater_than": ("small", "more than {gt}"),
    "less_than_equal": ("large", "{le} or less"),
    "less_than": ("large", "less than {lt}"),
}
_TRUTH = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}
_NO_FORM = "no_form"


def misfit(value: Any, forms: Iterable[str]) -> ErrorDetails:
    """The error for a value that has none of the allowed forms."""
    distinct = list(dict.fromkeys(forms))
    if _NUMBER in distinct:
        distinct = [form_text for form_text in distinct if form_text != _WHOLE]
    return ErrorDetails(type=_NO_FORM, loc=(), msg="", input=value, ctx={"forms": distinct})


def is_of_another_type(error: ErrorDetails) -> bool:
    """Whether a value has another type than expected, and is not only a wrong value of that type."""
    if error["type"] in (GIVEN, QUANTITY):
        return not isinstance(error["input"], str)
    if error["type"] == "literal_error":
        return error["input"] is None or isinstance(error["input"], list | Mapping)
    return error["type"] in _TYPES


def expected_text(error: ErrorDetails, models: Iterable[type[BaseModel]]) -> str:
    """What to write in its place; `models` are the structs that are allowed there."""
    context = error.get("ctx", {})
    if error["type"] == GIVEN:
        return str(context["words"])
    if error["type"] == QUANTITY:
        return str(context["wanted"])
    if error["type"] == "literal_error":
        return str(context["expected"])
    if error["type"] == "model_type":
        return next(
            (form(candidate) for candidate in models if candidate.__name__ == context["class_name"]), "a mapping"
        )
    return _TYPES.get(error["type"], "something else")


def problem_text(error: ErrorDetails, models: Iterable[type[BaseModel]]) -> tuple[str, tuple[str, ...]]:
    """What is wrong, and the choices where the value must be one of several."""
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind == _NO_FORM:
        return f"is {written_value(value)}; write {_either(context['forms'])}", ()
    if kind == "literal_error":
        expected = str(context["expected"])
        choices = tuple(re.findall(r"'([^']*)'", expected))
        if not choices and isinstance(value, str) and value.strip() == expected:
            return f"is text; write {expected}, without quotes", ()
        fits = (isinstance(value, str) and value) or (type(value) is int and not choices)
        return (f"must be {expected}" if fits else f"is {written_value(value)}; write {expected}"), choices
    if kind == GIVEN and isinstance(value, str):
        return _not_as(value, context), ()
    if is_of_another_type(error):
        return _of_another_type(kind, value, expected_text(error, models)), ()
    if kind in _BOUNDS:
        too, text = _BOUNDS[kind]
        if value < 0 and context.get("ge") == 0:
            return "is negative; write 0 or more", ()
        return f"is too {too}; write {text.format(**context)}", ()
    if kind in ("string_too_short", "too_short"):
        minimum, noun = (
            context["min_length"],
            "character" if isinstance(value, str) else "key" if isinstance(value, Mapping) else "item",
        )
        length_text = counted(len(value), noun)
        return (
            f"has {length_text}; write at least {minimum}"
            if value
            else f"is empty; write at least {counted(minimum, noun)}"
        ), ()
    if kind in ("string_too_long", "too_long"):
        maximum, noun = context["max_length"], "character" if isinstance(value, str) else "item"
        return f"is too long; write at most {counted(maximum, noun)}", ()
    if kind == "int_parsing_size":
        return "is too large", ()
    if kind == "value_error":
        return error["msg"].removeprefix("Value error, "), ()
    return f"is {written_value(value)} that cannot be used here", ()  # no type of a document causes such an error today


def _not_as(value: str, context: Mapping[str, Any]) -> str:
    """What is wrong with a text that does not have the required form."""
    words, longest = context["words"], context.get("longest")
    if not value:
        return f"is empty; write {words}"
    if longest is not None and len(value) > longest:
        return f"is longer than {longest} characters; write {words}"
    return f"{quoted(value)} is not {words}{_meant(value, words)}" if context["shown"] else f"is not {words}"


def _meant(value: str, words: str) -> str:
    """What to write for a path or name where only the form is wrong; "" where that cannot be determined."""
    if len(value) > 63:
        return ""
    if words.startswith(("a path: it starts with /", "an absolute path, which")):
        if value.startswith("/") and value.isprintable():
            plain = "/" + posixpath.normpath(value).lstrip("/")
            return f"; write {plain}" if plain not in ("/", value) else ""
        return f"; write /{value}" if re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)*", value) else ""
    if words.startswith("a name of lowercase letters"):
        plain = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
        return f"; write {plain}" if plain and type(value) is str else ""
    return ""


def _of_another_type(kind: str, value: Any, what: str) -> str:
    is_number = isinstance(value, bool | int | float)
    if kind == "string_type" and is_number:
        return f"is {written_value(value)}; put it in quotes"
    if kind == "list_type" and isinstance(value, str) and value:
        what += ", in brackets: [...]"
    if isinstance(value, float) and (what == _WHOLE or kind == QUANTITY):
        return (
            f"is {value} without a unit; write {what}"
            if kind == QUANTITY
            else f"is a number with a fraction; write {what}"
        )
    if kind == "int_type" and isinstance(value, str) and re.fullmatch(r"\s*\d{1,20}\s*%\s*", value):
        return f"is text; write the number alone: {value.strip().rstrip('% ')}"
    if kind == "bool_type" and isinstance(value, str) and value.lower() in _TRUTH:
        return f"{quoted(value)} is text; write {_TRUTH[value.lower()]}"
    bare = what in (_NUMBER, _WHOLE) and isinstance(value, str) and value.strip().isdigit()
    quoting = ", without quotes" if bare else ", in quotes" if kind == GIVEN and is_number else ""
    return f"is {written_value(value)}; write {what}{quoting}"


def _either(forms: list[str]) -> str:
    return " or ".join([", ".join(forms[:-1]), forms[-1]] if len(forms) > 1 else forms)


def written_value(value: Any) -> str:
    """The word for a written value, by its type; never the value itself."""
    if value is None or (isinstance(value, str | list | Mapping) and not value):
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    return "text" if isinstance(value, str) else "a list" if isinstance(value, list) else "a mapping"
