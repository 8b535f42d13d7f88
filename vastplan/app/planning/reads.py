"""The stage that lists the collections to read: for the plan itself, for the checks, and for the proof of isolation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vastplan.app import checks
from vastplan.app.planning import isolation
from vastplan.app.planning.desired_objects import Desired
from vastplan.app.workspace import Workspace
from vastplan.engine.deciding.plan import collections_to_read
from vastplan.engine.live.names import Named, names_to_read
from vastplan.model.dataclass import dataclass
from vastplan.model.site_ledger import SiteLedger

CollectionKey = tuple[str, str]  # site, kind


@dataclass(frozen=True, slots=True)
class ReadList:
    """The collections to read, by purpose."""

    plan: frozenset[CollectionKey]
    checks: frozenset[CollectionKey]
    proof: frozenset[CollectionKey]
    names: Mapping[CollectionKey, Named] = field(default_factory=dict)
    """The objects to read by name, where listing is not allowed or does not show all."""

    @property
    def all(self) -> frozenset[CollectionKey]:
        """All collections, without repetition."""
        return self.plan | self.checks | self.proof


def read_list(workspace: Workspace, desired: Desired, ledger: Mapping[str, SiteLedger], *, prove: bool) -> ReadList:
    """The collections to read before anything can be decided."""
    kinds, systems = workspace.registry.kinds, workspace.systems()
    return ReadList(
        plan=frozenset(collections_to_read(kinds, desired.entries, ledger, systems)),
        checks=frozenset(key for key in checks.collections_of_checks(desired.facts) if key[0] in desired.sites),
        proof=frozenset(isolation.collections(kinds, desired.sites, systems) if prove else ()),
        names=names_to_read(kinds, desired.entries, ledger),
    )
