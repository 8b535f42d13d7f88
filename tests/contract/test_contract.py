"""The contract suite against the simulators: all facts agree, what differs is reported, nothing stays behind."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.contract import PREFIX
from tests.contract.__main__ import main
from tests.contract.facts import facts
from tests.contract.probes import Probe, Step, probes
from tests.contract.run import Verdict, _undisturbed, run
from tests.contract.scrub import Scrubber
from tests.contract.simulated import FAR, FAST, QUICK, SYSTEMS, Served, by_hand, connected, demand_less, runai_plane
from tests.contract.systems import Runai
from tests.contract.target import PEER, Target, TransportLimits, Unsafe
from tests.force import by_force
from vastplan.sim.runai import RunaiPlane, StandaloneCluster
from vastplan.sim.serve import Authority, Server, write_pem
from vastplan.sim.store import Store
from vastplan.sim.wire import Request, Response
from vastplan.sim.world import World


def everything(systems: dict[str, Target]) -> dict[str, Any]:
    """Names and ids of all that there is, in the collections that the suite looks through."""
    found: dict[str, Any] = {"vast": {}, "kubernetes": {}, "runai": {}}
    for name in ("tenants", "views", "viewpolicies", "vippools", "qospolicies", "protectionpolicies", "quotas", "users",
                 "groups", "snapshots", "protectedpaths", "localproviders"):  # fmt: skip
        rows = by_hand(systems["vast"], "GET", f"/api/v5/{name}/")
        found["vast"][name] = [{key: row[key] for key in row if "url" not in key} for row in rows]
    for path in ("api/v1/namespaces", "api/v1/persistentvolumes", "apis/storage.k8s.io/v1/storageclasses",
                 "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"):  # fmt: skip
        found["kubernetes"][path] = by_hand(systems["kubernetes"], "GET", f"/{path}")["items"]
    for path, key in (("node-pools", "nodepools"), ("org-unit/departments", "departments"),
                      ("org-unit/projects", "projects"), ("asset/datasource", "entries"),
                      ("authorization/access-rules", "accessRules")):  # fmt: skip
        found["runai"][path] = by_hand(systems["runai"], "GET", f"/api/v1/{path}")[key]
    return found


# All facts, one after the other


@pytest.mark.slow
def test_the_simulators_agree_and_stay_as_they_were(
    served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world, named = served
    systems = connected(named)
    before = everything(systems)
    assert main([*FAST, "--record", str(tmp_path / "cassettes")], named) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    reasons = {key for key, one in probes().items() if one.because}
    assert [line.split()[0] for line in lines[:-1]] == list(facts())
    assert {line.split()[0] for line in lines if " not exercised " in line} == reasons
    assert lines[-1] == f"{len(facts()) - len(reasons)} agrees, 0 DIFFERS, {len(reasons)} not exercised, 0 ERROR"
    assert everything(connected(named)) == before
    recorded = {file.stem for file in (tmp_path / "cassettes").iterdir()}
    assert recorded == set(facts()) - reasons
    text = out + "".join(file.read_text() for file in (tmp_path / "cassettes").iterdir())
    assert [name for name in canaries(world) if name in text] == []
    assert world.endpoints()[0].url.removeprefix("https://") not in text


def canaries(world: World) -> list[str]:
    return [one.password for one in world.endpoints()]


@pytest.mark.slow
@pytest.mark.parametrize("version", by_force(["2.20", "2.22", "2.23"], "2.20"))
def test_older_control_planes_agree(version: str, tmp_path: Path) -> None:
    store, authority = Store(), Authority()
    options: dict[str, Any] = {
        "client_id": "ci",
        "client_secret": "a-secret",
        "clusters": {"old": StandaloneCluster(store)},
    }
    server = Server(RunaiPlane(store, version=version, **options), authority, threading.RLock()).start()
    ca = str(write_pem(authority, tmp_path / "ca.pem"))
    target = Runai(server.url, cluster="old", client_id="ci", client_secret="a-secret", storage_class="vast-nfs", ca=ca)
    target.connect()
    chosen = {key: one for key, one in probes().items() if one.system == "runai"}
    findings = run({"runai": target}, chosen, facts(), lambda _: None, limits=QUICK)
    target.close()
    server.stop()
    assert [str(one) for one in findings if one.verdict in (Verdict.DIFFERS, Verdict.ERROR)] == []
    assert sum(one.verdict is Verdict.AGREES for one in findings) > 45


SECRETIVE = ("--only", "VMS-002", "--only", "RAI-007", "--only", "K8S-002")


@pytest.mark.slow
def test_unscrubbed_cassettes_would_hold_the_canaries(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, named = served
    assert main([*FAST, *SECRETIVE, "--record", str(tmp_path / "clean")], named) == 0
    for name in ("text", "body", "headers"):
        monkeypatch.setattr(Scrubber, name, lambda self, value: value)
    assert main([*FAST, *SECRETIVE, "--record", str(tmp_path / "raw")], named) == 0
    texts = {name: "".join(one.read_text() for one in (tmp_path / name).iterdir()) for name in ("clean", "raw")}
    used = [one.password for one in world.endpoints() if one.site != FAR]
    assert all(canary in texts["raw"] for canary in used) and "eyJ" in texts["raw"]
    assert not any(canary in texts["clean"] for canary in canaries(world)) and "eyJ" not in texts["clean"]


def broken(step: Step) -> Step:
    """The step, expecting what does not come."""
    if "until" in step.options:
        return replace(step, options={**step.options, "until": {"$one_of": []}})
    if "has" in step.options:
        return replace(step, options={**step.options, "has": {"$not": step.options["has"]}})
    return replace(step, options={**step.options, "is": 299})


@pytest.mark.slow
@pytest.mark.parametrize("system", by_force(SYSTEMS, "kubernetes"))
def test_every_expectation_is_held_against_the_system(served: Served, system: str) -> None:
    systems = connected(served[1])
    named = {name: systems[name] for name in (system, *([PEER] if system == "vast" else []))}
    mutants: list[tuple[str, Probe]] = []
    for probe in probes().values():
        for index, step in enumerate(probe.steps):
            if probe.system == system and step.expects:
                steps = (*probe.steps[:index], broken(step), *probe.steps[index + 1 :])
                mutants.append((f"{probe.id} step {index}", replace(probe, steps=steps)))
    unnoticed = []
    for name, mutant in mutants:
        (finding,) = run(named, {mutant.id: mutant}, facts(), lambda _: None, limits=TransportLimits(3, 0.0))
        if finding.verdict is not Verdict.DIFFERS:
            unnoticed.append(f"{name}: {finding}")
    assert len(mutants) > 20 and unnoticed == []


# Altered simulators


def test_pools_that_are_kept_are_reported(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    world, named = served
    plane = runai_plane(world)
    plane._ctx = replace(plane._ctx, omitted_pools="keep")
    assert main([*FAST, "--only", "RAI-022", "--only", "RAI-021"], named) == 2
    agrees, differs, summary = capsys.readouterr().out.splitlines()
    assert agrees.startswith("RAI-021 agrees") and summary.startswith("1 agrees, 1 DIFFERS")
    assert differs.startswith("RAI-022 DIFFERS | PUT omitting pools | assumed: zeroed")
    assert "| seen: GET /api/v1/org-unit/departments/" in differs and "'limit': 3" in differs


@pytest.mark.slow
def test_a_server_that_demands_less_is_reported(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    world, named = served
    demand_less(world)
    systems = connected(named)
    before = everything(systems)
    assert main([*FAST, "--only", "VMS-024"], named) == 2
    line = capsys.readouterr().out.splitlines()[0]
    assert "-none" in line and "answered 201" in line and "not 400" in line
    assert everything(connected(named)) == before  # also what was made against expectation is gone


# Leaving nothing behind


@pytest.mark.slow
@pytest.mark.parametrize("nth", by_force([1, 4, 9], "4"))
@pytest.mark.parametrize("system", SYSTEMS)
def test_ctrl_c_between_a_request_and_its_answer(
    served: Served, system: str, nth: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    named = served[1]
    before = everything(connected(named))
    send, made = requests.Session.request, []

    def interrupted(self: requests.Session, method: str, url: str, **options: Any) -> requests.Response:
        answer = send(self, method, url, **options)
        if method == "POST" and answer.status_code == 201:
            made.append(url)
            if len(made) == nth:
                raise KeyboardInterrupt
        return answer

    monkeypatch.setattr(requests.Session, "request", interrupted)
    only = [word for key, one in probes().items() if one.system == system for word in ("--only", key)]
    assert main([*FAST, *only], named) == 1
    assert "interrupted; what was made is deleted" in capsys.readouterr().err
    monkeypatch.setattr(requests.Session, "request", send)
    assert len(made) == nth and everything(connected(named)) == before


def test_a_second_ctrl_c_waits_for_the_tidying_up() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs tests in the background ignores it
    try:
        with _undisturbed():
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def leave_something(systems: dict[str, Target]) -> list[str]:
    name = f"{PREFIX}old"
    by_hand(systems["vast"], "POST", "/api/v5/tenants/", {"name": name})
    by_hand(systems["kubernetes"], "POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    by_hand(systems["kubernetes"], "POST", "/api/v1/namespaces", {"metadata": {"name": f"runai-{name}"}})
    runai = systems["runai"]
    body = {"name": name, "clusterId": runai.known["cluster"], "resources": runai.known["quota"]}
    department = by_hand(runai, "POST", "/api/v1/org-unit/departments", body)
    by_hand(runai, "POST", "/api/v1/org-unit/projects", {**body, "parentId": department["id"]})
    return [f"vast: tenants {name}", f"kubernetes: namespaces {name}", f"kubernetes: namespaces runai-{name}",
            f"runai: projects {name}", f"runai: departments {name}"]  # fmt: skip


@pytest.mark.slow
def test_left_overs_stop_it_unless_they_may_be_cleaned(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    named = served[1]
    before = everything(connected(named))
    left = leave_something(connected(named))
    assert main([*FAST, "--only", "VMS-006"], named) == 1
    printed = capsys.readouterr()
    assert printed.out == "" and all(one in printed.err for one in left) and "--clean" in printed.err
    assert main([*FAST, "--only", "VMS-006", "--clean"], named) == 0
    assert everything(connected(named)) == before


@pytest.mark.slow
def test_what_cannot_be_deleted_is_an_error(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    world, named = served
    plane = world.sites["lab"].planes["vast"]
    answer = plane.handle

    def stubborn(request: Request) -> Response:
        return Response(400, {"detail": "no"}) if request.method == "DELETE" else answer(request)

    plane.handle = stubborn  # type: ignore[method-assign]
    assert main([*FAST, "--only", "VMS-010"], named) == 1
    assert f"vast: tenants {PREFIX}" in capsys.readouterr().err
    plane.handle = answer  # type: ignore[method-assign]
    assert main([*FAST, "--only", "VMS-010", "--clean"], named) == 0


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/api/v5/tenants/1/", {"max_views": 1}),
        ("DELETE", "/api/v5/tenants/1/", None),
        ("POST", "/api/v5/tenants/", {"name": "somebody"}),
        ("PATCH", "/api/v5/vms/1/", {"x": PREFIX}),
    ],
)
def test_what_is_not_ours_is_not_written(served: Served, method: str, path: str, body: Any) -> None:
    world, named = served
    target = connected(named)["vast"]
    server = world.sites["lab"].servers["vast"]
    server.calls.clear()
    with pytest.raises(Unsafe):
        target.send(method, path, body=body)
    assert server.writes() == []
