"""docs/import.md as somebody follows it: its commands in order, on a site where others have worked by hand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.conftest import Run
from tests.lab import Lab
from vastplan.cli.parser import parser
from vastplan.importing.model import LeftReason

PAGE = (Path(__file__).parents[2] / "docs" / "import.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, flags=re.M | re.S)
COMMANDS = [
    line[2:] for kind, text in FENCES if kind == "console" for line in text.splitlines() if line.startswith("$ ")
]
DOCUMENTS = {text.partition("\n")[0].removeprefix("# "): text for kind, text in FENCES if kind == "yaml"}
SITE = {"iad": ["vast", "kubernetes"]}


def furnish(lab: Lab) -> None:
    """What people made over the years, with clients of their own."""

    def vast(collection: str, **body: object) -> int:
        made = lab.by_hand("iad", "vast", "POST", f"/api/v5/{collection}/", body)
        return int(made["id"])

    tenant = vast("tenants", name="nlp")
    policy = vast("viewpolicies", name="nlp-policy", tenant_id=tenant, flavor="NFS", nfs_no_squash=["10.13.0.0/24"])
    vast("vippools", name="nlp-pool", tenant_id=tenant, subnet_cidr=24, ip_ranges=[["10.40.1.10", "10.40.1.25"]])
    for name in ("data", "home"):
        vast("views", path=f"/nlp/{name}", tenant_id=tenant, policy_id=policy, protocols=["NFS"], create_dir=True)
        vast("quotas", name=f"nlp-{name}", path=f"/nlp/{name}", tenant_id=tenant, hard_limit=50 * 2**40)
    for name in ("vast-csi", "monitoring"):
        lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    secret = {"metadata": {"name": "vast-mgmt"}, "stringData": {"password": "canary"}}
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/vast-csi/secrets", secret)
    start = "csi.storage.k8s.io/"
    pairs = {
        f"{start}{purpose}-secret-{part}": value
        for purpose in ("provisioner", "controller-publish", "node-publish", "controller-expand")
        for part, value in (("name", "vast-mgmt"), ("namespace", "vast-csi"))
    }
    parameters = {"root_export": "/nlp/k8s", "view_policy": "nlp-policy", "vip_pool_name": "nlp-pool", **pairs}
    storage_class = {"metadata": {"name": "nlp-fast"}, "provisioner": "csi.vastdata.com", "parameters": parameters}
    lab.by_hand("iad", "kubernetes", "POST", "/apis/storage.k8s.io/v1/storageclasses", storage_class)
    claim = {
        "metadata": {"name": "prom"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "nlp-fast",
            "resources": {"requests": {"storage": "1Ti"}},
        },
    }
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/monitoring/persistentvolumeclaims", claim)


@pytest.mark.slow
def test_the_page_is_followed_from_the_first_command_to_the_last(tmp_path: Path, vastplan: Run) -> None:
    storage = tmp_path / "storage"
    storage.mkdir()
    with Lab(storage, SITE) as lab:
        lab.write({})
        furnish(lab)
        (storage / "lab.yaml").unlink()
        (tmp_path / "storage" / "factory.yaml").write_text(DOCUMENTS["storage/factory.yaml"])
        connections = yaml.safe_load(DOCUMENTS["connections.yaml"])
        assert set(connections["sites"]["iad"]) == {"vast", "kubernetes", "runai"}
        simulated = {"version": 1, "sites": {"iad": {"sim": {"systems": SITE["iad"]}}}}
        (tmp_path / "connections.yaml").write_text(yaml.safe_dump(simulated))
        lab.clear_calls()
        outputs = []
        for command in COMMANDS:
            ran = vastplan(*shlex.split(command)[1:])
            assert ran.code == 0, (command, ran)
            assert "canary" not in ran.out + ran.err
            outputs.append(ran.out)
            if command.startswith("vastplan plan"):
                assert [call for call in lab.calls() if "/token" not in call.path] == [], "nothing but reads until here"
        assert [command.split()[1] for command in COMMANDS] == ["import", "import", "plan", "apply", "drift", "import"]
        looked, wrote, planned, applied, drifted, again = outputs
        assert looked.startswith(("# shared.yaml", "# tenant-nlp.yaml"))
        assert "wrote storage/tenant-nlp.yaml: " in wrote and "changes no field" in wrote
        assert "Next: vastplan apply storage --connections connections.yaml --adopt" in wrote
        assert "# claims: monitoring 1" in (storage / "tenant-nlp.yaml").read_text()
        assert " to adopt" in planned and "to update" not in planned and "done." in applied
        assert "Nothing changed outside vastplan." in drifted
        assert "Nothing new: no file was written." in again


def test_the_page_tells_of_every_reason_and_of_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    codes = set(re.findall(r"^\| `([A-Z]+)` \|", PAGE, flags=re.M))
    assert codes == {reason.value for reason in LeftReason} - {"MANAGED"}
    with pytest.raises(SystemExit):
        parser("import", as_json=False).parse_args(["import", "-h"])
    flags = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    elsewhere = {"-h", "--help", "--connections", "--site", "--snapshot", "--layout", "--detailed-exitcode", "--format"}
    told = set(re.findall(r"`(--[a-z-]+)", PAGE))
    assert flags - told - elsewhere == set()
    assert told - flags == set(), "the page tells of options that there are not"
