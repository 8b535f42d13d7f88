"""Where null means everybody, nothing is set to null on the way to something else."""

from pathlib import Path

import pytest

from tests.lab import Lab
from vastplan.model.plan import Verb

POOL = {"tenant": "team-a", "subnet_cidr": 24, "ip_ranges": ["10.0.0.1"], "enable_l3": False}
TENANTS = {"team-a": {"encryption_group": "one"}}


def test_a_policy_does_not_lose_its_last_pool_while_that_is_replaced(tmp_path: Path) -> None:
    policy = {"tenant": "team-a", "vip_pools": ["a"]}
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": TENANTS, "vip_pools": {"a": POOL}, "view_policies": {"p": policy}})
        lab.converge()
        lab.write({"tenants": TENANTS, "vip_pools": {"a": {**POOL, "enable_l3": True}}, "view_policies": {"p": policy}})
        plan = lab.plan()
        (action,) = plan.actions
        assert action.verb is Verb.REPLACE
        assert any("iad/view_policy/p" in block.message for block in action.blocked), action.blocked


@pytest.mark.parametrize(
    ("section", "entry"),
    [
        ("vip_pools", POOL),
        ("view_policies", {"tenant": "team-a"}),
        ("qos_policies", {"tenant": "team-a", "limit_by": "BW"}),
    ],
)
def test_nothing_serves_all_tenants_while_its_own_is_replaced(tmp_path: Path, section: str, entry: object) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": TENANTS, section: {"a": entry}})
        lab.converge()
        lab.write({"tenants": {"team-a": {"encryption_group": "two"}}, section: {"a": entry}})
        plan = lab.plan(lab.consent_to_loss("iad/tenant/team-a"))
        (action,) = plan.actions
        assert action.verb is Verb.REPLACE
        assert any(block.guard == "in-use" for block in action.blocked), action.blocked
