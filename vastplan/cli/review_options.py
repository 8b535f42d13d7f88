"""What can be typed for the review of a change: record a snapshot, plan against it and a base, apply what was reviewed."""

from __future__ import annotations

import argparse
from pathlib import Path


def of_plan(parser: argparse.ArgumentParser) -> None:
    """The options of `plan`."""
    parser.add_argument(
        "--snapshot",
        type=Path,
        metavar="FILE",
        help="plan against what vastplan record wrote: no credentials, no network; to be read, not to be applied",
    )
    parser.add_argument(
        "--base",
        type=Path,
        metavar="PATH",
        help="the document before the change: tells this change from what was pending and what drifted",
    )

    parser.add_argument(
        "--approvals-template",
        type=Path,
        metavar="FILE",
        help="write a new approvals file for what this plan waits for, with the evidence and without the reasons",
    )
    _review_key(parser)


def _review_key(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--review-key",
        type=Path,
        metavar="FILE",
        help="a key of the runner: the plan has a keyed digest of each secret value, which --reviewed compares",
    )


def sign(parser: argparse.ArgumentParser) -> None:
    """How a saved plan is signed."""
    parser.add_argument(
        "--sign",
        type=Path,
        metavar="KEYFILE",
        help="sign the plan of --out with this Ed25519 key: FILE.sig beside it, for apply --require-signature",
    )


def of_apply(parser: argparse.ArgumentParser) -> None:
    """The options of `apply PATH`."""
    parser.add_argument(
        "--reviewed",
        type=Path,
        metavar="FILE",
        help="plan anew, and go on only if that does no more than this plan, which somebody has reviewed",
    )
    _review_key(parser)
    parser.add_argument("--allow-difference", action="store_true", help="go on though it is not what was reviewed")
    parser.add_argument(
        "--allow-secret-values",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="update values of secrets of this object that come from where they came from: a review cannot see that they "
        "were rotated; repeatable",
    )


def require_signature(parser: argparse.ArgumentParser) -> None:
    """Whose signature a plan must have."""
    parser.add_argument(
        "--require-signature",
        type=Path,
        metavar="PUBKEY",
        help="carry out, or take for reviewed, no plan that was not signed with one of the keys in this file (plan --sign)",
    )


def of_record(parser: argparse.ArgumentParser) -> None:
    """The options of `record`."""
    parser.add_argument("--out", type=Path, metavar="FILE", required=True, help="where to write the snapshot")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="KIND",
        help="leave out a kind that there is too much of (snapshot, workload); a plan says so; repeatable",
    )
