"""Change one fact at a time in a simulator's table, and list the changes that no probe notices.

    python -m tests.mutation.tables [--every N]

Only facts about operations and fields that the kinds use are changed. A mutant is killed when a probe of
`tests/probes`, which run as tests too, fails that holds without it. `survivors.yaml` has a reason for each that is not,
as patterns; the run fails when a survivor has none, and a whole run when a pattern matches nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from unittest import mock

import yaml

from tests.documented.used import collection, fields, item, operations
from tests.probes.lives import undocumented
from tests.probes.subjects import SUBJECTS, Subject, direct, failures, plane, stricter
from vastplan.schema.kind import Kind
from vastplan.sim.tables import Table, load_table

SURVIVORS = Path(__file__).parent / "survivors.yaml"
FILES = {"vast": "vast-5.5", "kubernetes": "kubernetes-1.34"}
Json = dict[str, Any]
# What a wrong type is; a number is taken where an integer was, so the other way round.
OTHER = {
    "string": "integer", "integer": "string", "number": "string", "boolean": "string", "array": "string", "object": "string",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One false fact: `apply` makes it and answers what undoes it."""

    name: str
    apply: Callable[[], Callable[[], None]]


def setting(holder: Any, key: str, value: Any) -> Callable[[], Callable[[], None]]:
    """Set a key of a mapping, or take it away with `...`."""

    def apply() -> Callable[[], None]:
        before = dict(holder)
        if value is ...:
            del holder[key]
        else:
            holder[key] = value

        def undo() -> None:
            holder.clear()
            holder.update(before)

        return undo

    return apply


class Mutator:
    """Finds the facts of one table that a subject's kinds use."""

    def __init__(self, subject: Subject, content: Json) -> None:
        self.subject, self.content = subject, content

    def behind(self, schema: Json) -> Json:
        """An object, array or scalar schema, through references, alternatives to null and arrays."""
        while True:
            if "$ref" in schema:
                schema = self.content["schemas"][schema["$ref"].rsplit("/", 1)[1]]
            elif "anyOf" in schema and any(part.get("type") == "null" for part in schema["anyOf"]):
                schema = next(part for part in schema["anyOf"] if part.get("type") != "null")
            else:
                return schema

    def inside(self, schema: Json) -> Json:
        """The same, through arrays."""
        schema = self.behind(schema)
        while "items" in schema:
            schema = self.behind(schema["items"])
        return schema

    def operation(self, method: str, template: str) -> Json:
        """The table's operation."""
        wanted = template.replace("{}", "{").split("{")
        for path, methods in self.content["paths"].items():
            parts = path.split("{")
            plain = [parts[0], *(part.partition("}")[2] for part in parts[1:])]
            if plain == wanted and method in methods:
                return methods[method]  # type: ignore[no-any-return]
        raise KeyError((method, template))

    def of(self, kind: Kind) -> Iterator[Mutant]:
        """All mutants of a kind's operations."""
        for method, template in operations(kind):
            name = f"{method} {template}"
            one = self.operation(method, template)
            for code in [code for code in one.get("responses", {}) if code.startswith("2")]:
                yield Mutant(f"{name} status {code} is another", self._renamed(one["responses"], code))
            if method in ("POST", "PUT", "PATCH") and "body" in one:
                yield from self._body(kind, name, method, self.inside(one["body"]))

    def _renamed(self, responses: Json, code: str) -> Callable[[], Callable[[], None]]:
        other = "202" if code != "202" else "200"

        def apply() -> Callable[[], None]:
            before = dict(responses)
            responses.clear()
            responses.update({other if key == code else key: value for key, value in before.items() if key != other})

            def undo() -> None:
                responses.clear()
                responses.update(before)

            return undo

        return apply

    def _body(self, kind: Kind, name: str, method: str, body: Json) -> Iterator[Mutant]:
        yield from self._strange(kind, name, method, body)
        done: set[tuple[str, ...]] = set()
        for path in sorted(fields(kind, method)):
            holder = body
            place: tuple[str, ...] = ()
            for step in path:
                if step not in holder.get("properties", {}):
                    break
                place = (*place, step)
                if place not in done:
                    done.add(place)
                    yield from self._fact(
                        f"{name} {'.'.join(place)}", holder, step, needs=method != "PATCH" or len(place) > 1
                    )
                holder = self.inside(holder["properties"][step])

    def _strange(self, kind: Kind, name: str, method: str, body: Json) -> Iterator[Mutant]:
        """Fields that this operation does not take become fields that it takes."""
        if "properties" not in body or self.subject.system == "kubernetes":
            return
        yield Mutant(f"{name} takes unknown fields", setting(body, "additionalProperties", True))
        posted = self.inside(self.operation("POST", collection(kind))["body"])["properties"]
        read = self.operation("GET", item(kind))["responses"].get("200")
        shown = self.inside(read).get("properties", {}) if read else {}
        for other in sorted((shown.keys() | posted.keys()) - body["properties"].keys()):
            what = "create-only" if other in posted else "read-only"
            yield Mutant(f"{name} takes the {what} {other}", setting(body["properties"], other, {}))

    def _fact(self, name: str, holder: Json, field: str, *, needs: bool) -> Iterator[Mutant]:
        given = holder["properties"][field]
        yield Mutant(f"{name} is not there", setting(holder["properties"], field, ...))
        needed = set(holder.get("required", ()))
        if field in needed:
            yield Mutant(f"{name} is optional", setting(holder, "required", sorted(needed - {field})))
        elif needs:
            yield Mutant(f"{name} is required", setting(holder, "required", sorted(needed | {field})))
        schema = self.behind(given)
        types = schema.get("type")
        kind = next((one for one in types if one != "null"), "") if isinstance(types, list) else str(types or "")
        if kind in OTHER and given is not schema:
            yield Mutant(f"{name} is {OTHER[kind]}", setting(holder["properties"], field, {"type": OTHER[kind]}))
        elif kind in OTHER:
            other = [OTHER[kind], "null"] if isinstance(types, list) else OTHER[kind]
            yield Mutant(f"{name} is {OTHER[kind]}", setting(schema, "type", other))
        leaf = self.inside(schema)
        if leaf is not schema and str(leaf.get("type")) in OTHER and "properties" not in leaf:
            yield Mutant(f"{name} has items of {OTHER[leaf['type']]}", setting(leaf, "type", OTHER[leaf["type"]]))
        if isinstance(types, list) and "null" in types:
            yield Mutant(f"{name} is not nullable", setting(schema, "type", kind))
        elif isinstance(types, str):
            nullable = {"anyOf": [dict(schema), {"type": "null"}]}
            yield Mutant(f"{name} is nullable", setting(holder["properties"], field, nullable))
        for bound, step in (("minimum", -1), ("maximum", 1), ("minLength", -1), ("maxLength", 1)):
            if leaf.get(bound) is not None and (bound != "minLength" or leaf[bound]):
                yield Mutant(f"{name} {bound} is wider", setting(leaf, bound, leaf[bound] + step))
                yield Mutant(f"{name} {bound} is narrower", setting(leaf, bound, leaf[bound] - step))
        choices = [one for one in leaf.get("enum", ()) if isinstance(one, str)]
        for choice in choices:
            left = [one for one in leaf["enum"] if one != choice]
            yield Mutant(f"{name} cannot be {choice}", setting(leaf, "enum", left))
        if choices:
            added = choices[-1].swapcase()
            yield Mutant(f"{name} can be {added}", setting(leaf, "enum", [*leaf["enum"], added]))


