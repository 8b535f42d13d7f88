"""CKP-00 to CKP-17: what the budgets of checkpoints say, as checks. One computation finds all of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from vastplan.checks.check import Check, Violation
from vastplan.checks.checkpoint.evaluate import evaluated_volumes
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_LLAMA = "arXiv 2407.21783, Llama 3: 419 interruptions in 54 days on 16,384 GPUs"
_RSC = "arXiv 2410.21680, failures on Meta's RSC-1 by the size of a job"
_QOS = "VAST knowledge base, QoS overview and best practices"


def _run(facts: Facts, code: str) -> Iterator[Violation]:
    for item in evaluated_volumes(facts):
        for finding in item.findings:
            if finding.code == code:
                yield Violation(item.volume, finding.message, finding.fix, finding.severity)


def _check(
    code: str, title: str, severity: Severity, why: str, fix: str, source: str, milder: Severity | None = None
) -> Check:
    return Check(code, title, severity, why, fix, source, partial(_run, code=code), milder=milder)


CHECKS = (
    _check(
        "CKP-00", "what was asked for cannot be computed", ERROR,
        "A figure that only looks right is worse than none: what is missing or contradicts itself is said.",
        "say what is missing, of the volume's checkpoint or in sites.SITE.capability", "inferred: docs/checkpoints.md", WARNING,
    ),
    _check(
        "CKP-01", "a checkpoint is not written before the next one", ERROR,
        "Checkpoints pile up: each begins before the last one is whole, and the job waits or loses the older one.",
        "a longer interval, or raise the limit that binds", "arithmetic: size over the slowest limit on the way",
    ),
    _check(
        "CKP-02", "jobs stall longer than wanted", WARNING,
        "GPUs that wait for a write are paid for and train nothing.",
        "a longer interval, mode async, or a faster write", "arithmetic: blocking / (interval + blocking)",
    ),
    _check(
        "CKP-03", "more work may be lost than wanted", ERROR,
        "After a failure all work since the last whole checkpoint is done again: an interval and a write of it.",
        "a shorter interval, or a faster write", "arithmetic: interval and write, schedule and transfer to the other site",
    ),
    _check(
        "CKP-04", "the interval is far from the best, or costs more than wanted", WARNING,
        "More often costs writes, more seldom costs work done again: the sum is least in between.",
        "an interval near the best one", "Young 1974, Daly 2006: the best interval is sqrt(2 x blocking x time between failures)",
    ),
    _check(
        "CKP-05", "checkpoints do not outlive what they have to", ERROR,
        "A checkpoint that is lost with the node, cluster or region that failed restores nothing.",
        "copy checkpoints on (tier.drain, tier.drain_to) to what outlives the failure", "inferred: a copy lies where it lies",
    ),
    _check(
        "CKP-06", "a synchronous write outlasts its barrier", ERROR,
        "Ranks that wait at a barrier give up at its timeout, and the job fails while it saves itself.",
        "mode async, a longer collective_timeout, or a faster write", "PyTorch documentation, torch.distributed: timeout of collectives",
    ),
    _check(
        "CKP-07", "pods are killed before they are done writing", WARNING,
        "A pod that is told to go is killed at the end of its grace period, and its last checkpoint is torn.",
        "a terminationGracePeriodSeconds of a write or more", "Kubernetes documentation, pod termination",
    ),
    _check(
        "CKP-08", "checkpoints and what snapshots pin exceed their room", ERROR,
        "A full directory or tenant fails the write, and the job with it, after the older checkpoints were needed.",
        "a larger size, a smaller keep_last, or shorter snapshots",
        "VMS 5.5 document, quotas.hard_limit and tenants.capacity_rules; that snapshots are not charged to a quota is VMS-056", WARNING,
    ),
    _check(
        "CKP-09", "readers get less than they need during a checkpoint", WARNING,
        "Training data and inference read from the same cluster: a checkpoint at full speed starves them.",
        "cap the writes with a QoS limit, or checkpoint less often", "inferred: reads and writes share a cluster linearly",
    ),
    _check(
        "CKP-10", "checkpoints of a site exceed what it writes when they coincide", WARNING,
        "Each volume's limit fits the site, all together do not: when jobs coincide every write takes longer.",
        "lower the QoS limits, or do not let the jobs' checkpoints coincide", "arithmetic: the volumes' own limits against the site's writes",
    ),
    _check(
        "CKP-11", "a limit binds other than it was meant to", WARNING,
        "Another limit than the one that was thought of decides, so that raising that one changes nothing.",
        "raise or remove the limit that binds", f"VMS 5.5 document, qospolicies.io_size_bytes; {_QOS}",
    ),
    _check(
        "CKP-12", "failures come as often as checkpoints, or their rate is a guess", WARNING,
        "A job that fails about as often as it saves makes no progress; a guessed rate makes all figures guesses.",
        "a shorter interval, or give reliability.mtbf as measured", f"{_LLAMA}; {_RSC}",
    ),
    _check(
        "CKP-13", "a training's checkpoint is its weights only", NOTE,
        "Without the optimizer's state a training starts again with cold moments, and its checkpoint is much smaller.",
        "model.state: mixed-adam, or size as measured", "arithmetic: 2 bytes of weights, 4 of master weights and 8 of moments a parameter",
    ),
    _check(
        "CKP-14", "checkpoints are more files than allowed", WARNING,
        "At the limit no file can be made, however many bytes are left.",
        "raise max_inodes, or write fewer files_per_rank", "VMS 5.5 document, quotas.hard_limit_inodes",
    ),
    _check(
        "CKP-15", "writes or replicas depend on the WAN", WARNING,
        "What goes over the WAN is as slow as the WAN; replicas that fall behind are never the newest.",
        "write on the origin's site, replicate less often, or use a faster WAN",
        "VAST knowledge base, global namespace: writes to a satellite go to its origin",
    ),
    _check(
        "CKP-16", "the interval is no time", WARNING,
        "Without a time between checkpoints there is no bound on the work that is lost.",
        "give interval as a time, or what a step takes", "arithmetic: steps of unknown length are no time",
    ),
    _check(
        "CKP-17", "a restore takes longer than wanted", NOTE,
        "Until the state is read back and the job restarted, all of its GPUs wait.",
        "faster reads, a smaller checkpoint, or a quicker restart", "arithmetic: attach, size over reads, restart",
    ),
)  # fmt: skip

TITLES = {check.code: check.title for check in CHECKS}
