"""The part of a document about a Run:AI control plane."""

from __future__ import annotations

from vastplan.schema.connection import AnySecret, Tls, Url


class RunaiEndpoint(Tls):
    """A Run:AI control plane, and the cluster of it that is this site's."""

    url: Url
    """Address of the Run:AI control plane, without a login in it."""
    cluster: str
    """Name or UUID of the site's cluster, as the control plane lists it."""
    client_id: str
    """Client id with which vastplan logs in to the control plane."""
    client_secret: AnySecret
    """Secret that belongs to the client id."""

    def address(self) -> str:
        """The address of the control plane, and the cluster."""
        return f"{self.url} {self.cluster}"

    def label(self) -> str:
        """The address of the control plane."""
        return self.url
