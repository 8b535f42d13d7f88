"""The stage that reads Terraform states and reports how to remove the document's objects from Terraform."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import chain
from pathlib import Path

from vastplan.engine.live.observe import Observed
from vastplan.importing.model import LiveKey
from vastplan.importing.terraform import match
from vastplan.importing.terraform.handover import handover
from vastplan.importing.terraform.match import Matched
from vastplan.importing.terraform.state import STATE_BYTES, TerraformState, parse_state
from vastplan.model import regular_files
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.handover import StateHandover

_SITE = re.compile(r"[^=/\\.]+")
"""The site before `=` in `SITE=FILE`. A file whose name begins like that can be typed as `./a=b`."""


@dataclass(frozen=True, slots=True)
class StateFile:
    """A state, its file as typed, and the sites whose objects it may have."""

    name: str
    sites: tuple[str, ...]
    state: TerraformState


@dataclass(frozen=True, slots=True)
class Found:
    """A state with the live object of each of its instances."""

    file: StateFile
    matches: tuple[Matched, ...]


def read_states(typed: Sequence[str], sites: Sequence[str]) -> tuple[StateFile, ...]:
    """Read the files of `[SITE=]FILE`; a state without a site may have objects of any of `sites`, which are the imported ones.

    Raises `VastplanError` for another site, or for a file that is given twice, cannot be read, or is not a state.
    """
    states: list[StateFile] = []
    texts: dict[Path, str] = {}
    for text in typed:
        site, path = _split(text, sites)
        place = path.absolute()
        if place in texts:
            raise VastplanError(
                f"--terraform {inert(text)}: {inert(path)} is given twice; give it once, without a site if it covers several"
            )
        texts[place] = text
        states.append(StateFile(str(path), (site,) if site else tuple(sites), _read(path)))
    return tuple(states)


def look_up(states: Iterable[StateFile], observed: Observed) -> tuple[Found, ...]:
    """Each state, with the live object of each of its instances."""
    return tuple(Found(file, match.matched(file.state, observed, *file.sites)) for file in states)


def terraform_labels(states: Iterable[Found]) -> Mapping[LiveKey, str]:
    """The names of objects in Terraform; an object in two states has the name of the instance that sorts first."""
    return match.matched_labels(chain.from_iterable(each.matches for each in states))


def handovers(states: Iterable[Found], owned: Set[LiveKey]) -> tuple[StateHandover, ...]:
    """How to remove from Terraform the objects that the document has, including those that this import adopts."""
    return tuple(
        StateHandover(
            each.file.name,
            each.file.sites,
            _count(each.matches, None),
            _count(each.matches, owned),
            handover(each.matches, owned),
        )
        for each in states
    )


def _count(matches: Iterable[Matched], among: Collection[LiveKey] | None) -> int:
    objects = (each.object for each in matches if each.object is not None and not each.instance.deposed)
    return sum(1 for key in objects if among is None or key in among)


def _split(text: str, sites: Sequence[str]) -> tuple[str, Path]:
    """The site, "" if none is given, and the file."""
    site, equals, path = text.partition("=")
    if not equals or not _SITE.fullmatch(site):
        site, path = "", text
    if site and site not in sites:
        raise VastplanError(
            f"--terraform {inert(text)}: {inert(site)} is not a site of this import ({', '.join(sites)}); "
            "for a file of that name write ./FILE"
        )
    if not path:
        raise VastplanError(f"--terraform {inert(text)}: the file is missing")
    return site, Path(path)


def _read(path: Path) -> TerraformState:
    try:
        content = regular_files.read_regular(path, STATE_BYTES)
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "no file can be called that"
        raise VastplanError(f"{inert(path)} cannot be read: {reason}") from None
    return parse_state(content, inert(path))
