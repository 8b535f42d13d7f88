"""The document of the current folder, for commands that are typed without one."""

from __future__ import annotations

from dataclasses import replace

from vastplan.app.here import HERE
from vastplan.cli.request import (
    ApplyRequest,
    DriftRequest,
    LedgerRequest,
    LedgerVerb,
    OperationRequest,
    PlanRequest,
    Request,
    ShowRequest,
    SimRequest,
    ValidateRequest,
)
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.shell import word
from vastplan.model.yaml_text import ENDINGS


def placed(request: Request) -> Request:
    """The request, with the document of the current folder if it has none and its command allows that. Raises `VastplanError`."""
    match request:
        case ShowRequest(paths=(only,), address=None, rights=False) if not only.exists() and _is_address(str(only)):
            return replace(request, paths=(HERE,), address=str(only))
        case ShowRequest(paths=(), rights=False):
            raise VastplanError(
                "show needs a saved plan (vastplan show PLAN), or an address of the document here (vastplan show ADDRESS)"
            )
        case LedgerRequest(verb=LedgerVerb.LIST, paths=(only,), site=None) if (
            not only.exists() and only.suffix not in ENDINGS and only.name == str(only)
        ):
            return replace(request, paths=(HERE,), site=str(only))
        case LedgerRequest() | OperationRequest() if (
            request.paths and not request.paths[0].exists() and _is_address(str(request.paths[0]))
        ):
            shown = f"vastplan {request.command} {request.verb.value}"
            raise VastplanError(
                f"{shown}: PATH is missing: {inert(word(str(request.paths[0])), 200)} is an address; type {shown} PATH ADDRESS"
            )
        case SimRequest(subject=""):
            return replace(request, subject=str(HERE))
        case ValidateRequest(list_checks=True) | ValidateRequest(explain=str()):
            return request
        case PlanRequest() | ApplyRequest() | DriftRequest() | ValidateRequest() | ShowRequest() | LedgerRequest():
            return request if request.paths else replace(request, paths=(HERE,))
        case _:
            return request


def _is_address(text: str) -> bool:
    try:
        Address.parse(text)
    except ValueError:
        return False
    return True


def typed(request: Request) -> str:
    """The command's name as it is typed, for messages that say what to type."""
    return f"{request.command} {request.verb.value}" if isinstance(request, LedgerRequest) else request.command
