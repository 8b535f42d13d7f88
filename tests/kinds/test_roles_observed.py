"""Roles are observed: what plan, drift, show and metrics tell of a volume on two sites, and what an apply does, in each state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.kinds.test_two_sites import document, lead, made, roles
from tests.kinds.two_sites import BOTH, on_two_sites
from tests.lab import EVERYTHING, Lab
from vastplan.app.drifting.derivation import drifted
from vastplan.app.files import plan as plan_file
from vastplan.app.planning.check import refuse_wrong
from vastplan.app.show import describe
from vastplan.model.address import Address
from vastplan.model.outcome import State
from vastplan.model.plan import Verb
from vastplan.model.replication import ReplicationState
from vastplan.report import drift as drift_report
from vastplan.report import drift_html, drift_markdown, html, json_report, markdown, prometheus
from vastplan.report.text import Style, plan_text

PATH = "iad/protected_path/v"
QUOTAS = {f"{site}/quota/v" for site in BOTH}
PLAIN = Style(colour=False, width=300)


def _initial(lab: Lab) -> None:
    """The first copy takes longer than we wait: its link is slow."""
    lab.write(document(sites=["iad"], replicate=None, active=None))
    lab.converge()
    _write(lab, 10**6)
    lab.world.link("iad", "pdx", bandwidth=10)
    lab.write(document())
    lab.converge()


def _write(lab: Lab, size: int) -> None:
    (tenant,) = [row["id"] for row in lab.rows("iad", "tenant") if row["name"] == "a"]
    lab.world.vast("iad").write("/a/v", size, "step-1", tenant_id=tenant)


def _behind(lab: Lab) -> None:
    made(lab)
    lab.world.link("iad", "pdx", bandwidth=1)
    _write(lab, 10**7)
    lab.world.pass_time(3600)


def _link_down(lab: Lab) -> None:
    made(lab)
    lab.world.link("iad", "pdx", up=False)
    lab.world.pass_time(60)


def _changing(lab: Lab) -> None:
    made(lab)
    lead(lab, "pdx")


def _moved(lab: Lab) -> None:
    _changing(lab)
    lab.world.pass_time(60)


def _split(lab: Lab) -> None:
    made(lab)
    lead(lab, "pdx", graceful=False)
    lab.world.pass_time(60)


def _failed_over(lab: Lab) -> None:
    _split(lab)
    (row,) = lab.rows("pdx", "protected_path")
    lab.by_hand("pdx", "vast", "PATCH", f"/api/v5/protectedpaths/{row['id']}/force_failover")
    lab.world.pass_time(60)


def _deleted_on_peer(lab: Lab) -> None:
    _split(lab)
    (row,) = lab.rows("pdx", "protected_path")
    lab.by_hand("pdx", "vast", "DELETE", f"/api/v5/protectedpaths/{row['id']}/")
    while lab.rows("pdx", "protected_path"):
        lab.world.pass_time(10)


def _source_away(lab: Lab) -> None:
    made(lab)
    lab.world.sites["iad"].servers["vast"].stop()


@dataclass(frozen=True)
class Row:
    """How a state comes to be; how it is told; what a plan of a larger volume holds back, by which guards; and what an apply of
    that writes."""

    arrange: Callable[[Lab], None]
    state: ReplicationState
    says: str
    unknown: bool = False
    blocked: dict[str, set[str]] = field(default_factory=dict)
    written: set[str] = field(default_factory=lambda: set(QUOTAS))
    findings: set[str] = field(default_factory=set)
    roles: tuple[str, ...] = ("SOURCE", "DESTINATION")


STATES = ReplicationState
LARGER = QUOTAS | {f"{site}/persistent_volume/a-v" for site in BOTH}
BUSY = {address: {"busy"} for address in LARGER}
SPLIT = {address: {"split"} for address in LARGER}
TABLE = {
    "in order": Row(made, STATES.IN_ORDER, "in order\n"),
    "initial sync": Row(_initial, STATES.BUSY, "busy: nothing has arrived yet: iad says SOURCE, Initial Sync"),
    "behind": Row(_behind, STATES.BEHIND, "behind: ", findings={"REP-17"}),
    "link down": Row(_link_down, STATES.STOPPED, "not replicating: ", findings={"REP-06"}),
    "changing": Row(
        _changing, STATES.BUSY, "busy: iad says GRACEFULLY_BECOMING_DESTINATION", unknown=True, blocked=BUSY, written=set(),
        roles=("GRACEFULLY_BECOMING_DESTINATION", "GRACEFULLY_BECOMING_SOURCE"),
    ),
    "moved by somebody": Row(
        _moved, STATES.MOVED, "moved: its source is on pdx, and the document says iad: it was moved outside vastplan", findings={"VP345"},
        roles=("DESTINATION", "SOURCE"),
    ),
    "split": Row(
        _split, STATES.SPLIT, "split: split: more than one site writes", blocked=SPLIT, written=set(), findings={"VP347"},
        roles=("STANDALONE", "STANDALONE"),
    ),
    "failed over": Row(
        _failed_over, STATES.FAILED_OVER, "failed over: iad was detached", blocked={address: {"split"} for address in LARGER if address.startswith("iad")},
        written={"pdx/quota/v"}, findings={"VP345"}, roles=("STANDALONE", "SOURCE"),
    ),
    "deleted on peer": Row(
        _deleted_on_peer, STATES.COPY_GONE, "recreating it sends all data again", findings={"VP348"},
        blocked={PATH: {"approval", "in-the-way", "orphans"}}, roles=("STANDALONE",),
    ),
    "the source does not answer": Row(
        _source_away, STATES.UNKNOWN, " would lose what was written since ", unknown=True,
        written={"pdx/quota/v"},
    ),
}  # fmt: skip


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with on_two_sites(tmp_path) as one:
        yield one


@pytest.mark.slow
@pytest.mark.parametrize("title", TABLE)
def test_each_row_as_told_as_planned_and_as_applied(title: str, lab: Lab) -> None:
    case = TABLE[title]
    case.arrange(lab)
    lab.clear_calls()
    planned = lab.planned()
    (told,) = planned.plan.replications
    assert (told.address, told.state, told.active) == (PATH, case.state, "iad")
    assert {one.code for one in planned.plan.findings if one.address and one.code[:3] in ("VP3", "REP")} - {
        "REP-06"
    } == case.findings - {"REP-06"}
    assert case.findings <= {one.code for one in planned.plan.findings}
    assert bool(planned.plan.unknown) == case.unknown
    assert {str(one.address) for one in planned.plan.actions} <= {PATH}  # nothing of the volume shows as gone
    drift = drifted(planned, lab.workspace())
    for text in (
        plan_text(planned.plan, PLAIN), markdown.plan_comment(planned.plan, []), html.plan_page(planned.plan),
        drift_report.drift_text(drift, PLAIN), drift_markdown.drift_comment(drift), drift_html.drift_page(drift),
    ):  # fmt: skip
        assert case.says.strip().split(": ")[0] in text
    assert case.says in plan_text(planned.plan, PLAIN) and case.says in drift_report.drift_text(drift, PLAIN)
    assert f'"state":"{case.state.value}"' in plan_file.dumps(planned.plan).replace('": "', '":"')
    label = f'kind="protected_path",site="iad",state="{case.state.value}"'
    for metrics in (prometheus.plan_figures(planned.plan), prometheus.drift_figures(drift)):
        assert f'{{document="lab",{label}}} 1\n' in metrics
        assert metrics.count("vastplan_replications{") == len(ReplicationState)
    refuse_wrong(planned.plan)  # the rest of the document goes on
    lab.write(document(size="20 TiB"))
    plan = lab.plan(replace(EVERYTHING, adopt=False))
    assert {
        str(one.address): {block.guard for block in one.blocked} for one in plan.actions if one.blocked
    } == case.blocked
    assert not [one for one in plan.actions if one.verb in (Verb.CREATE, Verb.DELETE)]
    receipt = lab.apply(plan)
    done = {str(one.address) for one in receipt.outcomes if one.state is State.DONE}
    assert {one for one in done if "/quota/" in one} == case.written
    assert not [call for call in lab.calls() if "protectedpaths" in call.path]
    if not case.unknown or case.state is STATES.BUSY:
        assert tuple(roles(lab)) == case.roles


def test_show_tells_it_of_the_path_and_of_the_volume(lab: Lab) -> None:
    made(lab)
    for address in (PATH, "iad/volume/v"):
        described = describe(lab.workspace(), Address.parse(address))
        assert "on two sites: in order; iad: SOURCE, Active, HEALTHY" in drift_report.object_text(described, PLAIN)
        assert json_report.report_data(json_report.object_report(described))["replications"][0]["state"] == "in order"
    assert "two sites" not in drift_report.object_text(describe(lab.workspace(), Address.parse("iad/quota/v")), PLAIN)
