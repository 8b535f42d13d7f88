"""A pair of S3 keys that is delivered into a Secret, and a credential of Run:AI that is that Secret, over HTTP."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.model.outcome import State

SECRET = "/api/v1/namespaces/runai-team-a/secrets/s3"
THERE: dict[str, Any] = {"existing": "runai-team-a/s3"}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as one:
        yield one


def document(
    secret: Any = None, *, generation: int = 1, keys: dict[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    """Alice's keys, delivered; with a credential of that Secret where one is given."""
    deliver = {"secret": "runai-team-a/s3", **({"keys": keys} if keys else {})}
    credential = {"access_key_credentials": {"s3": {"project": "team-a", "existing_secret": secret}}} if secret else {}
    return {
        "local_providers": {"team-a": {}},
        "tenants": {"team-a": {"local_provider": "team-a"}},
        "users": {"alice": {"local_provider": "team-a", "uid": 30109}},
        "s3_keys": {"trainer": {"tenant": "team-a", "user": "alice", "generation": generation, "deliver": deliver}},
        "projects": {"team-a": {"gpus": {"default": 8}}},
        **credential,
        **more,
    }


def held(lab: Lab) -> dict[str, str]:
    """What is in the Secret."""
    found = lab.by_hand("iad", "kubernetes", "GET", SECRET)
    return {key: base64.b64decode(value).decode() for key, value in found["data"].items()}


def enabled_keys(lab: Lab) -> set[str]:
    """The access keys that VAST has."""
    return {row["access_key"] for row in lab.rows("iad", "s3_key")}


@pytest.mark.slow
def test_the_credential_comes_after_the_delivery_and_finds_what_it_reads(lab: Lab) -> None:
    lab.write(document(THERE))
    plan = lab.plan()
    order = [operation.address.kind for operation in plan.operations]
    assert order.index("secret") < order.index("s3_key") < order.index("access_key_credential")
    lab.converge()
    assert held(lab).keys() == {"AccessKeyId", "SecretKey"}
    assert {held(lab)["AccessKeyId"]} == enabled_keys(lab)
    labels = lab.by_hand("iad", "kubernetes", "GET", SECRET)["metadata"]["labels"]
    assert labels["run.ai/resource"] == "access-key"
    (row,) = lab.rows("iad", "access_key_credential")
    assert row["status"]["status"] == "No issues found" and row["spec"]["existingSecretName"] == "s3"
    assert lab.plan().actions == ()


@pytest.mark.slow
def test_another_generation_reaches_the_credential_and_leaves_it_as_it_is(lab: Lab) -> None:
    lab.write(document(THERE))
    lab.converge()
    (before,), first = lab.rows("iad", "access_key_credential"), held(lab)
    lab.write(document(THERE, generation=2))
    plan = lab.converge()
    assert {str(one.address) for one in plan.actions} == {"iad/s3_key/trainer"}
    second = held(lab)
    assert second.keys() == first.keys() and not {*second.values()} & {*first.values()}
    assert enabled_keys(lab) == {first["AccessKeyId"], second["AccessKeyId"]}  # the former one for a while
    (after,) = lab.rows("iad", "access_key_credential")
    assert after["meta"]["id"] == before["meta"]["id"] and after["status"]["status"] == "No issues found"
    assert lab.plan().actions == ()


@pytest.mark.slow
def test_a_key_that_is_not_delivered_keeps_the_credential_waiting(lab: Lab) -> None:
    lab.write(document(THERE))
    plan = lab.plan()
    lab.world.sites["iad"].servers["kubernetes"].stop()
    states = {str(one.address): one.state for one in lab.apply(plan).outcomes}
    assert states["iad/access_key_credential/s3"] is not State.DONE
    assert lab.rows("iad", "access_key_credential") == []


@pytest.mark.slow
def test_without_a_credential_and_with_names_of_its_own_the_secret_is_as_it_is_said(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    assert held(lab).keys() == {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    assert "labels" not in lab.by_hand("iad", "kubernetes", "GET", SECRET)["metadata"]
    lab.write(document(THERE, keys={"access_key": "id", "secret_key": "key"}))
    lab.converge(lab.consent_to_loss("iad/s3_key/trainer"))
    assert {"id", "key"} <= held(lab).keys()


def test_a_secret_of_the_document_is_waited_for_in_the_same_way(lab: Lab) -> None:
    secrets = {
        "trainer": {
            "name": "s3",
            "namespace": {"existing": "runai-team-a"},
            "labels": {"run.ai/resource": "access-key"},
        }
    }
    lab.write({"projects": {"team-a": {"gpus": {"default": 8}}}})
    lab.converge()
    lab.write(document("trainer", secrets=secrets))
    order = [str(operation.address) for operation in lab.plan().operations]
    assert order.index("iad/s3_key/trainer") < order.index("iad/access_key_credential/s3")
    lab.converge()
    assert held(lab).keys() == {"AccessKeyId", "SecretKey"}
    assert lab.plan().actions == ()
