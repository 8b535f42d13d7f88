"""A link that is cut, a site that is lost and a control plane that is away are three things, and a client sees which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import vastpy

from vastplan.sim.runai import RunaiPlane
from vastplan.sim.vast.control import NoAnswer, TrainingJob
from vastplan.sim.world import World

GB = 10**9


class Sites:
    """Two sites, and VAST's own client for each; `path` is replicated from iad to pdx."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder, {"iad": ["vast", "kubernetes"], "pdx": ["vast"]}).start()
        self.iad, self.pdx = (self.client(site) for site in ("iad", "pdx"))
        for number, vms in enumerate((self.iad, self.pdx), 1):
            ranges = [[f"10.9.{number}.1", f"10.9.{number}.4"]]
            vms.vippools.post(name="repl", subnet_cidr=24, role="REPLICATION", ip_ranges=ranges)
        self.iad.views.post(path="/v", policy_id=1, create_dir=True, tenant_id=1)
        peer = self.iad.nativereplicationremotetargets.post(name="p", leading_vip="10.9.2.1", pool_id=1)
        while self.iad.nativereplicationremotetargets[peer["id"]].get()["state"] != "CONNECTED":
            pass
        frames = [{"every": "1h", "keep-local": "1d", "keep-remote": "7d"}]
        self.iad.protectionpolicies.post(
            name="p", prefix="p", clone_type="NATIVE_REPLICATION", target_object_id=1, frames=frames
        )
        self.path = self.iad.protectedpaths.post(
            name="path", source_dir="/v", target_exported_dir="/v", tenant_id=1, protection_policy_id="1",
            remote_tenant_name="default",
        )  # fmt: skip
        self.world.pass_time(20)

    def endpoint(self, site: str, system: str = "vast") -> Any:
        return next(one for one in self.world.endpoints() if (one.site, one.system) == (site, system))

    def client(self, site: str) -> Any:
        one = self.endpoint(site)
        return vastpy.VASTClient(
            user=one.username, password=one.password, address=one.url.removeprefix("https://"),
            cert_file=one.ca_file, cert_server_name="localhost",
        )  # fmt: skip

    def write(self, site: str, label: str, size: int = GB) -> None:
        with self.world.lock:
            self.world.vast(site).write("/v", size, label)

    def labels(self, site: str) -> list[str]:
        with self.world.lock:
            return self.world.vast(site).labels("/v")

    def answers(self, site: str, system: str = "vast") -> bool:
        one = self.endpoint(site, system)
        try:
            requests.get(one.url, verify=one.ca_file, timeout=0.5)
        except requests.ConnectionError:
            return False
        return True


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[Sites]:
    made = Sites(tmp_path)
    yield made
    made.world.stop()


def test_a_job_moves_with_the_vendors_own_client(sites: Sites) -> None:
    sites.write("iad", "step-1")
    sites.pdx.protectedpaths[1].patch(failover=True, graceful=True)
    while "BECOMING" in sites.pdx.protectedpaths[1].get()["role"]:
        sites.world.pass_time(5)
    assert [vms.protectedpaths[1].get()["role"] for vms in (sites.iad, sites.pdx)] == ["DESTINATION", "SOURCE"]
    assert sites.world.writers(sites.path["guid"]) == ["pdx"]
    assert sites.labels("pdx") == ["step-1"]


def test_a_link_that_is_cut(sites: Sites) -> None:
    sites.world.link("iad", "pdx", up=False, bandwidth=GB / 10)
    sites.world.pass_time(30)
    assert sites.answers("iad") and sites.answers("pdx") and sites.answers("iad", "kubernetes")
    sites.write("iad", "step-1")  # the case that hurts
    assert sites.iad.protectedpaths[1].get()["state"] == "Sync Failed"
    sites.world.link("iad", "pdx", up=True)
    sites.world.pass_time(3600 - 50 + 5 + 9)  # the first frame was due an hour after the first look, at 5 s
    assert sites.labels("pdx") == []
    sites.world.pass_time(1)
    assert sites.labels("pdx") == ["step-1"]


