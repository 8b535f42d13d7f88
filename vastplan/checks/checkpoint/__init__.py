"""The checkpoint budget: what a volume's checkpoints take, which limit binds, and which targets that breaks.

`budget(demand)` computes, `findings(budget)` judges, `document.demand(...)` reads both from a document's values.
Everything here is a pure function over frozen values.
"""

from vastplan.checks.checkpoint.budget import Budget, Passage, budget
from vastplan.checks.checkpoint.demand import Demand, Durability, Frame, SiteThroughput, Targets, Writer
from vastplan.checks.checkpoint.figures import figures, line
from vastplan.checks.checkpoint.findings import TITLES, change, findings, together
from vastplan.checks.checkpoint.limits import Limit, Sort, iops_limit
from vastplan.checks.checkpoint.timely import Violation

__all__ = [
    "TITLES",
    "Budget",
    "Demand",
    "Durability",
    "Frame",
    "Limit",
    "Passage",
    "SiteThroughput",
    "Sort",
    "Targets",
    "Violation",
    "Writer",
    "budget",
    "change",
    "figures",
    "findings",
    "iops_limit",
    "line",
    "together",
]  # fmt: skip
