"""The owner of a bucket is there before it, and goes after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.lab import Lab

VIEW = {"path": "/data", "protocols": ["S3"], "bucket": "data", "bucket_owner": "zoe"}
OTHERS = {"b": {"local_provider": "b", "users": {"another": {"name": "zoe", "uid": 9}}}}


def document(place: str, name: str) -> dict[str, Any]:
    """A bucket, and its owner inside the tenant (`tenant`) or outside of it, by the tenant or its provider."""
    user = {"name": name, "uid": 1}
    tenant: dict[str, Any] = {"local_provider": "a", "view_policy": {"flavor": "S3_NATIVE"}, "views": {"data": VIEW}}
    outside = {
        "tenant": {},
        "by tenant": {"zz": {**user, "tenant": "a"}},
        "by provider": {"zz": {**user, "local_provider": "a"}},
    }
    inside = {"users": {"zz": user}} if place == "tenant" else {}
    return {
        "local_providers": {"a": {}, "b": {}},
        "tenants": {"a": {**tenant, **inside}, **OTHERS},
        "users": outside[place],
    }


@pytest.mark.parametrize("place", ["tenant", "by tenant", "by provider"])
def test_the_owner_is_made_first_and_goes_last(place: str, tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        whole = document(place, "zoe")
        lab.write(whole)
        plan = lab.plan()
        places = [str(operation.address) for operation in plan.operations]
        assert places.index("iad/user/zz") < places.index("iad/view/data")
        lab.converge()
        assert lab.plan().actions == ()

        del whole["tenants"]["a"]["views"]
        whole["tenants"]["a"].pop("users", None)
        lab.write({**whole, "users": {}})
        lab.clear_calls()
        lab.converge(lab.consent_to_loss("iad/view/data", "iad/user/zz"))
        assert [call.path.split("/")[3] for call in lab.calls()] == ["views", "users"]


def test_an_owner_of_another_provider_is_not_waited_for(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(document("tenant", "joe"))
        view = next(entry for entry in lab.workspace().entries()[0] if entry.address.kind == "view")
        assert [address.kind for address in view.after] == []


def test_the_owner_of_a_volumes_bucket_is_a_user_of_the_document_or_said_to_be_there(
    tmp_path: Path, vastplan: Run
) -> None:
    path = tmp_path / "doc.yaml"

    def validated(owner: Any) -> Any:
        volume = {"path": "/v", "size": "1 TiB", "secret": "s", "protocols": ["NFS", "S3"], "bucket": "data"}
        tenant = {
            "local_provider": "a",
            "users": {"zoe": {"uid": 1}},
            "view_policy": {"flavor": "NFS"},
            "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.20.1.10"]},
            "volumes": {"data": {**volume, "bucket_owner": owner}},
        }
        whole = {
            "version": 1,
            "name": "doc",
            "sites": {"iad": {"sim": {}}},
            "local_providers": {"a": {}},
            "departments": {"d": {}},
            "namespaces": {"n": {}},
            "secrets": {"s": {"namespace": "n"}},
            "tenants": {"t": {**tenant, "project": {"department": "d"}}},
        }
        path.write_text(yaml.safe_dump(whole, sort_keys=False))
        return vastplan("validate", path)

    assert validated("zoe").code == 0
    assert validated({"existing": "carol"}).code == 0
    ran = validated("zo")
    assert ran.code == 1 and "error VP209: no user zo (did you mean zoe?)" in ran.err, ran
