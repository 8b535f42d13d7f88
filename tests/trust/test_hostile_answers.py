"""Systems that answer with what nobody documented: that part is unknown and says so; nothing they say does anything."""

from __future__ import annotations

import copy
import hashlib
import json
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Ran, Run
from tests.force import by_force
from tests.lab import Lab
from tests.trust.planes import Tampered, rows_of
from vastplan.kinds.kubernetes._common import QUANTITY
from vastplan.model import strict_json
from vastplan.model.errors import Refused
from vastplan.sim.wire import Request, Response
from vastplan.systems.transport import segment

SYSTEMS = ("vast", "kubernetes", "runai")
OF = {"vast": "tenant", "kubernetes": "namespace", "runai": "department"}
PATHS = {"vast": "/tenants/", "kubernetes": "/namespaces", "runai": "/departments"}

BODIES = {
    "nothing": b"",
    "null": b"null",
    "a number": b"7",
    "a word": b'"x"',
    "a list of numbers": b"[1]",
    "a list of lists": b'{"results": [[]], "items": [[]], "departments": [[]]}',
    "objects for lists": b'{"results": {}, "items": {}, "departments": {}}',
    "not a number": b'{"results": [{"id": NaN}], "items": [], "departments": []}',
    "a number that becomes infinite": b'{"results": [{"id": 1e400}], "items": [], "departments": []}',
    "deeper than Python goes": b"[" * 100_000 + b"]" * 100_000,
    "deep": b'{"results": ' + b"[" * 70 + b"]" * 70 + b"}",
    "not UTF-8": b'{"results": [], "name": "\xff"}',
    "a number of 5,000 digits": b"9" * 5000,
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(tmp_path_factory.mktemp("lab"), {"iad": list(SYSTEMS)}) as one:
        one.write(
            {
                "tenants": {"a": {"max_views": 3}},
                "departments": {"d": {"gpus": {"default": 1}}},
                "namespaces": {"n": {}},
            }
        )
        one.converge()
        yield one


def changed(lab: Lab, system: str, change: Any, vastplan: Run, *words: str) -> Ran:
    """What a command says while a system's answers about one collection are changed."""
    server = lab.world.sites["iad"].servers[system]
    plane = server.plane
    server.plane = Tampered(plane, change, PATHS[system])
    try:
        return vastplan(words[0], lab.folder / "lab.yaml", *words[1:])
    finally:
        server.plane = plane


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("system", by_force(SYSTEMS, "kubernetes"))
def test_an_answer_that_is_none(system: str, name: str, lab: Lab, vastplan: Run) -> None:
    ran = changed(lab, system, lambda _: BODIES[name], vastplan, "plan", "--format", "json")
    assert ran.code == 6, ran
    plan = json.loads(ran.out)
    assert plan["actions"] == []
    assert {(one["system"], one["kind"]) for one in plan["unknown"]} == {(system, OF[system])}
    assert all("127.0.0.1" in one["reason"] for one in plan["unknown"])


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_name_that_is_no_text_hides_no_other_object(system: str, lab: Lab, vastplan: Run) -> None:
    def change(body: Any) -> bytes:
        rows = rows_of(body)
        broken = {**copy.deepcopy(rows[-1]), "id": 999}
        broken.get("metadata", broken).update(name="\ud800", uid="999")
        rows.append(broken)
        return json.dumps(body).encode()

    ran = changed(lab, system, change, vastplan, "plan", "--format", "json")
    assert ran.code == 0, ran
    plan = json.loads(ran.out)
    assert plan["actions"] == [] and plan["unknown"] == []


WRONG: list[Any] = [None, True, -1, 1e300, "", "x", [], {}, [None], [[]], {"a": 1}, [{"a": [1]}], 10**30, "9" * 10_000]


@pytest.mark.parametrize("system", by_force(SYSTEMS, "runai"))
def test_fields_of_another_type(system: str, lab: Lab, vastplan: Run) -> None:
    """Every top field of every row is something else, one kind of wrong at a time; the identity as well."""
    for wrong in WRONG:
        for spared in ((), ("id", "metadata", "name")):

            def change(body: Any, wrong: Any = wrong, spared: tuple[str, ...] = spared) -> Any:
                for row in rows_of(body):
                    row.update({key: wrong for key in row if key not in spared})
                return body

            ran = changed(lab, system, change, vastplan, "drift", *(("--format", "json") if spared else ()))
            assert ran.code in (0, 1, 2, 6), ran


def huge(value: Any, number: Any) -> Any:
    """A row whose numbers are such a number, but for those that say which row it is."""
    if isinstance(value, dict):
        kept = [name for name in value if name in ("id", "metadata") or name.endswith("_id")]
        return {name: inner if name in kept else huge(inner, number) for name, inner in value.items()}
    if isinstance(value, list):
        return [huge(inner, number) for inner in value]
    return number if isinstance(value, int | float) and not isinstance(value, bool) else value


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", by_force([10**400 + 1, 10**999 + 1, 1.7e308, "x"]), ids=["e400", "e999", "float", "word"]
)
def test_numbers_that_no_float_holds(number: Any, tmp_path: Path, vastplan: Run) -> None:
    """All that shows numbers does: as text, pages and files, which are read again."""
    with Lab(tmp_path, {"iad": ["vast", "runai"]}) as lab:
        limits = {"static_limits": {"max_reads_bw_mbps": 1000}}
        sections = {
            "tenants": {"a": {}},
            "qos_policies": {name: {"tenant": "a", **limits} for name in ("q", "r")},
            "view_policies": {"p": {"tenant": "a", "flavor": "NFS"}},
            "views": {
                name: {"tenant": "a", "view_policy": "p", "path": f"/{name}", "protocols": ["NFS"], "qos_policy": name}
                for name in ("q", "r")
            },
            "quotas": {name: {"tenant": "a", "path": f"/{name}", "hard_limit": "1 TiB"} for name in ("q", "r")},
            "departments": {"d": {"gpus": {"default": 8}}},
            "projects": {name: {"department": "d", "gpus": {"default": 2}} for name in ("q", "r")},
        }
        lab.write(sections)
        lab.converge()
        servers = lab.world.sites["iad"].servers
        for path, system in (
            ("/quotas", "vast"), ("/views", "vast"), ("/qospolicies", "vast"), ("/departments", "runai"), ("/projects", "runai")
        ):  # fmt: skip

            def change(body: Any) -> Any:
                rows_of(body)[:] = [huge(row, number) for row in rows_of(body)]
                return body

            servers[system].plane = Tampered(servers[system].plane, change, path)
        for form in ("text", "markdown", "html", "json"):
            for words in (
                ("plan", lab.folder / "lab.yaml", "--out", tmp_path / "p.json"),
                ("drift", lab.folder / "lab.yaml"),
                ("show", tmp_path / "p.json"),
            ):
                (tmp_path / "p.json").unlink(missing_ok=True) if words[0] == "plan" else None
                ran = vastplan(*words, "--format", form)
                assert ran.code in (0, 2, 6), ran
                if isinstance(number, int) and form == "json":
                    assert str(number) in ran.out


