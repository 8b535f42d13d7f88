"""What a plan is asked for, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from vastplan.app.files.review_key import ReviewKey
from vastplan.app.workspace import Workspace
from vastplan.engine.consent import Consent
from vastplan.engine.match import Matches
from vastplan.engine.observe import Observed
from vastplan.model.finding import Finding
from vastplan.model.isolation import Isolation
from vastplan.model.operation import Operation
from vastplan.model.plan import Plan
from vastplan.model.snapshot import Snapshot
from vastplan.model.watch import UNWATCHED, Watch
from vastplan.schema.entries import Entry


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How to plan. With a `snapshot` nothing is connected; a `base` tells what is this document's own change.

    `base` is a finding where there is one that cannot be read.
    """

    sites: tuple[str, ...]
    """The sites to plan for, all or some of the document's."""
    targets: tuple[str, ...] = ()
    consent: Consent = field(default_factory=Consent)
    keep_drift: tuple[str, ...] = ()
    """Patterns of addresses whose changes by hand are left alone."""
    prove: bool = False
    """Whether to prove the isolation of what is live too, which takes more reading."""
    snapshot: Snapshot | None = None
    base: Workspace | Finding | None = None
    review_key: ReviewKey | None = None
    """The key for digests of secrets, where there is to be one of each."""
    limited: bool = False
    """Whether somebody chose the sites, so that what is wrong with others does not stop them."""
    again: bool = False
    """Whether a saved plan is planned again: what was named for it was there then, and what has gone since is found stale."""
    watch: Watch = UNWATCHED
    """Who receives the progress of reads."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with what it was made from, for those that look further than the plan."""

    plan: Plan
    observed: Observed
    entries: tuple[Entry, ...]
    matches: Matches
    everything: tuple[Entry, ...] = ()
    """The objects of the document on all its sites, planned or not."""
    isolation: tuple[Isolation, ...] = ()
    """The proof of what is live, where it was asked for."""
    operations: tuple[Operation, ...] = ()
    """The last operation of each subject, as the ledger of the planned sites has them."""
