"""A bucket that is replicated synchronously, imported: what is left of it, and that what is said of that takes it over."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.histories.history import ran
from tests.kinds.test_synchronous_buckets import document, row
from tests.kinds.two_sites import on_two_sites, stands
from tests.lab import Lab


@pytest.fixture
def imported(tmp_path: Path) -> Any:
    """The lab with the bucket, and a folder with what an import wrote of it."""
    with on_two_sites(tmp_path) as lab:
        stands(lab, document(read=[], mount=None, secret=None))
        lab.world.publish()
        folder = tmp_path / "imported"
        shutil.copytree(tmp_path / ".vastplan" / "sim", folder / ".vastplan" / "sim")
        head = yaml.safe_load((tmp_path / "lab.yaml").read_text())
        (folder / "head.yaml").write_text(yaml.safe_dump({key: head[key] for key in ("version", "name", "sites")}))
        yield lab, folder


@pytest.mark.slow
def test_its_path_is_left_with_what_takes_it_over(imported: tuple[Lab, Path]) -> None:
    lab, folder = imported
    done = ran("import", folder)
    assert done.code == 0, done.err
    assert (
        "protected_path v (iad): SYNC_REPLICATION needs a peer, which VMS does not show: write synchronous_replication and active in "
        "the entry of its directory"
    ) in done.out
    file = folder / "tenant-a.yaml"
    written = yaml.safe_load(file.read_text())
    wait = {"disconnect_after": f"{row(lab)['sync_disconnect_time']}s"}
    written["tenants"]["a"]["buckets"]["v"] |= {"active": "iad", "synchronous_replication": wait}
    file.write_text(yaml.safe_dump(written))
    before = row(lab)["guid"]
    lab.clear_calls()
    done = ran("apply", folder, "--adopt", "--auto-approve")
    assert done.code == 0 and "On two sites: 1 object in order" in done.out, done
    assert lab.calls() == [] and row(lab)["guid"] == before
    assert "Plan: no changes." in ran("plan", folder).out
