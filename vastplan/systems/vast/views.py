"""Views that an operation creates on the model of another one, and deletes again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.errors import ObjectNotFound, Unclear
from vastplan.model.operation import Facts
from vastplan.systems.transport import segment
from vastplan.systems.vast.client import VastProvider

VIEWS = "/views/"
_MOUNTED = ("NFS", "NFS4")
"""The protocols that claims are mounted with. Those of buckets and shares need a name that is unique in the cluster."""
_ALIKE = ("policy_id", "nfs_interop_flags")


class VastViews:
    """Views of one tenant, on the model of the view of a directory."""

    def __init__(self, site: str, provider: VastProvider, tenant: int, directory: str) -> None:
        self.site = site
        self._provider, self._tenant, self._directory = provider, tenant, directory

    def amiss(self) -> str:
        """Why the directory's view cannot serve as the model: it does not exist, or claims cannot be mounted through it; "" if it can."""
        row = self._row(self._directory)
        if row is None:
            return f"{self.site} has no view of {self._directory}, so nothing can mount it there"
        return "" if _protocols(row) else f"the view of {self._directory} at {self.site} does not have protocol NFS"

    def view(self, directory: str) -> str:
        """The GUID of the view of a directory, "" if none exists."""
        row = self._row(directory)
        return "" if row is None else str(row.get("guid") or "")

    def make(self, directory: str) -> Facts:
        """Create a view with tenant, policy and protocols of the model; the directory has to exist."""
        model = self._row(self._directory)
        if model is None:
            raise ObjectNotFound(f"{self.site} has no view of {self._directory}")
        copied = {name: model[name] for name in _ALIKE if model.get(name) is not None}
        body = {"path": directory, "tenant_id": self._tenant, "protocols": _protocols(model), "create_dir": False}
        row = self._provider.ask("POST", VIEWS, {**body, **copied})
        guid = row.get("guid") if isinstance(row, dict) else None
        if not guid:
            raise Unclear(f"POST {VIEWS}: the answer has no guid")
        return {"id": str(guid)}

    def drop(self, directory: str, id: str) -> None:
        """Delete the view; one with another GUID belongs to somebody else and stays."""
        row = self._row(directory)
        if row is None or str(row.get("guid") or "") != id:
            return
        try:
            self._provider.finished("DELETE", f"{VIEWS}{segment(str(row.get('id')))}/")
        except ObjectNotFound:
            return

    def _row(self, directory: str) -> Mapping[str, Any] | None:
        rows = self._provider.rows(VIEWS, {"tenant_id": self._tenant})
        return next((row for row in rows if str(row.get("path") or "").rstrip("/") == directory), None)


def _protocols(row: Mapping[str, Any]) -> list[str]:
    protocols = row.get("protocols")
    return [name for name in _MOUNTED if name in protocols] if isinstance(protocols, list) else []
