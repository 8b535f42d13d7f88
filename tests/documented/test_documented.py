"""The judge of our requests, judged: it refuses what the documents do not have, and misses nothing that goes out."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.documented import listened, plugin
from tests.documented.coverage import coverage, excused, expected
from tests.documented.facts import FILES, facts
from tests.documented.recorder import Recorder, exceptions
from tests.lab import Lab

VIEW = {"path": "/a", "policy_id": 1, "tenant_id": 1}
RULE = {"subjectId": "a", "subjectType": "user", "roleId": 1, "scopeId": "1", "scopeType": "project"}


@pytest.mark.parametrize(
    ("system", "method", "target", "body", "complaint"),
    [
        ("vast", "GET", "/vieews/", None, "is not documented"),
        ("vast", "PUT", "/tenants/1/", {"max_views": 1}, "PUT /tenants/1/: is not documented"),
        ("vast", "GET", "/views/?pth=/a", None, "?pth: is not documented"),
        ("vast", "GET", "/quotas/?show_user_rules=1", None, "show_user_rules: '1' is not boolean as documented"),
        ("vast", "POST", "/views/", {**VIEW, "pth": "/b"}, "pth: is not documented"),
        ("vast", "POST", "/views/", {"path": "/a"}, "policy_id: is required"),
        ("vast", "POST", "/views/", {**VIEW, "policy_id": "1"}, "policy_id: is str, not integer"),
        ("vast", "POST", "/views/", {**VIEW, "policy_id": True}, "policy_id: is bool, not integer"),
        ("vast", "POST", "/views/", {**VIEW, "protocols": ["NFSv3"]}, "protocols: 'NFSv3' is not one of"),
        ("vast", "PATCH", "/views/1/", {"create_dir_mode": "755"}, "create_dir_mode"),
        ("vast", "POST", "/views/", {**VIEW, "alias": None}, "alias: is null"),
        ("vast", "POST", "/views/", {**VIEW, "share_acl": {"acl": [{"name": 1}]}}, "share_acl.acl.name: is int, not string"),
        ("vast", "DELETE", "/quotas/1/", {"force": True}, "takes no body"),
        ("runai", "POST", "/api/v1/authorization/access-rules", {**RULE, "clusterId": "x"}, "'x' is not a uuid"),
        ("runai", "GET", "/api/v1/org-unit/projects?limit=many", None, "limit: 'many' is not integer as documented"),
        ("runai", "GET", "/api/v1/org-unit/projects?filterBy=colour==red", None, "filterBy"),
        ("kubernetes", "POST", "/api/v1/namespaces/a/secrets", {"dta": {}}, "dta: is not documented"),
        ("kubernetes", "PATCH", "/api/v1/namespaces/a/secrets/b", {"data": {"k": 1}}, "data: is int, not string"),
    ],
)  # fmt: skip
def test_what_is_not_documented_is_noticed(system: str, method: str, target: str, body: Any, complaint: str) -> None:
    recorder = Recorder(exceptions())
    recorder.note(system, method, target, json.dumps(body) if body is not None else None)
    assert [complaint for one in recorder.problems if complaint in one], recorder.problems


@pytest.mark.parametrize(
    ("system", "method", "target", "body"),
    [
        ("vast", "POST", "/views/", {**VIEW, "protocols": ["NFS", "NFS4"]}),
        ("vast", "PATCH", "/views/7/", {"alias": "/b"}),
        ("vast", "DELETE", "/views/7/", None),
        ("runai", "POST", "/api/v1/authorization/access-rules", RULE),
        ("kubernetes", "PATCH", "/api/v1/namespaces/a/secrets/b", {"data": {"k": None}, "metadata": {"labels": {"a": "b"}}}),
        ("kubernetes", "GET", "/api/v1/secrets?limit=500&continue=x", None),
    ],
)  # fmt: skip
def test_what_is_documented_is_not(system: str, method: str, target: str, body: Any) -> None:
    recorder = Recorder({})
    recorder.note(system, method, target, json.dumps(body) if body is not None else None, 200 if method == "GET" else 0)
    assert recorder.problems == {} and len(recorder.seen) > len(body or {})


def test_an_answer_that_is_not_documented_is_noticed() -> None:
    recorder = Recorder({})
    recorder.note("vast", "DELETE", "/views/7/", None, 200)
    assert list(recorder.problems) == ["vast DELETE /views/{}/: was answered 200, which is not documented"]


def test_every_request_of_the_providers_is_heard(tmp_path: Path) -> None:
    before = plugin.RECORDER.forget()
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write({"tenants": {"a": {}}, "namespaces": {"b": {}}, "departments": {"c": {"gpus": {"default": 1}}}})
        lab.converge()
        heard = set(plugin.RECORDER.seen)
        plugin.RECORDER.seen |= before
        for site in lab.world.sites.values():
            for system, server in site.servers.items():
                for call in server.calls:
                    template = facts(system).template(
                        call.path.removeprefix("/api/v5") if system == "vast" else call.path
                    )
                    assert f"{system} {call.method} {template}" in heard


def test_there_is_something_to_see() -> None:
    operations, places = expected()
    assert len(operations) > 100 and len(places) > 500
    assert coverage(set(operations | places)).unseen == frozenset()
    assert set(excused()) <= operations | places


def test_what_nobody_sends_and_what_has_come_to_be_sent_are_complaints() -> None:
    operations, places = expected()
    everything, used = set(operations | places), set(exceptions())
    assert plugin.complaints(everything - set(excused()), used) == []
    assert plugin.complaints(everything - set(excused()) - {min(places)}, used) == [
        f"unseen.yaml has no reason for {min(places)}"
    ]
    assert len(plugin.complaints(everything, set())) == len(excused()) + len(exceptions())


def session(source: pytest.Config.ArgsSource, marks: str = "") -> Any:
    option = SimpleNamespace(keyword="", markexpr=marks, collectonly=False)
    config = SimpleNamespace(option=option, getoption=lambda *_: False, args_source=source)
    return SimpleNamespace(config=config, exitstatus=pytest.ExitCode.OK)


@pytest.mark.parametrize(
    ("source", "seen", "problems", "fails"),
    [
        ("TESTPATHS", True, {}, False),
        ("TESTPATHS", False, {}, True),
        ("ARGS", False, {}, False),
        ("ARGS", False, {"vast GET /x/: is not documented": "a test"}, True),
    ],
)
def test_a_run_fails_for_what_it_sent_and_a_whole_one_for_what_it_did_not(
    source: str, seen: bool, problems: dict[str, str], fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(exceptions())
    recorder.problems, recorder.used = problems, set(exceptions())
    recorder.seen = set().union(*expected()) - set(excused()) if seen else set()
    monkeypatch.setattr(plugin, "RECORDER", recorder)
    ended = session(pytest.Config.ArgsSource[source])
    plugin.pytest_sessionfinish(ended, 0)
    assert (ended.exitstatus is pytest.ExitCode.TESTS_FAILED) is fails


@pytest.mark.parametrize("halves", [("not slow", "slow"), ("slow",), ("not slow",), ("not slow -k a", "slow")], ids=str)
@pytest.mark.parametrize("seen", [True, False])
def test_two_runs_that_are_all_tests_are_judged_as_one(
    halves: tuple[str, ...], seen: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(plugin.HEARD, str(tmp_path / "heard"))
    everything = sorted(set().union(*expected()) - set(excused()))
    half = {"not slow": everything[::2], "slow": everything[1::2] if seen else everything[3::2]}
    failed = []
    for marks in halves:
        recorder = Recorder(exceptions())
        recorder.seen, recorder.used = set(half[marks.partition(" -k")[0]]), set(exceptions())
        monkeypatch.setattr(plugin, "RECORDER", recorder)
        ended = session(pytest.Config.ArgsSource.TESTPATHS, marks.partition(" -k")[0])
        ended.config.option.keyword = marks.partition(" -k ")[2]
        plugin.pytest_sessionfinish(ended, 0)
        failed.append(ended.exitstatus is pytest.ExitCode.TESTS_FAILED)
    # half of them alone says nothing about what all send
    assert failed == ([False, not seen] if halves == ("not slow", "slow") else [False] * len(halves))


@pytest.mark.parametrize("system", FILES)
def test_every_fact_can_be_understood(system: str) -> None:
    known = {"type", "required", "enum", "items", "values", "fields", "nullable", "read_only", "format", "pattern"}
    known |= {f"{end}{what}" for end in ("min", "max") for what in ("", "_length", "_items")}

    def walk(given: Any) -> None:
        shape = facts(system).shape(given)
        assert shape.keys() <= known and shape["type"] in {
            "string", "integer", "number", "boolean", "array", "object", "any",
        }  # fmt: skip
        for inner in [*(shape[name] for name in ("items", "values") if name in shape)]:
            walk(inner)
        if isinstance(given, dict):  # in place; the named ones are walked below
            for inner in given.get("fields", {}).values():
                walk(inner)

    for methods in facts(system).operations.values():
        for operation in methods.values():
            assert operation["success"]
            for shape in [*operation.get("query", {}).values(), operation.get("body", "any")]:
                walk(shape)
    for fields in facts(system).types.values():
        for shape in fields.values():
            walk(shape)


def test_a_process_of_its_own_is_listened_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    telling = listened._Telling(tmp_path / "problems")
    telling.note("vast", "GET", "/tenants/?page=1", None)
    assert not (tmp_path / "problems").exists()
    telling.note("vast", "POST", "/tenants/", '{"nmae": "a"}')
    assert "nmae" in (tmp_path / "problems").read_text()
