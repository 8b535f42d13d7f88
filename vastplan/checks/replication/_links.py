"""What the document says about the links between sites."""

from vastplan.checks.facts import Facts
from vastplan.model.units import BANDWIDTH, show_amount


def how_fast(facts: Facts, site: str, other: str) -> str:
    """The highest speed at which a site sends to another one, in the words of a finding."""
    wan = facts.capability(site).get("wan_bw_mbps", {}).get(other)
    return "over a link of unknown speed" if wan is None else f"over a link of {show_amount(wan, BANDWIDTH)} at most"
