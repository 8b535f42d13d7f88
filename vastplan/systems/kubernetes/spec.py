"""The part of a document about a Kubernetes cluster, and about a ledger in one."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import MISSING, model_validator

from vastplan.model.urls import normalised
from vastplan.schema.connection import SharedLedgerSpec, Verified


class KubernetesEndpoint(Verified):
    """A Kubernetes cluster, by a context of a kubeconfig. Its address, authority and credential are in it."""

    CREDENTIAL_FILES: ClassVar[tuple[str, ...]] = ("kubeconfig",)
    TRUST: ClassVar[str] = "its authority in the kubeconfig"

    context: str | MISSING = MISSING
    """Context of the kubeconfig that is used; left out, its current context."""
    kubeconfig: str | MISSING = MISSING
    """Kubeconfig file, relative to the document or connections file; left out, the usual ones (`KUBECONFIG`,
    `~/.kube/config`)."""
    in_cluster: bool | MISSING = MISSING
    """true uses the service account of the pod that vastplan runs in. Only a connections file may say so (VP243)."""

    def address(self) -> str:
        """The kubeconfig and the context in it."""
        if self.in_cluster is True:
            return "in cluster"
        parts = (self.kubeconfig, self.context)
        return " ".join(part for part in parts if isinstance(part, str)) or "the current context"

    def place(self, folder: Path) -> str:
        """The server in its kubeconfig, whatever its context is called; without a kubeconfig the context."""
        server = self.contents(folder).get("kubeconfig server")
        return normalised(server) if server else self.address()

    def label(self) -> str:
        """The context."""
        if self.in_cluster is True:
            return "this cluster"
        return self.context if isinstance(self.context, str) else "the current context"

    def named(self, folder: Path) -> list[Path]:
        """Its files, and the files that its kubeconfigs name."""
        from vastplan.systems.kubernetes.named_files import kubeconfigs, named_files

        if self.in_cluster is True:
            return super().named(folder)
        files = kubeconfigs(str(folder / self.kubeconfig) if isinstance(self.kubeconfig, str) else "")
        return [*super().named(folder), *files, *(path for file in files for path in named_files(file))]

    def withheld(self) -> str:
        """`in_cluster`, if it uses the pod's account: a runner in a cluster has one account, whether it is meant for this site or not."""
        return "in_cluster" if self.in_cluster is True else ""

    def contents(self, folder: Path) -> dict[str, str]:
        """What its kubeconfig has for the context."""
        from vastplan.systems.kubernetes.plain_kubeconfig import context_contents

        if not isinstance(self.kubeconfig, str):
            return {}
        context = self.context if isinstance(self.context, str) else None
        return {
            f"kubeconfig {part}": value for part, value in context_contents(folder, self.kubeconfig, context).items()
        }

    def unsafe(self, folder: Path) -> list[str]:
        """The entries of its kubeconfig beyond the address and the credential of a cluster."""
        from vastplan.systems.kubernetes.plain_kubeconfig import refusals

        return refusals(folder, self.kubeconfig) if isinstance(self.kubeconfig, str) else []

    def server(self) -> str:
        """The context with the system's name: a context alone does not show that it is a cluster."""
        return f"kubernetes ({self.label()})"


class KubernetesLedgerSpec(SharedLedgerSpec, KubernetesEndpoint):
    """A namespace of a Kubernetes cluster whose Secrets keep the ledger, for runners that share one.

    The cluster is that of a `site`, a simulated one included, or is given here as for a site.
    """

    @model_validator(mode="after")
    def _one_cluster(self) -> KubernetesLedgerSpec:
        if self.site is not MISSING and self.addressed:
            raise ValueError("give either site, or context, kubeconfig, in_cluster and insecure_skip_verify")
        return self
