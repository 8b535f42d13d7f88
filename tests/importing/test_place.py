"""Where entries are put: inside their tenant and its file, or in one for all; on which sites they are said to be."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

import vastplan.kinds
from vastplan.importing.model import Degraded, EntryForm
from vastplan.importing.place import File, Placed, place_entries
from vastplan.importing.recover import Written
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.discover import discover
from vastplan.schema.entries import Entry, EntryType, Site

REGISTRY = discover(vastplan.kinds)
ALL = frozenset({"vast", "kubernetes", "runai"})
SITES = {"iad": Site("iad", ALL), "pdx": Site("pdx", ALL)}


def one(kind: str, name: str, tenant: str | None = None, site: str = "iad", **values: Any) -> Written:
    """An entry of a kind that stands for one object, in a tenant or in none."""
    owner = {} if tenant is None else {"tenant": Ref(Address(site, "tenant", tenant))}
    return Written(Entry(Address(site, kind, name), {**owner, **values}), ((site, kind, f"{site}-{name}"),))


def typed(type_: EntryType, entry: Written) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, Ref) else value for name, value in entry.entry.values.items()}


def placed(*written: Written, degraded: Degraded | None = None, **options: Any) -> dict[str, list[str]]:
    """The entries of each file, each with its values, and what stands inside each."""
    sites = options.pop("sites", SITES)
    files = place_entries(written, sites, REGISTRY, degraded or Degraded(), typed, **options)
    return {file.name: list(_told(file)) for file in files}


def _told(file: File) -> list[str]:
    def words(entry: Placed) -> str:
        return " ".join(
            [f"{entry.type.section}.{entry.key}", *(f"{name}={value}" for name, value in entry.values.items())]
        )

    return [line for entry in file.entries for line in (words(entry), *(f"> {words(part)}" for part in entry.parts))]


def fallen(written: Written, step: EntryForm) -> Degraded:
    return Degraded(MappingProxyType(dict.fromkeys(written.stands_for, step)))


def test_what_is_of_a_tenant_stands_in_its_file() -> None:
    here = {"iad": SITES["iad"]}
    written = [one("view", "b", "nlp", path="/b"), one("tenant", "nlp"), one("tenant", "cv"), one("view", "c", "cv"),
               one("view", "d", "elsewhere"), one("department", "research")]  # fmt: skip
    assert placed(*written, sites=here) == {
        "shared.yaml": ["views.d tenant=elsewhere", "departments.research"],
        "tenant-cv.yaml": ["tenants.cv", "> views.c"],
        "tenant-nlp.yaml": ["tenants.nlp", "> views.b path=/b"],
    }
    assert placed(*written, sites=here, single=True) == {
        "imported.yaml": ["views.d tenant=elsewhere", "departments.research", "tenants.nlp", "> views.b path=/b", "tenants.cv", "> views.c"],
    }  # fmt: skip
    assert placed(sites=here) == placed(sites=here, single=True) == {}
    assert list(placed(one("view", "d", "x"), sites=here, single=True)) == ["imported.yaml"]
    assert list(placed(one("tenant", "d"), sites=here, single=True)) == ["imported.yaml"]


@pytest.mark.parametrize(
    ("step", "inside"), [(EntryForm.COMPOSED, True), (EntryForm.NESTED, True), (EntryForm.FLAT, False)]
)
def test_what_fell_stands_by_itself(step: EntryForm, inside: bool) -> None:
    here = {"iad": SITES["iad"]}
    view = one("view", "b", "nlp")
    files = placed(one("tenant", "nlp"), view, sites=here, degraded=fallen(view, step))
    assert ("> views.b" in files["tenant-nlp.yaml"]) is inside
    assert files.get("shared.yaml") == (None if inside else ["views.b tenant=nlp"])


def test_tenants_have_files_with_names_of_their_own() -> None:
    here = {"iad": SITES["iad"]}
    names = list(placed(*(one("tenant", name) for name in ("a b", "a-b", "A b")), sites=here))
    assert names == ["tenant-a-b.yaml", "tenant-a-b-2.yaml", "tenant-a-b-3.yaml"]
    assert list(placed(one("tenant", "a:b"), sites=here)) == ["tenant-a-b.yaml"]


def test_sites_are_said_where_an_entry_would_be_on_others() -> None:
    both = [one("tenant", "nlp", site=site) for site in SITES]
    half = one("view", "b", "nlp")
    assert placed(*both, half) == {"tenant-nlp.yaml": ["tenants.nlp", "> views.b sites=['iad']"]}
    assert placed(one("tenant", "nlp", site="pdx")) == {"tenant-nlp.yaml": ["tenants.nlp sites=['pdx']"]}
    alone = [one("tenant", "nlp"), half]
    assert placed(*alone) == {"tenant-nlp.yaml": ["tenants.nlp sites=['iad']", "> views.b"]}, (
        "it is where its tenant is"
    )
    bare = {"iad": SITES["iad"], "pdx": Site("pdx", frozenset({"kubernetes"}))}
    assert placed(one("tenant", "nlp"), sites=bare) == {"tenant-nlp.yaml": ["tenants.nlp"]}, "it can be nowhere else"
    assert placed(*both, given_sites={"tenants"}) == {"tenant-nlp.yaml": ["tenants.nlp sites=['iad', 'pdx']"]}
    peer = one("peering", "p", between="x")
    assert placed(peer) == {"shared.yaml": ["replication_peers.p between=x"]}, "it names its sites itself"


def test_one_entry_is_on_the_sites_in_the_documents_order() -> None:
    written = [one("view", "b", "nlp", site=site, path="/b", alias=site) for site in ("pdx", "iad")]
    (entry,) = place_entries(written, SITES, REGISTRY, Degraded(), typed)[0].entries
    assert entry.sites == ("iad", "pdx") and [key[0] for key in entry.stands_for] == ["iad", "pdx"]
    assert entry.values == {
        "tenant": "nlp",
        "path": "/b",
        "per_site": {"iad": {"alias": "iad"}, "pdx": {"alias": "pdx"}},
    }
