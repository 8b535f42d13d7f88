"""What `make test` leaves to `make slow`, beside what is marked where it stands: modules that take systems through their lives.

By module the tests of it that `make test` keeps. Each took two seconds and more in November 2026, on two cores. CI takes the others by turns:
those of `WHOLE` each day, the rest in shares, and of `FORCED` smaller ones.
"""

from __future__ import annotations

import argparse
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping

import pytest

LEFT: Mapping[str, tuple[str, ...]] = {
    "checks/test_isolation.py": (),
    "cli/test_directory.py": ("test_who_is_in_no_directory_is_told_where_his_rights_are_to_be_set",),
    "cli/test_interrupt.py": (),
    "cli/test_ledger.py": ("test_a_move_before_or_after_the_edit_brings_the_parts_along",),
    "cli/test_other_documents.py": (),
    "cli/test_saved_plan.py": ("test_another_document_where_the_plan_is_now_is_not_taken_for_its_own",),
    "cli/test_sim.py": (),
    "cli/test_sites.py": (),
    "cli/test_stale.py": ("test_a_plan_is_applied_once",),
    "cli/test_systems.py": ("test_a_real_address",),
    "clients/test_import.py": (),
    "contract/test_command.py": ("test_a_token_and_a_lonely_system_will_do",),
    "drift/test_cause.py": (),
    "engine/test_access.py": ("test_a_class_that_is_made_is_closed_first",),
    "engine/test_ambiguous_names.py": (),
    "engine/test_cross_site.py": ("test_everything_is_deleted_in_order_and_the_mirrors_go_along",),
    "engine/test_cut_short.py": ("test_what_is_really_gone_is_made_again",),
    "engine/test_exclusive.py": (),
    "engine/test_growth.py": (),
    "engine/test_guard_evidence.py": ("test_snapshots_are_read_only_where_something_is_to_go",),
    "engine/test_isolation_rule.py": (),
    "engine/test_replace_in_use.py": (),
    "engine/test_replica_order.py": (),
    "engine/test_stale.py": ("test_a_changed_field_is_refused_with_both_values_and_the_rest_goes_on",),
    "faults/test_faults.py": (),
    "faults/test_kills.py": (),
    "guards/test_table.py": (),
    "histories/test_histories.py": (),
    "histories/test_oracle.py": (),
    "importing/test_accounting.py": (),
    "importing/test_classes.py": (),
    "importing/test_each_line_tells.py": (),
    "importing/test_existing.py": (),
    "importing/test_files.py": (),
    "importing/test_golden.py": (),
    "importing/test_hostile_names.py": (),
    "importing/test_inverse.py": (),
    "importing/test_left_with_words.py": (),
    "importing/test_newer.py": (),
    "importing/test_next_step.py": (),
    "importing/test_real_terraform.py": (),
    "importing/test_secrets.py": (),
    "importing/test_the_tests.py": (),
    "importing/test_told_apart.py": (),
    "importing/test_unread.py": (),
    "importing/test_wrong_shapes.py": (),
    "kinds/test_buckets.py": ("test_it_is_what_it_says_and_then_nothing_is_left_to_do",),
    "kinds/test_claim_snapshots.py": (
        "test_a_declared_snapshot_is_made_once",
        "test_latest_is_the_newest_that_is_there_and_stays_what_it_was",
    ),
    "kinds/test_claim_snapshots_life.py": (),
    "kinds/test_clones.py": ("test_a_clone_is_made_before_its_view_and_once", "test_no_source_goes_while_it_is_read"),
    "kinds/test_data_volumes.py": (),
    "kinds/test_declared_snapshots.py": ("test_it_is_made_once",),
    "kinds/test_names.py": (),
    "kinds/test_protected_paths.py": (),
    "kinds/test_runai_units.py": (),
    "kinds/test_runai_versions.py": (),
    "kinds/test_s3_policies.py": (),
    "kinds/test_synchronous_buckets.py": ("test_one_entry_makes_it_on_both_without_a_schedule",),
    "kinds/test_two_sites.py": (
        "test_one_entry_makes_everything_on_both",
        "test_two_writers_stop_the_volume_on_both_sites",
    ),
    "kinds/test_what_a_vms_does_itself.py": (),
    "kinds/test_workload_policies.py": (),
    "kube/test_life.py": (),
    "moving/test_apply.py": ("test_what_is_being_moved_is_left_alone_and_nothing_else",),
    "moving/test_fork.py": ("test_the_work_goes_on_at_both_sites",),
    "moving/test_fork_matrix.py": (),
    "moving/test_jobs.py": (),
    "moving/test_matrix.py": ("test_how_many_events_an_unplanned_move_has",),
    "moving/test_planned.py": ("test_a_job_moves_and_nothing_that_it_wrote_is_missing", "test_a_plan_expires"),
    "moving/test_rehearse.py": ("test_a_move_is_tried_and_nothing_is_left",),
    "moving/test_rehearse_matrix.py": (),
    "moving/test_rejoin.py": ("test_a_site_that_is_back_follows_and_its_branch_is_in_a_snapshot",),
    "moving/test_through.py": ("test_work_goes_there_and_comes_back_and_nothing_is_missing",),
    "moving/test_through_matrix.py": (),
    "moving/test_together.py": ("test_a_project_moves_with_all_its_volumes",),
    "moving/test_together_matrix.py": (),
    "moving/test_unplanned.py": (),
    "ledger/test_apply.py": ("test_of_two_appliers_one_wins_and_the_other_is_told_who",),
    "probes/test_tables.py": (),
    "properties/test_random_documents.py": (),
    "report/test_large.py": (),
    "restoring/test_in_place.py": (),
    "restoring/test_matrix.py": (),
    "restoring/test_new.py": ("test_it_is_copied_and_the_next_plan_makes_it_a_volume",),
    "review/test_endpoints.py": (),
    "review/test_every_kind.py": (),
    "review/test_head.py": (),
    "review/test_hostile.py": (),
    "review/test_named_files.py": (),
    "review/test_reviewed.py": ("test_the_same_is_applied",),
    "review/test_rotated.py": (),
    "review/test_secret_sources.py": (),
    "review/test_who_is_let_in.py": (),
    "sim/test_vast_invariants.py": (),
    "skypilot/test_credentials.py": (),
    "skypilot/test_export.py": ("test_it_is_a_function_of_the_document",),
    "test_reading_only.py": (),
    "trust/test_document_is_data.py": (),
    "trust/test_hostile_answers.py": (),
    "trust/test_hostile_yaml.py": (),
    "trust/test_rows_cut_short.py": (),
    "trust/test_secrets.py": ("test_a_token_that_no_header_can_hold",),
    "trust/test_signatures.py": ("test_what_was_signed_is_applied",),
    "trust/test_what_is_touched.py": (),
    "values/test_named_ids.py": (),
    "values/test_stories.py": (),
    "watching/test_watch.py": ("test_a_lost_site_is_failed_over_once_and_nobody_types_anything",),
}


