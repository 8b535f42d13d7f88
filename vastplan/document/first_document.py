"""The first document of a site, as text: one team, from its VAST tenant to the volume that its jobs mount. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.document.scalars import flow
from vastplan.model.dataclass import dataclass

SCHEMA = "schemas/desired-state.schema.json"
NO_RUNAI = "none"
_ROOM = 62


@dataclass(frozen=True, slots=True)
class First:
    """The values in a first document; without addresses its site is simulated. `vips` and `clients` are separated by commas.

    `runai_url` is `NO_RUNAI` for a site without Run:AI; the document then has no project, and no volume, because that needs one.
    """

    site: str
    tenant: str
    project: str = ""
    vast_url: str = ""
    kubeconfig: str = ""
    context: str = ""
    runai_url: str = ""
    vips: str = "10.20.1.10 - 10.20.1.13"
    clients: str = "10.12.0.0/24"

    @property
    def simulated(self) -> bool:
        """Whether its site is simulated, because it has no VAST address."""
        return not self.vast_url

    @property
    def has_runai(self) -> bool:
        """Whether the site has Run:AI."""
        return self.runai_url != NO_RUNAI

    def variables(self) -> tuple[str, ...]:
        """The environment variables of its credentials; empty for a simulated site."""
        site = "".join(char if char.isascii() and char.isalnum() else "_" for char in self.site.upper())
        if self.simulated:
            return ()
        return (f"VAST_{site}_TOKEN", *([f"RUNAI_{site}_SECRET"] if self.has_runai else []))


def first_document(first: First) -> str:
    """The text of a first document. Raises `Unwritable` for a value that no document can hold."""
    site, tenant = flow(first.site), flow(first.tenant)
    last_object = "the volume that its jobs mount" if first.has_runai else "its StorageClass"
    host = f"files.{first.tenant}.example.com"
    lines = [
        f"# yaml-language-server: $schema={SCHEMA}",
        f"# The first document of a site, written by vastplan init: one team, from its VAST tenant to {last_object}.",
        "# Replace the example values: their lines say `change`. For an editor that checks it, write the schema that the first line names:",
        f"#   mkdir -p schemas && vastplan schema > {SCHEMA}",
        "version: 1",
        f"name: {site}",
        "",
        *_site(first),
        "",
        _given("namespaces: {vast-csi: {}}", "change: where the CSI driver runs; --adopt adopts what exists"),
        *([_given("departments: {research: {gpus: {default: 8}}}", "change: a department of Run:AI, and its GPUs")] if first.has_runai else []),
        "",
        "tenants:",
        f"  {tenant}:",
        _given("    capacity_rules: {hard_limit: 10 TiB}", "change: the most that the team may store"),
        "    vip_pool:",
        _given(f"      ip_ranges: {flow(_listed(first.vips))}", "change: free addresses of the data network"),
        _given("      subnet_cidr: 24", "change: the prefix length of that network"),
        _given(f"      domain_name: {flow(host)}", "change: the name that DNS resolves to these addresses"),
        "    view_policy:",
        "      flavor: NFS",
        _given(f"      nfs_read_write: {flow(_listed(first.clients))}", "change: the nodes that mount"),
        _given(f"      nfs_no_squash: {flow(_listed(first.clients))}", "change: the nodes where root stays root: those of the CSI driver"),
        _given(_csi_user(first), "the CSI driver's own user; its password is generated and delivered, and written to no file"),
        "    storage_class:",
        "      driver: file",
        f"      storage_path: {flow(f'/{first.tenant}/k8s')}",
        _given("      allow_volume_expansion: true", "claims of this class may grow; they never shrink"),
        _given(f"      vip_pool_fqdn: {flow(host)}", "change: the same as domain_name"),
        *(_team(first) if first.has_runai else []),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _site(first: First) -> list[str]:
    if first.simulated:
        sim = f"  {flow(first.site)}: {{sim: {{}}}}"
        return [
            "sites:",
            _given(sim, "change: vast, kubernetes and runai with their addresses, for systems of your own"),
        ]
    vast_token, *runai_secret = first.variables()
    cluster: Mapping[str, str] = {"kubeconfig": first.kubeconfig} if first.kubeconfig else {}
    cluster = {**cluster, "context": first.context} if first.context else cluster
    return [
        "# This file has no secrets: each comes from the environment variable named here.",
        "sites:",
        f"  {flow(first.site)}:",
        "    vast:",
        f"      url: {flow(first.vast_url)}",
        f"      token: {{env: {vast_token}}}",
        "      # change: ca_file: iad.pem, beside this file, if an authority of your own signed its certificate",
        f"    kubernetes: {flow(cluster)}",
        *(_runai(first, runai_secret[0]) if runai_secret else []),
    ]


def _runai(first: First, secret: str) -> list[str]:
    return [
        "    runai:",
        f"      url: {flow(first.runai_url)}",
        _given(f"      cluster: {flow(first.site)}", "change: the cluster's name in Run:AI"),
        _given("      client_id: vastplan", "change: the application that vastplan logs in as"),
        f"      client_secret: {{env: {secret}}}",
    ]


def _team(first: First) -> list[str]:
    volume = {"storage_class": first.tenant, "size": "1 TiB", "mount": "/data"}
    return [
        "    projects:",
        _given(
            f"      {flow(first.project)}: {{department: research, gpus: {{default: 4}}}}", "change: the team's GPUs"
        ),
        "    volumes:",
        _given(f"      data: {flow(volume)}", "change: its size"),
    ]


def _csi_user(first: First) -> str:
    return "    csi_user: {endpoint: vms.example.com}" if first.simulated else "    csi_user: {}"


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _given(line: str, comment: str) -> str:
    """A line with its comment; comments are aligned after short lines."""
    return f"{line:{_ROOM}}  # {comment}"
