"""What GKE refuses in how a pool gets its nodes: spot, flex-start, queued, reserved.

Sources: see `gke_rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure

Body = Mapping[str, Any]

RESERVATION_KEY = "compute.googleapis.com/reservation-name"
RESERVED = frozenset({"ANY_RESERVATION", "SPECIFIC_RESERVATION", "ANY_RESERVATION_THEN_FAIL"})
DURATION = re.compile(r"(\d+)(\.\d{1,9})?s")
MAX_FLEX_START_SECONDS = 7 * 24 * 3600


def check_provisioning(pool: Body) -> Iterator[CheckFailure]:
    """Refuse spot, preemptible and flex-start together, or with a reservation."""
    config = pool.get("config")
    if not isinstance(config, Mapping):
        return
    chosen = [word for word in ("spot", "preemptible", "flexStart") if config.get(word) is True]
    if len(chosen) > 1:
        yield CheckFailure(
            f"config.{chosen[1]}", f"{chosen[0]} and {chosen[1]} nodes exclude each other."
        )
    affinity = look(config, "reservationAffinity.consumeReservationType")
    if affinity in RESERVED and chosen:
        yield CheckFailure(
            "config.reservationAffinity.consumeReservationType",
            f"{chosen[0]} nodes cannot consume a reservation: expected NO_RESERVATION, "
            f"got {affinity}.",
        )
    if config.get("flexStart") is True:
        yield from _check_flex_start(pool)


def _check_flex_start(pool: Body) -> Iterator[CheckFailure]:
    if look(pool, "management.autoRepair") not in (False, UNKNOWN):
        yield CheckFailure(
            "management.autoRepair", "Flex-start nodes need management.auto_repair to be false."
        )
    affinity = look(pool, "config.reservationAffinity.consumeReservationType")
    if affinity not in ("NO_RESERVATION", UNKNOWN):
        yield CheckFailure(
            "config.reservationAffinity",
            "Flex-start nodes need a reservation affinity of NO_RESERVATION.",
        )
    if look(pool, "autoscaling.enabled") in (None, False):
        yield CheckFailure(
            "autoscaling", "Flex-start nodes need autoscaling; a static node count is not possible."
        )
    if isinstance(pool.get("initialNodeCount"), int) and pool["initialNodeCount"] > 0:
        yield CheckFailure("initialNodeCount", "Flex-start node pools start with 0 nodes.")


def check_run_duration(pool: Body) -> Iterator[CheckFailure]:
    """Refuse a run duration out of form, or longer than flex-start allows."""
    duration = look(pool, "config.maxRunDuration")
    if not isinstance(duration, str):
        return
    match = DURATION.fullmatch(duration)
    if not match:
        yield CheckFailure(
            "config.maxRunDuration", f"Invalid duration '{duration}': seconds and an 's': '3600s'."
        )
    elif int(match[1]) > MAX_FLEX_START_SECONDS and look(pool, "config.flexStart") is True:
        yield CheckFailure(
            "config.maxRunDuration", f"max_run_duration {duration} is more than seven days."
        )


def check_queued(pool: Body) -> Iterator[CheckFailure]:
    """Refuse what queued provisioning cannot be combined with."""
    if look(pool, "queuedProvisioning.enabled") is not True:
        return
    affinity = look(pool, "config.reservationAffinity.consumeReservationType")
    if affinity not in ("NO_RESERVATION", UNKNOWN):
        yield CheckFailure(
            "config.reservationAffinity",
            "Queued provisioning needs a reservation affinity of NO_RESERVATION.",
        )
    if look(pool, "autoscaling.enabled") in (None, False):
        yield CheckFailure("autoscaling", "Queued provisioning needs autoscaling.")
    for word in ("minNodeCount", "totalMinNodeCount"):
        low = look(pool, f"autoscaling.{word}")
        if isinstance(low, int) and low > 0:
            yield CheckFailure(
                f"autoscaling.{word}", f"Queued provisioning needs a minimum of 0 nodes, got {low}."
            )
    if look(pool, "placementPolicy.type") == "COMPACT":
        yield CheckFailure(
            "placementPolicy.type", "Queued provisioning and compact placement exclude each other."
        )


def check_reservation_key(pool: Body) -> Iterator[CheckFailure]:
    """Refuse a specific reservation that is not named."""
    affinity = look(pool, "config.reservationAffinity")
    if look(affinity, "consumeReservationType") != "SPECIFIC_RESERVATION":
        return
    if look(affinity, "key") not in (RESERVATION_KEY, UNKNOWN) or not look(affinity, "values"):
        yield CheckFailure(
            "config.reservationAffinity",
            f"SPECIFIC_RESERVATION needs key '{RESERVATION_KEY}' and the reservation's name in "
            "values.",
        )
