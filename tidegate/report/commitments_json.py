"""A commitment review as JSON; amounts are decimal strings, shares are rounded for reading."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tidegate.catalog.instruments import InstrumentOffer
from tidegate.pricing.usage import UsageRow
from tidegate.review.billed import Billing
from tidegate.review.commitments import CommitmentReview
from tidegate.review.explained import Explanation
from tidegate.review.held import Held
from tidegate.review.inventory import HourlyShare, InventoryFinding
from tidegate.review.ladder import Step, Target
from tidegate.review.outlook import Cell, Line, Outlook

REVIEW_VERSION = "tidegate/commitment-review/v1"
CENT = Decimal("0.01")
SHARE = Decimal("0.0001")


def build_review_json(review: CommitmentReview) -> dict[str, Any]:
    """Return the review as a JSON document."""
    applied = review.inventory.applied
    return {
        "version": REVIEW_VERSION,
        "asOf": review.settings.today.isoformat(),
        "stacks": list(review.stacks),
        "catalogDigest": review.catalog_digest,
        "assumed": review.is_assumed,
        "usage": {
            "start": review.usage.start.isoformat(),
            "hours": review.usage.hours,
            "measuredHours": review.usage.known_hours,
            "simulated": review.usage.simulated,
            "pools": [_row(row, review) for row in review.usage.rows],
        },
        "remarks": [
            {"subject": each.subject, "message": each.message, "consequence": each.consequence}
            for each in review.remarks
        ],
        "inventory": {
            "commitments": [_held(each, review) for each in review.held],
            "coverage": {key: _share(each) for key, each in review.inventory.coverage.items()},
            "findings": [_finding(each) for each in review.inventory.findings],
        },
        "billing": None if review.billing is None else _billing(review.billing),
        "past": {
            "onDemand": money(review.past.without.totals()),
            "declared": money(applied.totals()),
            "optimum": money(review.past.applied.totals()),
            "gapToBound": f"{review.past.gap:.6f}",
            "portfolio": [
                {
                    "id": each.purchase.id,
                    "quantity": f"{each.purchase.quantity:f}",
                    "unit": each.purchase.instrument.unit.value,
                    "offer": _offer(each.candidate.offer),
                }
                for each in review.past.chosen
            ],
        },
        "outlook": None if review.outlook is None else _outlook(review.outlook),
    }


def build_explanation_json(found: Explanation) -> dict[str, Any]:
    """Return an explanation as a JSON document, with every row."""
    return {
        "id": found.id,
        "title": found.title,
        "formula": found.formula,
        "values": dict(found.values),
        "prices": [
            {
                "what": price.what,
                "amount": None if price.amount is None else f"{price.amount:f}",
                "currency": price.currency,
                "asOf": None if price.as_of is None else price.as_of.isoformat(),
                "origin": price.origin,
                "assumed": price.assumed,
            }
            for price in found.prices
        ],
        "rows": [
            {
                "hour": row.hour.isoformat(),
                "pool": row.pool,
                "instanceType": row.instance_type,
                "nodes": None if row.nodes is None else f"{row.nodes:f}",
            }
            for row in found.rows
        ],
        "shares": [
            {"hour": each.hour.isoformat(), "of": each.of, "share": _optional(each.share)}
            for each in found.shares
        ],
    }


def money(totals: Mapping[str, Decimal]) -> dict[str, str]:
    """Return currency → an amount to the cent."""
    return {key: f"{amount.quantize(CENT):f}" for key, amount in sorted(totals.items())}


def _row(row: UsageRow, review: CommitmentReview) -> dict[str, Any]:
    forecast = review.outlook.forecast if review.outlook else None
    found = None if forecast is None else forecast.rows[row.id]
    weekend = None if found is None else found.weekend_share
    trend = found is not None and forecast is not None and forecast.has_trend
    return {
        "pool": row.pool,
        "cloud": row.cloud.value,
        "region": row.region,
        "instanceType": row.instance_type,
        "pricePerHour": None if row.price is None else f"{row.price:f}",
        "currency": row.currency,
        "priceOrigin": row.price_origin,
        "priceAsOf": None if row.price_as_of is None else row.price_as_of.isoformat(),
        "assumed": row.assumed,
        "eligible": row.eligible,
        "growthAWeek": f"{found.growth_a_week:.4f}" if found and trend else None,
        "weekendShare": None if weekend is None else f"{weekend:.4f}",
    }


def _held(held: Held, review: CommitmentReview) -> dict[str, Any]:
    utilization = review.inventory.utilization.get(held.purchase.id)
    end = held.commitment.end
    return {
        "id": held.purchase.id,
        "stack": held.stack,
        "cloud": held.commitment.cloud.value,
        "kind": held.commitment.kind,
        "quantity": f"{held.purchase.quantity:f}",
        "unit": held.purchase.instrument.unit.value,
        "end": None if end is None else end.isoformat(),
        "assumed": held.assumed,
        "utilization": None if utilization is None else _share(utilization),
    }


def _share(share: HourlyShare) -> dict[str, Any]:
    return {
        "overall": f"{share.overall.quantize(SHARE):f}",
        "least": f"{share.least.quantize(SHARE):f}",
        "most": f"{share.most.quantize(SHARE):f}",
        "hours": share.hours,
    }


def _finding(finding: InventoryFinding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "kind": finding.kind.value,
        "subject": finding.subject,
        "message": finding.message,
        "cost": None if finding.cost is None else f"{finding.cost.quantize(CENT):f}",
        "currency": finding.currency,
    }


def _billing(billing: Billing) -> dict[str, Any]:
    return {
        "charges": billing.rows,
        "pools": [
            {
                "pool": each.pool or None,
                "currency": each.currency,
                "billed": f"{each.billed:f}",
                "effective": f"{each.effective:f}",
                "billedNodeHours": f"{each.billed_node_hours:f}",
                "usedNodeHours": _optional(each.used_node_hours),
            }
            for each in billing.pools
        ],
        "commitments": [
            {
                "billId": each.bill_id,
                "declared": each.declared or None,
                "name": each.bill.name,
                "kind": each.bill.kind,
                "currency": each.currency,
                "billed": f"{each.bill.billed:f}",
                "effectiveUsed": f"{each.bill.used:f}",
                "effectiveUnused": f"{each.bill.unused:f}",
            }
            for each in billing.commitments
        ],
    }


def _optional(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:f}"


def _offer(offer: InstrumentOffer) -> dict[str, Any]:
    instrument = offer.instrument
    return {
        "instrument": instrument.name,
        "title": instrument.title,
        "termMonths": offer.term_months,
        "upfrontShare": f"{offer.upfront_share:f}",
        "discount": f"{offer.discount:f}",
        "asOf": offer.as_of.isoformat(),
        "origin": offer.origin,
        "assumed": offer.assumed,
        "flexibility": instrument.flexibility,
        "exchange": instrument.exchange,
        "cancellation": instrument.cancellation,
        "source": instrument.source,
    }


def _outlook(outlook: Outlook) -> dict[str, Any]:
    return {
        "months": outlook.forecast.months,
        "weeksMeasured": outlook.forecast.weeks,
        "hasTrend": outlook.forecast.has_trend,
        "scenarios": [
            {
                "name": each.name,
                "assumption": each.assumption,
                "hindsight": money(outlook.hindsight[each.name]),
            }
            for each in outlook.scenarios
        ],
        "targets": [_target(each) for each in outlook.targets],
        "ladder": [_step(each) for each in outlook.ladder],
        "portfolios": [_line(each) for each in outlook.lines],
        "onlineGuarantee": "2",
    }


def _target(target: Target) -> dict[str, Any]:
    return {
        "id": target.candidate.id,
        "quantity": f"{target.quantity:f}",
        "unit": target.candidate.offer.instrument.unit.value,
        "byPast": f"{target.by_past:f}",
        "byForecast": f"{target.by_forecast:f}",
        "stableFloor": f"{target.stable_floor:f}",
        "aboveStableFloor": target.above_floor,
        "offer": _offer(target.candidate.offer),
    }


def _step(step: Step) -> dict[str, Any]:
    return {"id": step.candidate.id, "month": step.month, "quantity": f"{step.quantity:f}"}


def _line(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "scenarios": {name: _cell(cell) for name, cell in line.cells.items()},
        "worst": {
            key: {"scenario": scenario, "saving": f"{saving.quantize(CENT):f}"}
            for key, (scenario, saving) in line.worst.items()
        },
        "balance": [f"{each.quantize(CENT):f}" for each in line.balance],
        "breakEvenMonth": line.break_even_month,
        "lockedIn": money(line.locked_in),
    }


def _cell(cell: Cell) -> dict[str, Any]:
    utilization = cell.utilization
    return {
        "cost": money(cell.cost),
        "regret": money(cell.regret),
        "utilization": None if utilization is None else f"{utilization.quantize(SHARE):f}",
    }