def killed(subject: Subject, kind: Kind, content: Json) -> bool:
    """Whether a probe of the kind notices that the table is not what it was."""
    table = Table(content)
    module = f"vastplan.sim.{subject.system}.plane.load"
    with mock.patch(module, return_value=table):
        try:
            send = direct(plane(subject.system, subject.version))
            subject.prepare(send)
            for question in subject.questions(kind):
                if any(name not in stricter() for name, _ in failures(subject, question, send)):
                    return True
            send = direct(plane(subject.system, subject.version))
            subject.prepare(send)
            if undocumented(subject, kind, send):
                return True
        except Exception:
            return True  # the simulator does not stand up under it, which every test of it would show
    return False


def run(every: int) -> tuple[Counter[str], list[str]]:
    """How many mutants there were and were killed, by table, and the names of the survivors."""
    counts: Counter[str] = Counter()
    survivors: list[str] = []
    for system, version in SUBJECTS:
        subject, file = Subject(system, version), FILES.get(system, f"{system}-{version}")
        content = load_table(file).content
        for kind in subject.kinds():
            assert not killed(subject, kind, content), f"{file} {kind.name}: a probe fails without any mutant"
            for number, mutant in enumerate(Mutator(subject, content).of(kind)):
                if number % every:
                    continue
                undo = mutant.apply()
                dead = killed(subject, kind, content)
                undo()
                counts[f"{file} mutants"] += 1
                counts[f"{file} killed"] += dead
                if not dead:
                    survivors.append(f"{file} {mutant.name}")
            print(
                f"{file} {kind.name}: {counts[f'{file} killed']} of {counts[f'{file} mutants']} killed so far",
                flush=True,
            )
    return counts, survivors


def main() -> int:
    """Run, and print what survived."""
    parser = argparse.ArgumentParser(description="Mutation run over the simulators' tables.")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth mutant only")
    every = parser.parse_args().every
    counts, survivors = run(every)
    reasons: dict[str, str] = yaml.safe_load(SURVIVORS.read_text(encoding="utf-8")) or {}
    unexplained = []
    for name in survivors:
        reason = next((text for pattern, text in reasons.items() if fnmatchcase(name, pattern)), None)
        print(f"survived: {name}: {reason or 'for no reason'}")
        unexplained += [name] if reason is None else []
    stale = [one for one in reasons if every == 1 and not any(fnmatchcase(name, one) for name in survivors)]
    for one in stale:
        print(f"survivors.yaml is stale: {one}")
    total = sum(count for name, count in counts.items() if name.endswith("mutants"))
    print(
        f"{total} mutants, {total - len(survivors)} killed, {len(survivors)} survived, {len(unexplained)} for no reason"
    )
    return 1 if unexplained or stale else 0


if __name__ == "__main__":
    sys.exit(main())
