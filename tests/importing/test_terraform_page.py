"""docs/terraform.md is true: what it shows is what is printed, and its steps end as it says."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.conftest import Run
from tests.importing.terraform_world import HEAD, SITES, Configuration
from tests.lab import Lab

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "terraform.md").read_text(encoding="utf-8")


def _fenced(first: str) -> str:
    """What stands in the block of the page whose first line is this, without it."""
    (found,) = re.findall(rf"^```[a-z]*\n{re.escape(first)}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    return str(found)


def _shown(command: str) -> str:
    """What the page says that a command prints at its end."""
    return _fenced(command).removeprefix("…\n")


def _made(lab: Lab) -> Configuration:
    """What the page's configuration makes."""
    made = Configuration(lab, "iad", 2)
    tenant = made.vast("vastdata_tenant.nlp", "tenants", {"name": "nlp"})
    policy = made.vast(
        "vastdata_view_policy.nlp", "viewpolicies", {"name": "nlp", "flavor": "NFS", "tenant_id": tenant}
    )
    view = {"tenant_id": tenant, "policy_id": policy, "protocols": ["NFS"], "create_dir": True}
    needs = ["vastdata_tenant.nlp", "vastdata_view_policy.nlp"]
    made.vast("vastdata_view.scratch", "views", {"path": "/nlp/scratch-2023", **view}, depends=needs)
    for user in ("ana", "ben"):
        path = f"/nlp/home/{user}"
        home = {"path": path, **view}
        made.vast("vastdata_view.home", "views", home, module=f'module.user["{user}"]', depends=needs)
        quota = {"name": f"nlp-{user}", "path": path, "hard_limit": 2**40, "tenant_id": tenant}
        made.vast(
            "vastdata_quota.home", "quotas", quota, module=f'module.user["{user}"]',
            depends=["module.user.vastdata_view.home", *needs],
        )  # fmt: skip
    made.other("vastdata_block_host.gpu", ["vastdata_tenant.nlp"])
    return made


def test_what_it_shows_is_what_happens(vastplan: Run, tmp_path: Path) -> None:
    head = {**HEAD, "name": "research", "sites": {"iad": HEAD["sites"]["iad"]}}
    (tmp_path / "research.yaml").write_text(yaml.safe_dump(head))
    with Lab(tmp_path, {"iad": SITES["iad"]}) as lab:
        (tmp_path / "nlp.tfstate").write_bytes(_made(lab).state())
        lab.clear_calls()
        ran = vastplan("import", ".", "--terraform", "iad=nlp.tfstate")
        assert ran.out[ran.out.index("Terraform, ") :] == _shown("$ vastplan import . --terraform iad=nlp.tfstate")
        assert (tmp_path / "tenant-nlp.yaml").read_text().split("\n", 1)[1] == _fenced("# tenant-nlp.yaml")
        assert vastplan("apply", ".", "--adopt", "--auto-approve").code == 0
        assert lab.calls() == []
        assert vastplan("plan", ".").out.endswith(_shown("$ vastplan plan ."))
