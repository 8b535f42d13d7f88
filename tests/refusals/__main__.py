"""How many of the simulators' refusals a plan foresees: `python -m tests.refusals`."""

from tests.refusals.cases import table
from tests.refusals.rules import SYSTEMS, rules


def main() -> None:
    """Print a line for each system."""
    cases, _ = table()
    hit = {rule for case in cases for rule in case.rules}
    for system in (*SYSTEMS, ""):
        of_it = [rule for rule in rules() if rule.startswith(system)]
        foreseen = [rule for rule in of_it if rule in hit]
        excused = len(of_it) - len(foreseen)
        shown = system or f"all, by {len(cases)} documents"
        print(f"{shown}: {len(of_it)} rules, {len(foreseen)} foreseen, {excused} with a reason")


if __name__ == "__main__":
    main()
