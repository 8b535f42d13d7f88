"""Connects Run:AI's workloads to the jobs that write to their site's VAST cluster."""

from __future__ import annotations

from vastplan.sim.vast import VastPlane


class Workers:
    """The jobs of Run:AI's workloads on a site's VAST cluster: a job's name is its workload's id."""

    def __init__(self, vast: VastPlane) -> None:
        self._vast = vast

    def stop(self, workload: str) -> None:
        """Stop a workload's job."""
        if self._vast.has_job(workload):
            self._vast.stop_job(workload)

    def go_on(self, workload: str) -> None:
        """Restart a workload's job from the newest complete checkpoint."""
        if self._vast.has_job(workload):
            self._vast.go_on_job(workload)

    def failed(self, workload: str) -> bool:
        """Whether a workload's job has ended with an error."""
        return self._vast.has_job(workload) and self._vast.job(workload).state == "failed"
