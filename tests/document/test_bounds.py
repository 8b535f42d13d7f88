"""What a document stands for is counted before any of it is kept: entries for each site, with what defaults give them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from vastplan.document import instantiate

SITES = {f"s{number}": {"sim": {"systems": ["vast"]}} for number in range(3)}
VIEWS = {f"v{number}": {"path": f"/v{number}"} for number in range(3)}

DOCUMENTS: dict[str, tuple[dict[str, Any], int, int]] = {  # what it says, and the entries and values that it has
    "one for each site": ({"tenants": {"a": {}, "b": {"max_views": 1}}}, 6, 3 * 1 + 3 * 2),
    "on some sites": ({"tenants": {"a": {"sites": ["s0", "s2"]}}}, 2, 2 * 4),
    "on one site twice": ({"tenants": {"a": {"sites": ["s0", "s0"]}}}, 1, 4),
    "inside another": ({"tenants": {"a": {"views": VIEWS}}}, 12, 3 * 1 + 9 * 2),
    "inside another, on one site": ({"tenants": {"a": {"sites": ["s1"], "views": VIEWS}}}, 4, 3 + 3 * 2),
    "from defaults": ({"defaults": {"tenants": {"views": VIEWS}}, "tenants": {"a": {}, "b": {}}}, 24, 6 * 1 + 18 * 2),
    "values of defaults": ({"defaults": {"tenants": {"max_views": 1}}, "tenants": {"a": {}, "b": {}}}, 6, 6 * 2),
    "for one site": ({"tenants": {"a": {"per_site": {"s0": {"max_views": 1}}}}}, 3, 3 + 3),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_so_many_and_no_more(name: str, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    content, entries, values = DOCUMENTS[name]
    file = tmp_path / "doc.yaml"
    file.write_text(yaml.safe_dump({"version": 1, "name": "x", "sites": SITES, **content}))
    for bound, most in (("MAX_ENTRIES", entries), ("MAX_VALUES", values)):
        with monkeypatch.context() as bounds:
            bounds.setattr(instantiate, bound, most)
            ran = vastplan("validate", file)
            assert "VP115" not in ran.err, ran
            bounds.setattr(instantiate, bound, most - 1)
            ran = vastplan("validate", file)
            assert ran.code == 1 and "error VP115: more than " in ran.err and len(ran.err.splitlines()) == 1, ran


def test_a_site_is_there_in_the_order_of_the_document(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "doc.yaml"
    tenants = {"a": {"sites": ["s2", "s0", "s1", "s0"]}}
    file.write_text(yaml.safe_dump({"version": 1, "name": "x", "sites": SITES, "tenants": tenants}))
    ran = vastplan("validate", file)
    assert ran.code == 0 and "3 objects of 1 kind on 3 sites" in ran.out, ran
