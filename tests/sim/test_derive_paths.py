"""Which calls are documented, read off documents: methods by path, without discovery and what is off by default."""

from __future__ import annotations

from typing import Any

from vastplan.sim.derive_paths import derive_methods


def test_methods_by_path() -> None:
    core: dict[str, Any] = {"paths": {
        "/api/v1/": {"get": {}},
        "/api/v1/nodes": {"post": {}, "get": {}, "parameters": []},
        "/version/": {"get": {}},
    }}  # fmt: skip
    apps: dict[str, Any] = {"paths": {
        "/apis/apps/": {"get": {}},
        "/apis/apps/v1/": {"get": {}},
        "/apis/apps/v1/namespaces/{namespace}/deployments/{name}": {"delete": {}, "put": {}},
        "/apis/apps/v1beta1/deployments": {"get": {}},
        "/apis/apps/v2alpha1/deployments": {"get": {}},
    }}  # fmt: skip
    assert derive_methods([core, apps]) == {
        "/api/v1/nodes": "GET POST",
        "/apis/apps/v1/namespaces/{namespace}/deployments/{name}": "DELETE PUT",
    }