@pytest.mark.parametrize("silent", [False, True])
def test_a_site_that_is_lost_and_comes_back_where_it_was(sites: Sites, silent: bool) -> None:
    session = requests.Session()
    one = sites.endpoint("iad")
    session.verify, session.trust_env = one.ca_file, False
    assert session.get(one.url, timeout=5).status_code == 404  # a connection that is kept
    sites.world.lose("iad", power=True, silent=silent)
    for attempt in (session.get, requests.get):
        with pytest.raises((requests.ConnectionError, requests.Timeout)):
            attempt(one.url, verify=one.ca_file, timeout=0.5)
    if silent:
        with pytest.raises(requests.Timeout):
            requests.get(one.url, verify=one.ca_file, timeout=0.5)
    else:
        assert not sites.answers("iad", "kubernetes")
    with pytest.raises(NoAnswer):
        sites.write("iad", "step-1")
    sites.world.pass_time(30)
    assert sites.pdx.nativereplicationremotetargets[1].get()["state"] == "ERROR"
    assert sites.pdx.protectedpaths[1].get()["members_info"]["iad"]["role"] == "N/A"
    sites.world.lose("iad")  # is lost already
    sites.world.find("iad")
    sites.world.find("iad")
    assert sites.endpoint("iad") == one
    assert sites.iad.protectedpaths[1].get()["role"] == "SOURCE"
    sites.world.pass_time(30)
    assert sites.pdx.nativereplicationremotetargets[1].get()["state"] == "CONNECTED"


def test_a_site_that_is_cut_off_and_goes_on(sites: Sites) -> None:
    sites.world.lose("iad", links=True)
    sites.world.pass_time(30)
    sites.write("iad", "mine")
    sites.pdx.protectedpaths[1].patch(failover=True, graceful=False)
    sites.world.pass_time(10)
    sites.write("pdx", "yours")
    assert sites.world.writers(sites.path["guid"]) == ["iad", "pdx"]
    sites.world.find("iad")
    sites.world.pass_time(30)
    different = sites.world.vast("iad").divergence(sites.path["guid"])
    assert different.only == {"iad": ("mine",), "pdx": ("yours",)}
    with pytest.raises(KeyError):
        sites.world.vast("iad").divergence("nobody's")


def test_a_control_plane_alone_is_away(sites: Sites) -> None:
    sites.world.lose("iad", systems=["vast"])
    assert not sites.answers("iad") and sites.answers("iad", "kubernetes")
    sites.write("iad", "step-1")
    sites.world.pass_time(3601)
    assert sites.labels("pdx") == ["step-1"]


def test_a_lost_world_can_be_stopped(tmp_path: Path) -> None:
    world = World(tmp_path, {"iad": ["vast"]}).start()
    world.lose("iad")
    world.stop()
    World(tmp_path, {"iad": ["kubernetes"]}).start().stop()


def job(sites: Sites, site: str) -> Any:
    return sites.world.vast(site).job("train")


def test_a_job_writes_by_the_clock_and_resumes_from_what_is_complete_where_it_starts(sites: Sites) -> None:
    iad, pdx = sites.world.vast("iad"), sites.world.vast("pdx")
    iad.start_job("train", "/v", every=600, bytes=GB)
    with pytest.raises(ValueError, match="has a job train"):
        iad.start_job("train", "/v", every=600, bytes=GB)
    sites.world.pass_time(1900)
    assert sites.labels("iad") == ["step-100", "step-200", "step-300"] and job(sites, "iad").now == 316
    iad.stop_job("train")
    iad.stop_job("train")
    sites.world.pass_time(3600)
    assert job(sites, "iad") == TrainingJob("stopped", 300, 0, "", 300) and sites.labels("pdx") == sites.labels("iad")
    sites.write("iad", "notes")
    sites.pdx.protectedpaths[1].patch(failover=True, graceful=True)
    sites.world.pass_time(60)
    pdx.start_job("train", "/v", every=600, bytes=GB, steps=50)
    sites.world.pass_time(600)
    assert job(sites, "pdx") == TrainingJob("running", 350, 300, "", 350)
    iad.go_on_job("train")
    sites.world.pass_time(600)
    assert job(sites, "iad") == TrainingJob("failed", 300, 300, "/v takes no writes on iad", 300)
    pdx.go_on_job("train")  # runs already
    assert job(sites, "pdx").step == 400
    with pytest.raises(KeyError):
        iad.job("nobody's")


