"""What couples Run:AI's workloads with the jobs that write to their site's VAST cluster."""

from __future__ import annotations

from vastplan.sim.vast import VastPlane


class Workers:
    """The jobs of Run:AI's workloads, which write to a site's VAST cluster: a job is called as its workload's id."""

    def __init__(self, vast: VastPlane) -> None:
        self._vast = vast

    def stop(self, workload: str) -> None:
        """Let it write no more."""
        if self._vast.has_job(workload):
            self._vast.stop_job(workload)

    def go_on(self, workload: str) -> None:
        """Start it again, with what it finds."""
        if self._vast.has_job(workload):
            self._vast.go_on_job(workload)

    def failed(self, workload: str) -> bool:
        """Whether it has ended with an error."""
        return self._vast.has_job(workload) and self._vast.job(workload).state == "failed"
