"""Bodies of requests as the vendors' documents have them: every field that is known to be taken may be in one. None of our kinds is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import Any

from tests.documented.facts import Facts

Json = dict[str, Any]

# What a field stands for that is no choice of the body's alone: ids of what is elsewhere, and what only the caller knows.
_ELSEWHERE = re.compile(
    r"(^|_)(ids?|guid|crn|asn|sid|identifier|provider_name|certificate|password|token|secret)$"
    r"|^(cluster_id|clusterId|vip_pools|attached_.*|.*_quotas|kafka_.*|event_notifications|bucket.*|user_impersonation|is_.*default.*|is_gold)$"
    r"|^(permission_per_vip_pool|create_dir.*|start_ip|end_ip|cnode_names|policy_id|qos_policy|is_user_quota|encryption_group)$"
)
_HOSTS = ("*", "10.1.0.0/16", "10.2.3.4", "10.9.0.0/24", "fd00::/64")
# Texts whose form the documents say in prose only, by what their fields are called.
_TEXTS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    (r"^atime_frequency$", ("01:00:00", "00:00:00", "1 00:00:00", "3600s")),
    (r"grace_period$", ("01:00:00", "7 00:00:00", "00:30:00", "")),
    (r"retention_period$|^auto_commit$", ("1d", "14d", "12h", "30d")),
    (r"retention_mode$", ("NONE", "GOVERNANCE", "COMPLIANCE")),
    (r"^nfs_minimal_protection_level$", ("NONE", "SYSTEM", "KRB_AUTH_ONLY")),
    (r"^(nfs|smb|s3)_(all_squash|no_squash|root_squash|read_only|read_write)$|^read_(only|write)$|^trash_access$", _HOSTS),
    (r"^gw_ip$", ("10.200.0.1", "")),
    (r"^domain_name$", ("storage.example.com", "nlp.example.com")),
    (r"^s3_object_ownership_rule$", ("None", "BucketOwnerPreferred", "BucketOwnerEnforced")),
    (r"email$", ("storage@example.com",)),
    (r"", ("on", "1e3", "~", "- x", "a: b", "#5", "Größe", "null", "'", '"x"', "007", "plain", "1:30", "<b>", "@x", "no")),
)  # fmt: skip
_NUMBERS = (0, 1, 7, 24, 250, 1000, 4096, 10**6, 2**32 - 1)
_CAPACITY = re.compile(r"^(hard|soft)_limit$")


class Bodies:
    """Draws the fields that a body may have beside those that somebody means."""

    def __init__(self, facts: Facts, chance: Random) -> None:
        self._facts, self._chance = facts, chance

    def optional(self, template: str, meant: Mapping[str, Any], most: int) -> Json:
        """Up to `most` fields of a POST that nobody needs, each with a value of its type."""
        shape = self._facts.shape(self._facts.body("POST", template))
        names = sorted(name for name in shape.get("fields", {}) if name not in meant and not _ELSEWHERE.search(name))
        drawn = self._chance.sample(names, min(len(names), self._chance.randint(0, most)))
        return {name: self._value(name, shape["fields"][name]) for name in drawn}

    def _value(self, name: str, given: Any) -> Any:
        shape, chance = self._facts.shape(given), self._chance
        type_ = shape["type"]
        if "enum" in shape:
            return chance.choice(shape["enum"])
        if type_ == "boolean":
            return chance.random() < 0.5
        if type_ in ("integer", "number"):
            if _CAPACITY.search(name):
                return chance.choice((2**40, 3 * 2**41, 10**13, 2**50 + 1))
            return max(shape.get("min", 0), chance.choice(_NUMBERS[:4] if name in ("vlan", "max_views") else _NUMBERS))
        if type_ == "string":
            return self._text(name)
        if type_ == "array":
            if name.endswith("ip_ranges"):
                start = chance.randint(1, 99)
                return [[f"10.66.{start}.1", f"10.66.{start}.{chance.randint(1, 99)}"]]
            values = [self._value(name, shape.get("items", "string")) for _ in range(chance.randint(0, 3))]
            return [value for number, value in enumerate(values) if value not in values[:number]]
        fields = shape.get("fields", {})
        inner = [one for one in sorted(fields) if not _ELSEWHERE.search(one)]
        needed = [one for one in inner if self._facts.shape(fields[one]).get("required")]
        drawn = [*needed, *chance.sample(inner, chance.randint(0, min(3, len(inner))))]
        return {one: self._value(one, fields[one]) for one in dict.fromkeys(drawn)}

    def _text(self, name: str) -> str:
        texts = next(texts for pattern, texts in _TEXTS if re.search(pattern, name))
        return str(self._chance.choice(texts))
