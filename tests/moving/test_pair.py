"""The pair of a volume on two sites, whichever of them the document calls active, and from whichever it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kinds.test_two_sites import document
from tests.kinds.two_sites import BOTH, on_two_sites
from tests.lab import Lab
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.operations.plan.pair import other_of, pair_of


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with on_two_sites(tmp_path) as one:
        yield one


@pytest.mark.parametrize("active", BOTH)
def test_it_is_found_from_both_sites_and_goes_both_ways(lab: Lab, active: str) -> None:
    lab.write(document(active=active, per_site={"pdx": {"path": "/a/w"}}))
    entries, *_ = lab.workspace().entries()
    (other,) = {*BOTH} - {active}
    for address in (Address(site, kind, "v") for site in BOTH for kind in ("volume", "view", "protected_path")):
        there, back = (pair_of(entries, address, site) for site in (other, active))
        assert (there.source, there.target) == (back.target, back.source) == (active, other)
        assert there.path == back.path == Address(active, "protected_path", "v")
        directories = {"iad": "/a/v", "pdx": "/a/w"}
        assert (there.source_directory, there.target_directory) == (directories[active], directories[other])
        assert there.covers == back.covers and {f"{site}/view/v" for site in BOTH} <= set(there.covers)
        assert [(str(here.address), str(far and far.address)) for here, far in back.work] == [
            (f"{other}/persistent_volume_claim/v", f"{active}/persistent_volume_claim/v")
        ]
        assert other_of(entries, address, active) == other
    with pytest.raises(VastplanError, match="is on iad and pdx, not on mars"):
        other_of(entries, Address("iad", "volume", "v"), "mars")


@pytest.mark.parametrize("active", BOTH)
def test_one_of_global_access_says_whose_the_data_is(lab: Lab, active: str) -> None:
    (other,) = {*BOTH} - {active}
    shared = {"at": [other], "lease": "5m"}
    lab.write(document(active=active, replicate=None, global_access=shared, access={other: "read"}))
    entries, *_ = lab.workspace().entries()
    for address in (Address(site, kind, "v") for site in BOTH for kind in ("volume", "view", "protected_path")):
        there, back = (pair_of(entries, address, site) for site in (other, active))
        assert (there.source, there.target, back.source, back.target) == (active, other, other, active)
        assert (
            (there.origin, there.lease, there.volume) == (back.origin, back.lease, back.volume) == (active, 300.0, "v")
        )
        assert (there.reads, back.reads) == (True, False)
        assert there.path == back.path == Address(active, "protected_path", "v")
    lab.write(document(active=active))
    assert pair_of(lab.workspace().entries()[0], Address("iad", "volume", "v"), other).origin == ""
