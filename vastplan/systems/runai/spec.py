"""What a document says of a Run:AI control plane."""

from __future__ import annotations

from vastplan.schema.connection import AnySecret, Tls, Url


class RunaiEndpoint(Tls):
    """A Run:AI control plane, and which of its clusters this site is."""

    url: Url
    cluster: str
    client_id: str
    client_secret: AnySecret

    def address(self) -> str:
        """The address of the control plane, and the cluster."""
        return f"{self.url} {self.cluster}"

    def label(self) -> str:
        """The address of the control plane."""
        return self.url
