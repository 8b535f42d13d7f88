"""Findings as SARIF 2.1.0 (OASIS), which code reviews show on the line of the YAML that they are about.

What is as it should be is not a finding: of a plan's unblocked changes, only those that let somebody in, and those of items in lists and
mappings, are listed.
A file inside `root` is named relative to it (`uriBaseId` `%SRCROOT%`), as GitHub and GitLab want it; one outside keeps its whole path
and is shown without a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from os.path import normpath
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from vastplan.model import canonical_json
from vastplan.model.escaping import inert
from vastplan.model.finding import Where
from vastplan.report.results import RULES, Level, Result, Results

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_MOST = 5_000  # results that GitHub shows of one run; it refuses more than 25,000
_LONGEST = 2_000
_ROOM = 10_000  # characters of a message for what a change does
_LEVELS = tuple(Level)


def sarif(results: Results, version: str, root: PurePath) -> str:
    """One run; `version` is that of vastplan, `root` the folder that the code review takes as its root (absolute)."""
    listed = [result for result in results.results if result.level is not Level.NONE]
    reported = sorted(listed, key=_place)[:_MOST]
    rules = sorted({result.rule for result in reported})
    place = {rule: number for number, rule in enumerate(rules)}
    driver = {
        "name": "vastplan",
        "semanticVersion": version,
        "rules": [
            {"id": rule, "shortDescription": {"text": RULES.get(rule, f"Finding {rule} about the document.")}}
            for rule in rules
        ],
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"vastplan/{results.command}/{quote(inert(results.document), safe='')}"},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(result, place[result.rule], root, fingerprint)
            for result, fingerprint in zip(reported, _fingerprints(reported), strict=True)
        ],
    }
    left = len(listed) - len(reported)
    if left:
        note = {
            "level": "warning",
            "message": {"text": f"{left} more results are not in this file; --format json has all"},
        }
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": [note]}]
    return canonical_json.json_file_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _place(result: Result) -> tuple[bool, bool, int]:
    """The sort key: errors; then settings and what lets somebody in, so that no number of blocked changes pushes them out; then the
    others, the worst first."""
    return result.level is not Level.ERROR, not result.first, _LEVELS.index(result.level)


def _fingerprints(results: Iterable[Result]) -> Iterator[str]:
    """A value for each result that stays the same when lines move or a figure changes, so that a dismissed result stays dismissed."""
    seen: Counter[str] = Counter()
    for result in results:
        base = sha256(f"{result.rule}\n{result.address or result.message}".encode()).hexdigest()[:32]
        seen[base] += 1
        yield f"{base}:{seen[base]}"


def _result(result: Result, number: int, root: PurePath, fingerprint: str) -> dict[str, Any]:
    subject = f"{result.address}: " if result.address else ""
    entry: dict[str, Any] = {
        "ruleId": result.rule,
        "ruleIndex": number,
        "level": result.level.value,
        # Square brackets in a message are links (SARIF 3.11.6): those in names and values are escaped.
        "message": {
            "text": _message(subject + result.message, result)
            .replace("\\", "\\\\")
            .replace("[", "\\[")
            .replace("]", "\\]")
        },
        "partialFingerprints": {"vastplan/v1": fingerprint},
    }
    if result.before is not None:
        entry["baselineState"] = "unchanged" if result.before else "new"
    location: dict[str, Any] = {}
    if result.where is not None:
        location["physicalLocation"] = _physical(result.where, root)
    if result.address:
        location["logicalLocations"] = [{"fullyQualifiedName": inert(result.address, _LONGEST), "kind": "object"}]
    if location:
        entry["locations"] = [location]
    return entry


def _message(message: str, result: Result) -> str:
    """The message and what a change does, as far as it fits; the rest is counted."""
    text, count = inert(message, _LONGEST), 0
    parts = [text]
    room = _ROOM
    for line in (inert(line, None) for line in result.lines):
        room -= len(line) + 2
        if room < 0:
            break
        parts.append(line)
        count += 1
    left = len(result.lines) - count
    more = [f"and {left} more: vastplan show PLAN {inert(result.address, _LONGEST)}"] if left else []
    return "; ".join((*parts, *more))


def _physical(where: Where, root: PurePath) -> dict[str, Any]:
    file = PurePath(normpath(root / where.file))
    region = {"startLine": max(1, where.line), "startColumn": max(1, where.column)}
    try:
        relative = file.relative_to(root)
    except ValueError:
        return {"artifactLocation": {"uri": f"file://{_quoted(file)}"}, "region": region}
    return {"artifactLocation": {"uri": _quoted(relative), "uriBaseId": "%SRCROOT%"}, "region": region}


def _quoted(path: PurePath) -> str:
    return quote(path.as_posix().encode("utf-8", "surrogateescape"))
