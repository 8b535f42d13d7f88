"""The refusals of the control plane."""

from __future__ import annotations

from vastplan.sim.wire import Response

MESSAGES = {
    400: "The request is not valid",
    401: "The token is missing, expired or of another control plane",
    404: "There is no such resource",
    405: "The resource does not have this method",
    409: "There is a resource of this name already",
    412: "The resource is in use",
    415: "The body must be JSON",
    429: "There are too many requests",
    501: "This operation is not simulated",
}


class RunaiError(Exception):
    """A request is refused with `status` and the vendor's Error body `{code, message, details}`."""

    def __init__(self, status: int, details: str = "", headers: dict[str, str] | None = None) -> None:
        super().__init__(f"{status} {details}")
        self.status = status
        self.details = details
        self.headers = headers or {}

    def response(self) -> Response:
        """The answer to send."""
        body = {"code": self.status, "message": MESSAGES[self.status], "details": self.details}
        return Response(self.status, body, self.headers)
