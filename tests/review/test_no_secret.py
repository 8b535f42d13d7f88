"""A canary in every place where a secret can be when a snapshot is taken, and a search of the file for each."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.trust.test_secrets import BY_HAND, FROM_ENV, FROM_FILE, Outside
from tests.trust.test_secrets import outside as outside
from vastplan.app.files import snapshot as snapshot_file
from vastplan.model.site_ledger import REDACTED_DIGEST, keyed_digest

SECRET = "/api/v1/namespaces/vast-csi/secrets/vast-mgmt"
MERGE = {"Content-Type": "application/merge-patch+json"}
LAST = "kubectl.kubernetes.io/last-applied-configuration"


def forms(canary: str) -> Iterator[str]:
    yield canary
    yield base64.b64encode(canary.encode()).decode()
    yield json.dumps(canary)[1:-1]
    yield hashlib.sha256(canary.encode()).hexdigest()


@pytest.fixture
def file(outside: Outside, vastplan: Run) -> Path:
    """A snapshot of a cluster where every place holds a canary."""
    assert vastplan(*outside.words("apply", "--auto-approve")).code == 0
    by_hand = base64.b64encode(BY_HAND.encode()).decode()
    change = {
        "data": {"stolen": by_hand},
        "metadata": {"annotations": {LAST: json.dumps({"data": {"stolen": by_hand}}), "note": BY_HAND},
                     "labels": {"note": "canary-label"}},
    }  # fmt: skip
    outside.lab.by_hand("iad", "kubernetes", "PATCH", SECRET, change, **MERGE)
    strangers = {"metadata": {"name": "theirs", "namespace": "vast-csi"}, "data": {"x": by_hand}}
    outside.lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/vast-csi/secrets", strangers)
    namespace = {"metadata": {"name": "n", "annotations": {"deploy-token": BY_HAND}}}
    outside.lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces", namespace)
    legacy = {
        "metadata": {"name": "old"},
        "provisioner": "kubernetes.io/glusterfs",
        "parameters": {"restuserkey": BY_HAND},
    }
    outside.lab.by_hand("iad", "kubernetes", "POST", "/apis/storage.k8s.io/v1/storageclasses", legacy)
    found = outside.folder / "snapshot.json"
    assert outside.all_in_order(vastplan(*outside.words("record", "--out", found))).code == 0
    return found


@pytest.mark.slow
def test_no_canary_is_in_the_snapshot(outside: Outside, file: Path) -> None:
    text = file.read_text()
    assert "theirs" in text and '"old"' in text, "it looked at nothing"
    for canary in (*outside.canaries, "canary-label"):
        for form in forms(canary):
            assert form not in text, form


def test_no_digest_of_a_secret_either_since_the_key_is_there(outside: Outside, file: Path) -> None:
    """Who has the file can try every value of a small secret against a digest: there must be none."""
    (site,) = snapshot_file.load(file).sites
    owned = site.ledger.entries["iad/secret/vast-mgmt"].fields
    hidden = {path for path in owned if path.startswith("data.")}
    assert hidden >= {"data.password", "data.token", "data.endpoint"} and {owned[path] for path in hidden} == {
        REDACTED_DIGEST
    }
    text = file.read_text()
    for value in (FROM_ENV, FROM_FILE, BY_HAND, "vms.example.com"):
        assert keyed_digest(site.ledger.key, value) not in text
    assert site.ledger.entries["iad/tenant/a"].fields["max_views"] == keyed_digest(
        site.ledger.key, 3
    )  # causes need these
    assert site.ledger.plans == ()


@pytest.mark.slow
def test_a_change_can_be_planned_without_any_of_them(
    outside: Outside, file: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the connections file, not the environment, not the file of the secret: the document has no address at all."""
    addresses = outside.connections.read_text()
    outside.connections.unlink()
    (outside.folder / "word").unlink()
    for name in ("SECRET_CANARY", "RUNAI_CANARY"):
        monkeypatch.delenv(name)
    outside.document.write_text(outside.document.read_text().replace("max_views: 3", "max_views: 4"))
    ran = outside.all_in_order(vastplan("plan", outside.document, "--snapshot", file))
    assert ran.code == 0 and "max_views  3 → 4  [document changed]" in ran.out, ran
    assert "VP330: iad/secret/vast-mgmt: data.endpoint, data.password, data.token: not in the snapshot" in ran.out, ran
    # what holds secrets is neither changed nor in sync: four Secrets and two credentials
    assert "1 to update. 8 objects in sync." in ran.out, ran
    outside.connections.write_text(addresses)  # with it, addresses are compared, and still nothing is resolved
    same = outside.all_in_order(
        vastplan("plan", outside.document, "--snapshot", file, "--connections", outside.connections)
    )
    assert (same.code, same.out) == (0, ran.out), same
