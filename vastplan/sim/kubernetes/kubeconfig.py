"""The kubeconfig that points a client at the simulated server."""

from __future__ import annotations

import base64

import yaml

_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # the C emitter, where PyYAML has it


def kubeconfig(url: str, ca_pem: bytes, token: str, name: str) -> str:
    """YAML text with one cluster, one user and one context, all with the name `name`; the context is current."""
    cluster = {"server": url, "certificate-authority-data": base64.b64encode(ca_pem).decode()}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    text: str = yaml.dump(content, Dumper=_DUMPER, sort_keys=False)
    return text
