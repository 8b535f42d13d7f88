"""Import is the inverse of apply: of a document whose ledger is lost comes back what it said, and the second text is the first."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from tests.force import by_force
from tests.histories.history import ran
from tests.importing.round_trip import Desk, round_trip
from tests.importing.worlds import Brownfield, Yard
from tests.properties.test_random_documents import REGISTRY, SECTION, USABLE, documents
from vastplan.app.workspace import open_workspace
from vastplan.model.value import Ref
from vastplan.schema.defaults import omittable_paths
from vastplan.schema.entries import Entry
from vastplan.schema.field import Leaf
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Marker
from vastplan.schema.walk import leaves

EXAMPLES = Path(__file__).parents[2] / "examples"
ON_REQUEST = {"secret", "namespace"}
NOT_READ = {Marker.CREATE_ONLY, Marker.WRITE_ONLY, Marker.DOCUMENT, Marker.SENSITIVE}
CHOSEN = {("view_policy", "flavor"), ("view", "protocols"), ("project", "department")}
"""What a system chooses where nobody says it, and nobody knows what that will be: it is written."""
SHIPPED = {("tenant", "local_provider"): "default"}
"""What a system takes where nobody says it, and every cluster has by that name: an import leaves it out."""
# What only other entries yield has no section, what is prepared by hand or keeps others out is for itself, and no import can say
# where a value was delivered to: tests/values.
SAYABLE = [
    case for case in USABLE
    if REGISTRY.kinds[case.kind].section and REGISTRY.kinds[case.kind].delivers is None and not case.get("prepare", []) and not case.get("unexpanded", [])
]  # fmt: skip
Said = dict[tuple[str, ...], Any]
"""Compared values by address and path; what is referred to by its name."""


def said(folder: Path) -> tuple[Said, set[str], Said]:
    """What a document says of what can be compared, its addresses, and what of that its system takes anyway.

    The last is written all the same where another of its group is not what the system takes.
    """
    workspace = open_workspace([folder])
    found: Said = {}
    anyway: Said = {}
    composed = workspace.composed().entries
    names = {entry.address: _name(entry) for entry in composed}
    for entry in composed:
        kind = workspace.registry.kinds[entry.address.kind]
        if kind.name in ON_REQUEST:
            continue
        for leaf in _leaves(kind, entry):
            key = (_address(entry), *leaf.path)
            found[key] = _plain(leaf.value, names)
            if leaf.field.server_default is not None and leaf.field.server_default.group:
                anyway[key] = _plain(leaf.field.server_default.value, names)
    return found, {_address(entry) for entry in composed if entry.address.kind not in ON_REQUEST}, anyway


def _address(entry: Entry) -> str:
    """Its address; a rule of a bucket may be written inside its view, and is then called with the view's name."""
    address = entry.address
    return str(address._replace(name=entry.called) if address.kind == "s3_lifecycle_rule" else address)


def _name(entry: Entry) -> str:
    namespace = entry.values.get("namespace")
    own = entry.called
    return f"{namespace}/{own}" if isinstance(namespace, Ref) and entry.address.kind in ON_REQUEST else own


def _leaves(kind: Kind, entry: Entry) -> Iterator[Leaf]:
    """Without what its system takes anyway."""
    # `null` says the same as what is sent for it
    plain = {
        name: kind.field(name).clears if value is None else value
        for name, value in entry.values.items()
        if name not in kind.identity
    }
    own = {name: entry.called for name in kind.identity if name == "name"}
    unsaid = omittable_paths(kind, own | {name: value for name, value in plain.items() if not isinstance(value, Ref)})
    for leaf in leaves(kind.fields, plain):
        if leaf.value is None:
            leaf = leaf._replace(value=leaf.field.clears)  # within a struct, too
        nothing = (
            leaf.field.server_default is None and leaf.value in leaf.field.cleared
        )  # as where nobody wrote anything
        if not nothing and leaf.path not in unsaid and not leaf.field.markers & NOT_READ and leaf.value is not None:
            yield leaf


def _plain(value: Any, names: Mapping[Any, str]) -> Any:
    if isinstance(value, Ref):
        # A claim of a project may be called with its namespace, or without it.
        called = value.target.name.rpartition("/")[2] if value.target.kind == "persistent_volume_claim" else ""
        return names.get(value.target, called or value.target.name)
    if isinstance(value, list):
        return sorted((_plain(item, names) for item in value), key=str)
    return {key: _plain(item, names) for key, item in value.items()} if isinstance(value, dict) else value