def test_what_cannot_be_written_again_is_not_read() -> None:
    with pytest.raises(ValueError, match="the quantity is too long"):
        QUANTITY.read(f"{'9' * 4299}Ei")
    assert QUANTITY.read(f"{'9' * 400}Ei") == int("9" * 400) * 2**60
    text = b'[{"whole": -%s, "text": "%s"}]' % (b"9" * 1000, b"9" * 3000)
    assert strict_json.parse_json(text, digits=strict_json.ANSWERED_DIGITS) == [
        {"whole": -int("9" * 1000), "text": "9" * 3000}
    ]
    for most in (strict_json.ANSWERED_DIGITS, strict_json.MOST_DIGITS):
        with pytest.raises(ValueError, match=f"more than {most} digits"):
            strict_json.parse_json(b"[1, %s]" % (b"9" * (most + 1)), digits=most)


HOSTILE = {
    "a page": "<script>alert(1)</script>",
    "Markdown": "[x](javascript:1) | `a` **b**",
    "escapes": "\x1b[2J\x1b]0;owned\x07\x9b31m",
    "lines": "a\nerror: b\r\u2028c\u2029d\x85e",
    "right to left": "a\u202eb\u2066c\u200fd\u061ce",
    "nothing to see": "a\u200bb\u200dc\ufeffd\u00ade",
    "a mention": "@everyone fixes #1",
    "a path": "../../../../etc/passwd",
    "a NUL": "a\0b",
    "ten thousand": "x" * 10_000,
    "tags": "a\U000e0041\U000e0042",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", by_force(HOSTILE, "a path", "right to left"))
@pytest.mark.parametrize("system", by_force(SYSTEMS, "runai"))
def test_names_that_want_something(system: str, name: str, lab: Lab, vastplan: Run) -> None:
    """An object that nobody manages has such a name: it is told, on its line, and is only a name."""
    text = HOSTILE[name]

    def change(body: Any) -> Any:
        twin = json.loads(json.dumps(rows_of(body)[-1]))
        twin["name"] = text
        if "metadata" in twin:
            twin["metadata"] |= {"name": text, "uid": text}
        twin["id"] = text
        rows_of(body).append(twin)
        return body

    before = sorted(str(one.relative_to(lab.folder)) for one in lab.folder.rglob("*"))
    shown = changed(lab, system, change, vastplan, "drift")
    assert shown.code == 0, shown
    assert "Nobody manages 1 object here" in shown.out or "unmanaged" not in shown.out
    visible(shown)
    told = changed(lab, system, change, vastplan, "drift", "--format", "json")
    assert told.out.isascii()
    assert text in [one["name"] for one in json.loads(told.out)["unmanaged"]], told
    visible(changed(lab, system, change, vastplan, "plan"))
    assert sorted(str(one.relative_to(lab.folder)) for one in lab.folder.rglob("*")) == before


def visible(ran: Ran) -> None:
    """Nothing but printable characters and line ends, and no line longer than a screen shows."""
    for line in (ran.out + ran.err).split("\n"):
        hidden = [char for char in line if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")]
        assert not hidden, line
        assert len(line) <= 2000, line


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_refusal_in_such_words(system: str, lab: Lab, vastplan: Run) -> None:

    server = lab.world.sites["iad"].servers[system]
    plane = server.plane

    class Rude:
        """A plane that refuses in words that want something."""

        name = plane.name

        def handle(self, request: Request) -> Response:
            """The refusal."""
            if request.method != "GET" or PATHS[system] not in request.path:
                return plane.handle(request)
            return Response(400, {"message": "".join(HOSTILE.values()), "detail": "".join(HOSTILE.values())})

        def expire_tokens(self) -> None:
            """There are none."""

        def busy(self) -> Response:
            """Nobody limits it."""
            raise AssertionError("nobody limits it")

    server.plane = Rude()
    try:
        for form in ("text", "json"):
            ran = vastplan("plan", lab.folder / "lab.yaml", "--format", form)
            assert ran.code == 6, ran
            assert "<script>" in ran.out, ran
            visible(ran)
    finally:
        server.plane = plane


def test_a_list_that_leads_in_a_circle(lab: Lab, vastplan: Run) -> None:
    def again(body: Any) -> Any:
        return {**body, "next": f"{lab.world.sites['iad'].servers['vast'].url}/api/v5/tenants/?page=1"}

    ran = changed(lab, "vast", again, vastplan, "plan")
    assert ran.code == 6, ran
    assert "lead in a circle" in ran.out, ran


def test_a_link_that_is_none(lab: Lab, vastplan: Run) -> None:
    ran = changed(lab, "vast", lambda body: {"results": rows_of(body), "next": "https://[::1"}, vastplan, "plan")
    assert ran.code == 6, ran
    assert "answered with a link that is not an address" in ran.out, ran


def test_a_list_that_never_ends(lab: Lab, vastplan: Run) -> None:
    server = lab.world.sites["iad"].servers["vast"]
    plane, pages = server.plane, count(2)

    class Endless(Tampered):
        """Every page is the first one, and there is always another."""

        def handle(self, request: Request) -> Response:
            return super().handle(replace(request, query={}) if PATHS["vast"] in request.path else request)

    def second_read(body: Any) -> Any:
        rows = body if isinstance(body, list) else body["results"]
        return {"count": 10**6, "next": f"{server.url}/api/v5/tenants/?page={next(pages)}", "results": rows}

    server.plane = Endless(plane, second_read, PATHS["vast"])
    try:
        ran = vastplan("plan", lab.folder / "lab.yaml")
    finally:
        server.plane = plane
    assert ran.code == 6, ran
    assert "the list of tenants repeats itself without end" in ran.out, ran


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_list_that_always_has_more_to_say(
    system: str, lab: Lab, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every page has new rows and there is always another: one row a page, or of Run:AI, which counts them, full pages."""
    monkeypatch.setattr("vastplan.model.long_lists.MOST_ROWS", 2000)
    server = lab.world.sites["iad"].servers[system]
    plane, numbers, asked = server.plane, count(10**6), []

    class Endless(Tampered):
        """Wherever a list is asked to go on, it begins anew."""

        def handle(self, request: Request) -> Response:
            return super().handle(replace(request, query={}) if PATHS[system] in request.path else request)

    def another(body: Any) -> Any:
        asked.append(body)
        first = json.dumps(rows_of(body)[0])
        rows = [json.loads(first) for _ in range(500 if system == "runai" else 1)]
        for row, number in zip(rows, numbers, strict=False):
            (row["metadata"] if system == "kubernetes" else row).update(id=number, uid=str(number), name=f"n{number}")
        return {
            "vast": {"count": 10**6, "next": f"{server.url}/api/v5/tenants/?page={len(asked) + 1}", "results": rows},
            "kubernetes": {"items": rows, "metadata": {"continue": str(len(asked))}},
            "runai": {"departments": rows},
        }[system]

    server.plane = Endless(plane, another, PATHS[system])
    try:
        ran = vastplan("plan", lab.folder / "lab.yaml")
    finally:
        server.plane = plane
    assert ran.code == 6, ran
    pages, rows = (4, 2000) if system == "runai" else (111, 111)
    assert f"does not end: {pages} pages were read, with {rows} rows" in ran.out, ran


@given(st.text(min_size=1))
def test_a_name_stays_one_step_of_a_path(text: str) -> None:
    try:
        step = segment(text)
    except Refused:
        assert text in (".", "..") or not text.isprintable()
        return
    assert step.isascii()
    assert not set(step) & set("/?#\\ %") - {"%"}
    assert step not in (".", "..")


@pytest.mark.parametrize("text", ["", ".", "..", "a\0b", "a\nb", "\ud800"])
def test_what_would_leave_the_path_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="cannot be part of a request path"):
        segment(text)


_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(_JSON)
def test_strict_reading_reads_what_is_json(value: Any) -> None:
    assert strict_json.parse_json(json.dumps(value).encode()) == value
    assert strict_json.parse_json(json.dumps(value, ensure_ascii=False).encode()) == value


@pytest.mark.parametrize(
    "text",
    [
        b"NaN",
        b"[Infinity]",
        b"1e400",
        b"[-1e400]",
        b"9" * 400 + b".0",
        b'"\\ud800"',
        b"\xff",
        b"\xef\xbb\xbf1",
        b"[" * 66 + b"]" * 66,
    ],
)
def test_strict_reading_refuses(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        strict_json.parse_json(text)


def test_files_of_ours_that_are_not(lab: Lab, vastplan: Run, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    for content in (
        b"{" * 100_000,
        b'{"a": NaN}',
        b"{}",
        b'{"format_version": 1}',
        b'{"format_version": "1.0"}',
        b"{\xff}",
    ):
        saved.write_bytes(content)
        for words in (("apply", saved), ("show", saved)):
            ran = vastplan(*words)
            assert ran.code == 1, ran
            assert len(ran.err.splitlines()) == 1, ran


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda plan: plan["parts"][0].update(site="../../../../tmp/x"),
            "a site ../../../../tmp/x, which the document",
        ),
        (lambda plan: plan["actions"][0].update(address="iad/nothing/a"), "does not have a plan's form"),
        (lambda plan: plan.update(expires="2999-01-01"), "does not have a plan's form"),
        (lambda plan: plan.update(operations=[]), "does not have a plan's form"),
        (lambda plan: plan["operations"][0].update(after=[7]), "does not have a plan's form"),
        (lambda plan: plan["actions"][0].update(together=["iad/tenant/b"]), "does not have a plan's form"),
        (lambda plan: plan["actions"][0].update(desired={"tenant": {"$ref": "x"}}), "does not have a plan's form"),
        (lambda plan: plan["actions"][0].update(desired=[1]), "does not have a plan's form"),
    ],
    ids=[
        "another site",
        "no such kind",
        "no zone",
        "nothing done",
        "waits for nothing",
        "together with nothing",
        "no address",
        "no mapping",
    ],
)
def test_a_plan_that_somebody_wrote(change: Any, says: str, tmp_path: Path, vastplan: Run) -> None:
    """Its seal is no secret, so a plan's words are checked before they become names of files."""
    file, saved = tmp_path / "doc.yaml", tmp_path / "plan.json"
    file.write_text("version: 1\nname: doc\nsites: {iad: {sim: {systems: [vast]}}}\ntenants: {a: {}}\n")
    vastplan("plan", file, "--out", saved)
    plan = json.loads(saved.read_text())
    change(plan)
    saved.write_text(json.dumps({**plan, "id": seal(plan)}))
    ran = vastplan("apply", saved)
    assert ran.code == 1, ran
    assert says in ran.err, ran
    assert not (tmp_path / ".vastplan" / "ledger").exists()


def seal(plan: dict[str, Any]) -> str:
    """What anybody can work out: a digest of all the rest."""
    text = json.dumps({**plan, "id": ""}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def test_forgetting_at_a_site_that_is_not_there(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "doc.yaml"
    file.write_text("version: 1\nname: doc\nsites: {iad: {sim: {systems: [vast]}}}\ntenants: {a: {}}\n")
    for site in ("..", "other"):
        ran = vastplan("ledger", "forget", file, f"{site}/tenant/a")
        assert ran.code == 1, ran
        assert f"no site {site}" in ran.err, ran
    assert not (tmp_path / ".vastplan").exists()
