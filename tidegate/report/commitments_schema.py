"""The JSON Schema of a commitment review."""

from __future__ import annotations

from typing import Any

from tidegate.report.commitments_json import REVIEW_VERSION
from tidegate.review.inventory import FindingKind

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
AMOUNT: Schema = {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}
DAY: Schema = {"type": "string", "format": "date"}
MONEY: Schema = {
    "description": "Currency → an amount as a decimal string; currencies are never mixed.",
    "type": "object",
    "propertyNames": {"pattern": "^[A-Z]{3}$"},
    "additionalProperties": AMOUNT,
}


def build_review_schema() -> Schema:
    """Return the JSON Schema of the newest version of the document."""
    usage = _object(
        start={"type": "string", "format": "date-time"},
        hours=COUNT,
        measuredHours=COUNT,
        simulated=FLAG,
        pools=_list(_pool()),
    )
    inventory = _object(
        commitments=_list(_commitment()), coverage=_map(_share()), findings=_list(_finding())
    )
    document = _object(
        version={"const": REVIEW_VERSION},
        asOf=DAY,
        stacks=_list(TEXT),
        catalogDigest=TEXT,
        assumed=FLAG,
        usage=usage,
        remarks=_list(_object(subject=TEXT, message=TEXT, consequence=TEXT)),
        inventory=inventory,
        billing=_or_null(_billing()),
        past=_past(),
        outlook=_or_null(_outlook()),
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A commitment review of Tidegate",
        **document,
    }


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _map(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _pool() -> Schema:
    return _object(
        pool=TEXT,
        cloud={"enum": ["aws", "gcp", "azure"]},
        region=TEXT,
        instanceType=TEXT,
        pricePerHour=_or_null(AMOUNT),
        currency=TEXT,
        priceOrigin=TEXT,
        priceAsOf=_or_null(DAY),
        assumed=FLAG,
        eligible=FLAG,
        growthAWeek=_or_null(AMOUNT),
        weekendShare=_or_null(AMOUNT),
    )


def _share() -> Schema:
    return _object(overall=AMOUNT, least=AMOUNT, most=AMOUNT, hours=COUNT)


def _commitment() -> Schema:
    return _object(
        id=TEXT,
        stack=TEXT,
        cloud=TEXT,
        kind=TEXT,
        quantity=AMOUNT,
        unit={"enum": ["machines", "amount"]},
        end=_or_null(DAY),
        assumed=FLAG,
        utilization=_or_null(_share()),
    )


def _finding() -> Schema:
    kinds = [kind.value for kind in FindingKind]
    return _object(
        id=TEXT,
        kind={"enum": kinds},
        subject=TEXT,
        message=TEXT,
        cost=_or_null(AMOUNT),
        currency=TEXT,
    )


def _billing() -> Schema:
    pool = _object(
        pool=_or_null(TEXT),
        currency=TEXT,
        billed=AMOUNT,
        effective=AMOUNT,
        billedNodeHours=AMOUNT,
        usedNodeHours=_or_null(AMOUNT),
    )
    commitment = _object(
        billId=TEXT,
        declared=_or_null(TEXT),
        name=TEXT,
        kind=TEXT,
        currency=TEXT,
        billed=AMOUNT,
        effectiveUsed=AMOUNT,
        effectiveUnused=AMOUNT,
    )
    return _object(charges=COUNT, pools=_list(pool), commitments=_list(commitment))


def _offer() -> Schema:
    return _object(
        instrument=TEXT,
        title=TEXT,
        termMonths=COUNT,
        upfrontShare=AMOUNT,
        discount=AMOUNT,
        asOf=DAY,
        origin=TEXT,
        assumed=FLAG,
        flexibility=TEXT,
        exchange=TEXT,
        cancellation=TEXT,
        source=TEXT,
    )


def _past() -> Schema:
    bought = _object(
        id=TEXT, quantity=AMOUNT, unit={"enum": ["machines", "amount"]}, offer=_offer()
    )
    return _object(
        onDemand=MONEY, declared=MONEY, optimum=MONEY, gapToBound=AMOUNT, portfolio=_list(bought)
    )


def _outlook() -> Schema:
    target = _object(
        id=TEXT,
        quantity=AMOUNT,
        unit={"enum": ["machines", "amount"]},
        byPast=AMOUNT,
        byForecast=AMOUNT,
        stableFloor=AMOUNT,
        aboveStableFloor=FLAG,
        offer=_offer(),
    )
    cell = _object(cost=MONEY, regret=MONEY, utilization=_or_null(AMOUNT))
    line = _object(
        name=TEXT,
        scenarios=_map(cell),
        worst=_map(_object(scenario=TEXT, saving=AMOUNT)),
        balance=_list(AMOUNT),
        breakEvenMonth=_or_null(COUNT),
        lockedIn=MONEY,
    )
    return _object(
        months=COUNT,
        weeksMeasured=COUNT,
        hasTrend=FLAG,
        scenarios=_list(_object(name=TEXT, assumption=TEXT, hindsight=MONEY)),
        targets=_list(target),
        ladder=_list(_object(id=TEXT, month=COUNT, quantity=AMOUNT)),
        portfolios=_list(line),
        onlineGuarantee=AMOUNT,
    )
