"""What `vastplan init` takes."""

from __future__ import annotations

from pathlib import Path

from vastplan.cli.request import Request, option, positionals, switch


class InitRequest(Request):
    """`vastplan init`. An option that was not typed is `None`, and asked for at a terminal."""

    command = "init"
    summary = "write a first document for a site, from a few questions or options"
    example = "--sim"
    paths = positionals(
        "PATH", Path, "the file to write, or the folder for SITE.yaml; left out, the current folder", "?"
    )
    sim = switch("--sim", "use simulators: plan and apply work at once")
    site = option("--site", str, "NAME", "name of the site: iad")
    vast_url = option("--vast-url", str, "URL", "address of its VMS: https://vms.iad.example.com")
    kubeconfig = option("--kubeconfig", str, "FILE", "its kubeconfig, beside the document")
    context = option("--context", str, "NAME", "a context of that kubeconfig, or of your own")
    runai_url = option(
        "--runai-url", str, "URL", "address of its Run:AI control plane: https://acme.run.ai; none for a site without Run:AI"
    )  # fmt: skip
    tenant = option("--tenant", str, "NAME", "tenant of the first team: team-a")
    project = option("--project", str, "NAME", "its project: vision")
    vips = option("--vips", str, "RANGES", "free addresses of the data network: '10.20.1.10 - 10.20.1.13'")
    clients = option("--clients", str, "NETWORKS", "the nodes that mount: 10.12.0.0/24")
