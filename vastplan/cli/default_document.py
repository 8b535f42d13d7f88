"""The document of the current folder, for commands that are typed without one."""

from __future__ import annotations

from vastplan.app.current_folder import HERE
from vastplan.cli.address import is_address
from vastplan.cli.request import Request
from vastplan.cli.requests.ledger import LedgerListRequest
from vastplan.cli.requests.show import ShowRequest
from vastplan.cli.requests.sim import SimRequest
from vastplan.cli.requests.validate import ValidateRequest
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.shell import word
from vastplan.model.yaml_text import ENDINGS

_OF_FILES = (*ENDINGS, ".json")


def with_document(request: Request) -> Request:
    """The request, with the document of the current folder if it has none and its command allows that. Raises `VastplanError`."""
    match request:
        case ShowRequest(paths=(only,), address=None, rights=False) if not only.exists() and is_address(str(only)):
            if only.suffix in _OF_FILES:
                typed = inert(word(str(only)), 200)
                raise VastplanError(f"{typed}: no such file (if it is an address: vastplan show . {typed})")
            return request.replace(paths=(HERE,), address=str(only))
        case ShowRequest(paths=(only,), address=None, rights=False) if not only.exists() and _names_no_file(str(only)):
            return request.replace(paths=(HERE,), address=str(only))
        case ShowRequest(paths=(), rights=False):
            raise VastplanError(
                "show needs a saved plan (vastplan show PLAN), or an address of the document here (vastplan show ADDRESS)"
            )
        case LedgerListRequest(paths=(only,), site=None) if (
            not only.exists() and only.suffix not in ENDINGS and only.name == str(only)
        ):
            return request.replace(paths=(HERE,), site=str(only))
        case SimRequest(subject=""):
            return request.replace(subject=str(HERE))
        case ValidateRequest(list_checks=True) | ValidateRequest(explain=str()):
            return request
        case ShowRequest(paths=()) | LedgerListRequest(paths=()):
            return request.replace(paths=(HERE,))
        case Request(paths=()) if "paths" in request.arguments and request.arguments["paths"].settings["nargs"] == "*":
            return request.replace(paths=(HERE,))
        case _:
            return request


def _names_no_file(typed: str) -> bool:
    """Whether a word that is no path here looks like a name, or like an address without its site."""
    return not typed.endswith(_OF_FILES) and not typed.startswith((".", "/", "~"))
