"""The options of a plan, and its result."""

from __future__ import annotations

from dataclasses import field

from vastplan.app.files.review_key import ReviewKey
from vastplan.app.workspace import Workspace
from vastplan.engine.live.consent import Consent
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Observed
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Finding
from vastplan.model.isolation import Isolation
from vastplan.model.operation import Operation
from vastplan.model.plan import Plan
from vastplan.model.snapshot import RecordedSnapshot
from vastplan.model.watch import UNWATCHED, Watch
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How to plan. With a `snapshot` no system is contacted; a `base` separates this document's own changes.

    `base` is a finding if the given base cannot be read.
    """

    sites: tuple[str, ...]
    """The sites to plan for, all or some of the document's."""
    targets: tuple[str, ...] = ()
    consent: Consent = field(default_factory=Consent)
    keep_drift: tuple[str, ...] = ()
    """Patterns of addresses whose changes outside vastplan are kept."""
    prove: bool = False
    """Whether to prove the isolation of the live objects too, which reads more."""
    snapshot: RecordedSnapshot | None = None
    base: Workspace | Finding | None = None
    review_key: ReviewKey | None = None
    """The key for digests of secrets; `None` for a plan without digests."""
    limited: bool = False
    """Whether the sites were chosen with an option, so that problems of other sites do not stop the plan."""
    again: bool = False
    """Whether a saved plan is planned again: its named addresses matched then, so they are not checked again; what is gone is stale."""
    watch: Watch = UNWATCHED
    """Receives the progress of reads."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with what it was created from, for callers that need more than the plan."""

    plan: Plan
    observed: Observed
    entries: tuple[Entry, ...]
    matches: Matches
    everything: tuple[Entry, ...] = ()
    """The objects of the document on all its sites, planned or not."""
    isolation: tuple[Isolation, ...] = ()
    """The isolation proofs of the live objects, if requested."""
    operations: tuple[Operation, ...] = ()
    """The last operation of each subject, from the ledger of the planned sites."""
