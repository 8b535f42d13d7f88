"""Meetings and open ends in words."""

from __future__ import annotations

from vastplan.model.isolation import Meeting, OpenEnd

_SHOWN = 4


def who(projects: tuple[str, ...], everybody: bool) -> str:
    """Projects by name, the first few of many."""
    if everybody:
        return "all projects"
    more = len(projects) - _SHOWN
    return ("projects " if len(projects) > 1 else "project ") + (
        ", ".join(projects[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
    )


def meeting(one: Meeting) -> str:
    """Who meets where, and the way there of two of them."""
    ways = "; ".join(" > ".join(chain) for chain in one.chains)
    dependents = one.inside or one.everybody_inside
    others = f" with {who(one.inside, one.everybody_inside)} beneath it" if dependents else ""
    name = one.element.replace(":", " ", 1) if one.layer == "path" else one.element
    meets = "meets" if not one.everybody and len(one.projects) == 1 else "meet"
    return f"{who(one.projects, one.everybody)}{others} {meets} in {one.layer} {name}: {ways}"


def open_end(one: OpenEnd) -> str:
    """What cannot be followed, and for whom."""
    return f"nothing is proven of {who(one.projects, one.everybody)}: {one.reason}"
