"""Whatever a secret is written as, the search finds it; the judge of the fault matrix looks everywhere but at its destination."""

from __future__ import annotations

import base64
import html
import json
import zlib
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from tests.faults.stage import MemoryWorld, Telling
from tests.values.forms import held
from vastplan.sim.vast import keys

SECRET = 'N2/+k <Q&"zj7'


@pytest.mark.parametrize(
    "text",
    [
        SECRET, json.dumps({"a": SECRET}), json.dumps({"a": SECRET}).replace("/", "\\/"), quote(SECRET, safe=""), quote_plus(SECRET),
        html.escape(SECRET), base64.b64encode(SECRET.encode()).decode(), base64.urlsafe_b64encode(SECRET.encode()).decode(),
        *(base64.b64encode((ahead + SECRET + after).encode()).decode() for ahead in ("", "a", "ab") for after in ("", "y", "yz")),
    ],
)  # fmt: skip
def test_a_secret_is_found_in_each_form(text: str) -> None:
    assert held([SECRET, "another"], f"it is {text}, isn't it") == [SECRET]
    assert not held([SECRET[::-1]], text)


def test_a_secret_is_found_in_a_system_but_with_its_key_and_at_its_destination(tmp_path: Path) -> None:
    world = MemoryWorld(tmp_path, {})
    vast, kubernetes = (world._store("iad", system) for system in ("vast", "kubernetes"))
    vast.put(keys.NAME, "1", {"access_key": "AK", keys.SECRET: SECRET})
    kubernetes.put("v1/secrets", "a", {"data": {"key": base64.b64encode(SECRET.encode()).decode()}})
    assert world.told() == {SECRET} and world.holding(SECRET) == [{"key": SECRET}] and not world.leaking({SECRET})
    packed = base64.b64encode(zlib.compress(json.dumps({"piece": SECRET}).encode())).decode()
    for number, row in enumerate(({"data": {"piece": packed}}, {"metadata": {"note": SECRET}, "data": {}})):
        kubernetes.put("v1/secrets", "b", row)
        assert world.leaking({SECRET}) == ["v1/secrets"], number
    kubernetes.put("v1/secrets", "b", {})
    vast.put("users", "1", {"name": SECRET})
    assert world.leaking({SECRET}) == ["users"]
    assert isinstance(vast, Telling)
    vast.restore({}, {})
    assert not world.told()
