"""Results as JUnit XML, which build servers show as tests.

There is no standard; this uses what Jenkins' schema and the others have in common: `testsuites/testsuite/testcase` with `failure`,
`error` or `skipped`. A failure is what somebody must look at, an error what could not be determined, skipped what an apply left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree  # nosec B405 # it writes XML, and reads none

from vastplan.model.escaping import inert
from vastplan.report.results import Level, Result, Results

_LONGEST = 4_000
_BAD = (Level.ERROR, Level.WARNING)


def junit(results: Results) -> str:
    """One suite for one document. If nothing was found, it has one case that passes, because an empty suite counts as broken."""
    cases = results.results or (Result(results.command, Level.NONE, "nothing was found"),)
    kinds = [_kind(results.command, result) for result in cases]
    totals: dict[str, Any] = {
        "tests": str(len(cases)), "failures": str(kinds.count("failure")), "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
    }  # fmt: skip
    top = ElementTree.Element("testsuites", name="vastplan", **totals)
    suite = ElementTree.SubElement(top, "testsuite", name=_text(f"{results.command} {results.document}"), **totals)
    for number, (result, kind) in enumerate(zip(cases, kinds, strict=True), 1):
        name = result.address or (str(result.where) if result.where else f"{result.rule} {number}")
        classname = _text(f"vastplan.{results.command}.{result.rule}")
        case = ElementTree.SubElement(suite, "testcase", classname=classname, name=_text(name), time="0")
        if kind:
            detail = ElementTree.SubElement(case, kind, message=_text(result.message))
            if kind != "skipped":
                detail.set("type", _text(result.rule))
            detail.text = _message(
                f"{result.where}: {result.message}" if result.where else result.message, result.lines
            )
        elif result.message:
            ElementTree.SubElement(case, "system-out").text = _message(result.message, result.lines)
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(top, encoding="unicode") + "\n"


def _kind(command: str, result: Result) -> str:
    if result.unclear:
        return "error"
    if command == "apply" and result.level is Level.WARNING:
        return "skipped"
    return "failure" if result.level in _BAD else ""


def _message(message: str, lines: Sequence[str]) -> str:
    """The message, and below it what a change does, in full."""
    return "\n".join((_text(message), *(inert(line, None) for line in lines)))


def _text(value: str) -> str:
    """One line of characters that XML 1.0 allows; any other is shown as its number."""
    return inert(value, _LONGEST)
