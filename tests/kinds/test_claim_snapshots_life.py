"""Claims and snapshots on two sites over a year of edits: what is made, grown, guarded, gone by hand, moved, and removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.kinds.test_claim_snapshots import (
    FIRST,
    SNAPSHOTS,
    blocks,
    bound,
    claim,
    copied,
    document,
    made_of,
    remove,
    rows,
    second,
    secret,
    snapshots,
)
from tests.kinds.test_clones import CLASS, told, verbs
from tests.lab import Lab
from vastplan.model.plan import Verb

SITES = ("iad", "pdx")
MADE = {"nightly": {"volume": "first"}}
ALL: dict[str, Any] = {"second": second("nightly"), "third": second("latest", project="a2")}
OBJECTS = (
    "claim_snapshot/nightly", "persistent_volume_claim/second", "persistent_volume_claim/third", "snapshot_content/a2-third",
    "bound_snapshot/third",
)  # fmt: skip


def written(lab: Lab, kept: dict[str, Any] | None = MADE, **volumes: Any) -> None:
    """The document of the tests beside, with a class whose volumes grow; what is `None` is not in it."""
    sections = document(kept, **volumes)
    sections["volumes"] = {name: said for name, said in sections["volumes"].items() if said is not None}
    sections["tenants"]["a"]["storage_classes"] = {"fast": {**CLASS, "allow_volume_expansion": True}}
    lab.write(sections)


def test_a_year_of_edits(tmp_path: Path) -> None:
    with Lab(tmp_path, {site: ["vast", "kubernetes", "runai"] for site in SITES}) as lab:
        secret(tmp_path)
        written(lab, None)
        lab.converge()

        # a snapshot and two clones, on both sites; then nothing is left to do
        written(lab, **ALL)
        assert verbs(lab.converge()) == {f"{site}/{one}": Verb.CREATE for site in SITES for one in OBJECTS}
        assert lab.plan().actions == ()
        for site in SITES:
            assert claim(lab, "second", site)["spec"]["dataSource"] == made_of("nightly")
            assert claim(lab, "third", site)["spec"]["dataSource"] == made_of("third-of-first-latest")
            assert snapshots(lab, site) == ["runai-a/nightly", "runai-a2/third-of-first-latest"]
        assert bound(lab) and bound(lab, "third")

        # the source grows, and the clones stay as they were made
        grown = {**FIRST, "size": "2 TiB"}
        written(lab, first=grown, **ALL)
        assert verbs(lab.converge()) == {f"{site}/persistent_volume_claim/first": Verb.UPDATE for site in SITES}
        assert lab.plan().actions == ()

        # nothing takes the source or the snapshot away unasked
        written(lab, None, first=None, second={**FIRST}, third={**FIRST, "project": "a2"})
        held = blocks(lab.plan())
        for site in SITES:
            assert held[f"{site}/claim_snapshot/nightly"]["in-use"] == (
                "claims created from it: 1; copies of it for other projects: 1"
            )
            # nightly goes by the same plan, and before the claim: it would not stay behind
            assert set(held[f"{site}/persistent_volume_claim/first"]) == {"waits"}  # it is empty
        assert snapshots(lab, "pdx") == ["runai-a/nightly", "runai-a2/third-of-first-latest"]

        # somebody deletes a snapshot on one site and a clone on the other
        written(lab, first=grown, **ALL)
        copied(lab)
        remove(lab, "/api/v1/namespaces/runai-a2/persistentvolumeclaims/third")
        lab.by_hand(
            "pdx", "kubernetes", "DELETE", f"{SNAPSHOTS}/namespaces/runai-a2/volumesnapshots/third-of-first-latest"
        )
        while "runai-a2/third-of-first-latest" in [
            f"{row['metadata']['namespace']}/{row['metadata']['name']}" for row in rows(lab, "volumesnapshots", "pdx")
        ]:
            pass
        plan = lab.plan()
        assert verbs(plan) == {"iad/persistent_volume_claim/third": Verb.CREATE}
        assert "it is created once and never recreated" in told(plan, "VP349")
        lab.converge()
        assert claim(lab, "third")["spec"]["dataSource"] == made_of("third-of-first-latest")
        assert lab.plan().actions == ()

        # a clone does not move to another project
        written(lab, first=grown, **{**ALL, "second": second("nightly", project="a2")})
        plan = lab.plan()
        assert "cannot be changed afterwards" in told(plan, "VP350")
        assert not any(str(one.address).endswith("persistent_volume_claim/second") for one in plan.actions)

        # all of it goes, in order, and nothing of it stays
        written(lab, None, first=grown)
        copied(lab)
        going = [str(action.address) for action in lab.plan().actions]
        lab.converge(lab.consent_to_loss(*going))
        for site in SITES:
            assert rows(lab, "volumesnapshots", site) == rows(lab, "volumesnapshotcontents", site) == []
            assert [one["metadata"]["name"] for one in lab.rows(site, "persistent_volume_claim")] == ["first"]
        assert lab.plan().actions == ()
