"""Savings Plans: what is offered, and what was bought.

Nothing that is active can be undone; a plan with a purchase time yet to come is queued and can be
deleted until then. Sources: Savings Plans API reference, CreateSavingsPlan and
DeleteQueuedSavingsPlan; botocore service model; 2026-11-30.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

from tidegate.localclouds.aws.kept.calls import Asked, draw_uuid, now
from tidegate.localclouds.aws.kept.kinds import Handler, Kind
from tidegate.localclouds.aws.kept.references import INVALID
from tidegate.localclouds.aws.kept.shelves import Body
from tidegate.localclouds.refusals import CloudError, NotFoundError

YEAR_SECONDS = 365 * 24 * 3600
TERMS = {1: YEAR_SECONDS, 3: 3 * YEAR_SECONDS}
ALL_UPFRONT, PARTIAL_UPFRONT, NO_UPFRONT = "All Upfront", "Partial Upfront", "No Upfront"
PAYMENTS = (ALL_UPFRONT, PARTIAL_UPFRONT, NO_UPFRONT)
PRODUCTS = {
    "Compute": ["EC2", "Fargate", "Lambda"],
    "EC2Instance": ["EC2"],
    "SageMaker": ["SageMaker"],
}
QUEUED, ACTIVE, RETIRED, DELETED = "queued", "active", "retired", "queued-deleted"
SPACE = uuid.UUID("6f0a2a5e-4a0c-5f0e-9d6b-1b6f2b7d6c11")
TIME_FORM = "%Y-%m-%dT%H:%M:%S.000Z"
MINIMUM_COMMITMENT, MAXIMUM_COMMITMENT = Decimal("0.001"), Decimal(1_000_000)
COMMITMENT_DIGITS = 5
LOWEST_SHARE, HIGHEST_SHARE = Decimal("0.50"), Decimal("0.99")


@cache
def load_offerings() -> Mapping[str, Body]:
    """Return every offering by id. An id stands for the same offering in every local cloud."""
    return {body["offeringId"]: body for body in _build_offerings()}


def _build_offerings() -> Iterator[Body]:
    places: list[tuple[str, str]] = [("", "")]
    for plan, products in PRODUCTS.items():
        for region, family in _list_families() if plan == "EC2Instance" else places:
            for years, seconds in TERMS.items():
                for payment in PAYMENTS:
                    yield _build_offering(plan, products, (region, family), years, seconds, payment)


def _build_offering(
    plan: str,
    products: list[str],
    place: tuple[str, str],
    years: int,
    seconds: int,
    payment: str,
) -> Body:
    region, family = place
    words = f"{years} year {payment} {plan} Savings Plan"
    properties = {"region": region, "instanceFamily": family} if region else {}
    return {
        "offeringId": str(uuid.uuid5(SPACE, f"{words} {region} {family}".strip())),
        "productTypes": products,
        "planType": plan,
        "description": f"{family} {region} {words}".strip(),
        "paymentOption": payment,
        "durationSeconds": seconds,
        "currency": "USD",
        "properties": [{"name": name, "value": value} for name, value in properties.items()],
    }


def _list_families() -> list[tuple[str, str]]:
    from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

    found = set()
    for region in INSTANCE_TYPE_OFFERINGS["region"]:
        for offering in INSTANCE_TYPE_OFFERINGS["region"].get(region, ()):
            found.add((region, offering["InstanceType"].split(".")[0]))
    return sorted(found)


def _say_no_plan(noun: str, name: str) -> CloudError:  # noqa: ARG001 - as every error of a kind
    return NotFoundError("ResourceNotFoundException", f"Savings Plan {name} does not exist")


PLAN = Kind(
    name="savings plan",
    key=("savingsPlanId",),
    arn_member="savingsPlanArn",
    arn="savingsplan/{savingsPlanId}",
    times=(),
    missing=_say_no_plan,
)


def _find_offering(id: str) -> Body:
    offering = load_offerings().get(id)
    if offering is None:
        words = (
            f"Savings Plan offering {id} does not exist; DescribeSavingsPlansOfferings lists them"
        )
        raise NotFoundError("ResourceNotFoundException", words)
    return offering


def _create(asked: Asked) -> Body:
    offering = _find_offering(asked.parameters["savingsPlanOfferingId"])
    payments = _compute_payments(asked.parameters, offering)
    moment = now().replace(tzinfo=UTC)
    start = _read_time(asked.parameters.get("purchaseTime")) or moment
    if start < moment:
        raise CloudError(INVALID, f"Purchase time {start.isoformat()} is in the past")
    plan_id = draw_uuid()
    facts = {member["name"]: member["value"] for member in offering["properties"]}
    generated = {
        "savingsPlanId": plan_id,
        "offeringId": offering["offeringId"],
        "description": offering["description"],
        "start": start.strftime(TIME_FORM),
        "end": (start + timedelta(seconds=offering["durationSeconds"])).strftime(TIME_FORM),
        "state": QUEUED if start > moment else ACTIVE,
        "savingsPlanType": offering["planType"],
        "paymentOption": offering["paymentOption"],
        "productTypes": offering["productTypes"],
        "currency": offering["currency"],
        "termDurationInSeconds": offering["durationSeconds"],
        **({"region": facts["region"]} if facts else {}),
        **({"ec2InstanceFamily": facts["instanceFamily"]} if facts else {}),
        **payments,
    }
    PLAN.create(asked, {}, generated)
    return {"savingsPlanId": plan_id}


def _compute_payments(parameters: Mapping[str, Any], offering: Body) -> Body:
    """Return hourly commitment, what is paid at once and what each hour, as decimal text."""
    commitment = _read_commitment(parameters["commitment"])
    hours = Decimal(offering["durationSeconds"]) / 3600
    whole = commitment * hours
    upfront = _compute_upfront(parameters.get("upfrontPaymentAmount"), offering, whole)
    return {
        "commitment": parameters["commitment"],
        "upfrontPaymentAmount": f"{upfront:f}",
        "recurringPaymentAmount": f"{(whole - upfront) / hours:f}",
    }


def _read_commitment(text: str) -> Decimal:
    commitment = _read_amount("commitment", text)
    if not MINIMUM_COMMITMENT <= commitment <= MAXIMUM_COMMITMENT:
        words = f"Commitment must be between {MINIMUM_COMMITMENT} and {MAXIMUM_COMMITMENT}"
        raise CloudError(INVALID, words)
    if commitment.as_tuple().exponent < -COMMITMENT_DIGITS:  # type: ignore[operator]
        words = f"Commitment takes at most {COMMITMENT_DIGITS} digits after the decimal point"
        raise CloudError(INVALID, words)
    return commitment


def _compute_upfront(asked: str | None, offering: Body, whole: Decimal) -> Decimal:
    """Return what is paid at once of what a plan is worth over its whole term."""
    payment = offering["paymentOption"]
    if asked is not None and payment != PARTIAL_UPFRONT:
        words = f"upfrontPaymentAmount is only supported for {PARTIAL_UPFRONT}, not for {payment}"
        raise CloudError(INVALID, words)
    if asked is None:
        shares = {ALL_UPFRONT: Decimal(1), PARTIAL_UPFRONT: LOWEST_SHARE, NO_UPFRONT: Decimal(0)}
        return whole * shares[payment]
    upfront = _read_amount("upfrontPaymentAmount", asked)
    if not whole * LOWEST_SHARE <= upfront <= whole * HIGHEST_SHARE:
        words = f"upfrontPaymentAmount {upfront} is not between 50 and 99 percent of {whole:f}"
        raise CloudError(INVALID, words)
    return upfront


def _read_amount(name: str, text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise CloudError(INVALID, f"{name} {text!r} is no decimal amount") from error


def _read_time(value: Any) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    return datetime.fromisoformat(str(value))


def _show(asked: Asked, body: Body) -> Body:
    """Return a plan as it is now: a queued one is bought and an active one ends by itself."""
    state, moment = body["state"], now().strftime(TIME_FORM)
    if state == QUEUED and body["start"] <= moment:
        state = ACTIVE
    if state == ACTIVE and body["end"] <= moment:
        state = RETIRED
    return {**body, "state": state, "tags": PLAN.tags(asked, body)}


def _describe(asked: Asked) -> Body:
    ids, arns = asked.parameters.get("savingsPlanIds"), asked.parameters.get("savingsPlanArns")
    states = asked.parameters.get("states")
    shown = [_show(asked, body) for body in PLAN.list(asked)]
    return {
        "savingsPlans": [
            body
            for body in shown
            if (not ids or body["savingsPlanId"] in ids)
            and (not arns or body["savingsPlanArn"] in arns)
            and (not states or body["state"] in states)
        ]
    }


def _delete_queued(asked: Asked) -> Body:
    body = PLAN.find(asked)
    if _show(asked, body)["state"] != QUEUED:
        words = f"Savings Plan {body['savingsPlanId']} is {body['state']}: only a queued one can go"
        raise CloudError(INVALID, words)
    body["state"] = DELETED
    return {}


def _describe_offerings(asked: Asked) -> Body:
    wanted = asked.parameters
    places = {part["name"]: part["values"] for part in wanted.get("filters", ())}
    found = [
        body
        for body in load_offerings().values()
        if body["offeringId"] in (wanted.get("offeringIds") or [body["offeringId"]])
        and body["paymentOption"] in (wanted.get("paymentOptions") or PAYMENTS)
        and body["planType"] in (wanted.get("planTypes") or PRODUCTS)
        and body["durationSeconds"] in (wanted.get("durations") or TERMS.values())
        and wanted.get("productType", body["productTypes"][0]) in body["productTypes"]
        and _is_in(body, places)
    ]
    first = int(wanted.get("nextToken") or 0)
    last = first + int(wanted.get("maxResults") or 1000)
    more = {"nextToken": str(last)} if last < len(found) else {}
    return {"searchResults": found[first:last], **more}


def _is_in(body: Body, places: Mapping[str, list[str]]) -> bool:
    facts = {part["name"]: part["value"] for part in body["properties"]}
    return all(facts.get(name) in values for name, values in places.items())


SAVINGS_PLANS: Mapping[str, Handler] = {
    "CreateSavingsPlan": _create,
    "DescribeSavingsPlans": _describe,
    "DeleteQueuedSavingsPlan": _delete_queued,
    "DescribeSavingsPlansOfferings": _describe_offerings,
}
