"""`vastplan sim`."""

from __future__ import annotations

from pathlib import Path

from vastplan.app.workspace import open_workspace
from vastplan.cli.requests.sim import SimRequest
from vastplan.cli.screen import Screen
from vastplan.model import errors
from vastplan.model.errors import VastplanError


def run(request: SimRequest, screen: Screen) -> int:
    """Serve simulators until interrupted."""
    try:
        from vastplan.app.simulators import serve_document, serve_plane
    except ImportError as problem:
        raise VastplanError(
            f"the simulators are not installed ({problem.name} is missing): pip install 'vastplan[sim]'"
        ) from None
    if request.subject in ("vast", "kubernetes", "runai"):
        serve_plane(
            request.subject, port=request.port, user=request.user, password=request.password, state=request.state,
            version=request.api_version, rate=request.rate, strict=request.strict, report=screen.show,
        )  # fmt: skip
    else:
        _refuse_options_of_one_system(request)
        serve_document(open_workspace([Path(request.subject)]), report=screen.show)
    return errors.OK


def _refuse_options_of_one_system(request: SimRequest) -> None:
    """Raises `VastplanError` for an option that has no effect on the sites of a document."""
    for name, argument in request.arguments.items():
        if argument.flag and getattr(request, name) != argument.default:
            raise VastplanError(
                f"{argument.flag} is for the simulator of one system, such as vastplan sim vast, and not for the sites of a document"
            )