def applied(example: Path, folder: Path, yard: Yard) -> Path:
    """An example, copied and applied."""
    folder.mkdir(parents=True)
    if example.is_dir():
        shutil.copytree(example, folder, dirs_exist_ok=True)
    else:
        text = example.read_text(encoding="utf-8")
        # The checkpoints of the example do not fit until their limit is what its first lines say.
        (folder / example.name).write_text(
            text.replace("max_writes_iops: 3000", "max_writes_iops: 40000"), encoding="utf-8"
        )
        shutil.copy(EXAMPLES / "csi-password", folder)
    with yard.running():
        done = ran("apply", folder, "--auto-approve")
        assert done.code == 0, done.err + done.out
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", by_force(["ai-factory", "minimal.yaml", "checkpoints.yaml"], "minimal.yaml"))
def test_what_an_example_says_comes_back(name: str, tmp_path: Path) -> None:
    workspace = open_workspace([EXAMPLES / name])
    yard = Yard(tmp_path / "yard", workspace.document.sites())
    folder = applied(EXAMPLES / name, tmp_path / "example", yard)
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab", workspace.name)
        told = desk.imports()
        wanted, addresses, _ = said(folder)
        got, there, anyway = said(desk.folder)
        assert there == addresses
        more = {key: value for key, value in got.items() if key not in wanted and anyway.get(key) != value}
        assert more == {}
        assert {key: value for key, value in wanted.items() if got.get(key) != value} == {}
        assert told["creates"] == []
        round_trip(Desk.of(yard, tmp_path / "again", workspace.name))


@pytest.mark.slow
@pytest.mark.parametrize("seed", by_force(range(int(os.environ.get("VASTPLAN_EXAMPLES", "4")))))
def test_the_import_of_an_import_is_the_same(seed: int, tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", ("iad", "pdx") if seed % 3 == 0 else ("iad",))
    Brownfield(yard, seed)
    with yard.running():
        first = Desk.of(yard, tmp_path / "first")
        round_trip(first)
        told = first.written()
        second = Desk.of(yard, tmp_path / "second")
        again = second.imports()
        assert again["creates"] == []
        assert second.written() == told


@settings(max_examples=int(os.environ.get("VASTPLAN_EXAMPLES", "10")), phases=[Phase.generate])
@given(data=st.data())
def test_what_a_random_document_says_comes_back(data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(SAYABLE), min_size=1, max_size=4, unique_by=lambda case: case.kind))
    document = data.draw(documents(chosen))
    for case in chosen:  # the key is what an object is called: that somebody called an entry otherwise is lost
        entry = document[SECTION[case.kind]][case.data["name"]]
        entry |= {"name": case.data["name"]} if "name" in entry else {}
    with tempfile.TemporaryDirectory() as name:
        yard, theirs = Yard(Path(name) / "yard", ("iad",)), Path(name) / "theirs"
        for class_ in ("vast-nfs", "standard"):
            yard.by_hand("iad", "kubernetes", "POST", "/apis/storage.k8s.io/v1/storageclasses", elsewhere(class_))
        theirs.mkdir()
        head = {"version": 1, "name": "lab", "sites": {"iad": {"sim": {}}}}
        (theirs / "lab.yaml").write_text(yaml.safe_dump({**head, **document}, sort_keys=False))
        with yard.running():
            ran("apply", theirs, "--auto-approve")  # some name what is there only then
            assume(ran("apply", theirs, "--auto-approve").code == 0)  # parts that do not go together are no document
            desk = Desk.of(yard, Path(name) / "lab", "lab")
            desk.imports()
            wanted, addresses, _ = said(theirs)
            got, there, anyway = said(desk.folder)
    more = {key: value for key, value in got.items() if key not in wanted and anyway.get(key) != value}
    assert there == addresses
    assert {key: value for key, value in more.items() if (key[0].split("/")[1], key[1]) not in CHOSEN} == {}
    lost = {key: value for key, value in wanted.items() if got.get(key) != value}
    assert {key: value for key, value in lost.items() if SHIPPED.get((key[0].split("/")[1], key[1])) != value} == {}


def elsewhere(name: str) -> dict[str, Any]:
    """A class of another driver, the cluster's default, of which claims can be made."""
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    metadata = {"name": name, "annotations": default}
    return {
        "kind": "StorageClass",
        "apiVersion": "storage.k8s.io/v1",
        "metadata": metadata,
        "provisioner": "ebs.csi.aws.com",
    }
