"""The reading of a plan: what comes first, what the one line says, and who is behind a change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.report.reading import FORMATS, plan
from vastplan.model.address import Address
from vastplan.model.plan import Action, Block, Evidence, Node, Plan, UserGroup, Verb
from vastplan.report.graph import Graph, graphs
from vastplan.report.picture import MOST_BANDS, MOST_BOXES, fitting, picture, steps
from vastplan.report.review import Risk, Topology, by_risk, review_line


def graph(drawn: Plan, site: str) -> Graph:
    return graphs(drawn, [site])[0]


def _lines(drawn: Graph) -> set[tuple[str, str, str]]:
    return {(line.left.split("/", 1)[1], line.right.split("/", 1)[1], line.state) for line in drawn.lines}


def _action(planned: Plan, address: str) -> Action:
    return next(action for action in planned.actions if str(action.address) == address)


def test_the_worst_comes_first() -> None:
    assert [(risk, str(action.address)) for risk, action in by_risk(plan("typical"))] == [
        (Risk.DATA, "iad/persistent_volume_claim/data"),
        (Risk.REMOVAL, "iad/storage_class/team-b"),
        (Risk.REVERT, "iad/project/team-b"),
        (Risk.REVERT, "iad/view_policy/team-a"),  # both sides moved: somebody's change goes with it
        (Risk.UPDATE, "iad/qos_policy/team-a-checkpoints"),
        (Risk.ADOPT, "pdx/tenant/team-c"),
        (Risk.CREATE, "iad/view/team-b-datasets"),
        (Risk.RELEASE, "pdx/vip_pool/team-c"),
    ]
    assert {risk: str(action.address) for risk, action in by_risk(plan("blocked"))} == {
        Risk.DATA: "iad/persistent_volume_claim/data",
        Risk.REMOVAL: "iad/vip_pool/spare",
        Risk.BLOCKED: "iad/view/home",
    }


def test_an_object_that_is_gone_is_a_change_by_hand() -> None:
    planned = plan("unknown")
    gone = replace(planned.actions[0], deleted_outside=True, changes=())
    assert [risk for risk, _ in by_risk(replace(planned, actions=(gone,)))] == [Risk.REVERT]


def test_the_verdict_says_it_in_one_line() -> None:
    assert review_line(plan("empty")) == "Nothing to change, 104 objects in sync."
    assert (
        review_line(plan("unknown")) == "1 change can be applied, nothing is deleted, 2 collections could not be read."
    )
    assert review_line(plan("typical")) == (
        "2 changes need approval, 6 changes can be applied, 1 to delete (1 holds data), 1 to replace."
    )
    assert review_line(plan("blocked")) == "1 error in the document: nothing can be applied."
    assert review_line(replace(plan("blocked"), findings=())) == (
        "2 changes need approval, 2 are blocked, 2 to delete (1 holds data)."
    )


def _lost(name: str, used: object, *, holds: bool, users: tuple[UserGroup, ...] = (), guards: str = "") -> Action:
    """A delete of a view that says how much it holds."""
    return Action(
        Address("iad", "view", name), Verb.DELETE, "no longer in the document", id="1", holds_data=holds, users=users,
        evidence=(Evidence("used", used, "bytes"), Evidence("snapshots", 2)),
        blocked=tuple(Block(guard, "because") for guard in guards.split()),
    )  # fmt: skip


def test_the_verdict_tells_data_from_what_may_be_data_and_from_nothing() -> None:
    actions = (
        _lost("full", 5, holds=True), _lost("unread", "unknown: timed out", holds=True), _lost("mounted", 0, holds=True),
        _lost("empty", 0, holds=False),
    )  # fmt: skip
    assert review_line(replace(plan("empty"), actions=actions)) == (
        "4 changes can be applied, 4 to delete (1 holds data, 2 may hold data)."
    )
    assert review_line(replace(plan("empty"), actions=actions[3:])) == "1 change can be applied, 1 to delete."
    assert [risk for risk, _ in by_risk(replace(plan("empty"), actions=actions))] == [Risk.DATA] * 3 + [Risk.REMOVAL]


def test_the_verdict_names_the_guard_where_one_blocks_all() -> None:
    both = (_lost("a", 5, holds=True, guards="in-use"), _lost("b", 5, holds=True, guards="in-use"))
    assert review_line(replace(plan("empty"), actions=both[:1])).startswith("1 is blocked: in use, 1 to delete")
    assert review_line(replace(plan("empty"), actions=both)).startswith("2 are blocked: in use, 2 to delete")
    other = (*both, _lost("c", 5, holds=True, guards="locked"))
    assert review_line(replace(plan("empty"), actions=other)).startswith("3 are blocked, 3 to delete")


@pytest.mark.parametrize(
    ("used", "line"),
    [
        (0, "used 0 B"),
        (60 * 10**12, "used 60 TB"),
        ("unknown: timed out", "used unknown: timed out"),
    ],
)
def test_every_format_says_how_much_is_lost_in_the_line_of_the_delete(used: object, line: str) -> None:
    planned = replace(plan("empty"), actions=(_lost("home", used, holds=True),))
    text = FORMATS["txt"](planned).replace("\x1b[31m", "").replace("\x1b[0m", "")
    assert f"  - view home — {line}  no longer in the document" in text and "seen: used" not in text
    comment = FORMATS["md"](planned)
    assert f"- delete <code>iad/view/home</code> — <code>{line}</code></summary>" in comment
    assert "Seen: used" not in comment
    assert f"<b>{line}</b>" in FORMATS["html"](planned).replace("\n", "")


PODS, KEYS = UserGroup("pods", ("p", "q"), kinds=("pod",)), UserGroup("S3 keys", ("k",), kinds=("s3_key",))


def test_who_uses_what_is_lost_is_counted_once_and_what_was_not_read_is_said() -> None:
    unread = UserGroup("jobs", unknown="timed out")
    one, other = _lost("a", 5, holds=True, users=(PODS, KEYS)), _lost("b", 5, holds=True, users=(KEYS, unread))
    planned = replace(plan("empty"), actions=(one, other))
    topology = Topology(planned)
    assert str(topology.affected(one)) == "2 pods, 1 S3 key"
    assert str(topology.affected(one, other)) == "2 pods, 1 S3 key; cannot determine jobs: timed out"
    assert "used by: 2 pods, 1 S3 key" in FORMATS["txt"](planned)
    sources = UserGroup("data sources", unknown="timed out")
    assert str(topology.affected(_lost("c", 5, holds=True, users=(unread, sources)))) == (
        "cannot determine jobs and data sources: timed out"
    )


def test_nobody_else_is_said_only_where_all_were_read_and_there_are_none() -> None:
    read = (UserGroup("pods"), UserGroup("jobs"))
    unread = (UserGroup("pods"), UserGroup("jobs", unknown="timed out"))
    for users, said, unsaid in (
        (read, "nobody else", "nothing else in the plan"),
        (unread, "cannot determine jobs: timed out", "nobody else"),
        ((), "nothing else in the plan", "nobody else"),
    ):
        page = FORMATS["html"](replace(plan("empty"), actions=(_lost("home", 5, holds=True, users=users),)))
        assert said in page and unsaid not in page, users


def test_who_is_behind_a_change_views_volumes_teams_and_their_gpus() -> None:
    planned = plan("typical")
    topology = Topology(planned)
    assert str(topology.affected(_action(planned, "iad/qos_policy/team-a-checkpoints"))) == (
        "1 persistent volume claim; 1 view; team team-a (64 GPUs, 48 GPUs allocated); 1 other object"
    )
    assert str(topology.affected(_action(planned, "pdx/tenant/team-c"))) == ""
    replaced = plan("replaced")
    assert str(Topology(replaced).affected(_action(replaced, "iad/view/team-b-home"))) == (
        "1 persistent volume claim; team team-b (32 GPUs, 24 GPUs allocated); 2 other objects"
    )
    # A plan of a version that had no topology says what it can.
    assert (
        str(Topology(replace(replaced, topology=())).affected(_action(replaced, "iad/view/team-b-home")))
        == "3 other objects"
    )


def test_a_picture_shows_the_way_from_tenant_to_project_and_no_short_cuts() -> None:
    drawn = graph(plan("typical"), "iad")
    assert [band.owner for band in drawn.bands] == ["iad/tenant/team-a", "iad/tenant/team-b", ""]
    lines = _lines(drawn)
    assert ("tenant/team-a", "vip_pool/team-a", "same") in lines
    assert ("view_policy/team-a", "view/team-a-checkpoints", "same") in lines
    # Over the persistent volume, which is not drawn.
    assert ("view/team-a-checkpoints", "persistent_volume_claim/checkpoints", "same") in lines
    assert ("persistent_volume_claim/checkpoints", "project/team-a", "same") in lines
    assert ("persistent_volume_claim/data", "project/team-a", "gone") in lines
    assert ("view_policy/team-b", "view/team-b-datasets", "new") in lines
    # The tenant is named by the view too, but that follows from its policy.
    assert not any(left == "tenant/team-a" and right.startswith("view/") for left, right, _ in lines)


def test_a_reference_that_is_let_go_is_a_line_that_goes() -> None:
    assert ("view_policy/old", "view/team-b-home", "gone") in _lines(graph(plan("replaced"), "iad"))


def test_a_reference_in_a_circle_ends() -> None:
    planned = plan("typical")
    first, *rest = planned.topology
    circle = replace(planned, topology=(replace(first, refers=(first.address, *first.refers)), *rest[::-1]))
    assert graph(circle, "iad").lines
    boxes = picture(graph(plan("hostile"), "iad")).boxes  # there, everything refers to the one before
    assert len(boxes) > 10


def test_boxes_do_not_overlap_and_what_found_no_room_is_counted() -> None:
    planned = plan("typical")
    view = next(node for node in planned.topology if node.address == "iad/view/team-a-checkpoints")
    views = tuple(replace(view, address=f"iad/view/v{number:02}") for number in range(30))
    update = replace(_action(planned, "iad/qos_policy/team-a-checkpoints"), verb=Verb.UPDATE)
    changed = replace(update, address=update.address.parse("iad/view/v29"))
    drawn = picture(graph(replace(planned, topology=(*planned.topology, *views), actions=(changed,)), "iad"))
    places = [(box.x, box.y) for box in drawn.boxes]
    assert len(places) == len(set(places))
    assert all(box.x < drawn.width and box.y < drawn.height for box in drawn.boxes)
    labels = [box.label for box in drawn.boxes]
    assert "v29" in labels  # what changes is shown before what does not
    (rest,) = [box for box in drawn.boxes if box.more]
    assert rest.more == 32 - MOST_BOXES and rest.under == "no changes"


def test_a_view_whose_quota_changes_is_marked_and_one_with_a_bucket_is_called_so() -> None:
    planned = plan("typical")
    view = next(node for node in planned.topology if node.address == "iad/view/team-a-checkpoints")
    quota = Node("iad/quota/limit", "vast", None, ("iad/tenant/team-a", view.address))
    update = replace(_action(planned, "iad/qos_policy/team-a-checkpoints"), verb=Verb.UPDATE)
    grows = replace(update, address=update.address.parse(quota.address))
    bucket = replace(view, address="iad/view/images", called="bucket")
    drawn = picture(graph(replace(planned, topology=(view, quota, bucket), actions=(grows,)), "iad"))
    boxes = {box.label: box for box in drawn.boxes}
    marked, other = boxes["team-a-checkpoints"], boxes["images"]
    assert (marked.sign, marked.verb, marked.title) == ("~", "update", "view team-a-checkpoints; quota limit update")
    assert (other.sign, other.title, other.under) == ("", "bucket images", "bucket")


def test_the_list_in_words_has_the_bands_that_are_drawn() -> None:
    planned = plan("typical")
    tenant = next(node for node in planned.topology if node.address == "iad/tenant/team-a")
    tenants = tuple(replace(tenant, address=f"iad/tenant/a{number:02}", refers=()) for number in range(30))
    shown = graph(replace(planned, topology=(*tenants, *planned.topology)), "iad")
    listed = {address for _, columns in steps(shown) for members in columns.values() for address in members}
    named = [band for band in shown.bands if not listed.isdisjoint(band.members())]
    assert len([band for band in named if band.owner]) == MOST_BANDS
    assert "iad/tenant/team-a" in listed  # what changes is listed before what does not
    assert "" in {band.owner for band in named}


def test_a_label_fits_its_box() -> None:
    assert fitting("short") == "short"
    assert fitting("a" * 23) == "a" * 21 + "…"
    assert fitting("中" * 12) == "中" * 10 + "…"
    assert fitting("é" + "\u0301" * 50) == "é"
