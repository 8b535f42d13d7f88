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
        "CKP-00", "a figure cannot be computed", ERROR,
        "A wrong figure is worse than none: vastplan reports what is missing or contradictory instead.",
        "write what is missing in the volume's checkpoint or in sites.SITE.capability", "inferred: docs/checkpoints.md", WARNING,
    ),
    _check(
        "CKP-01", "a checkpoint is not written before the next one", ERROR,
        "Checkpoints pile up: each begins before the last one is complete, and the job waits or loses the older one.",
        "use a longer interval, or raise the limit that binds", "arithmetic: size over the slowest limit on the way",
    ),
    _check(
        "CKP-02", "jobs stall longer than their target", WARNING,
        "GPUs that wait for a write are paid for and train nothing.",
        "use a longer interval, mode: async, or a faster write", "arithmetic: blocking / (interval + blocking)",
    ),
    _check(
        "CKP-03", "more work may be lost than the target allows", ERROR,
        "After a failure the job repeats all work since the last complete checkpoint: up to an interval and a write.",
        "use a shorter interval, or a faster write", "arithmetic: interval and write, schedule and transfer to the other site",
    ),
    _check(
        "CKP-04", "the interval is far from the best, or costs more than the target allows", WARNING,
        "Frequent checkpoints cost writes, rare ones cost repeated work: the sum is least in between.",
        "use an interval near the best one", "Young 1974, Daly 2006: the best interval is sqrt(2 x blocking x time between failures)",
    ),
    _check(
        "CKP-05", "checkpoints are less durable than required", ERROR,
        "A checkpoint that is lost with the node, cluster or region that failed restores nothing.",
        "copy checkpoints to storage that outlives the failure (tier.drain, tier.drain_to)", "inferred: a copy lies where it lies",
    ),
    _check(
        "CKP-06", "a synchronous write takes longer than its barrier waits", ERROR,
        "Ranks that wait at a barrier give up at its timeout, and the job fails while it saves.",
        "use mode: async, a longer collective_timeout, or a faster write", "PyTorch documentation, torch.distributed: timeout of collectives",
    ),
    _check(
        "CKP-07", "pods are killed before they finish writing", WARNING,
        "Kubernetes kills a pod at the end of its grace period, and its last checkpoint stays incomplete.",
        "raise terminationGracePeriodSeconds to the time of a write or more", "Kubernetes documentation, pod termination",
    ),
    _check(
        "CKP-08", "checkpoints and what snapshots pin exceed the capacity", ERROR,
        "In a full directory or tenant the write fails, and the job with it.",
        "use a larger size, a smaller keep_last, or keep snapshots for a shorter time",
        "VMS 5.5 document, quotas.hard_limit and tenants.capacity_rules; that snapshots are not charged to a quota is VMS-056", WARNING,
    ),
    _check(
        "CKP-09", "readers get less than they need during a checkpoint", WARNING,
        "Training data and inference read from the same cluster: a checkpoint at full speed starves them.",
        "cap the writes with a QoS limit, or checkpoint less often", "inferred: reads and writes share a cluster linearly",
    ),
    _check(
        "CKP-10", "checkpoints that coincide exceed the write bandwidth of their site", WARNING,
        "Each volume's limit fits the site, all together do not: when checkpoints coincide, every write takes longer.",
        "lower the QoS limits, or do not let the jobs' checkpoints coincide", "arithmetic: the volumes' own limits against the site's writes",
    ),
    _check(
        "CKP-11", "a limit binds that was not meant to", WARNING,
        "Another limit than the intended one decides, and raising the intended one changes nothing.",
        "raise or remove the limit that binds", f"VMS 5.5 document, qospolicies.io_size_bytes; {_QOS}",
    ),
    _check(
        "CKP-12", "failures come as often as checkpoints, or their rate is a guess", WARNING,
        "A job that fails about as often as it saves makes no progress; a guessed rate makes all figures guesses.",
        "use a shorter interval, or write reliability.mtbf as measured", f"{_LLAMA}; {_RSC}",
    ),
    _check(
        "CKP-13", "a training checkpoint holds weights only", NOTE,
        "Without the optimizer state a training resumes with empty moments; a complete checkpoint is much larger.",
        "write model.state: mixed-adam, or size as measured", "arithmetic: 2 bytes of weights, 4 of master weights and 8 of moments a parameter",
    ),
    _check(
        "CKP-14", "checkpoints have more files than allowed", WARNING,
        "At the limit no file can be created, however many bytes are left.",
        "raise max_inodes, or write fewer files_per_rank", "VMS 5.5 document, quotas.hard_limit_inodes",
    ),
    _check(
        "CKP-15", "writes or replicas depend on the WAN", WARNING,
        "A write over the WAN is as slow as the WAN; replication that falls behind never has the newest checkpoint.",
        "write on the origin's site, replicate less often, or use a faster WAN",
        "VAST knowledge base, global namespace: writes to a satellite go to its origin",
    ),
    _check(
        "CKP-16", "the interval is not a time", WARNING,
        "Without a time between checkpoints there is no bound on the work that may be lost.",
        "write interval as a time, or the time of a step (steps.takes)", "arithmetic: steps of unknown length are not a time",
    ),
    _check(
        "CKP-17", "a restore takes longer than its target", NOTE,
        "All GPUs of the job wait until the state is read back and the job restarted.",
        "use faster reads, a smaller checkpoint, or a faster restart", "arithmetic: attach, size over reads, restart",
    ),
)  # fmt: skip

TITLES = {check.code: check.title for check in CHECKS}
