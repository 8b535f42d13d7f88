"""REP-06: a disconnected peer."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.kinds.vast.replication_peer import CONNECTED
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for peer in facts.objects.all("replication_peer"):
        for live in facts.seen.get((peer.address.site, "replication_peer"), ()):
            if live.address == peer.address and live.figures.get(CONNECTED) == 0:
                yield Violation(peer, f"{peer.address.name} is disconnected")


def _wanted(facts: Facts) -> Iterator[str]:
    for peer in facts.objects.all("replication_peer"):
        yield peer.address.site


CHECK = Check(
    code="REP-06",
    title="a replication peer that is disconnected",
    severity=Severity.WARNING,
    why="Nothing is replicated over it: the other site falls behind, and a failover would lose all writes since then.",
    fix="check the state of the peer in VMS, the REPLICATION pools and the network between the sites",
    source="VMS 5.5 document, nativereplicationremotetargets.state",
    run=_run,
    reads=("replication_peer",),
    figures=(CONNECTED,),
    wanted=_wanted,
)