def test_jobs_of_a_lost_site_start_again_with_old_data_but_for_those_that_were_stopped(sites: Sites) -> None:
    iad = sites.world.vast("iad")
    iad.start_job("train", "/v", every=600, bytes=GB)
    iad.start_job("eval", "/w", every=600, bytes=GB)
    sites.world.pass_time(700)
    iad.stop_job("eval")
    sites.world.lose("iad", links=True, jobs="stop")
    sites.world.pass_time(1200)
    assert job(sites, "iad").state == "away" and sites.labels("iad") == ["step-100"]
    sites.world.find("iad")
    sites.world.pass_time(600)
    assert (job(sites, "iad"), iad.job("eval").state) == (TrainingJob("running", 200, 100, "", 200), "stopped")
    sites.world.lose("iad", power=True)
    with pytest.raises(NoAnswer):
        sites.labels("iad")
    iad.stop_job("train")
    iad.go_on_job("train")
    assert job(sites, "iad").state == "failed" and "no power" in job(sites, "iad").why


def test_jobs_go_on_at_a_site_that_is_only_cut_off(sites: Sites) -> None:
    sites.world.vast("iad").start_job("train", "/v", every=600, bytes=GB)
    sites.world.lose("iad", links=True)
    sites.world.pass_time(1300)
    assert sites.labels("iad") == ["step-100", "step-200"] and sites.labels("pdx") == []


def test_a_workload_that_is_suspended_stops_writing_once_it_has_stopped(tmp_path: Path) -> None:
    world = World(tmp_path, {"iad": ["vast", "runai"]}).start()
    runai, vast = world.sites["iad"].planes["runai"], world.vast("iad")
    assert isinstance(runai, RunaiPlane)
    server = world.sites["iad"].servers["runai"]
    one = next(each for each in world.endpoints() if each.system == "runai")

    def call(method: str, path: str, body: Any = None, **headers: str) -> Any:
        answer = requests.request(method, server.url + path, json=body, headers=headers, verify=one.ca_file, timeout=30)
        return answer.status_code, answer.json()

    login = {"grantType": "client_credentials", "clientID": one.username, "clientSecret": one.password}
    token = {"Authorization": f"Bearer {call('POST', '/api/v1/token', login)[1]['accessToken']}"}
    cluster = call("GET", "/api/v1/clusters", **token)[1][0]["uuid"]
    department = call("GET", "/api/v1/org-unit/departments", **token)[1]["departments"][0]["id"]
    pool = call("GET", "/api/v1/node-pools", **token)[1]["nodepools"][0]["id"]
    made = {
        "name": "p",
        "clusterId": cluster,
        "parentId": department,
        "resources": [{"nodePool": {"id": pool}, "gpu": {"deserved": 0}}],
    }
    project = call("POST", "/api/v1/org-unit/projects", made, **token)[1]["id"]
    while call("GET", f"/api/v1/org-unit/projects/{project}", **token)[1]["status"]["phase"] != "Ready":
        pass
    key, idle = runai.submit("p", "train", gpus=0), runai.submit("p", "idle", gpus=0)
    vast.start_job(key, "/v", every=600, bytes=GB)

    def phase(of: str = key) -> str:
        return str(call("GET", f"/api/v1/workloads/{of}", **token)[1]["phase"])

    def move(verb: str, of: str = key, kind: str = "trainings") -> int:
        status: int = call("POST", f"/api/v1/workloads/{kind}/{of}/{verb}", **token)[0]
        return status

    world.pass_time(600)
    assert move("suspend") == 202
    world.pass_time(600)
    assert vast.labels("/v") == ["step-100", "step-200"]  # no request since: it is still at work
    assert move("suspend") == 202 and phase() == "Stopped"
    world.pass_time(600)
    assert vast.labels("/v") == ["step-100", "step-200"]
    assert move("resume") == 202 and (phase(), phase()) == ("Resuming", "Running")
    world.pass_time(600)
    assert vast.job(key).resumed == 200 and vast.labels("/v")[-1] == "step-300"
    world.lose("iad", systems=[], power=True)
    vast.stop_job(key)
    vast.go_on_job(key)
    assert phase() == "Failed"
    world.find("iad")
    assert move("resume") == 202 and (phase(), phase()) == ("Resuming", "Running")
    assert move("suspend", kind="workspaces") == 404
    assert move("suspend", idle) == 202 and (phase(idle), phase(idle)) == ("Stopping", "Stopped")
    assert move("resume", idle) == 202 and (phase(idle), phase(idle)) == ("Resuming", "Running")
    world.stop()