def is_left_whole(module: str) -> bool:
    """Whether `make test` has nothing to do with a module, by its path below tests/."""
    return LEFT.get(module) == ()


def leave(items: Iterable[pytest.Item]) -> None:
    """Mark what is left to `make slow`."""
    for item in items:
        module, _, test = item.nodeid.removeprefix("tests/").partition("::")
        kept = LEFT.get(module)
        if kept is not None and test.partition("[")[0] not in kept:
            item.add_marker(pytest.mark.slow)


WHOLE = ("kinds/", "clients/", "values/", "test_", "moving/", "restoring/")
"""Of these every slow test runs in CI each day, but for `FORCED`: together they say whether each documented operation was seen."""

FORCED = (
    "moving/test_matrix", "moving/test_together_matrix", "moving/test_fork_matrix", "moving/test_through_matrix",
    "moving/test_rehearse_matrix", "restoring/test_matrix", "watching/test_kills",
)  # fmt: skip
"""Of these there are thousands, one for each point at which a move can be killed or struck: a share of them is a quarter of the others'."""

Share = tuple[int, int]
"""The K-th of N parts of what is slow; K counts from one."""


def share(text: str) -> Share:
    """`2/3` as it is typed. A share that is none would leave tests out on every day: `ArgumentTypeError`."""
    part, slash, parts = text.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is no share: write K/N, with K from 1 to N")
    return int(part), int(parts)


def in_share(nodeids: Iterable[str], of: Share) -> set[str]:
    """Which slow tests are those of a share. The others are in the other shares; all but `FORCED` are in four of them.

    Of each module every share has the N-th of its tests, as many as any other or one more: a day takes as long as any other.
    """
    part, parts = of
    modules: dict[str, list[str]] = defaultdict(list)
    for nodeid in nodeids:
        modules[nodeid.partition("::")[0].removeprefix("tests/")].append(nodeid)
    taken: set[str] = set()
    for module, tests in modules.items():
        forced = module.startswith(FORCED)
        if module.startswith(WHOLE) and not forced:
            taken.update(tests)
            continue
        turns = parts if forced else max(1, parts // 4)
        # not every module has its longer half on the same day
        first = (part - 1 + zlib.crc32(module.encode())) % turns
        taken.update(tests[first::turns])
    return taken
