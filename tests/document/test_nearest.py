"""What is meant by a wrong name is looked for once, and within a bound for the whole document."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from vastplan.document import nearest
from vastplan.model.nearest import closest

FIVE = range(5)
HEAD: dict[str, Any] = {
    "version": 1,
    "name": "x",
    "sites": {name: {"sim": {"systems": ["vast"]}} for name in ("east", "west")},
}
LINKS = {f"wes{number}": 1 for number in FIVE}
DOCUMENTS: dict[str, dict[str, Any]] = {  # each with five names that are none, and are near one
    "sites": {"tenants": {f"t{number}": {"sites": [f"eas{number}"]} for number in FIVE}},
    "sites that differ": {"tenants": {"t": {"per_site": {f"eas{number}": {} for number in FIVE}}}},
    "sites of peers": {"replication_peers": {f"p{number}": {"sites": ["east", f"wes{number}"]} for number in FIVE}},
    "links": {"sites": HEAD["sites"] | {"east": HEAD["sites"]["east"] | {"capability": {"wan_bw_mbps": LINKS}}}},
    "keys of the head": {"limits": {f"max_change{number}": 1 for number in FIVE}},
    "sections": {f"tenant{number}": {} for number in FIVE},
    "keys of an entry": {"tenants": {"t": {f"max_view{number}": 1 for number in FIVE}}},
    "references": {
        "tenants": {"abcde": {}},
        "qos_policies": {f"q{number}": {"tenant": f"abcd{number}"} for number in FIVE},
    },
    "checks": {"checks": {"raise": {f"QTX-0{number}": "error" for number in range(1, 6)}}},
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_names_are_compared_within_a_bound(
    name: str, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, compared, search = tmp_path / "doc.yaml", [], closest
    file.write_text(yaml.safe_dump(HEAD | DOCUMENTS[name]))

    def counted(wrong: str, known: Collection[str]) -> str:
        compared.append(len(wrong) * sum(map(len, known)))
        return search(wrong, known)

    monkeypatch.setattr(nearest, "closest", counted)
    hinted = vastplan("validate", file)
    assert hinted.code == 1 and hinted.err.count("did you mean") == len(compared) == 5, hinted
    monkeypatch.setattr(nearest, "MAX_COMPARED", sum(compared[:2]))
    compared.clear()
    ran = vastplan("validate", file)
    assert ran.code == 1 and sum(compared) <= nearest.MAX_COMPARED and ran.err.count("did you mean") == 2, ran
    assert len(ran.err.splitlines()) == len(hinted.err.splitlines())  # what is wrong is all told


def test_what_is_asked_again_is_not_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    near = nearest.Nearest()
    assert [near("xest", ["east"]), near("xest", ["west"])] == ["did you mean east?", "did you mean west?"]
    monkeypatch.setattr(nearest, "closest", None)
    assert near("xest", ["east"]) == "did you mean east?"
